"""Test readers with nearly valid input, and the commands of parsers and models of words from end to end.

    python scripts/fuzz.py [--minutes 5] [--seed 0] [--only NAME ...]

Ends with status 1 at the first input for which a reader neither gives a result nor raises one of our errors; the seed
that is printed gives this input again.  Add every such input to tests/test_fuzz.py.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from command_targets import CommandTarget, shared_folder
from fuzz_targets import TEXT_TARGETS, artefact_targets
from word_targets import word_targets


def main() -> int:
    """Run the targets in turn until the time is over."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=5.0)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", nargs="+", help="names of targets")
    given = options.parse_args()
    faulthandler.enable()
    with tempfile.TemporaryDirectory() as folder:
        print(f"inputs are in {folder}, name and seed of the last one in {folder}/last", file=sys.stderr)
        commands = CommandTarget(Path(folder), shared_folder())
        files = {**artefact_targets(Path(folder)), **word_targets(Path(folder))}
        targets = {**TEXT_TARGETS, **files, "commands": commands.fuzz_commands, "texts": commands.fuzz_texts}
        chosen = {name: target for name, target in targets.items() if name in (given.only or targets)}
        count, seed, end = 0, given.seed, time.monotonic() + 60 * given.minutes
        while time.monotonic() < end:
            for name, target in chosen.items():
                Path(folder, "last").write_text(f"{name} {seed}")
                try:
                    target(random.Random(seed))
                except Exception:
                    traceback.print_exc()
                    print(f"failed: --only {name} --seed {seed}")
                    return 1
                count += 1
            seed += 1
    print(f"{count:,} inputs for {', '.join(chosen)}: all read or refused; seeds {given.seed} to {seed - 1}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
