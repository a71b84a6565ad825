"""What the published form A' of a strict release must show, and that every broken property is seen.

Each property is a function from A' (and, where it is needed, the Secret material) to a list of faults.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

from tokumei.audits.audit import audit_release
from tokumei.contests.pws2018.files import FILES, SCHEMA
from tokumei.contests.pws2018.publishing import aligned_lines, published_bytes
from tokumei.contests.pws2018.release_checker import check_release
from tokumei.contests.pws2018.rules import Original, Rules2018
from tokumei.contests.reading import read_contest
from tokumei.data.history import History, Release, Secret
from tokumei.methods.k_anonymity import KAnonymity
from tokumei.synth.writing import write_synthetic

SUBJECTS = 60
Multiset = tuple[str, ...]


class Made:
    """A release of synthetic purchases with A (aligned with T) and A' (published), as lines."""

    def __init__(self, folder: Path, k: int, seed: int = 5) -> None:
        """Generate T, anonymize it, write A and A'."""
        self.k = k
        self.path = folder / "T.csv"
        write_synthetic("purchases", self.path, subjects=SUBJECTS, seed=11, header=False)
        self.original = read_contest(self.path, FILES["T"])
        self.history = History.from_frame(self.original, SCHEMA)
        method = KAnonymity(k=k, effort="fast")
        self.release, self.secret = method.anonymize(self.history, rng=np.random.default_rng(seed))
        self.aligned = aligned_lines(self.history, self.release, self.secret).to_list()
        self.raw = "".join(f"{line}\n" for line in self.aligned).encode()
        self.published = published_bytes(self.raw)[0].decode().splitlines()
        self.owners: dict[str, str] = dict(self.secret.owners.select("pseudonym", "subject").iter_rows())


@pytest.fixture(scope="module", params=[2, 3], ids=["k2", "k3"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Return a release for every k."""
    return Made(tmp_path_factory.mktemp("properties"), request.param)


def histories(published: list[str]) -> dict[str, Multiset]:
    """Return the multiset of published rows of every pseudonym."""
    rows: dict[str, list[str]] = defaultdict(list)
    for line in published:
        pseudonym, _, cells = line.partition(",")
        rows[pseudonym].append(cells)
    return {pseudonym: tuple(sorted(cells)) for pseudonym, cells in rows.items()}


def small_groups(published: list[str], owners: dict[str, str], k: int) -> list[Multiset]:
    """Return the histories that fewer than k distinct owners share."""
    behind: dict[Multiset, set[str]] = defaultdict(set)
    for pseudonym, rows in histories(published).items():
        behind[rows].add(owners[pseudonym])
    return [rows for rows, people in behind.items() if len(people) < k]


def differing_cells(published: list[str], groups: list[list[str]]) -> list[tuple[str, int]]:
    """Return (pseudonym, column) where a member's column, as a multiset of cells, is not that of its group."""
    of = histories(published)

    def columns(pseudonym: str) -> list[Multiset]:
        cells = [row.split(",") for row in of.get(pseudonym, ())]
        return [tuple(sorted(row[place] for row in cells)) for place in range(4)]

    return [
        (member, place + 2)
        for first, *others in groups
        for member in others
        for place, (mine, theirs) in enumerate(zip(columns(member), columns(first), strict=True))
        if mine != theirs
    ]


def unordered_sets(published: list[str]) -> list[str]:
    """Return the rows whose set of goods does not stand in canonical order."""
    faults = []
    for line in published:
        goods = line.split(",")[2]
        if goods.startswith("{"):
            elements = goods.strip("{}").split(";")
            if elements != sorted(set(elements)):
                faults.append(line)
    return faults


def telling_pseudonyms(owners: dict[str, str]) -> list[str]:
    """Return why pseudonyms say something: they are ids of subjects, or rise or fall with them."""
    faults = [f"{name} is the id of a subject" for name in owners if name in set(owners.values())]
    people = sorted(owners, key=lambda name: owners[name])
    if spearmanr(np.arange(len(people)), [float(name) for name in people]).pvalue < 1e-3:
        faults.append("pseudonyms follow the order of the subjects")
    return faults


def unsorted_rows(published: list[str]) -> list[int]:
    """Return the positions at which the published file is not sorted."""
    return [place for place in range(1, len(published)) if published[place - 1] > published[place]]


def groups_of(made: Made) -> list[list[str]]:
    """Return the pseudonyms of every group, as published."""
    found: dict[Multiset, list[str]] = defaultdict(list)
    for pseudonym, rows in histories(made.published).items():
        found[rows].append(pseudonym)
    return list(found.values())


def audited(made: Made, published: list[str]) -> tuple[str, set[str]]:
    """Return what the audit says about a published file, without the Secret."""
    path = made.path.with_name("A1.csv")
    path.write_text("".join(f"{line}\n" for line in published), encoding="utf-8")
    result = Rules2018().audit(Original.read(made.path), path, k=made.k)
    return str(result.verdict.outcome.value), {reason.code for reason in result.verdict.reasons}


@pytest.mark.half_second
def test_release_is_a_valid_a_with_every_property(made: Made) -> None:
    """The 2018 checker accepts A; A' has groups, canonical sets, silent pseudonyms and sorted rows."""
    assert check_release(made.original, made.raw).valid
    assert len(made.aligned) == len(made.history)
    assert len(made.owners) == SUBJECTS
    assert small_groups(made.published, made.owners, made.k) == []
    assert differing_cells(made.published, groups_of(made)) == []
    assert any(";" in line.split(",")[2] for line in made.published)
    assert unordered_sets(made.published) == []
    assert telling_pseudonyms(made.owners) == []
    assert unsorted_rows(made.published) == []
    text = made.release.text(literal=True).select(pl.concat_str(pl.all(), separator=",")).to_series().to_list()
    assert sorted(text) == made.published
    assert audited(made, made.published)[0] == "safe"


@pytest.mark.half_second
def test_pseudonyms_do_not_follow_subjects_over_many_draws(made: Made) -> None:
    """Over 30 draws the mean rank correlation of pseudonym and subject stays within four standard errors of 0."""
    found = []
    for seed in range(30):
        names, subjects = fresh_names(made, seed)
        found.append(spearmanr(np.argsort(np.argsort(subjects)), names).statistic)
    assert abs(np.mean(found)) < 4 / np.sqrt(30 * (SUBJECTS - 1))


def fresh_names(made: Made, seed: int) -> tuple[list[float], list[str]]:
    """Return pseudonyms and subjects of the first record of everybody under another seed."""
    few = made.history.take(np.unique(made.history.subject, return_index=True)[1])
    _, secret = KAnonymity(k=made.k, effort="fast").anonymize(few, rng=np.random.default_rng(seed))
    return [float(name) for name in secret.owners["pseudonym"]], secret.owners["subject"].to_list()


@pytest.mark.half_second
def test_a_cell_changed_for_one_member_is_seen(made: Made) -> None:
    """One range widened by one day under one pseudonym breaks its group."""
    place = next(i for i, line in enumerate(made.published) if line.split(",")[1].startswith("["))
    cells = made.published[place].split(",")
    first, last = cells[1].strip("[]").split(";")
    year, month, day = first.split("/")
    cells[1] = f"[{year}/{month}/{int(day) + 1 if int(day) == 1 else int(day) - 1};{last}]"
    mutated = sorted([*made.published[:place], ",".join(cells), *made.published[place + 1 :]])
    faults = differing_cells(mutated, groups_of(made))
    assert {column for _, column in faults} == {2}
    assert small_groups(mutated, made.owners, made.k) != []
    assert audited(made, mutated)[0] != "safe"


@pytest.mark.half_second
def test_a_row_dropped_for_one_member_is_seen(made: Made) -> None:
    """A pseudonym with one row less than its group stands alone."""
    mutated = made.published[1:]
    assert small_groups(mutated, made.owners, made.k) != []
    assert {column for _, column in differing_cells(mutated, groups_of(made))} >= {2, 3}


@pytest.mark.half_second
def test_a_cell_suppressed_for_one_member_is_seen(made: Made) -> None:
    """Suppression decided member by member is a difference like any other, to the check and to the audit."""
    cells = made.published[0].split(",")
    cells[3] = "*"
    mutated = sorted([",".join(cells), *made.published[1:]])
    assert {column for _, column in differing_cells(mutated, groups_of(made))} == {4}
    assert audited(made, mutated)[0] != "safe"


def test_reversed_sets_are_seen(made: Made) -> None:
    """Sets written in another than the canonical order are found in the raw text."""
    mutated = []
    for line in made.published:
        cells = line.split(",")
        if cells[2].startswith("{"):
            cells[2] = "{" + ";".join(reversed(cells[2].strip("{}").split(";"))) + "}"
        mutated.append(",".join(cells))
    sets = [line for line in made.published if line.split(",")[2].startswith("{")]
    assert len(unordered_sets(mutated)) == len(sets) > 0


@pytest.mark.half_second
def test_own_values_listed_first_are_seen_by_the_audit(made: Made) -> None:
    """A leak through the place of the own value is named, though the sets themselves are the same."""
    fields = made.release.text(literal=True)
    own = made.history.categories["goods"].gather(made.history.codes["goods"][made.secret.rows]).to_list()
    written = []
    for cell, value in zip(fields["goods"].to_list(), own, strict=True):
        elements = cell.strip("{}").split(";")
        elements.sort(key=lambda element, mine=value: element != mine)
        written.append("{" + ";".join(elements) + "}" if cell.startswith("{") else cell)
    published = {name: fields[name] for name in ("date", "price", "quantity")} | {"goods": pl.Series("goods", written)}
    result = audit_release(made.history, made.release, made.secret, k=made.k, published=published)
    assert result.verdict.outcome.value == "unsafe"
    assert unordered_sets([f"1,,{cell},," for cell in written]) != []


@pytest.mark.half_second
def test_pseudonyms_in_the_order_of_ids_are_seen(made: Made) -> None:
    """Numbering the subjects by their ids, or keeping the ids, is found by the check and by the audit."""
    people = sorted(set(made.owners.values()))
    numbered = {str(900_001 + place): person for place, person in enumerate(people)}
    assert telling_pseudonyms(numbered) == ["pseudonyms follow the order of the subjects"]
    assert len(telling_pseudonyms({person: person for person in people})) > SUBJECTS
    new_name = {person: name for name, person in numbered.items()}
    names = pl.Series("pseudonym", [new_name[made.owners[name]] for name in made.release.pseudonyms])
    order = names.arg_sort().to_numpy().astype(np.int64)
    release = Release(made.release.schema, names, made.release.cells, made.release.method).take(order)
    owners = pl.DataFrame({"pseudonym": list(numbered), "subject": list(numbered.values())})
    secret = Secret(owners, made.secret.rows[order])
    result = audit_release(made.history, release, secret, k=made.k)
    assert result.verdict.outcome.value == "unsafe"


def test_unsorted_rows_are_seen(made: Made) -> None:
    """A file in the order of A would link rows to records; sortedness is checked on the published file."""
    kept = [line for line in made.aligned if not line.startswith("*")]
    assert unsorted_rows(kept) != []
