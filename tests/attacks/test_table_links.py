"""Links through published tables, on a table that belongs to no contest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from tokumei.attacks import Links, TableLinks, nearest_links
from tokumei.contests.linkage_task import draw_test

KNOWN = ("town", "job")
ASKED = ("tea", "rice", "salt")


def shoppers(count: int) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    town, job = rng.integers(6, size=count), rng.integers(5, size=count)
    goods = {name: (town + step * job + rng.integers(2, size=count)) % 9 for step, name in enumerate(ASKED, 1)}
    return pl.DataFrame({"town": town, "job": job, **goods}).select(pl.all().cast(pl.String))


def test_both_attacks_find_people_in_tables_that_show_everything() -> None:
    people = shoppers(60)
    test = draw_test(people, "seed", known=KNOWN, asked=ASKED, rows=20)
    assert (test.b == "*").sum().row(0) == tuple((test.b[name] == "*").sum() for name in ASKED)
    tables = [people.select(*KNOWN, "tea", "rice"), people.select(*KNOWN, "salt")]

    def by_nearest() -> Links:
        return nearest_links(test.a, test.b, people, KNOWN)

    def by_tables() -> Links:
        values = [str(value) for value in range(9)]
        return TableLinks().links(test.a, test.b, tables, people, known=KNOWN, values=values)

    attacks: list[Callable[[], Links]] = [by_nearest, by_tables]
    chance = 2
    for attack in attacks:
        assert attack() == attack()
        assert test.hits(attack()) > 5 * chance
    assert test.hits(list(test.x.rows())) == 2 * 20


def test_rows_without_a_hidden_cell_get_no_value() -> None:
    people = shoppers(12)
    links = nearest_links(people.select(KNOWN), people.select(ASKED)[:3], people, KNOWN)
    assert [value for _row, value in links] == ["", "", ""]
