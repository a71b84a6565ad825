"""``python -m benchmarks.growth``: how CPU time and memory of 2-anonymity grow with the number of subjects.

Generated purchases of 1,000 to 8,000 customers; the exponent is the slope of log CPU seconds over log subjects, of the
work itself (warmed up). The table is printed; table, figures and chart are written to bench/.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.apart import Measured, aligned_table, merge_results, run_apart
from benchmarks.inputs import PROJECT, SEED
from tokumei.reports.charts import to_svg
from tokumei.synth.writing import write_synthetic

__all__ = ["exponent", "main", "write_growth"]

SIZES = (1000, 2000, 4000, 8000)
HEAD = ("subjects", "records", "U", "CPU s", "wall s", "peak GB")


def exponent(sizes: list[float], seconds: list[float]) -> float:
    """Return the slope of the straight line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench")
    chosen = parser.parse_args()
    write_growth([dict(_measure(size, chosen.k).figures) for size in chosen.sizes], chosen.k, chosen.output)


def write_growth(figures: list[dict[str, float]], k: int, folder: Path) -> None:
    """Print the table and the exponents of some runs, and write them with the chart."""
    subjects = [one["subjects"] for one in figures]
    slopes = {
        name: exponent(subjects, [one[name] for one in figures]) for name in ("CPU seconds", "wall seconds", "peak GB")
    }
    table = aligned_table(
        HEAD,
        [
            (
                f"{one['subjects']:,}",
                f"{one['records']:,}",
                f"{one['U']:.6f}",
                *(f"{one[name]:.1f}" for name in ("CPU seconds", "wall seconds")),
                f"{one['peak GB']:.2f}",
            )
            for one in figures
        ],
    )
    said = "exponents: " + ", ".join(f"{name} {slope:.2f}" for name, slope in slopes.items())
    print(f"{table}\n\n{said}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "growth.md").write_text(f"{table}\n\n{said}\n", encoding="utf-8")
    (folder / "growth.svg").write_text(_chart(figures), encoding="utf-8")
    merge_results(folder / "k-anonymity.json", f"growth (k={k})", {"runs": figures, "exponents": slopes})


def _measure(subjects: int, k: int) -> Measured:
    with tempfile.TemporaryDirectory(prefix="tokumei-bench-") as folder:
        t = Path(folder) / "T.csv"
        write_synthetic("purchases", t, subjects=subjects, seed=SEED, header=False)
        return run_apart(["benchmarks.strict", str(t), str(k), "optimal"])


def _chart(figures: list[dict[str, float]]) -> str:
    """Return CPU seconds and peak memory over subjects, both axes logarithmic, as SVG."""
    panels = []
    for name, title in (("CPU seconds", "CPU seconds"), ("peak GB", "peak memory, GB")):
        values = [{"subjects": one["subjects"], "value": one[name]} for one in figures]
        scale = {"type": "log", "nice": False}
        panels.append(
            {
                "data": {"values": values},
                "width": 260,
                "height": 220,
                "mark": {"type": "line", "point": True, "color": "#0072B2"},
                "encoding": {
                    "x": {
                        "field": "subjects",
                        "type": "quantitative",
                        "scale": scale,
                        "axis": {"values": [one["subjects"] for one in figures], "format": ",d"},
                    },
                    "y": {"field": "value", "type": "quantitative", "title": title, "scale": scale},
                },
            }
        )
    return to_svg({"hconcat": panels})


if __name__ == "__main__":
    main()
