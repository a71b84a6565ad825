"""``python -m tests.golden FOLDER``: run every case below FOLDER, print the misses and last how many hold."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.golden.cases import find_cases, run_case

SHOWN = 10


def main() -> int:
    """Return 1 if any case misses or there is none, 2 if there is no such folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="print every miss, not the first ten of a case")
    parser.add_argument("--times", action="store_true", help="print the CPU seconds of every case")
    options = parser.parse_args()
    if not options.folder.is_dir():
        print(f"{options.folder} is no folder; name the folder of golden cases", file=sys.stderr)
        return 2
    cases = find_cases(options.folder)
    held = 0
    for case in cases:
        started = time.process_time()
        misses = run_case(case)
        held += not misses
        if options.times:
            print(f"{case.name}: {time.process_time() - started:.2f} CPU s")
        for miss in misses if options.all else misses[:SHOWN]:
            print(f"{case.name}: {miss}")
        if len(misses) > SHOWN and not options.all:
            print(f"{case.name}: and {len(misses) - SHOWN} more")
    print(f"{held} of {len(cases)} hold")
    return int(held < len(cases) or not cases)


if __name__ == "__main__":
    sys.exit(main())
