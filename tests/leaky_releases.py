"""Safe releases of a small synthetic history, and the same with one leak built in."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tests.joined_cells import concat_cells
from tokumei.array_types import Ints
from tokumei.contests.pws2018.files import SCHEMA as PWS2018_SCHEMA
from tokumei.data.cells import Cells, RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.data.written_cells import read_cells

SCHEMA = Schema(
    "who",
    (
        Column(name="day", kind=Kind.NUMBER),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="paid", kind=Kind.NUMBER),
    ),
)


def purchases(subjects: int = 60, *, seed: int = 7, most: int = 6) -> History:
    """Return a history with 3 to ``most`` records per subject."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(3, most + 1, size=subjects)
    who = np.repeat(np.arange(subjects), counts)
    shuffled = rng.permutation(len(who))
    frame = pl.DataFrame(
        {
            "who": [f"s{number:03d}" for number in who[shuffled]],
            "day": rng.integers(0, 1000, size=len(who)),
            "item": [f"i{number:02d}" for number in rng.integers(0, 40, size=len(who))],
            "paid": rng.integers(1, 5000, size=len(who)),
        }
    )
    return History.from_frame(frame, SCHEMA)


@dataclass(frozen=True, eq=False)
class Grouped:
    """Groups of k subjects with aligned records: ``rows[g][i, j]`` is the original row of member i, record j."""

    history: History
    groups: list[Ints]
    rows: list[Ints]


def grouped(history: History, k: int) -> Grouped:
    """Group subjects by number of records and align their records; surplus records are dropped."""
    by_count = np.argsort(history.counts(), kind="stable")
    size = len(by_count) // k
    groups = [np.sort(by_count[k * number : k * number + k]) for number in range(size)]
    groups[-1] = np.sort(np.concatenate((groups[-1], by_count[k * size :])))
    rows = []
    for members in groups:
        shortest = int(history.counts()[members].min())
        rows.append(np.stack([history.order[history.offsets[m] : history.offsets[m] + shortest] for m in members]))
    return Grouped(history, groups, rows)


def release_of(
    groups: Grouped, names: pl.Series, *, stretch: int = 0, far: float | None = None
) -> tuple[Release, Secret]:
    """Publish hulls, subject i as ``names[i]``, sorted by text.

    ``stretch`` widens every range on the side of the own value; ``far`` suppresses the own cell of ``paid`` where the
    own value is farther than this from the middle of its range.
    """
    history = groups.history
    source = np.concatenate([rows.ravel() for rows in groups.rows])
    cells: dict[str, RangeCells | SetCells] = {}
    for name in ("day", "paid"):
        low = np.concatenate([_each(history.codes[name][rows].min(axis=0), rows) for rows in groups.rows])
        high = np.concatenate([_each(history.codes[name][rows].max(axis=0), rows) for rows in groups.rows])
        own = history.codes[name][source]
        below = 2 * own < low + high
        ranges = RangeCells.of_ranges(low - stretch * below, high + stretch * ~below)
        if far is not None and name == "paid":
            ranges = ranges.suppress(np.abs(own - (low + high) / 2) > far)
        cells[name] = ranges
    lists = [history.codes["item"][rows].T for rows in groups.rows]
    flat = np.concatenate(
        [np.tile(items, (rows.shape[0], 1)).ravel() for items, rows in zip(lists, groups.rows, strict=True)]
    )
    sizes = np.concatenate([np.full(rows.size, rows.shape[0]) for rows in groups.rows])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    cells["item"] = SetCells.of_lists(offsets, flat, history.categories["item"])
    release = Release(history.schema, names.gather(history.subject[source]), cells)
    return sort_release(release, Secret(owners_of(history, names), source))


def _each(values: Ints, rows: Ints) -> Ints:
    return np.tile(values, rows.shape[0])


def owners_of(history: History, names: pl.Series) -> pl.DataFrame:
    """Return the list of owners."""
    return pl.DataFrame({"pseudonym": names, "subject": history.subjects})


def random_names(history: History, *, seed: int = 3) -> pl.Series:
    """Return pseudonyms that tell nothing."""
    rng = np.random.default_rng(seed)
    numbers = rng.choice(900_000, size=len(history.subjects), replace=False) + 100_000
    return pl.Series("pseudonym", numbers).cast(pl.String)


def sort_release(release: Release, secret: Secret) -> tuple[Release, Secret]:
    """Sort the published records as whole lines (spec B.5)."""
    lines = release.text().select(pl.concat_str(pl.all(), separator=",")).to_series()
    order = lines.arg_sort().to_numpy().astype(np.int64)
    return release.take(order), secret.take(order)


def own_first_text(history: History, release: Release, secret: Secret) -> pl.Series:
    """Return the sets as text with the own value written first."""
    cells = release.cells["item"]
    assert isinstance(cells, SetCells)
    own = history.categories["item"].gather(history.codes["item"][secret.rows]).to_list()
    texts = []
    for record, codes in enumerate(cells.to_lists().to_list()):
        values = [history.categories["item"][code] for code in codes]
        values = [own[record], *(value for value in values if value != own[record])]
        texts.append("{" + ";".join(values) + "}" if len(values) > 1 else values[0])
    return pl.Series("item", texts)


def split_surplus(history: History) -> tuple[Release, Secret]:
    """Publish pairs and, instead of deleting surplus records, give each a fresh pseudonym (spec C, Def 3.6).

    A surplus record is generalized with the last record of the partner, so that it fits both by content.
    """
    pairs = grouped(history, 2)
    names = random_names(history)
    release, secret = release_of(pairs, names)
    left = np.setdiff1d(np.arange(len(history)), secret.rows)
    partner = np.empty(len(history.subjects), dtype=np.int64)
    for group in pairs.groups:
        partner[group] = group[::-1]
    last = history.order[history.offsets[1:] - 1][partner[history.subject[left]]]
    cells: dict[str, Cells] = {}
    for name in release.cells:
        surplus = history.cells(name).take(left)
        other = history.cells(name).take(last)
        hull = surplus.hull(other)  # type: ignore[arg-type]
        cells[name] = concat_cells([release.cells[name], hull])
    fresh = pl.Series("pseudonym", [f"f{number}" for number in range(len(left))])
    added = pl.DataFrame({"pseudonym": fresh, "subject": history.subjects.gather(history.subject[left])})
    owners = pl.concat([secret.owners, added])
    split = Release(history.schema, pl.concat([release.pseudonyms, fresh]), cells)
    return sort_release(split, Secret(owners, np.concatenate((secret.rows, left))))


def contest_files(golden: Path, real_data: Path, name: str) -> tuple[History, Release, Secret]:
    """Return T and a file of golden/audit in its published form (deleted rows dropped, lines sorted)."""
    columns = ["customer", "date", "goods", "price", "quantity"]
    original = pl.read_csv(real_data / "pwscup2018_T.csv", has_header=False, infer_schema=False)
    original.columns = columns
    history = History.from_frame(original, PWS2018_SCHEMA)
    lines = gzip.decompress((golden / "audit" / f"{name}.csv.gz").read_bytes())
    table = pl.read_csv(lines, has_header=False, infer_schema=False)
    table.columns = ["pseudonym", *columns[1:]]
    rows = np.flatnonzero((table["pseudonym"] != "*").to_numpy()).astype(np.int64)
    text = table.select(pl.concat_str(pl.all(), separator=",")).to_series()
    rows = rows[text.gather(rows).arg_sort().to_numpy()]
    kept = table[rows]
    cells = {}
    for spec in PWS2018_SCHEMA.fields:
        categories = history.categories.get(spec.name)
        cells[spec.name] = read_cells(kept[spec.name], spec, categories, literal=True).to_cells(spec, categories)
    owners = pl.DataFrame({"pseudonym": kept["pseudonym"], "subject": original["customer"].gather(rows)}).unique()
    return history, Release(PWS2018_SCHEMA, kept["pseudonym"], cells), Secret(owners, rows)
