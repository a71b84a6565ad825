"""Strict k-anonymity: what every release must satisfy, exactness on small data, edge cases."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.data.cell_error import cell_errors
from tokumei.data.cells import MISSING
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError, ParameterError
from tokumei.methods.grouping.blocks import cut_blocks
from tokumei.methods.grouping.costs import exact_matched, surplus_costs
from tokumei.methods.grouping.pairing import pair_units
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.k_anonymity import KAnonymity

SCHEMA = Schema("who", (Column(name="day", kind=Kind.NUMBER), Column(name="item", kind=Kind.CATEGORY)))


def make_frame(subjects: int, seed: int = 0, longest: int = 12, missing: float = 0.0) -> pl.DataFrame:
    """Return random records."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, longest + 1, subjects)
    who = np.repeat([f"s{i:03}" for i in range(subjects)], counts)
    day = [None if rng.random() < missing else int(value) for value in rng.integers(0, 60, len(who))]
    return pl.DataFrame({"who": who, "day": day, "item": rng.choice(list("abcdefgh"), len(who))})


def published(release: Release) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the multiset of rows of every pseudonym."""
    rows: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for pseudonym, *cells in release.text().iter_rows():
        rows[pseudonym].append(tuple(cells))
    return {pseudonym: tuple(sorted(lines)) for pseudonym, lines in rows.items()}


def check(history: History, release: Release, secret: Secret, k: int) -> Counter[int]:
    """Assert every property of a strict release; return how often each group size occurs."""
    owners: dict[str, str] = dict(secret.owners.select("pseudonym", "subject").iter_rows())
    real = secret.rows >= 0
    whose = history.subjects.gather(history.subject[secret.rows[real]]).to_list()
    assert whose == [owners[name] for name in release.pseudonyms.filter(pl.Series(real)).to_list()]
    assert len(set(secret.rows[real].tolist())) == real.sum()
    for spec in history.schema.fields:
        values = history.codes[spec.name][secret.rows[real]]
        cells = release.cells[spec.name].take(np.flatnonzero(real))
        assert (cells.contains(values) | ((values == MISSING) & cells.suppressed)).all()
    groups: dict[tuple[tuple[str, ...], ...], set[str]] = defaultdict(set)
    for pseudonym, lines in published(release).items():
        groups[lines].add(owners[pseudonym])
    assert min(len(members) for members in groups.values()) >= k
    return Counter(len(members) for members in groups.values())


def loss(history: History, release: Release, secret: Secret) -> float:
    """Return the summed cell error, deleted records at 1 per field."""
    total = 0.0
    for spec in history.schema.fields:
        spread = 0.0 if spec.nominal else history.spread(spec.name)
        values = history.codes[spec.name][secret.rows]
        total += float(cell_errors(values, release.cells[spec.name], spread).sum()) + len(history) - len(release)
    return total


def perfect_pairings(units: list[int]) -> list[list[tuple[int, int]]]:
    """Return all ways to pair an even number of units."""
    if not units:
        return [[]]
    first, *rest = units
    return [
        [(first, other), *more] for other in rest for more in perfect_pairings([unit for unit in rest if unit != other])
    ]


@pytest.mark.parametrize("seed", range(6))
def test_pairing_is_optimal_on_small_data(seed: int) -> None:
    """The pairs cost what the best of all pairings costs."""
    history = History.from_frame(make_frame(8, seed), SCHEMA)
    table = RecordTable.from_history(history)
    first, second = np.triu_indices(8, 1)
    exact = exact_matched(table, first, second, limit=100) + surplus_costs(table, first, second)
    cost = {(int(a), int(b)): c for a, b, c in zip(first, second, exact, strict=True)}
    best = min(sum(cost[pair] for pair in pairing) for pairing in perfect_pairings(list(range(8))))
    pairs = pair_units(table, per_unit=8, limit=100)
    assert sum(cost[min(pair), max(pair)] for pair in pairs) == pytest.approx(best, abs=1e-5)
    release, secret = KAnonymity(k=2).anonymize(history, rng=np.random.default_rng(0))
    assert loss(history, release, secret) == pytest.approx(best, abs=1e-4)


@pytest.mark.half_second
@pytest.mark.parametrize("effort", ["fast", "normal", "best"])
@pytest.mark.parametrize(("k", "subjects"), [(2, 20), (2, 21), (3, 20), (3, 9), (4, 22), (5, 23), (5, 5), (3, 7)])
def test_every_group_has_at_least_k_owners(k: int, subjects: int, effort: str) -> None:
    """Everybody is published in a group of identical histories; remainders make groups larger."""
    history = History.from_frame(make_frame(subjects, seed=k, missing=0.05), SCHEMA)
    release, secret = KAnonymity(k=k, effort=effort).anonymize(history, rng=np.random.default_rng(1))
    sizes = check(history, release, secret, k)
    assert secret.owners["subject"].n_unique() == subjects == secret.owners["pseudonym"].n_unique()
    assert sum(size * times for size, times in sizes.items()) == subjects


@pytest.mark.half_second
@pytest.mark.parametrize("k", [2, 3])
def test_result_depends_neither_on_row_order_nor_on_threads(k: int) -> None:
    """A shuffled file and other thread counts give the same release."""
    frame = make_frame(31, seed=4)
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=5)
    results = [
        KAnonymity(k=k, threads=threads).anonymize(History.from_frame(data, SCHEMA), rng=np.random.default_rng(2))
        for data, threads in ((frame, 1), (shuffled, 1), (frame, 3))
    ]
    texts = [release.text() for release, _ in results]
    assert texts[0].equals(texts[1])
    assert texts[0].equals(texts[2])
    assert (results[0][1].rows == results[2][1].rows).all()


def test_the_block_of_the_longest_histories_gets_the_threads() -> None:
    """Ten histories of 100 records and ten of 10: shares of the work 100 to 1, of four threads 4 and 1."""
    who = [f"s{unit:02}" for unit in range(20) for _ in range(100 if unit < 10 else 10)]
    frame = pl.DataFrame({"who": who, "day": np.arange(len(who)) % 50, "item": ["a"] * len(who)})
    table = RecordTable.from_history(History.from_frame(frame, SCHEMA), {})
    long, short = cut_blocks(table, most=10, fewest=4)
    assert [long.share, short.share] == pytest.approx([100 / 101, 1 / 101])
    assert [block.threads(4) for block in (long, short)] == [4, 1]
    assert [block.threads(1) for block in (long, short)] == [1, 1]


def test_blocks_and_resumed_blocks_give_the_same_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finished blocks are read from their folder, and threads over blocks change nothing."""
    monkeypatch.setattr("tokumei.methods.k_anonymity._MOST_UNITS_FACTOR", 0.02)
    history = History.from_frame(make_frame(90, seed=6), SCHEMA)
    releases = [
        KAnonymity(k=2, threads=threads, resume=folder).anonymize(history, rng=np.random.default_rng(3))
        for threads, folder in ((1, None), (2, str(tmp_path / "blocks")), (1, str(tmp_path / "blocks")))
    ]
    assert len(list((tmp_path / "blocks").glob("*.npz"))) == 3
    check(history, *releases[0], 2)
    assert all(releases[0][0].text().equals(release.text()) for release, _ in releases[1:])


@pytest.mark.parametrize("surplus", ["dummy", "shared", "split"])
def test_surplus_records_can_be_kept(surplus: str) -> None:
    """No record is lost with dummies or shared names; splitting loses fewer than deleting."""
    history = History.from_frame(make_frame(24, seed=8, longest=20), SCHEMA)
    deleted, _ = KAnonymity(k=2).anonymize(history, rng=np.random.default_rng(0))
    release, secret = KAnonymity(k=2, surplus=surplus).anonymize(history, rng=np.random.default_rng(0))
    kept = (secret.rows >= 0).sum()
    assert kept > len(deleted)
    if surplus != "split":
        assert kept == len(history)
    if surplus != "shared":
        check(history, release, secret, 2)
    else:
        several = secret.owners.group_by("pseudonym").len().filter(pl.col("len") > 1)
        assert several["len"].to_list() == [2] * several.height


@pytest.mark.half_second
def test_split_gives_chunks_of_one_owner_different_groups() -> None:
    """A long history is published under several pseudonyms, each shared with other people."""
    history = History.from_frame(make_frame(30, seed=9, longest=25), SCHEMA)
    release, secret = KAnonymity(k=3, split=6).anonymize(history, rng=np.random.default_rng(0))
    check(history, release, secret, 3)
    assert secret.owners["pseudonym"].n_unique() > 30
    assert KAnonymity(k=3, split=6).rule_sets == frozenset()
    assert KAnonymity(k=3).rule_sets == {"pws2018"}


def test_chunks_that_find_no_group_are_left_out() -> None:
    """Of one long history among few people most chunks stand in no group; as many as can be are published."""
    rng = np.random.default_rng(1)
    who = np.repeat(["long", "b", "c", "d", "e", "f"], [60, 4, 4, 4, 4, 4])
    frame = pl.DataFrame({"who": who, "day": rng.integers(0, 60, 80), "item": rng.choice(list("abcdefgh"), 80)})
    history = History.from_frame(frame, SCHEMA)
    release, secret = KAnonymity(k=3, split=4, surplus="split").anonymize(history, rng=np.random.default_rng(0))
    check(history, release, secret, 3)
    # Five people make two groups, each with room for one chunk of the long history.
    assert len(release) == 28


def test_constant_and_missing_columns_cost_nothing() -> None:
    """A constant column stays as it is, an all-missing one stays suppressed."""
    schema = Schema("who", (Column(name="same", kind=Kind.NUMBER), Column(name="none", kind=Kind.NUMBER)))
    frame = pl.DataFrame({"who": list("aabbcd"), "same": [7] * 6, "none": pl.Series([None] * 6, dtype=pl.Int64)})
    history = History.from_frame(frame, schema)
    release, secret = KAnonymity(k=2).anonymize(history, rng=np.random.default_rng(0))
    check(history, release, secret, 2)
    assert len(release) == 6
    assert loss(history, release, secret) == 0.0


def test_static_tables_are_histories_of_one_record() -> None:
    """One record per subject works, also above the size of a block."""
    frame = make_frame(40, seed=1, longest=1)
    history = History.from_frame(frame, Schema("row", SCHEMA.columns))
    release, secret = KAnonymity(k=4, effort="fast").anonymize(history, rng=np.random.default_rng(0))
    check(history, release, secret, 4)
    assert len(release) == 40


@pytest.mark.half_second
def test_long_history_is_matched_in_chunks() -> None:
    """A subject with very many records neither fills the memory nor takes long."""
    rng = np.random.default_rng(0)
    who = np.repeat(["a", "b", "c", "d"], [100_000, 300, 20_000, 5])
    frame = pl.DataFrame({"who": who, "day": rng.integers(0, 400, len(who)), "item": rng.choice(list("abc"), len(who))})
    history = History.from_frame(frame, SCHEMA)
    release, secret = KAnonymity(k=2, effort="fast").anonymize(history, rng=np.random.default_rng(0))
    check(history, release, secret, 2)


def test_too_few_subjects_are_refused() -> None:
    """K above the number of subjects is a sentence, not a traceback."""
    history = History.from_frame(make_frame(2), SCHEMA)
    with pytest.raises(InfeasibleError, match="k = 3 needs at least 3 subjects, the data has 2; lower k"):
        KAnonymity(k=3).anonymize(history, rng=np.random.default_rng(0))
    with pytest.raises(ParameterError, match="'k' of 'k-anonymity' must be a whole number of at least 2, got 1"):
        KAnonymity(k=1)


def test_weights_are_read_and_refused() -> None:
    """Weights name columns; a heavy column is kept more exact."""
    history = History.from_frame(make_frame(40, seed=2), SCHEMA)
    rng = np.random.default_rng(0)
    plain, _ = KAnonymity(k=2).anonymize(history, rng=rng)
    heavy, _ = KAnonymity(k=2, weights="item:20").anonymize(history, rng=rng)
    assert heavy.cells["item"].plain.mean() > plain.cells["item"].plain.mean()
    with pytest.raises(ParameterError, match="there is no column 'itm' .did you mean 'item'"):
        KAnonymity(k=2, weights="itm:2").anonymize(history, rng=rng)
