"""How often the members of a class have each value of a column that is published apart (`tokumei.data.apart`)."""

from __future__ import annotations

import numpy as np
import polars as pl
import scipy.sparse as sp

from tokumei.attacks.matching.consistency import Histories
from tokumei.data import History, Release, columns_apart


def shares_apart(history: History, release: Release, histories: Histories) -> dict[str, sp.csr_array]:
    """Return how many records of every class (row) have each code (column), by field.

    Groups that publish the same records are one class: nothing tells somebody who knows a person which of them it is
    in. A name that stands for several categories is as likely any of them.
    """
    if release.apart is None:
        return {}
    kinds = pl.DataFrame({"pseudonym": histories.names.cast(pl.String), "class": histories.kind})
    first = release.apart.groups.join(kinds, on="pseudonym").unique("group", keep="first", maintain_order=True)
    counted = release.apart.values.join(first.select("group", "class"), on="group")
    tables: dict[str, sp.csr_array] = {}
    for name in columns_apart(release.schema):
        categories = history.categories[name].cast(pl.String)
        text = release.labels.get(name, categories).cast(pl.String)[: len(categories)]
        codes = pl.DataFrame({"value": text, "code": np.arange(len(text))})
        codes = codes.with_columns((1.0 / pl.len()).over("value").alias("share"))
        rows = counted.filter(pl.col("column") == name).join(codes, on="value")
        weights = (rows["records"] * rows["share"]).to_numpy()
        place = (rows["class"].to_numpy(), rows["code"].to_numpy())
        shape = (int(histories.kind.max(initial=-1)) + 1, len(categories))
        tables[name] = sp.coo_array((weights, place), shape=shape).tocsr()
    return tables
