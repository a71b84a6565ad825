"""``python -m benchmarks.pairing [--generated]``: strict k-anonymity against groups by record count, k = 2 and 3.

Both sides align and merge records in the same way and run one after the other; only the choice of groups differs.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.apart import aligned_table, merge_results, run_apart
from benchmarks.inputs import PROJECT, SEED, SHARED
from benchmarks.strict import GROUPINGS
from tokumei.synth.writing import write_synthetic

__all__ = ["main"]

SUBJECTS = 1000
HEAD = ("data", "k", "groups", "U", "deleted", "CPU s", "wall s", "peak GB")


def main() -> None:
    """Measure, print the table, keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairing", description=__doc__)
    parser.add_argument("--generated", action="store_true", help="use generated data even if the real data is present")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "k-anonymity.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tokumei-bench-") as folder:
        t = SHARED / "data" / "pwscup2018_T.csv"
        data = "real"
        if chosen.generated or not t.exists():
            t, data = Path(folder) / "T.csv", "generated"
            write_synthetic("purchases", t, subjects=SUBJECTS, seed=SEED, header=False)
        found = {
            k: {name: run_apart(["benchmarks.strict", str(t), str(k), name]) for name in GROUPINGS} for k in (2, 3)
        }
    rows, result = [], {}
    for k, sides in found.items():
        for name, side in sides.items():
            told = side.figures
            seconds = f"{told['CPU seconds']:.1f}", f"{told['wall seconds']:.1f}"
            rows.append(
                (data, str(k), name, f"{told['U']:.6f}", f"{told['deleted']:,}", *seconds, f"{side.peak_gb:.2f}")
            )
        ours, baseline = (sides[name].figures for name in GROUPINGS)
        ratios = {
            "U": ours["U"] / baseline["U"],
            "CPU seconds": ours["CPU seconds"] / max(baseline["CPU seconds"], 1e-9),
        }
        result[f"k={k}"] = {"optimal": ours, "by-count": baseline, "optimal / by-count": ratios}
        rows.append((data, str(k), "ratio", f"{ratios['U']:.4f}", "", f"{ratios['CPU seconds']:.1f}", "", ""))
    print(aligned_table(HEAD, rows))
    merge_results(chosen.output, f"pairing ({data} data)", result)


if __name__ == "__main__":
    main()
