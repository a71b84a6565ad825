"""``python -m benchmarks [names...]``: measure, print the table of ratios, write bench/results.json."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import Result, run, table, write_results
from benchmarks.inputs import PROJECT, make_inputs

# Name on the command line -> module with a function ``benchmark(inputs)``; those not in the standard run last.
SUBJECTS = {
    "read": "read_original",
    "decode": "decode",
    "utility": "utility",
    "check": "check",
    "thresholds": "thresholds",
    "similarity": "item_similarity",
    "use-cases": "use_cases",
    "evaluate": "evaluate",
    "scale": "scale",
}
ON_REQUEST = ("scale",)


def main() -> int:
    """Run the named benchmarks; status 1 if the library and the plain program disagree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"one of {', '.join(SUBJECTS)}")
    parser.add_argument("--generated", action="store_true", help="use generated data even if the real data is present")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "results.json")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in SUBJECTS]
    if unknown:
        parser.error(f"there is no benchmark '{unknown[0]}'; there are {', '.join(SUBJECTS)}")
    names = chosen.names or [name for name in SUBJECTS if name not in ON_REQUEST]
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="tokumei-bench-") as folder:
        inputs = make_inputs(Path(folder), generated=chosen.generated)
        for name in names:
            print(f"measuring {name} ...", file=sys.stderr, flush=True)
            results.append(run(importlib.import_module(f"benchmarks.{SUBJECTS[name]}").benchmark(inputs)))
    print(f"CPU seconds on {inputs.data} data; baseline: plain Python of the same formulas, measured in this run\n")
    print(table(results))
    write_results(chosen.output, results, data=inputs.data)
    print(f"\nwritten to {chosen.output}")
    return 0 if all(result.agrees for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
