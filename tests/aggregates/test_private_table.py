"""Differentially private tables: bounds of a person, sensitivity by trying every neighbour, keys, cost, canaries."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tests.ledgers.shops import growing_shop
from tokumei import read_history
from tokumei.aggregates import Contributions, Measure, NoiseName, TableRequest, bounded, make_table
from tokumei.aggregates.noise import key_mechanism, noise_mechanism
from tokumei.audits import canary_bound
from tokumei.data import History
from tokumei.errors import InfeasibleError, InputError, ParameterError
from tokumei.flow import private_table, try_canaries
from tokumei.ledgers import Budget, Ledger

MONTHS = pl.DataFrame({"day": [f"2021-{month:02}" for month in range(1, 11)]})


@pytest.fixture(scope="module")
def history() -> History:
    return read_history(growing_shop()[2], subject="who")


def request(*measures: str, **rest: object) -> TableRequest:
    asked = {"by": ("day:month",), "epsilon": 1.0, "cells": 3, "records": 2, **rest}
    return TableRequest(measures=tuple(Measure.of(text) for text in measures), **asked)  # type: ignore[arg-type]


def test_a_person_brings_no_more_than_the_bounds() -> None:
    rng = np.random.default_rng(0)
    person, cell = rng.integers(0, 20, 2000), rng.integers(0, 9, 2000)
    kept = bounded(person, cell, Contributions(4, 3), rng=rng)
    table = pl.DataFrame({"person": person[kept], "cell": cell[kept]})
    counts = table.group_by("person", "cell").len()
    assert counts["len"].max() == 3
    assert counts.group_by("person").len()["len"].to_list() == [4] * 20


def test_what_one_person_changes_is_within_the_sensitivity(history: History) -> None:
    """Every neighbour is tried: without the person, L1 and L2 distances of the table stay below those of the noise."""
    asked = request("records", "sum:price:0:40")
    month = history.frame["day"].dt.month().to_numpy().astype(np.int64)
    bounds = Contributions(asked.cells, asked.records)
    for measure in asked.measures:
        largest, values = measure.largest(asked.records), measure.values(history)
        for person in range(len(history.subjects)):
            own = np.flatnonzero(history.subject == person)
            kept = own[bounded(history.subject[own], month[own], bounds, rng=np.random.default_rng(person))]
            change = np.bincount(month[kept], weights=values[kept], minlength=13)
            assert np.abs(change).sum() <= asked.cells * largest
            assert math.sqrt((change**2).sum()) <= math.sqrt(asked.cells) * largest + 1e-9


def test_the_finest_value_of_one_person_changes_nothing_that_is_not_noisy() -> None:
    """The step of a column is inferred from all values: neither the manifest nor the digits of a sum may follow it."""
    usual = pl.DataFrame({"who": [f"p{number}" for number in range(30)], "goods": "x", "price": "3"})
    alone = pl.concat([usual, pl.DataFrame({"who": ["z"], "goods": ["x"], "price": ["0.0625"]})])
    tables = [
        make_table(
            read_history(frame, subject="who"),
            request("sum:price:0:10", by=("goods",), epsilon=1.0),
            keys=pl.DataFrame({"goods": ["x"]}),
        )
        for frame in (usual, alone)
    ]
    assert tables[0].manifest() == tables[1].manifest()
    assert all(round(table.data["sum of price"][0] * 100, 6).is_integer() for table in tables)


@pytest.mark.parametrize(
    ("bounds", "unit", "largest"), [("0:10", 0.01, 1000), ("-3:2", 0.001, 3000), ("0:5e6", 1000, 5000)]
)
def test_the_unit_of_a_sum_comes_from_its_bounds(bounds: str, unit: float, largest: int) -> None:
    measure = Measure.of(f"sum:price:{bounds}")
    assert measure.unit == pytest.approx(unit)
    assert measure.largest(1) == largest


def test_costs_are_those_of_the_formulas() -> None:
    """Laplace noise of scale b costs sensitivity / b; Gaussian noise and thresholds keep within their share."""
    for epsilon in (0.1, 3.0):
        _, cost = noise_mechanism(4, 5, epsilon, 0.0, NoiseName.LAPLACE)
        assert cost.epsilon <= epsilon
        assert cost.scale == pytest.approx(20 / epsilon, rel=1e-5)
        _, cost = key_mechanism(4, epsilon, 1e-6)
        assert cost.epsilon <= epsilon
        assert cost.delta <= 1e-6


@pytest.mark.half_second
def test_gaussian_noise_costs_no_more_than_the_simple_conversion() -> None:
    """ZCDP of a Gaussian, converted as in Bun and Steinke 2016, is an upper bound of what is booked."""
    _, cost = noise_mechanism(4, 5, 2.0, 1e-6, NoiseName.GAUSSIAN)
    assert 1.99 <= cost.epsilon <= 2.0
    rho = (math.sqrt(4) * 5) ** 2 / (2 * cost.scale**2)
    assert cost.epsilon <= rho + 2 * math.sqrt(rho * math.log(1e6))


def test_keys_of_one_person_pass_no_more_often_than_delta_says() -> None:
    """OpenDP 0.16 counts the threshold itself as below it: its own delta is too small by a factor of e^(1/scale)."""
    mechanism, cost = key_mechanism(1, 1.0, 0.05)
    assert cost.delta <= 0.05
    passed = len(mechanism({str(number): 1 for number in range(20_000)})) / 20_000
    assert passed == pytest.approx(cost.delta, abs=4 * math.sqrt(0.05 / 20_000))
    assert math.exp(-(cost.threshold - 1) / cost.scale) / (1 + math.exp(-1 / cost.scale)) == pytest.approx(cost.delta)


def test_public_keys_are_all_published(history: History) -> None:
    made = make_table(history, request("people", "records", "sum:price:0:50", epsilon=60.0), keys=MONTHS)
    assert made.data["day"].to_list() == MONTHS["day"].to_list()
    assert [part.what for part in made.spent] == ["people", "records", "sum of price"]
    assert [part.largest for part in made.spent] == [1, 2, 10_000]
    assert made.epsilon == pytest.approx(60.0, rel=1e-5)
    assert made.epsilon <= 60.0
    true = growing_shop()[2].select(pl.col("day").str.slice(0, 7), "who").unique().group_by("day").len()
    joined = made.data.join(true, on="day")
    # Bounds of three cells and noise of scale 0.15: never more than the truth by much.
    assert (joined["people"] <= joined["len"] + 8).all()
    assert made.data["people"].sum() > 40


def test_keys_of_the_data_need_people_and_delta(history: History) -> None:
    lonely = make_table(history, request("people", by=("goods", "day:day"), epsilon=1.0, delta=1e-9))
    assert (lonely.data.height, lonely.data.columns) == (0, ["goods", "day", "people"])
    common = make_table(history, request("records", "people", by=("day:year",), cells=1, epsilon=20.0, delta=1e-3))
    assert common.data["day"].to_list() == ["2021"]
    assert common.data["people"][0] == pytest.approx(30, abs=8)
    assert [part.what for part in common.spent] == ["keys and people", "records"]
    assert common.delta <= 1e-3
    with pytest.raises(ParameterError, match="keys that come from the data need a delta above 0"):
        make_table(history, request("people"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be above 0"),
        ({"delta": 1.0}, "delta must be from 0 to below 1"),
        ({"cells": 0}, "a person must count in at least one: cells = 0"),
        ({"noise": NoiseName.GAUSSIAN}, "Gaussian noise needs a delta above 0"),
    ],
)
def test_requests_that_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        request("people", **change)


def test_keys_and_measures_that_are_refused(history: History) -> None:
    for text in ("sums", "sum:price", "sum:price:5:1", "sum:price:a:b", "sum::0:1"):
        with pytest.raises(ParameterError, match="a measure is people, records or sum:COLUMN:LOW:HIGH"):
            Measure.of(text)
    for by, message in (
        ((), "name at least one key"),
        (("shop",), "there is no column 'shop'"),
        (("day:hour",), "the grain of a date must be one of day, week, month, year"),
        (("price",), "'price' is a number: say how wide its bands are"),
        (("goods:2",), "a category has no grain"),
        (("goods", "goods"), "the key 'goods' is named twice"),
    ):
        with pytest.raises(ParameterError, match=message):
            make_table(history, request("people", by=by), keys=MONTHS)
    with pytest.raises(ParameterError, match="'goods' is a category, and only numbers can be summed"):
        make_table(history, request("sum:goods:0:1"), keys=MONTHS)
    with pytest.raises(InputError, match="the list of keys has no column 'day'"):
        make_table(history, request("people"), keys=pl.DataFrame({"x": ["a"]}))


def test_the_budget_adds_up_and_ends(history: History, tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    with pytest.raises(ParameterError, match="has no budget yet; declare the total once"):
        private_table(history, request("people"), keys=MONTHS, ledger=ledger)
    made = private_table(history, request("people"), keys=MONTHS, ledger=ledger, budget=Budget.read("2,1e-6"))
    made.write(tmp_path / "t1")
    again = private_table(history, request("records"), keys=MONTHS, ledger=Ledger.existing(tmp_path / "ledger"))
    assert again.budget is not None
    assert again.budget.spent_epsilon == pytest.approx(2.0, rel=1e-5)
    book = Ledger.existing(tmp_path / "ledger")
    assert [one["measures"] for one in book.rest["budget"]["spent"]] == [["people"], ["records"]]
    with pytest.raises(InfeasibleError, match="is not enough: epsilon = .* of 2 and delta = 1e-06 of 1e-06 are left"):
        private_table(history, request("people", epsilon=0.1), keys=MONTHS, ledger=book)
    with pytest.raises(ParameterError, match="a total that changes is none"):
        private_table(history, request("people"), keys=MONTHS, ledger=book, budget=Budget.read("9"))
    with pytest.raises(ParameterError, match="a budget is EPSILON or EPSILON,DELTA"):
        Budget.read("much")
    manifest = json.loads((tmp_path / "t1" / "manifest.json").read_text())
    assert manifest["neighbours"] == "all records of one person are added or removed"
    assert sorted(path.name for path in (tmp_path / "t1").iterdir()) == ["manifest.json", "table.csv"]


def test_a_canary_that_is_often_told_gives_a_bound_whatever_the_draw() -> None:
    """The threshold is not chosen by a handful of clear runs, which imply nothing among others."""
    rng = np.random.default_rng(5)
    bounds = [canary_bound(rng.normal(1.0, 1.0, 1000), rng.normal(0.0, 1.0, 1000)).epsilon for _ in range(20)]
    assert min(bounds) > 0.5


def test_canary_bounds_by_hand() -> None:
    """A mechanism that hides nothing gives what Clopper and Pearson allow for so many runs; a coin gives nothing."""
    sure = canary_bound(np.ones(400), np.zeros(400))
    # All of 200: the rate is at least 0.0125 ** (1 / 200), of false alarms at most 1 - that.
    rate = 0.0125 ** (1 / 200)
    assert sure.epsilon == pytest.approx(math.log(rate / (1 - rate)), rel=1e-9)
    rng = np.random.default_rng(1)
    assert canary_bound(rng.random(400), rng.random(400)).epsilon < 0.3


def test_canaries_do_not_disprove_the_noise_of_opendp(history: History) -> None:
    # OpenDP draws from the operating system: a single bound is above the truth once in forty times, and may be low.
    made = make_table(history, request("people", cells=1, records=1), keys=MONTHS)
    bounds = [try_canaries(made, runs=200).epsilon for _ in range(2)]
    assert max(bounds) > 0.2
    assert min(bounds) <= 1.0
    keys = make_table(history, request("people", epsilon=2.0, delta=1e-3, cells=1))
    bounds = [try_canaries(keys, runs=100).epsilon for _ in range(2)]
    assert max(bounds) > 0.2
    assert min(bounds) <= 2.0


@pytest.mark.campaign
def test_canaries_of_sums_and_gaussian_noise(history: History) -> None:
    for measure, rest in (
        ("sum:price:0:50", {"epsilon": 3.0}),
        ("records", {"noise": NoiseName.GAUSSIAN, "delta": 1e-3, "epsilon": 4.0}),
    ):
        made = make_table(history, request(measure, **{"cells": 1, "records": 1, **rest}), keys=MONTHS)
        assert 0.1 < try_canaries(made, runs=1000).epsilon <= made.spent[-1].cost.epsilon


def test_canaries_find_a_person_who_is_not_bounded(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the bounding switched off the claim of epsilon = 1 is disproved."""
    made = make_table(history, request("records", cells=2, records=2), keys=MONTHS)
    monkeypatch.setattr("tokumei.flow.private_tables.bounded", lambda person, *_, **__: np.arange(len(person)))
    assert try_canaries(made, runs=100).disproves(1.0)


def test_the_command(tmp_path: Path, run: Run) -> None:
    growing_shop()[2].write_csv(tmp_path / "shop.csv")
    MONTHS.write_csv(tmp_path / "months.csv")
    words = ("dp-tables", tmp_path / "shop.csv", "--subject", "who", "--by", "day:month", "--epsilon", "1")
    ran = run(*words, "-o", tmp_path / "t", "--keys", tmp_path / "months.csv", "--canaries", "20", "--json")
    assert (ran.status, ran.json["rows"], ran.json["keys"]) == (0, 10, "public")
    assert ran.json["canaries"]["epsilon_at_least"] <= 1
    assert "no ledger adds up what is spent" in ran.err
    assert pl.read_csv(tmp_path / "t" / "table.csv").columns == ["day", "records"]
    wrong = run(*words, "-o", tmp_path / "u", "--budget", "3")
    assert (wrong.status, "--budget goes with --ledger" in wrong.err) == (2, True)
    assert "--noise must be laplace or gaussian" in run(*words, "-o", tmp_path / "u", "--noise", "none").err
