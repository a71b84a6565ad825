"""The summary by which synthetic purchases are compared with real ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.sparse import csr_matrix

LEVELS = (0.10, 0.25, 0.50, 0.75, 0.90, 0.99)
Floats = npt.NDArray[np.float64]


def _quantiles(values: pl.Series) -> Floats:
    return np.quantile(values.to_numpy(), LEVELS)


def nearest_similarity(frame: pl.DataFrame) -> Floats:
    """Return for every customer the largest Jaccard similarity of goods with another customer."""
    pairs = frame.select(pl.col("customer", "goods").rank("dense").cast(pl.Int64) - 1).unique()
    customer, goods = pairs["customer"].to_numpy(), pairs["goods"].to_numpy()
    bought = csr_matrix((np.ones(len(pairs)), (customer, goods)))
    size = np.bincount(customer)
    common = (bought @ bought.T).toarray()
    similarity = common / (size[:, None] + size[None, :] - common)
    np.fill_diagonal(similarity, 0.0)
    nearest: Floats = similarity.max(axis=1)
    return nearest


def purchase_shape(frame: pl.DataFrame) -> dict[str, Floats]:
    """Return the figures of a table of purchases, each as an array."""
    total = frame.height
    counts = frame.group_by("customer").len()["len"].sort(descending=True)
    sold = frame.group_by("goods").len()["len"].sort(descending=True).to_numpy()
    ranks = np.arange(10, 501)
    slope = np.polyfit(np.log(ranks), np.log(sold[ranks - 1]), 1)[0]
    weekday = np.bincount(frame["date"].dt.weekday().to_numpy(), minlength=8)[1:]
    month = frame.group_by(pl.col("date").dt.strftime("%Y%m")).len().sort("date")["len"].to_numpy()
    first = frame.with_columns(
        pl.col("date").min().over("customer").alias("first"), pl.col("date").min().over("customer", "goods").alias("met")
    ).filter(pl.col("date") > pl.col("first"))
    unique = frame.group_by("goods", "price", "quantity").agg(pl.col("customer").unique().alias("buyers"))
    alone = unique.filter(pl.col("buyers").list.len() == 1).explode("buyers")["buyers"].n_unique()
    return {
        "record counts": _quantiles(counts),
        "top customers": np.array([counts[: len(counts) // 100].sum() / total]),
        "top goods": np.array([sold[:10].sum() / total, sold[:100].sum() / total]),
        "Zipf exponent": np.array([-slope]),
        "prices": _quantiles(frame["price"]),
        "quantities": _quantiles(frame["quantity"]),
        "basket sizes": _quantiles(frame.group_by("customer", "date").len()["len"]),
        "weekdays": weekday / total,
        "months": month / total,
        "repeats": np.array([(first["met"] < first["date"]).mean()], dtype=np.float64),
        "similarity": np.quantile(nearest_similarity(frame), LEVELS[:-1]),
        "unique": np.array([alone / len(counts)]),
        "largest": np.array([counts[0]], dtype=np.float64),
    }
