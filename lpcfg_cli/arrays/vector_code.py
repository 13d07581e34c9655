"""LLVM code for vectors of numbers: what `lpcfg_cli.arrays.lanes` and `lpcfg_cli.arrays.entrywise` are made of."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

from lpcfg_cli.arrays.halves import UPPER

REGISTER = 64
"""Number of bytes of a vector; where registers are shorter, two or four stand for one."""

AHEAD = 4096
"""How many bytes before it is used a row of a long matrix is asked for.  Processors foresee by themselves that rows are
read in order, but not beyond a page of 4 KiB."""


class VectorCode:
    """Writes LLVM code for vectors of `REGISTER` bytes of one floating-point type.

    What code stands for is told by each method's name: `load` writes code that loads.  Numbers and vectors are LLVM's
    values; a mask is a vector of true and false, or None for the whole vector.

    Parameters
    ----------
    context, builder
        Of numba's lowering.
    kind : numba Array type
        Of arrays whose entries have this type.

    Attributes
    ----------
    lanes : int
        Entries of a vector.
    together : int
        Entries of 16 bytes.
    """

    def __init__(self, context: Any, builder: Any, kind: Any):
        self.context, self.builder = context, builder
        self.number = context.get_value_type(kind.dtype)
        self.lanes = REGISTER * 8 // kind.dtype.bitwidth
        self.vector, self.align = ir.VectorType(self.number, self.lanes), kind.dtype.bitwidth // 8
        self.zero = ir.Constant(self.vector, None)
        self.together = 16 // self.align

    def integer(self, value: int) -> Any:
        """A constant of 64 bits."""
        return ir.Constant(ir.IntType(64), value)

    def data(self, kind: Any, array: Any) -> Any:
        """Pointer to the first entry of an array."""
        return self.context.make_array(kind)(self.context, self.builder, array).data

    def integers(self, kind: Any, given: Any) -> list[Any]:
        """The integers of a tuple."""
        return [self.builder.extract_value(given, k) for k in range(kind.count)]

    def places(self, kind: Any, given: Any, first: Any, n: int) -> list[Any]:
        """N of the integers of an array from a place on, or one that is given alone."""
        if isinstance(kind, types.Integer):
            return [given]
        data = self.data(kind, given)
        return [self.read(data, self.builder.add(first, self.integer(k))) for k in range(n)]

    def how_many(self, kind: Any, given: Any) -> Any:
        """Length of an array of places; 1 for one."""
        if isinstance(kind, types.Integer):
            return self.integer(1)
        shape = self.context.make_array(kind)(self.context, self.builder, given).shape
        return self.builder.extract_value(shape, 0)

    def cast(self, value: Any, kind: Any) -> Any:
        """An integer of 64 bits as one of another type, which has no more."""
        return value if kind.width == 64 else self.builder.trunc(value, kind)

    def slots(self, n: int) -> list[Any]:
        """Variables for n vectors, zero at first."""
        found = [cgutils.alloca_once(self.builder, self.vector) for _ in range(n)]
        for slot in found:
            self.builder.store(self.zero, slot)
        return found

    def add_to(self, slot: Any, factor: Any, vector: Any) -> None:
        """slot += factor ∘ vector."""
        product = self.builder.fmul(factor, vector, flags=("contract",))
        self.builder.store(self.builder.fadd(self.builder.load(slot), product, flags=("contract",)), slot)

    def add_entries(self, data: Any, place: Any, vectors: list[Any], first: int, n: int) -> None:
        """Add n entries, numbered through some vectors, to the numbers from a place on."""
        size = math.gcd(n, self.together)
        for k in range(0, n, size):
            number, entry = divmod(first + k, self.together)
            some = self.part(vectors[number], vectors[number], range(entry, entry + size))
            where = self.pointer(data, self.builder.add(place, self.integer(k)), some.type)
            before = self.builder.load(where, align=self.align)
            self.builder.store(self.builder.fadd(before, some), where, align=self.align)

    def before(self, data: Any, place: Any, mask: Any, is_new: Any) -> Any:
        """What results from a place on are added to: the vector there, or zeros."""
        return self.builder.select(is_new, self.zero, self.load(data, place, mask))

    def splat(self, number: Any) -> Any:
        """A vector whose entries all are a number."""
        one = self.builder.insert_element(ir.Constant(self.vector, ir.Undefined), number, ir.IntType(32)(0))
        return self.builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), None))

    def read(self, data: Any, place: Any) -> Any:
        """The number at a place."""
        return self.builder.load(self.builder.gep(data, [place]))

    def pointer(self, data: Any, place: Any, kind: Any) -> Any:
        """Pointer to a vector of a type that begins at a place."""
        return self.builder.bitcast(self.builder.gep(data, [place]), kind.as_pointer())

    def prefetch(self, data: Any, place: Any, ahead: int = 0) -> None:
        """Ask for what is some bytes beyond a place, so that it is in the caches later; nothing need be there."""
        octet, number = ir.IntType(8), ir.IntType(32)
        where = self.builder.bitcast(self.builder.gep(data, [place]), octet.as_pointer())
        arguments = [self.builder.gep(where, [self.integer(ahead)]), number(0), number(3), number(1)]
        kind = ir.FunctionType(ir.VoidType(), [one.type for one in arguments])
        name = "llvm.prefetch.p0"  # of: where, to be read, into the fastest cache, data
        self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), arguments)

    def load(self, data: Any, place: Any, mask: Any) -> Any:
        """The vector from a place on; entries outside the mask, if there is one, are zero and are not read."""
        where = self.pointer(data, place, self.vector)
        if mask is None:
            return self.builder.load(where, align=self.align)
        arguments = [where, ir.IntType(32)(self.align), mask, self.zero]
        return self.builder.call(self._masked("load", self.vector, arguments), arguments)

    def load_row(self, kind: Any, data: Any, place: Any, mask: Any) -> Any:
        """As `load`, of a row of numbers or of their upper halves; of halves, entries outside the mask are read too.

        `lpcfg_cli.arrays.halves` tells in which order the halves are.
        """
        if kind.dtype != types.uint16:
            return self.load(data, place, mask)
        bits, builder = ir.IntType(32), self.builder
        if mask is not None:
            found = builder.load(self.pointer(data, place, ir.VectorType(ir.IntType(16), self.lanes)), align=2)
            whole = ir.VectorType(bits, self.lanes)
            return builder.bitcast(builder.shl(builder.zext(found, whole), self.filled(whole, 16)), self.vector)
        pairs = ir.VectorType(bits, self.lanes // 2)
        words = builder.load(self.pointer(data, place, pairs), align=2)
        first, second = builder.shl(words, self.filled(pairs, 16)), builder.and_(words, self.filled(pairs, int(UPPER)))
        return builder.bitcast(self.part(first, second, range(self.lanes)), self.vector)

    def filled(self, kind: Any, value: int) -> Any:
        """A constant vector of a type, whose entries all are a number."""
        return ir.Constant(kind, [value] * kind.count)

    def store(self, value: Any, data: Any, place: Any, mask: Any) -> None:
        """Store a vector from a place on, without the entries outside the mask."""
        where = self.pointer(data, place, self.vector)
        if mask is None:
            self.builder.store(value, where, align=self.align)
        else:
            arguments = [value, where, ir.IntType(32)(self.align), mask]
            self.builder.call(self._masked("store", ir.VoidType(), arguments), arguments)

    def _masked(self, what: str, result: Any, arguments: list[Any]) -> Any:
        kind = ir.FunctionType(result, [one.type for one in arguments])
        name = f"llvm.masked.{what}.v{self.lanes}{self.number.intrinsic_name}.p0"
        return cgutils.get_or_insert_function(self.builder.module, kind, name)

    def part(self, one: Any, two: Any, entries: Sequence[int]) -> Any:
        """A vector of some of the entries of two vectors, numbered through both."""
        kind = ir.VectorType(ir.IntType(32), len(entries))
        return self.builder.shuffle_vector(one, two, ir.Constant(kind, list(entries)))

    def folded(self, vector: Any) -> Any:
        """Half of a vector plus the other half."""
        half = vector.type.count // 2
        first, second = (self.part(vector, vector, range(k, k + half)) for k in (0, half))
        return self.builder.fadd(first, second)

    def paired(self, one: Any, two: Any) -> Any:
        """Sums of neighbouring entries of two vectors; in each 16 bytes first those of one, then those of the other."""
        width, size = one.type.count, self.together
        starts = [start for lane in range(0, width, size) for start in (lane, width + lane)]
        evens = [k for start in starts for k in range(start, start + size, 2)]
        return self.builder.fadd(self.part(one, two, evens), self.part(one, two, [k + 1 for k in evens]))

    def entry_sums(self, vectors: list[Any]) -> list[Any]:
        """The sum of each vector's entries; they come in vectors of `together`, and what is left of the last is zero.

        That many vectors take as few instructions as one, and each sum is made in the same order.
        """
        level = [self.folded(vector) for vector in vectors]
        level += [ir.Constant(level[0].type, None)] * (-len(level) % self.together)
        for _ in range(self.together.bit_length() - 1):
            level = [self.paired(one, two) for one, two in zip(level[::2], level[1::2], strict=True)]
        return [self.folded(vector) for vector in level]

    @contextmanager
    def loop(self, n: Any) -> Iterator[Any]:
        """Code that is repeated n times; gives the number of the repetition."""
        with cgutils.for_range(self.builder, n, intp=ir.IntType(64)) as repeated:
            yield repeated.index

    def tiles(self, first: Any, last: Any, sizes: Sequence[int], body: Callable[[Any, int], None]) -> None:
        """Write the code of `body` for as many as fit of each size in turn, from one number to another.

        `body` gets where a tile begins, and its size.
        """
        builder = self.builder
        for size in sizes:
            times = builder.sdiv(builder.sub(last, first), self.integer(size))
            with self.loop(times) as k:
                body(builder.add(first, builder.mul(k, self.integer(size))), size)
            first = builder.add(first, builder.mul(times, self.integer(size)))

    def blocks(self, length: Any, body: Callable[..., None], together: int = 1) -> None:
        """Write the code of `body` for blocks of as many entries as a register has, and with a mask for the rest.

        `body` gets the first entry of so many blocks together, a power of two, or of half as many, and so on, and the
        mask of each.
        """
        builder, lanes = self.builder, self.integer(self.lanes)
        sizes = [1 << k for k in reversed(range(together.bit_length()))]
        self.tiles(
            self.integer(0),
            builder.sdiv(length, lanes),
            sizes,
            lambda block, size: body(builder.mul(block, lanes), *[None] * size),
        )
        rest = builder.srem(length, lanes)
        with builder.if_then(builder.icmp_signed(">", rest, self.integer(0))):
            kind = ir.VectorType(ir.IntType(self.align * 8), self.lanes)
            numbers, one = ir.Constant(kind, list(range(self.lanes))), ir.Constant(kind, ir.Undefined)
            one = builder.insert_element(one, self.cast(rest, kind.element), ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), None)
            mask = builder.icmp_signed("<", numbers, builder.shuffle_vector(one, one, zeros))
            body(builder.sub(length, rest), mask)

    def dots(self, matrix: Any, rows: list[Any], vectors: Any, at: list[Any], length: Any) -> list[Any]:
        """Scalar products of each of some vectors with each of some rows; all are of a length, from these places on.

        They are numbered vector by vector, and come as from `entry_sums`.
        """
        sums = [self.slots(len(rows)) for _ in at]

        def body(first: Any, mask: Any) -> None:
            loaded = [self.load(matrix, self.builder.add(row, first), mask) for row in rows]
            for place, own in zip(at, sums, strict=True):
                vector = self.load(vectors, self.builder.add(place, first), mask)
                for row, slot in zip(loaded, own, strict=True):
                    self.add_to(slot, row, vector)

        self.blocks(length, body)
        return self.entry_sums([self.builder.load(slot) for own in sums for slot in own])

    def sums(
        self,
        kind: Any,
        matrix: Any,
        start: Any,
        shape: tuple[Any, Any],
        vectors: Any,
        at: list[Any],
        masks: Sequence[Any],
    ) -> list[list[Any]]:
        """For each of some vectors the sum of a matrix's rows by its entries, for the columns of some blocks.

        The matrix is in an array of this kind.  The first of these columns begins at `start`; each block has a mask,
        and a vector's sum is a list of blocks.
        """
        builder, (rows, columns) = self.builder, shape
        slots = [self.slots(len(masks)) for _ in at]
        with self.loop(rows) as k:
            begin = builder.add(start, builder.mul(k, columns))
            self.prefetch(matrix, begin, AHEAD)
            factors = [self.splat(self.read(vectors, builder.add(place, k))) for place in at]
            for number, mask in enumerate(masks):
                row = self.load_row(kind, matrix, builder.add(begin, self.integer(number * self.lanes)), mask)
                for factor, own in zip(factors, slots, strict=True):
                    self.add_to(own[number], factor, row)
        return [[builder.load(slot) for slot in own] for own in slots]


def replaces(
    function: Callable[..., Any], *all_kinds: Sequence[Any], gives: bool = False, halved: int | None = None
) -> Callable[[Any], Any]:
    """Let LLVM code stand for a function of arguments of some kinds in compiled kernels.

    Parameters
    ----------
    function : function
    *all_kinds : sequence of numba types
        Of the arguments, once for each way to call it.  Arrays of numbers have one floating-point type, all others
        are int64, and entries lie side by side.  Other arrays are refused.
    gives : bool
        Whether it returns a number of that type; if not, it returns nothing.
    halved : int, optional
        The argument that may be an array of uint16, the upper halves of numbers, where others are float32.
    """

    def result(*arguments: Any) -> Any:
        arrays = {k: one for k, one in enumerate(arguments) if isinstance(one, types.Array)}
        numbers = {one.dtype for one in arrays.values() if isinstance(one.dtype, types.Float)}
        if halved is not None and numbers == {types.float32} and arrays[halved].dtype == types.uint16:
            del arrays[halved]
        others = {one.dtype for one in arrays.values()} - numbers
        are_whole = all(getattr(one, "layout", "C") == "C" for one in arguments)
        if not are_whole or len(numbers) != 1 or not others <= {types.int64}:
            return None
        return numbers.pop() if gives else types.none

    result.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # by which numba sorts arguments
    type_callable(function)(lambda context: result)

    def replacing(write: Any) -> Any:
        for kinds in all_kinds:
            write = lower_builtin(function, *kinds)(write)
        return write

    return replacing
