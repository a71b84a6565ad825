"""Attackers of the ladder where there is a table of people: they hold such a table, or want to know what is in it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shop_example import history as shop_history
from tests.shop_example import random_history
from tokumei.audits import Question
from tokumei.contests.pws2016.rules import Rules2016, find_method
from tokumei.data import Release, Secret, records_with_people, release_with_people
from tokumei.errors import ParameterError

# Four people, two by two alike in nothing; every purchase is somebody's own.
M = "1,f,1960/1/1,A\n2,f,1961/1/1,A\n3,m,1970/1/1,B\n4,m,1971/1/1,B\n"
T = "".join(
    f"{who},{who}{visit},2011/{visit}/{who},9:0{who},{who}{visit},{who}.5,{visit}\n"
    for who in range(1, 5)
    for visit in range(1, 5)
)


def figures(release: Release, secret: Secret, *, quick: bool = False) -> dict[str, tuple[float, float | None]]:
    answers = Rules2016().audit(shop_history(M, T), release, secret, rng=np.random.default_rng(0), quick=quick)
    return {
        name: (score.value, score.baseline)
        for question in (Question.CONTENTS, Question.ATTRIBUTES)
        for name, score in answers[question].figures.items()
    }


def test_records_carry_the_columns_of_their_person() -> None:
    joined = records_with_people(shop_history(M + "5,m,1972/1/1,C\n", T + "9,9,2011/1/1,9:00,X,1,1\n"))
    frame = joined.frame.select("customer", "goods", "sex", "country")
    assert frame.height == 16
    assert frame.row(4) == ("2", "21", "f", "A")
    assert "9" not in frame["customer"].to_list()


def test_a_release_is_joined_in_the_codes_of_its_original() -> None:
    original = shop_history(M, T)
    release, _ = find_method("ano-shuffle")().anonymize(original, rng=np.random.default_rng(1))
    joined = records_with_people(original)
    made = release_with_people(release, joined)
    text = made.text(literal=True).drop("pseudonym")
    assert text.sort(text.columns).equals(joined.text().drop("customer").sort(text.columns))


@pytest.mark.half_second
def test_who_holds_the_master_reads_all_purchases_where_only_ids_changed() -> None:
    release, secret = find_method("ano-shuffle")().anonymize(shop_history(M, T), rng=np.random.default_rng(0))
    found = figures(release, secret)
    assert found["person/class-found"] == (1.0, 0.25)
    assert found["person/goods-value"] == (1.0, 0.0)
    assert found["person-only-birthday/class-found"] == (1.0, 0.25)
    # Half of the people have the sex: of them each is guessed.
    assert found["person-only-sex/class-found"] == (0.5, 0.25)
    assert found["records-1/birthday-day"] == (1.0, 0.0)
    assert found["all-but-birthday/certain"] == (1.0, 0.0)
    # What somebody holds is not learned.
    assert "person/sex-value" not in found
    assert "person/birthday-day" not in found


@pytest.mark.half_second
def test_groups_show_the_group_and_hide_the_birthday() -> None:
    release, secret = find_method("ano-groups")().anonymize(shop_history(M, T), rng=np.random.default_rng(0))
    found = figures(release, secret)
    assert found["records-3/class-found"][1] == 0.5
    assert found["all-but-birthday/inferred"][0] == 0.0
    assert found["all-but-sex/certain"] == (1.0, 0.0)
    # The mean birthday is nobody's, and two people have each country: the table still points to the pair.
    assert found["person/class-found"] == (1.0, 0.5)
    assert found["person/goods-value"][0] == pytest.approx(0.5, abs=0.1)


@pytest.mark.half_second
def test_the_audit_is_the_same_whatever_the_order_of_rows() -> None:
    history = random_history(12, 60, 3)
    release, secret = find_method("ano-groups")().anonymize(history, rng=np.random.default_rng(0))
    assert release.people is not None
    shuffled = release.take(np.random.default_rng(1).permutation(len(release)))
    answers = [
        Rules2016().audit(history, one, secret, rng=np.random.default_rng(0), quick=True)[Question.CONTENTS].as_dict()
        for one in (release, shuffled)
    ]
    assert answers[0] == answers[1]


def test_an_unknown_column_is_refused_with_those_there_are() -> None:
    release, secret = find_method("ano-shuffle")().anonymize(shop_history(M, T), rng=np.random.default_rng(0))
    with pytest.raises(ParameterError, match="'sexx' .did you mean 'sex'.*; it is one of date, time, goods, price"):
        Rules2016().audit(shop_history(M, T), release, secret, rng=np.random.default_rng(0), sensitive=["sexx"])
