"""Who may be published with whom: cases by hand, and a plain oracle of sets on random sequences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.effort import examples
from tokumei.ledgers import Entry, Ledger, candidate_sets, standing_of


def entry(number: int, k: int, audience: str = "") -> Entry:
    return Entry(
        number=number,
        time="2026-01-01T00:00:00+00:00",
        method="k-anonymity",
        k=k,
        parameters={"k": k},
        audience=audience,
        records=1,
        people=1,
        groups=1,
        withheld=0,
        digest=f"d{number}",
        folder="",
        secret="",
    )


def ledger_of(releases: list[dict[int, set[str]]], k: int | list[int] = 3) -> Ledger:
    """Return a ledger of releases, each given as cohort -> who was published."""
    ledger = Ledger(Path("nowhere"), b"key", (), pl.DataFrame(schema=SCHEMA), {})
    for number, cohorts in enumerate(releases, start=1):
        rows = [(name, cohort, f"{number}{name}") for cohort, names in cohorts.items() for name in sorted(names)]
        table = pl.DataFrame(rows, schema=["person", "cohort", "pseudonym"], orient="row")
        level = k if isinstance(k, int) else k[number - 1]
        ledger = ledger.with_release(entry(number, level), table)
    return ledger


SCHEMA = {"release": pl.Int64, "person": pl.String, "cohort": pl.Int64, "pseudonym": pl.String}


def published(ledger: Ledger, present: str, k: int = 3) -> tuple[dict[int, str], str, int, int]:
    """Return who is published again by cohort, the newcomers, and the two counts of who is withheld."""
    names = sorted(present)
    standing = standing_of(ledger, pl.Series("person", names), k)
    numbers, members = standing.kept()
    again = {int(one): "".join(names[i] for i in group) for one, group in zip(numbers, members, strict=True)}
    return again, "".join(np.array(names)[standing.newcomer]), standing.broken, standing.waiting


def test_the_first_release_is_of_newcomers() -> None:
    assert published(ledger_of([]), "abc") == ({}, "abc", 0, 0)
    assert published(ledger_of([]), "ab") == ({}, "", 0, 2)


@pytest.mark.parametrize(
    ("present", "again", "newcomers", "broken", "waiting"),
    [
        ("abcdefg", {0: "abc", 1: "defg"}, "", 0, 0),
        ("abdefg", {1: "defg"}, "", 2, 0),
        ("abdef", {1: "def"}, "", 2, 0),
        ("abcxy", {0: "abc"}, "", 0, 2),
        ("abcxyz", {0: "abc"}, "xyz", 0, 0),
        ("ab", {}, "", 2, 0),
    ],
)
def test_groups_stay_together_or_are_withheld(
    present: str, again: dict[int, str], newcomers: str, broken: int, waiting: int
) -> None:
    ledger = ledger_of([{0: set("abc"), 1: set("defg")}])
    assert published(ledger, present) == (again, newcomers, broken, waiting)


def test_who_comes_back_joins_only_where_the_intersection_allows() -> None:
    """Release 2 showed def without g: g may come back, but without f there is nothing that all three share."""
    ledger = ledger_of([{1: set("defg")}, {1: set("def")}])
    assert published(ledger, "defg")[0] == {1: "defg"}
    assert published(ledger, "deg")[0] == {}
    assert published(ledger_of([{1: set("defgh")}, {1: set("def")}]), "degh")[0] == {}


def test_a_larger_k_was_promised_and_stays_promised() -> None:
    ledger = ledger_of([{0: set("abcd")}], k=4)
    assert published(ledger, "abc", k=3)[0] == {}
    assert published(ledger, "abcd", k=3)[0] == {0: "abcd"}
    assert published(ledger_of([{0: set("abc")}], k=3), "abc", k=4) == ({}, "", 3, 0)


def test_candidates_alone_and_together() -> None:
    """In release 1 four, in release 2 three of them: together those three, and four for who left."""
    ledger = ledger_of([{0: set("abcd")}, {0: set("abc")}])
    first, second = candidate_sets(ledger, 1), candidate_sets(ledger, 2)
    assert (first.alone.tolist(), sorted(first.together.tolist()), first.kept) == ([4] * 4, [3, 3, 3, 4], True)
    assert (second.alone.tolist(), second.together.tolist(), second.fewest) == ([3] * 3, [3] * 3, 3)
    broken = candidate_sets(ledger_of([{0: set("abc")}, {0: set("ab")}]), 1)
    assert (broken.kept, broken.fewest) == (False, 2)


def test_who_was_moved_to_another_cohort_is_counted() -> None:
    """No release of ours does that: of the second group everybody shares the first one with one or two people."""
    ledger = ledger_of([{0: set("abc"), 1: set("def")}, {2: set("abd"), 3: set("cef")}])
    counted = candidate_sets(ledger, 2)
    assert (sorted(counted.together.tolist()), counted.alone.tolist()) == ([1, 1, 2, 2, 2, 2], [3] * 6)
    assert not counted.kept


def test_many_releases_do_not_fit_into_one_number() -> None:
    releases = [{0: set("abcd")} if number % 2 else {0: set("abc")} for number in range(140)]
    ledger = ledger_of(releases)
    assert published(ledger, "abcd")[0] == {0: "abcd"}
    assert candidate_sets(ledger, 140).fewest == 3


def largest_sound(shown: list[set[str]], present: set[str], k: int) -> set[str]:
    """Return the union of all subsets that keep the promise, by trying them all: they are closed under union."""
    members, best = sorted(present), set[str]()
    for choice in range(1 << len(members)):
        chosen = {name for place, name in enumerate(members) if choice >> place & 1}
        cores = {u: set.intersection(chosen, *[one for one in shown if u in one]) for u in chosen}
        if all(len(core) >= k for core in cores.values()):
            best |= chosen
    return best


def test_against_all_subsets() -> None:
    """On random sequences the ledger publishes the largest set that keeps the promise, and keeps it every time."""
    for case in range(examples(4)):
        rng = np.random.default_rng(case)
        k, cohort = int(rng.integers(2, 4)), set("abcdefg"[: rng.integers(3, 8)])
        if len(cohort) < k:
            continue
        shown = [cohort]
        for _ in range(5):
            present = {name for name in sorted(cohort) if rng.random() < 0.85}
            ledger = ledger_of([{0: one} for one in shown], k)
            again = set(published(ledger, "".join(present), k)[0].get(0, ""))
            known = {name for one in shown for name in one}
            assert again == largest_sound(shown, present & known, k)
            shown += [again] if again else []
            counted = candidate_sets(ledger_of([{0: one} for one in shown], k), len(shown))
            assert counted.kept


def test_the_ledger_says_nothing_in_a_log() -> None:
    ledger = ledger_of([{0: set("abc")}])
    assert repr(ledger) == "Ledger(1 releases of 3 people)"
    assert replace(ledger, key=b"other").persons(pl.Series(["a"]))[0] != ledger.persons(pl.Series(["a"]))[0]
