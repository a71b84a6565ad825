"""What all standard methods have in common: fresh pseudonyms, true secrets, small data, row order, messages."""

from __future__ import annotations

import numpy as np
import pytest

from tests.methods.mixed_histories import MIXED, category_history, mixed_frame, mixed_history, number_history, run
from tokumei.data.cells import MISSING
from tokumei.data.history import History, Release
from tokumei.data.release_folder import release_from_text
from tokumei.errors import InfeasibleError, ParameterError
from tokumei.methods.column_settings import split_settings, steps_of
from tokumei.methods.generalize_steps import GeneralizeSteps
from tokumei.methods.laplace_noise import LaplaceNoise
from tokumei.methods.microaggregation import Microaggregation
from tokumei.methods.randomized_response import RandomizedResponse
from tokumei.methods.record_sampling import RecordSampling
from tokumei.methods.rounding import Rounding
from tokumei.methods.swapping import Swapping
from tokumei.methods.top_bottom_coding import TopBottomCoding
from tokumei.parts import Method

PARTS: list[Method] = [
    GeneralizeSteps(),
    LaplaceNoise(),
    LaplaceNoise(clip=False, epsilon=0.001),
    Microaggregation(),
    RandomizedResponse(),
    RecordSampling(),
    RecordSampling(unit="subjects", most=2),
    Rounding(),
    Rounding(style="random"),
    Swapping(),
    TopBottomCoding(),
    TopBottomCoding(ranges=True),
]
BY_COLUMN: list[type[Method]] = [GeneralizeSteps, LaplaceNoise, RandomizedResponse, Rounding, Swapping, TopBottomCoding]


def part_id(part: Method) -> str:
    return part.name


def same(one: Release, other: Release) -> bool:
    return one.text().equals(other.text())


@pytest.mark.half_second
@pytest.mark.parametrize("part", PARTS, ids=part_id)
@pytest.mark.parametrize("size", [0, 1, 2, 400])
def test_pseudonyms_are_fresh_and_the_secret_tells_the_truth(part: Method, size: int) -> None:
    history = mixed_history(size)
    if isinstance(part, Microaggregation) and 0 < len(history.subjects) < part.k:
        with pytest.raises(InfeasibleError, match=r"needs at least k = 3 subjects, the data has 1; lower k"):
            run(part, history)
        return
    release, secret = run(part, history)
    assert len(release) == len(secret.rows) == len(np.unique(secret.rows))
    assert release.method == part.name
    assert release.text().height == len(release)
    owner = dict(secret.owners.rows())
    assert set(owner) == set(release.pseudonyms.to_list())
    assert len(set(owner.values())) == len(owner)
    assert not set(owner) & set(history.subjects.to_list())
    people = history.subjects.gather(history.subject[secret.rows]).to_list()
    assert [owner[pseudonym] for pseudonym in release.pseudonyms.to_list()] == people


@pytest.mark.parametrize("part", PARTS, ids=part_id)
def test_a_missing_value_stays_missing(part: Method) -> None:
    if isinstance(part, Microaggregation):
        pytest.skip("averages fill gaps")
    history = mixed_history(400)
    release, secret = run(part, history)
    for name in ("day", "moment", "price", "lat", "lon"):
        assert (release.cells[name].suppressed == (history.codes[name][secret.rows] == MISSING)).all()


@pytest.mark.half_second
@pytest.mark.parametrize("part", PARTS, ids=part_id)
def test_the_seed_decides_and_the_order_of_the_rows_does_not(part: Method) -> None:
    frame = mixed_frame(300)
    history = History.from_frame(frame, MIXED)
    release, _ = run(part, history, 3)
    assert same(release, run(part, history, 3)[0])
    assert not same(release, run(part, history, 4)[0])
    shuffled = History.from_frame(frame.sample(fraction=1.0, shuffle=True, seed=5), MIXED)
    assert same(release, run(part, shuffled, 3)[0])


@pytest.mark.parametrize("part", PARTS, ids=part_id)
def test_a_release_survives_being_written_and_read(part: Method) -> None:
    history = mixed_history(300)
    release, _ = run(part, history)
    again = release_from_text(release.text(), history.schema, history.categories, file="release")
    for name, cells in release.cells.items():
        assert (cells.equals(again.cells[name])).all(), name  # type: ignore[arg-type]


@pytest.mark.parametrize("part", PARTS, ids=part_id)
def test_only_pure_generalization_and_deletion_fit_the_2018_format(part: Method) -> None:
    history = mixed_history(400)
    release, secret = run(part, history)
    kept = all(
        (cells.contains(history.codes[name][secret.rows]) | cells.suppressed).all()
        for name, cells in release.cells.items()
    )
    if "pws2018" in part.valid_under:
        assert kept
    else:
        assert not kept or isinstance(part, TopBottomCoding)
    assert ("pws2018" in part.valid_under) == isinstance(part, (GeneralizeSteps, RecordSampling))


@pytest.mark.parametrize("kind", BY_COLUMN, ids=lambda kind: kind.name)
def test_a_list_of_columns_is_checked(kind: type[Method]) -> None:
    history = mixed_history(20)
    for text in ("price", "price=", "=1", "price=1,,goods=1", "price=1,"):
        with pytest.raises(ParameterError) as refusal:
            kind(columns=text)  # type: ignore[call-arg]
        assert str(refusal.value) == (
            f"parameter 'columns' of '{kind.name}' must be a list such as price=10,date=7, got '{text}'"
        )
    with pytest.raises(ParameterError, match="a list that names 'price' once, got 'price=1,price=2'"):
        kind(columns="price=1,price=2")  # type: ignore[call-arg]
    with pytest.raises(
        ParameterError,
        match=rf"parameter 'columns' of '{kind.name}' must be about the columns day, moment, price, goods, spot "
        r"\(did you mean 'price'\?\), got 'pirce'",
    ):
        run(kind(columns="pirce=1"), history)  # type: ignore[call-arg]


@pytest.mark.parametrize("part", [LaplaceNoise(columns="goods=1"), Rounding(columns="goods=1")], ids=part_id)
def test_categories_are_refused_where_an_order_is_needed(part: Method) -> None:
    wanted = (
        rf"'{part.name}' must be about columns of the kinds date, datetime, number, place, got 'goods \(category\)'"
    )
    with pytest.raises(ParameterError, match=wanted):
        run(part, mixed_history(10))


@pytest.mark.parametrize("part", [LaplaceNoise(), Rounding(), TopBottomCoding()], ids=part_id)
def test_a_table_of_categories_only_has_nothing_to_change(part: Method) -> None:
    wanted = rf"'{part.name}' finds no column to change in the schema \(it changes date, datetime, number, place\); use"
    with pytest.raises(InfeasibleError, match=wanted):
        run(part, category_history(["a", "b"], ["x", "y"]))


def test_randomized_response_needs_a_category() -> None:
    with pytest.raises(InfeasibleError, match=r"no column to change in the schema \(it changes category\)"):
        run(RandomizedResponse(), number_history(["a"], [1]))
    with pytest.raises(ParameterError, match=r"about columns of the kinds category, got 'price \(number\)'"):
        run(RandomizedResponse(columns="price=1"), mixed_history(10))


def test_a_place_is_named_once_for_both_of_its_fields() -> None:
    history = mixed_history(50, missing=False)
    release, _ = run(Rounding(columns="spot=0.1"), history)
    for name in ("lat", "lon"):
        assert {len(text.partition(".")[2]) for text in release.text()[name].to_list()} <= {0, 1}
    with pytest.raises(ParameterError, match="a list that names 'lat' once"):
        run(Rounding(columns="spot=0.1,lat=0.01"), history)
    one, _ = run(Rounding(columns="lat=0.1"), history)
    assert one.text()["lon"].str.len_chars().max() == len("139.123")


def test_amounts_are_read_exactly_in_steps_of_the_column() -> None:
    price, day = MIXED.field("price"), MIXED.field("day")
    assert steps_of("m", "p", price, "0.07") == 7
    assert steps_of("m", "p", price, "1e3") == 100_000
    for text in ("0", "-1", "0.005", "x", "nan", "inf", "1e30"):
        with pytest.raises(ParameterError) as refusal:
            steps_of("m", "p", price, text)
        assert str(refusal.value) == (
            f"parameter 'p' of 'm' must be a positive multiple of 0.01 for the column 'price', got '{text}'"
        )
    with pytest.raises(ParameterError, match=r"a positive multiple of 1 days for the column 'day', got '0.5'"):
        steps_of("m", "p", day, "0.5")
    assert split_settings("m", "p", " a = 1 , b=c=2 ") == {"a": "1", "b=c": "2"}
    assert split_settings("m", "p", "  ") == {}
