"""From a table of receipts to a release."""

# %% [markdown]
# # Purchases: from a table of receipts to a release
#
# A shop wants to give its purchase histories to researchers. Every customer has many records; few of them single a
# customer out. Run the cells one by one in an editor that knows `# %%`, or all with `python examples/purchases.py`.

# %%
from __future__ import annotations

import os
import tempfile
from pathlib import Path

import polars as pl

import tokumei
from tokumei.synth import write_synthetic

# %% The data: generated here, so that the example needs no file. Replace it by `pl.read_csv("my.csv")`.
subjects = int(os.environ.get("TOKUMEI_EXAMPLE_SUBJECTS", "300"))
folder = Path(tempfile.mkdtemp())
write_synthetic("purchases", folder / "purchases.csv", subjects=subjects, seed=1)
purchases = pl.read_csv(folder / "purchases.csv")
print(purchases.head())

# %% How little singles a customer out, as the data is now.
found = tokumei.describe(purchases)
for known, share in found.risk.known.items():
    print(f"{known} known records single out {share.value:.1%}")
print(f"the total spent singles out {found.risk.facts['total of price']:.1%}")
print(found.schema.to_toml())
found  # noqa: B018 - what a notebook shows

# %% Three customers behind every published history; the audit runs at once.
made = tokumei.anonymize(purchases, k=3, effort="fast")
assert made.verdict is not None
print(made.why)
print(made.data.head())
print(f"information lost: {made.utility.value:.1%}, audit: {made.verdict.outcome.value}")
made  # noqa: B018 - what a notebook shows

# %% A folder to hand out, and beside it what must be kept.
made.write(folder / "release")
print(sorted(path.name for path in folder.iterdir()))

# %% What an analyst loads: ends of ranges with their types, and a mean with honest bounds.
frame = tokumei.read_release(folder / "release")
print(tokumei.estimate_mean(frame, "price"))
frame.head()
