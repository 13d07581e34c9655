"""N, second batch: streams, files that are found and not found, eval's input."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import subprocess
import sys
import threading

import pytest
from accented_trees import ASCII, SMALL, TREES, crossval, figures
from command_line import LPCFG, fail, run_here, succeed

# N20: streams


def test_n20_eval_reads_pipes_once(tmp_path):
    packed = tmp_path / "t.mrg.gz"
    packed.write_bytes(gzip.compress(TREES.encode()))
    command = f"exec '{LPCFG}' eval <(zcat '{packed}') <(cat '{packed}') <(zcat '{packed}')"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Number of Valid sentence  =         6         6" in done.stdout
    assert "F1 of the 6 sentences valid in both: A 100.00, B 100.00" in done.stdout


@pytest.mark.parametrize("command", [("eval", "gold"), ("check",), ("binarize",), ("crossval",)])
def test_n20_named_pipes_are_read_once(tmp_path, command):
    (tmp_path / "gold").write_text(TREES, "utf-8")
    os.mkfifo(tmp_path / "pipe")
    more = {"binarize": ["run"], "crossval": ["-o", "p", "--gold", "g", "--folds", "2", *SMALL]}.get(command[0], [])
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(TREES, "utf-8"), daemon=True)
    writer.start()
    outcome = succeed(*command, "pipe", *more, folder=tmp_path)
    writer.join(10)
    said = outcome.out + outcome.err
    assert any(figure in said for figure in ("=         6         6", "6 trees", "on 3 trees")), said


@pytest.mark.parametrize("packed", [False, True])
def test_n20_standard_input_is_read_by_all_commands(tmp_path, packed):
    data = gzip.compress(TREES.encode()) if packed else TREES.encode()
    (tmp_path / "t").write_bytes(data)
    assert "1 file, 6 trees" in succeed("check", "-", stdin=data).out
    assert "<stdin>:1" in succeed("check", "-", stdin=data).out
    assert "6 trees" in succeed("train", "-", "-o", tmp_path / "run", *SMALL, stdin=data).err
    assert "unchanged, skipped" in succeed("train", "-", "-o", tmp_path / "run", *SMALL, stdin=data).err
    assert json.loads(succeed("eval", "-", tmp_path / "t", "--json", stdin=data).out)["all"]["f1"] == 100.0
    assert "only one of GOLD, TEST and OTHER can be -" in fail(2, "eval", "-", "-", stdin=data)


# N01, N02: files that are found and not found


def write(path, content=ASCII):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def checked(*roots, folder, options=()):
    return json.loads(succeed("check", *roots, *options, "--json", folder=folder).out)


@pytest.mark.parametrize("name", ["WSJ/00/WSJ_0001.MRG", "a.Mrg", "A.MRG.GZ", "x.PTB", "chtb.fid", "a.NW", "b.trees"])
def test_n01_endings_in_capitals_and_of_other_treebanks(tmp_path, name):
    write(tmp_path / "bank" / name, gzip.compress(ASCII.encode()) if name.endswith("GZ") else ASCII)
    assert checked("bank", folder=tmp_path)["figures"]["trees"] == 2


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz"])
def test_n01_packed_files_are_read_whatever_they_are_called(tmp_path, pack, ending):
    path = write(tmp_path / "bank" / f"a.mrg{ending}", pack(ASCII.encode()))
    assert checked("bank", folder=tmp_path)["figures"]["trees"] == 2
    assert figures(path, write(tmp_path / "plain"))[0]["all"]["f1"] == 100.0
    path.write_bytes(path.read_bytes()[:-9])
    assert "that is damaged or cut off" in fail(3, "check", path)


def test_n01_a_packed_copy_is_not_counted_again(tmp_path):
    write(tmp_path / "bank" / "a.mrg")
    write(tmp_path / "bank" / "a.mrg.gz", gzip.compress(ASCII.encode()))
    write(tmp_path / "bank" / "b.mrg.bz2", bz2.compress(ASCII.encode()))
    write(tmp_path / "bank" / "b.mrg.xz", lzma.compress(ASCII.encode()))
    report = checked("bank", folder=tmp_path)
    assert (report["files"], report["figures"]["trees"]) == (2, 4)
    assert {(one["path"], one["why"]) for one in report["unread"]} == {
        ("bank/a.mrg.gz", "a packed copy of a.mrg"), ("bank/b.mrg.xz", "a packed copy of b.mrg.bz2"),
    }  # fmt: skip
    named = sorted(f"bank/{path.name}" for path in (tmp_path / "bank").iterdir())
    assert checked(*named, folder=tmp_path)["files"] == 2
    assert checked("bank/a.mrg.gz", "bank/b.mrg.xz", folder=tmp_path)["files"] == 2
    assert checked("bank/a.mrg", "bank/a.mrg", folder=tmp_path)["files"] == 2  # as it was asked for


@pytest.mark.parametrize(
    ("name", "head", "what"),
    [
        ("a.zip", b"PK\x03\x04" + bytes(400), "a zip archive, which is not read. Unpack it (`unzip`)"),
        ("a.mrg", b"a.mrg" + bytes(252) + b"ustar  \0" + bytes(300), "a tar archive"),
        ("a.tgz", gzip.compress(b"a.mrg" + bytes(252) + b"ustar  \0" + bytes(300), mtime=0), "a tar archive"),
        ("a.mrg.Z", b"\x1f\x9d\x90" + bytes(9), "a file of compress"),
        ("a.zst", b"\x28\xb5\x2f\xfd" + bytes(9), "a zstd file"),
    ],
)  # fmt: skip
def test_n01_archives_are_named_with_what_to_do(tmp_path, name, head, what):
    path = write(tmp_path / "bank" / name, head)
    for message in (fail(3, "check", path), fail(3, "eval", path, path)):
        assert f"{name}: {what}" in message


def test_n01_what_was_there_is_named_if_no_trees_are_found(tmp_path):
    write(tmp_path / "bank" / "x.prd")
    write(tmp_path / "bank" / "a.tar.gz", b"x")
    write(tmp_path / "bank" / "b.nw", "no tree")
    message = fail(3, "check", "bank", folder=tmp_path)
    for part in (
        "bank/x.prd: another ending, but looks like trees: name it to read it",
        "bank/a.tar.gz: an archive: unpack it first",
        "bank/b.nw: does not look like trees",
    ):  # fmt: skip
        assert part in message
    assert checked("bank/x.prd", folder=tmp_path)["figures"]["trees"] == 2
    (tmp_path / "empty").mkdir()
    assert "found no files at all" in fail(3, "check", "empty", folder=tmp_path)


def test_n01_train_tells_in_one_line_what_is_left_out(tmp_path):
    for name in ("a.mrg", "a.mrg.gz", "b.gld", "c.zip", "notes.txt"):
        write(tmp_path / "bank" / name, "nothing" if name == "notes.txt" else ASCII)
    err = succeed("train", "bank", "-o", "run", *SMALL, folder=tmp_path).err
    (line,) = [line for line in err.splitlines() if "not read: 4 other files" in line]
    whys = {"a.mrg.gz": "a packed copy", "b.gld": "looks like trees", "c.zip": "unpack", "notes.txt": "another ending"}
    for name, why in whys.items():
        assert name in line
        assert why in line


def test_n01_records_beside_parsed_trees_are_not_worth_a_word(tmp_path):
    for name in ("a.txt.mrg", "a.txt.mrg.json", "b.mrg.json"):
        write(tmp_path / "parsed" / name)
    assert [one["path"] for one in checked("parsed", folder=tmp_path)["unread"]] == ["parsed/b.mrg.json"]


@pytest.mark.parametrize("sections", ["00", "1-1", "02-21"])
def test_n01_sections_of_a_flat_sample(tmp_path, sections):
    for name in ("wsj_0001.mrg", "wsj_0002.mrg", "WSJ_0103.MRG", "wsj_2001.mrg"):
        write(tmp_path / "treebank" / "combined" / name, f"(S (N {name}))\n")
    found = {"00": 2, "1-1": 1, "02-21": 1}[sections]
    assert checked("treebank", folder=tmp_path, options=("--sections", sections))["figures"]["trees"] == found
    assert "found 4 files of other sections" in fail(3, "check", "treebank", "--sections", "22", folder=tmp_path)


def test_n02_links_are_followed_once_and_loops_end(tmp_path):
    write(tmp_path / "real" / "00" / "wsj_0001.mrg")
    write(tmp_path / "half" / "b.mrg")
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "wsj").symlink_to("../real")
    (tmp_path / "half" / "wsj").symlink_to("../real")
    assert checked("bank", folder=tmp_path)["files"] == 1
    assert checked("half", folder=tmp_path)["files"] == 2
    (tmp_path / "real" / "00" / "again").symlink_to("../..")
    (tmp_path / "half" / "0").symlink_to("wsj")
    (tmp_path / "half" / "a.mrg").symlink_to("b.mrg")
    (tmp_path / "half" / "c.mrg").symlink_to("nowhere.mrg")
    report = checked("half", folder=tmp_path)
    assert report["files"] == 2
    why = {one["path"]: one["why"] for one in report["unread"]}
    assert why["half/a.mrg"] == "a link to what is read already"
    assert why["half/c.mrg"] == "a link that leads nowhere"


# folders given to eval and parse


def fold_files(tmp_path, side, names, trees=None):
    for name in names:
        write(tmp_path / side / name, trees or f"(S (A {name.partition('.')[0].rpartition('/')[2]}))\n" * 3)


def test_folders_are_paired_by_name_and_what_has_no_partner_is_named(tmp_path):
    fold_files(tmp_path, "gold", ["00/a.mrg", "00/b.mrg", "01/c.mrg"])
    fold_files(tmp_path, "test", ["a.txt.mrg", "C.MRG.gz", "d.mrg"])
    (tmp_path / "test" / "C.MRG.gz").write_bytes(gzip.compress(b"(S (A c))\n" * 3))
    report, outcome = figures("gold", "test", folder=tmp_path)
    assert outcome.code == 11
    assert report["mismatches"] == [
        "gold/00/b.mrg: no partner among the test files (3 trees)",
        "test/d.mrg: no partner among the gold files (3 trees)",
    ]  # fmt: skip
    assert (report["all"]["valid"], report["all"]["f1"]) == (6, 100.0)
    assert report["trees"] == {"gold": 9, "test": 9, "is_partial": True}
    assert "gold/00/b.mrg: no partner" in outcome.err


def test_a_short_file_does_not_shift_those_after_it(tmp_path):
    fold_files(tmp_path, "gold", ["a.mrg", "b.mrg"])
    fold_files(tmp_path, "test", ["b.mrg"])
    write(tmp_path / "test" / "a.mrg", "(S (A a))\n")
    report, outcome = figures("gold", "test", folder=tmp_path)
    assert (outcome.code, report["all"]["valid"], report["all"]["errors"]) == (11, 4, 0)
    assert report["mismatches"] == ["gold/a.mrg: 3 trees, test/a.mrg: 1"]
    fold_files(tmp_path, "other", ["a.mrg", "b.mrg"])
    compared = json.loads(run_here("eval", "gold", "test", "other", "--json", folder=tmp_path).out)
    assert compared["significance"]["sentences"] == 4


def test_folders_without_names_in_common_are_paired_in_order(tmp_path):
    write(tmp_path / "gold" / "x.mrg", "(S (A a))\n")
    write(tmp_path / "gold" / "y.mrg", "(S (A b))\n")
    write(tmp_path / "test" / "1.mrg", "(S (A a))\n")
    write(tmp_path / "test" / "2.mrg", "(S (A b))\n")
    report, _ = figures("gold", "test", folder=tmp_path)
    assert report["all"]["valid"] == 2
    told = "the names of the gold and test files do not pair, so their trees are paired in order."
    assert told in report["notes"]
    write(tmp_path / "test" / "y.mrg", "(S (A b))\n")
    assert told not in figures("gold", "test", folder=tmp_path)[0]["notes"]


def test_folders_of_folders_are_parsed_as_they_lie(tmp_path, trained):
    write(tmp_path / "in" / "a.txt", "Hush/UH\n")
    write(tmp_path / "in" / "deep" / "er" / "b.txt", "the/DT dog/NN\n")
    write(tmp_path / "in" / "deep" / "er" / "b.txt.gz", gzip.compress(b"the/DT dog/NN\n"))
    (tmp_path / "in" / "loop").symlink_to(".")
    for _ in range(2):  # the output is below the input, and is not parsed in its turn
        err = succeed("parse", trained, tmp_path / "in", "-o", tmp_path / "in" / "out").err
        assert "2 files, of which" in err
        assert "b.txt.gz: a packed copy of b.txt" in err
    out = tmp_path / "in" / "out"
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*.mrg")) == ["a.txt.mrg", "deep/er/b.txt.mrg"]


# N11: lists of the n best trees

GOLD = "(S (NP (N a)) (VP (V b)))\n(S (NP (N c)) (VP (V d)))\n(S (N e))\n"
OWN = (
    "-1.5\t(S (NP (N a)) (VP (V b)))\n-2.5\t(S (N a) (V b))\n\n"
    "-1.5\t(S (N c) (V d))\n-1.6\t(S (XP (N c)) (VP (V d)))\n-1e-05\t(S (NP (N c)) (VP (V d)))\n\n"
    "0\t(())\n\n"
)
BLLIP = (
    "2 first\n-1.5\n(S1 (S (NP (N a)) (VP (V b))))\n-2.5\n(S1 (S (N a) (V b)))\n\n"
    "3 2\n-1.5\n(S1 (S (N c) (V d)))\n-1.6\n(S1 (S (XP (N c)) (VP (V d))))\n-3\n(S1 (S (NP (N c)) (VP (V d))))\n\n"
    "0 third\n\n"
)


@pytest.mark.parametrize("lists", [OWN, BLLIP.replace("(S1 ", "(TOP ")])
def test_n11_the_first_of_each_list_is_scored_and_the_best_of_n(tmp_path, lists):
    """Gold has 3 + 3 brackets.  Right are 3 + 1 of the first trees' 3 + 1, 3 + 2 with the best of two, all with 3."""
    write(tmp_path / "gold", GOLD)
    write(tmp_path / "test", lists)
    report, outcome = figures("gold", "test", folder=tmp_path)
    assert (outcome.code, report["all"]["valid"], report["all"]["skipped"]) == (0, 2, 1)
    assert [report["all"][name] for name in ("matched", "gold", "test")] == [4, 6, 4]
    found = [(row["n"], row["matched"], row["gold"], row["test"], row["complete"]) for row in report["oracle"]]
    assert found == [(1, 4, 6, 4, 1), (2, 5, 6, 6, 1), (3, 6, 6, 6, 2)]
    printed = succeed("eval", "gold", "test", "--oracle", folder=tmp_path)
    assert [line.split()[:4] for line in printed.out.splitlines()[-3:]] == [
        ["1", "66.67", "100.00", "80.00"], ["2", "83.33", "83.33", "83.33"], ["3", "100.00", "100.00", "100.00"],
    ]  # fmt: skip
    assert "lists of the n best trees, of which the first is scored" in printed.err


def test_n11_own_lists_are_understood(tmp_path, trained, tiny_treebank):
    for n in (1, 5):
        command = ("parse", trained, tiny_treebank / "a.mrg", "-f", "trees", "--nbest", n)
        succeed(*command, "-o", tmp_path / f"best{n}")
    best = figures(tiny_treebank / "a.mrg", tmp_path / "best1")[0]
    ranked = figures(tiny_treebank / "a.mrg", tmp_path / "best5")[0]
    assert [row["n"] for row in ranked["oracle"]] == [1, 2, 3, 4, 5]
    assert best["all"] == ranked["all"] == {key: ranked["oracle"][0][key] for key in best["all"]}
    scores = [row["f1"] for row in ranked["oracle"]]
    assert scores == sorted(scores)
    write(tmp_path / "plain", ASCII)
    assert "no lists of trees" in fail(3, "eval", tmp_path / "plain", tmp_path / "plain", "--oracle")


@pytest.mark.parametrize("lists", [OWN, BLLIP])
def test_n11_lists_are_named_where_trees_are_wanted(lists):
    assert "<stdin>:1:1: a list of the n best trees: '" in fail(3, "check", "-", stdin=lists)


# an outer bracket without a label, and words that look alike


def test_an_outer_bracket_on_one_side_is_told_with_its_figure(tmp_path):
    plain = "(S (NP (N a)) (VP (V b)))\n" * 4
    write(tmp_path / "plain", plain)
    write(tmp_path / "wrapped", "".join(f"( {line})\n" for line in plain.splitlines()))
    for gold, test, counts in (("wrapped", "plain", "gold 4, test 0"), ("plain", "wrapped", "gold 0, test 4")):
        printed = succeed("eval", gold, test, folder=tmp_path).out
        assert "Bracketing FMeasure       =     85.71" in printed  # 2 * 12 / (16 + 12)
        assert f"Brackets without a label: {counts}. They count, as in EVALB;\nF1 without them: 100.00" in printed
        report, _ = figures(gold, test, folder=tmp_path)
        assert (report["without_unlabelled"]["f1"], round(report["all"]["f1"], 2)) == (100.0, 85.71)
        dropped = succeed("eval", gold, test, "--drop-unlabelled", folder=tmp_path).out
        assert "Bracketing FMeasure       =    100.00" in dropped
        assert "without a label" not in dropped
    for both in ("wrapped", "plain"):
        assert "without a label" not in succeed("eval", both, both, folder=tmp_path).out
    page = " ".join(succeed("check", "wrapped", folder=tmp_path).out.split())
    assert "4 trees have an outer bracket without a label." in page
    assert "--drop-unlabelled" not in succeed("check", "plain", folder=tmp_path).out


@pytest.mark.parametrize(
    ("gold", "test", "message"),
    [
        ("th\u00e9", "the\u0301", "gold is composed (U+00E9), test decomposed (U+0301)"),
        ("canci\u00f3n", "can\u00adci\u00f3n", r"(canción|can\xadción) at word 1: U+0063 LATIN SMALL LETTER C in"),
        ("ab", "a\u200bb", r"(ab|a\u200bb)"),
        ("ab\ufeff", "ab", "U+FEFF ZERO WIDTH NO-BREAK SPACE in gold, nothing in test"),
        ("a\u0430", "aa", "U+0430 CYRILLIC SMALL LETTER A in gold, U+0061 LATIN SMALL LETTER A in test"),
        ("x", "y", "Words unmatch (x|y) at word 1 ("),
    ],
)  # fmt: skip
def test_words_that_look_alike_are_told_apart(tmp_path, gold, test, message):
    write(tmp_path / "gold", f"(S (N {gold}))\n")
    write(tmp_path / "test", f"(S (N {test}))\n")
    outcome = run_here("eval", "gold", "test", folder=tmp_path)
    assert outcome.code == 12
    assert message in outcome.err


def test_evalb_output_ends_with_its_last_figure(tmp_path):
    write(tmp_path / "gold", GOLD)
    printed = succeed("eval", "gold", "gold", "--format", "evalb", folder=tmp_path).out
    assert printed.endswith("Tagging accuracy          = 100.00\n")


# documents that repeat sentences, and words that are too long


def test_crossval_tells_how_many_sentences_its_models_have_seen(tmp_path):
    write(tmp_path / "t.mrg", ASCII * 3)
    outcome = crossval(tmp_path, tmp_path / "t.mrg")
    assert json.loads(outcome.out)["repeated"] == 6
    assert "fold 0: 2 of its 2 sentences also occur in its model's trees" in outcome.err
    write(tmp_path / "u.mrg", "".join(f"(S (A a{k}) (B b))\n" for k in range(6)))
    outcome = crossval(tmp_path, tmp_path / "u.mrg")
    assert json.loads(outcome.out)["repeated"] == 0
    assert "also occur" not in outcome.err


LONG = "x" * 3_000_000
MEASURED = """
from lpcfg_cli.cli.main import main
import sys
try:
    main()
finally:
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("check", "-"), f"(S (N a))\n(S (N {LONG}))\n(S (N b))\n"),
        (("check", "-", "--tree-format", "discbracket"), f"(S (N 0=a))\n(S (N 0={LONG}))\n(S (N 0=b))\n"),
        (("parse", "MODEL"), f"Hush/UH\n{LONG}/UH\nHush/UH\n"),
        (("parse", "MODEL", "--raw"), f"Hush\n{LONG}\nHush\n"),
        (("parse", "MODEL", "-f", "tab"), f"Hush\tUH\n\n{LONG}\tUH\n\nHush\tUH\n"),
        (("parse", "MODEL", "-f", "trees"), f"(S (UH Hush))\n(S (UH {LONG}))\n(S (UH Hush))\n"),
    ],
)
def test_a_word_of_megabytes_is_refused_cheaply(trained, arguments, text):
    command = [str(trained) if part == "MODEL" else part for part in arguments]
    for mode, code in (("stop", 3), ("skip", 0)):
        process = [sys.executable, "-c", MEASURED, *command, "--on-error", mode]
        done = subprocess.run(process, input=text.encode(), capture_output=True, check=False)
        said = " ".join((done.stdout.decode() + done.stderr.decode()).split())
        assert done.returncode == code, said
        assert "a word of 3,000,00" in said
        assert len(said) < 4000
        assert int(said.split("VmHWM:")[1].split()[0]) < 300_000  # kilobytes


FOUND = [("upper", (2, 2)), ("mixed", (2, 60)), ("fid", (1, 1)), ("twice", (1, 30))]


@pytest.mark.parametrize(("folder", "found"), FOUND)
def test_n01_as_collected(case, folder, found):
    report = json.loads(succeed("check", case("N01", folder), "--json").out)
    assert (report["files"], report["figures"]["trees"]) == found


def test_n11_as_collected(case, train, tmp_path):
    succeed("parse", train("_base").folder, case("N11", "in.txt"), "--nbest", 3, "-o", tmp_path / "best")
    report, _ = figures(case("N11", "gold.mrg"), tmp_path / "best", "--drop-unlabelled")
    assert report["all"]["f1"] == 100.0
