"""From trajectories to a release and its whole audit."""

# %% [markdown]
# # Trajectories: where people were, and when
#
# Places are columns of latitude and longitude; a generalized place is a rectangle, a generalized time an interval.

# %%
from __future__ import annotations

import os
import tempfile
from pathlib import Path

import polars as pl

import tokumei
from tokumei.synth import write_synthetic

# %% Generated commuters; the schema finds the place by the names of its coordinates.
subjects = int(os.environ.get("TOKUMEI_EXAMPLE_SUBJECTS", "300"))
folder = Path(tempfile.mkdtemp())
write_synthetic("trajectories", folder / "trajectories.csv", subjects=subjects, seed=1)
trajectories = pl.read_csv(folder / "trajectories.csv")
found = tokumei.describe(trajectories)
print(found.schema.to_toml())

# %% Time and place of one record together, before anything is done.
pair = found.risk.pairs[0]
print(f"one {' and '.join(pair.columns)} singles out {pair.share:.1%}")

# %% Places matter more than times to this study: a weight says so.
made = tokumei.anonymize(trajectories, k=3, effort="fast", weights="position:2,time:1")
assert made.verdict is not None
print(made.data.head())
print({name: round(loss, 3) for name, loss in made.utility.parts.items()})

# %% The whole audit, with every attack, as the strongest attacker would run it.
result = tokumei.audit(trajectories, made)
print(f"{result.verdict.outcome.value}: every history is shared by {result.k_anonymity} pseudonyms")
print({name: round(figure.share, 3) for name, figure in result.reidentified.items()})
result  # noqa: B018 - what a notebook shows
