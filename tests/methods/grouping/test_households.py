"""People who belong together are never each other's cover: groups, feasibility by brute force, audit, ledger."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tokumei
from tests.conftest import Run
from tests.effort import examples
from tests.ledgers.shops import shop
from tokumei import Column, Kind, Schema
from tokumei.array_types import Ints
from tokumei.data import read_secret
from tokumei.errors import ContentError, InfeasibleError, ParameterError, SchemaError
from tokumei.flow import refuse_leaks
from tokumei.flow.gate import household_findings
from tokumei.methods import Groups
from tokumei.methods.grouping.households import _dealt, groupable

SCHEMA = Schema(
    "who",
    (
        Column(name="day", kind=Kind.DATE),
        Column(name="goods"),
        Column(name="price", kind=Kind.NUMBER),
        Column(name="home", household=True),
    ),
)


def lived_in(homes: list[int]) -> pl.DataFrame:
    """Return a shop whose customer i lives in household ``homes[i]`` (negative: none)."""
    home = {f"c{number:03}": "" if one < 0 else f"h{one}" for number, one in enumerate(homes)}
    data = shop(range(len(homes)), 300)
    return data.with_columns(pl.col("who").replace_strict(home).alias("home"))


def groups_of(made: tokumei.Made) -> list[list[str]]:
    """Return who is published alike."""
    text = made.data.sort(made.data.columns)
    rows = text.select("pseudonym", pl.concat_str(pl.exclude("pseudonym"), separator="|").alias("row"))
    alike = rows.group_by("pseudonym", maintain_order=True).agg(pl.col("row").str.join("/"))
    named = alike.join(made.secret.owners, on="pseudonym").group_by("row", maintain_order=True).agg("subject")
    return [sorted(group) for group in named["subject"].to_list()]


@pytest.mark.half_second
@pytest.mark.parametrize("k", [2, 3])
def test_no_group_has_two_of_a_household(k: int) -> None:
    homes = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, -1, -1, -1, -1, 4, 4]
    data = lived_in(homes)
    made = tokumei.anonymize(data, schema=SCHEMA, k=k, threads=1, effort="fast")
    groups = groups_of(made)
    assert sorted(name for group in groups for name in group) == sorted(set(data["who"]))
    for group in groups:
        inhabited = [homes[int(name[1:])] for name in group if homes[int(name[1:])] >= 0]
        assert len(inhabited) == len(set(inhabited))
        assert len(group) >= k
    assert made.verdict is not None
    assert made.verdict.outcome == "safe"
    assert "home" not in made.data.columns
    refuse_leaks(made.history, made.release, made.secret)


def test_a_household_that_is_too_large_is_told() -> None:
    message = "do not make groups of k = 3 different ones: the largest has 4 people, and there can be 3 groups"
    with pytest.raises(InfeasibleError, match=message):
        tokumei.anonymize(lived_in([0, 0, 0, 0, *range(1, 7)]), schema=SCHEMA, k=3, effort="fast")


def feasible(houses: Ints, k: int) -> bool:
    """Return by trying whether people can be put into groups of at least k different households."""
    if len(houses) == 0:
        return True
    first, rest = 0, range(1, len(houses))
    for size in range(k - 1, len(houses)):
        for others in combinations(rest, size):
            group = [first, *others]
            if len(set(houses[group].tolist())) == len(group) and feasible(np.delete(houses, group), k):
                return True
    return False


def test_feasibility_by_brute_force() -> None:
    """The condition is the truth on random households; dealing round gives groups whenever it holds."""
    for case in range(examples(25)):
        rng = np.random.default_rng(case)
        k, houses = int(rng.integers(2, 4)), rng.integers(0, 4, int(rng.integers(2, 8)))
        largest = int(np.bincount(houses).max())
        holds = largest <= len(houses) // k
        assert holds == feasible(houses, k), (k, houses)
        assert bool(groupable(houses, k).all()) == holds
        kept = groupable(houses, k)
        assert feasible(houses[kept], k)
        if holds:
            dealt: Groups = _dealt(houses, k)
            assert sorted(dealt.members.tolist()) == list(range(len(houses)))
            assert all(len(set(houses[group])) == len(group) >= k for group in dealt.lists())


def test_the_audit_judges_households(tmp_path: Path, run: Run) -> None:
    """A release that was made without knowing of households is not safe with them."""
    data = lived_in([number // 3 for number in range(12)])
    blind = tokumei.anonymize(data.drop("home"), subject="who", k=3, seed=1, threads=1, effort="fast", audit=False)
    history = tokumei.read_history(data, SCHEMA)
    two = pl.Series([0] * 12).to_numpy()
    from dataclasses import replace

    together = replace(history, households=two)
    (finding,) = household_findings(together, blind.release, blind.secret, 3)
    assert finding.code == "household-cover"
    assert finding.values["fewest"] == 1
    assert household_findings(replace(history, households=None), blind.release, blind.secret, 3) == ()
    data.write_csv(tmp_path / "shop.csv")
    (tmp_path / "schema.toml").write_text(SCHEMA.to_toml())
    ran = run(
        *("anonymize", tmp_path / "shop.csv", "--schema", tmp_path / "schema.toml", "-o", tmp_path / "r"),
        *("--set", "effort=fast", "--json"),
    )
    assert (ran.status, ran.json["audit"]["verdict"]) == (0, "safe")
    assert "home" not in (tmp_path / "r" / "schema.toml").read_text()
    assert len(read_secret(tmp_path / "r.secret").owners) == 12


def test_what_a_schema_says_of_households() -> None:
    assert '"home" = { household = true }' in SCHEMA.to_toml()
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA
    with pytest.raises(SchemaError, match="a household says who belongs together and is not published"):
        Schema.from_toml('subject = "who"\n[columns]\nhome = { household = true, keep = true }\n')
    with pytest.raises(SchemaError, match="the columns 'a' and 'b' are both households"):
        Schema("who", (Column(name="a", household=True), Column(name="b", household=True)))
    moved = lived_in([0, 1, 2]).with_columns(
        pl.when(pl.int_range(pl.len()) == 1).then(pl.lit("h9")).otherwise("home").alias("home")
    )
    with pytest.raises(ContentError, match="line 2, column 5 \\(home\\): another record of this person names another"):
        tokumei.read_history(moved, SCHEMA)
    with pytest.raises(ParameterError, match="'microaggregation' as it is set may cover people by their own household"):
        tokumei.anonymize(lived_in(list(range(9))), schema=SCHEMA, method="microaggregation")


def test_newcomers_of_one_household_wait(tmp_path: Path) -> None:
    """Of three newcomers of one household none can be published yet; those who were stay in their groups."""
    data = lived_in([0, 1, 2, 3, 4, 5, 6, 6, 6])
    first = data.filter(pl.col("home") != "h6")
    settings: dict[str, object] = {"schema": SCHEMA, "effort": "fast", "threads": 1, "audit": False, "seed": 1}
    tokumei.anonymize(first, ledger=tmp_path / "ledger", **settings).write(tmp_path / "r1")  # type: ignore[arg-type]
    made = tokumei.anonymize(data, ledger=tmp_path / "ledger", **settings)  # type: ignore[arg-type]
    assert made.booking is not None
    assert made.booking.entry.withheld == 3
    assert made.secret.owners.height == 6
