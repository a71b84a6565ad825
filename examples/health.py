"""A table with one row per person, with pandas or polars."""

# %% [markdown]
# # A health table: one row per person
#
# The same calls work on a static table; here with pandas, if it is installed. In the schema every row is a person of
# its own, so that no column names the subject.

# %%
from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

import tokumei
from tokumei.synth import write_synthetic

# %% A generated table of the shape of PWS Cup 2021.
subjects = int(os.environ.get("TOKUMEI_EXAMPLE_SUBJECTS", "300"))
folder = Path(tempfile.mkdtemp())
write_synthetic("health", folder / "health.csv", subjects=subjects, seed=1)
health: Any = pl.read_csv(folder / "health.csv")
try:
    import pandas as pd
except ImportError:
    print("pandas is not installed: going on with polars")
else:
    health = pd.read_csv(folder / "health.csv")

# %% Which columns identify, alone and in pairs.
found = tokumei.describe(health, subject="row")
for one in [*found.risk.columns[:3], *found.risk.pairs[:3]]:
    print(f"{' and '.join(one.columns)}: {one.share:.1%}")

# %% Five people behind every row. A frame of the library that came in goes out.
made = tokumei.anonymize(health, k=5, subject="row", effort="fast")
assert made.verdict is not None
print(type(made.data).__module__.split(".")[0], made.verdict.outcome.value)
print(made.data.head())

# %% How the trade-off moves with k: several methods in one table, each attacked and measured.
fast = {"k-anonymity": {"effort": "fast"}}
tried = tokumei.compare(health, ["k-anonymity", "pseudonymize"], k=(2, 5), settings=fast, subject="row", seed=1)
for run in tried.iter_rows(named=True):
    print(f"{run['release']}: information lost {run['loss']:.1%}, named {run['risk']:.1%}, {run['verdict']}")
tried.select("release", "loss", "risk", "verdict", "front")
