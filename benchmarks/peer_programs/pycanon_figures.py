"""What pyCANON says of tables in a JSON file; runs in pyCANON's own environment."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import pandas
from pycanon import anonymity
from telling import tell


def main() -> None:
    """Print the figures of every table: a dictionary of columns, of which ``s`` is sensitive."""
    warnings.simplefilter("ignore")
    tables = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    tell("pycanon", lambda: [_figures(table) for table in tables])


def _figures(columns: dict[str, list[object]]) -> dict[str, object]:
    frame, known, hidden = pandas.DataFrame(columns), [name for name in columns if name != "s"], ["s"]
    alpha, k = anonymity.alpha_k_anonymity(frame, known, hidden)
    c, _ = anonymity.recursive_c_l_diversity(frame, known, hidden)
    return {
        "k": int(k),
        "l": int(anonymity.l_diversity(frame, known, hidden)),
        "entropy": int(anonymity.entropy_l_diversity(frame, known, hidden)),
        "c": None if c != c else int(c),  # noqa: PLR0124 - not a number
        "alpha": float(alpha),
        "t": float(anonymity.t_closeness(frame, known, hidden)),
        "beta": float(anonymity.basic_beta_likeness(frame, known, hidden)),
        "enhanced": float(anonymity.enhanced_beta_likeness(frame, known, hidden)),
        "delta": float(anonymity.delta_disclosure(frame, known, hidden)),
    }


if __name__ == "__main__":
    main()
