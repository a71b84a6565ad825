"""The worked example of the PWS Cup 2016 paper (spec A.1.2), and small random shops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from tokumei.contests.pws2016.files import MASTER_COLUMNS, TRANSACTION_COLUMNS
from tokumei.contests.pws2016.shop import Shop, shop_history, shop_of, shop_release
from tokumei.data import History, Release, Secret

M = """12360,m,1976/2/24,Austria
12361,f,1954/2/14,Belgium
12362,f,1963/12/26,Belgium
12364,f,1960/9/16,Belgium
"""
T = """12362,544203,2011/2/17,10:30,21913,3.75,4
12362,544203,2011/2/17,10:30,22431,1.95,6
12361,545017,2011/2/25,13:51,22630,1.95,12
12361,545017,2011/2/25,13:51,22555,1.65,12
12362,551346,2011/4/28,9:12,21866,1.25,12
12362,551346,2011/4/28,9:12,20750,7.95,2
12362,551346,2011/4/28,9:12,22908,0.85,12
12360,554132,2011/5/23,9:43,21094,0.85,12
12360,554132,2011/5/23,9:43,23007,14.95,6
"""


def table(text: str, columns: tuple[str, ...]) -> pl.DataFrame:
    """Return CSV text as text columns."""
    rows = [line.split(",") for line in text.splitlines()]
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def history(master: str = M, transactions: str = T) -> History:
    """Return a history with people from CSV text; the paper's example by default."""
    return shop_history(table(master, MASTER_COLUMNS), table(transactions, TRANSACTION_COLUMNS))


def shop(master: str = M, transactions: str = T) -> Shop:
    """Return the view of such a history."""
    return shop_of(history(master, transactions))


def lines(text: str, *numbers: int) -> str:
    """Return some lines of a text, counted from 1, in this order."""
    every = text.splitlines(keepends=True)
    return "".join(every[number - 1] for number in numbers)


def without(text: str, customer: str) -> str:
    """Return the lines that do not begin with a customer."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(customer))


def release(master: str, transactions: str, *rows: int) -> tuple[Release, Secret]:
    """Return M', T' and P from text and numbers from 1."""
    made = shop_release(table(master, MASTER_COLUMNS), table(transactions, TRANSACTION_COLUMNS))
    unknown = np.full(len(made), -1, dtype=np.int64)
    return made, Secret(pl.DataFrame(), unknown, people=np.array(rows, dtype=np.int64) - 1)


# Paper table 6: the customers 12361, 12364 and 12360 are published, 12362 is deleted.
M3, T3, P3 = lines(M, 2, 4, 1), without(T, "12362"), (2, 4, 1)


def write(folder: Path, **texts: str) -> dict[str, Path]:
    """Write texts as files NAME.csv and return their paths."""
    paths = {}
    for name, text in texts.items():
        paths[name] = folder / f"{name}.csv"
        paths[name].write_text(text, encoding="utf-8")
    return paths


def random_history(customers: int, records: int, seed: int) -> History:
    """Return a history of random customers and purchases; some customers may have bought nothing."""
    rng = np.random.default_rng(seed)
    ids = [str(number) for number in rng.permutation(9000)[:customers] + 1000]
    master = "".join(
        f"{one},{'fm'[rng.integers(2)]},19{rng.integers(60, 90)}/{rng.integers(1, 13)}/{rng.integers(1, 29)},"
        f"{'ABC'[rng.integers(3)]}\n"
        for one in ids
    )
    bought = "".join(
        f"{ids[rng.integers(customers)]},{500 + rng.integers(40)},2011/{rng.integers(1, 13)}/{rng.integers(1, 29)},"
        f"{rng.integers(24)}:{rng.integers(10, 60)},{rng.integers(30)},{rng.integers(1, 999) / 100:g},"
        f"{rng.integers(1, 20)}\n"
        for _ in range(records)
    )
    return history(master, bought)
