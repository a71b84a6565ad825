"""Public grids: the release depends on the coarse data alone, its cells hold the values, and profiles choose them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tokumei
from tests.conftest import Run
from tests.sample_histories import mixed_frame
from tokumei.data import Column, History, Kind, Release, Schema, Secret, coarsened, folder_files
from tokumei.data.columns import Field
from tokumei.data.grids import grid_ends
from tokumei.data.rare_values import OTHER, merged_upwards
from tokumei.errors import InfeasibleError, ParameterError, SchemaError
from tokumei.flow import Plan, plan_of, release, release_in_parts
from tokumei.flow.making import anonymized
from tokumei.flow.parted.making import Running
from tokumei.flow.publishing import places_of
from tokumei.methods import KAnonymity
from tokumei.profiles import Content, proposals, read_content, with_content
from tokumei.profiles.content import content_messages

GRIDS = Schema(
    "customer",
    (
        Column(name="day", kind=Kind.DATE, grid="month"),
        Column(name="goods", kind=Kind.CATEGORY, grid=2),
        Column(name="price", kind=Kind.NUMBER, step=0.01, grid="1-2-5"),
        Column(name="units", kind=Kind.NUMBER, grid=5),
        Column(name="spot", kind=Kind.PLACE, step=0.001, latitude="lat", longitude="lon", grid=0.01),
    ),
)


def frame_of(seed: int, *, inside: int = 0, people: int = 12) -> pl.DataFrame:
    """Return records; those of another ``inside`` lie elsewhere in the same cells of the grids."""
    rng, other = np.random.default_rng(seed), np.random.default_rng(1000 + inside)
    who = np.repeat(np.arange(people), rng.integers(1, 5, size=people))
    size = len(who)
    first = pl.date_range(pl.date(2011, 1, 1), pl.date(2011, 12, 1), "1mo", eager=True)
    days = (
        first.gather(rng.integers(0, 12, size))
        + pl.Series(other.integers(0, 28, size)).cast(pl.Duration("ms")) * 86_400_000
    )
    stems = np.array(["aa", "ab", "cc", "dd"])[rng.integers(0, 4, size)]
    low = np.array([1, 2, 5, 10, 20])[rng.integers(0, 5, size)]
    return pl.DataFrame(
        {
            "customer": [f"c{number:02}" for number in who],
            "day": days.cast(pl.Date),
            "goods": [f"{stem}{end}" for stem, end in zip(stems, other.integers(0, 9, size), strict=True)],
            "price": np.round(low * (1 + 0.9 * other.random(size)), 2),
            "units": rng.integers(0, 4, size) * 5 + other.integers(0, 5, size),
            "lat": np.round(35 + rng.integers(0, 9, size) / 100 + other.integers(0, 10, size) / 1000, 3),
            "lon": np.round(139 + rng.integers(0, 9, size) / 100 + other.integers(0, 10, size) / 1000, 3),
        }
    )


def made_from(frame: pl.DataFrame, schema: Schema = GRIDS, **settings: object) -> tuple[History, Release, Secret]:
    history = History.from_frame(frame, schema)
    return history, *anonymized(history, KAnonymity(k=2, **settings), seed=5)  # type: ignore[arg-type]


def bytes_of(published: Release) -> dict[str, bytes]:
    return folder_files(published, summary="")[0]


@pytest.mark.half_second
@pytest.mark.parametrize("seed", range(4))
def test_two_originals_with_the_same_coarse_data_give_the_same_bytes(seed: int) -> None:
    """Nothing downstream of the coarse history sees the values: groups, alignment, cells, order, tie-breaks."""
    one, other = frame_of(seed), frame_of(seed, inside=1)
    assert not one.equals(other)
    first, second = made_from(one), made_from(other.sample(fraction=1.0, shuffle=True, seed=seed))
    coarse = [sorted(coarsened(history).history.text().rows()) for history, *_ in (first, second)]
    assert coarse[0] == coarse[1]
    assert bytes_of(first[1]) == bytes_of(second[1])


def test_posterior_inside_a_cell_is_the_prior_by_exact_enumeration() -> None:
    """P(value | release) <= max over cells of P(value | cell): here equal, for all 3^4 originals of four people."""
    schema = Schema("who", (Column(name="age", kind=Kind.NUMBER, grid=3),))
    seen: dict[bytes, list[tuple[int, ...]]] = {}
    ages = (0, 1, 3)
    for values in product(ages, repeat=4):
        frame = pl.DataFrame({"who": list("abcd"), "age": values})
        published = anonymized(History.from_frame(frame, schema), KAnonymity(k=2), seed=3)[0]
        seen.setdefault(bytes_of(published)["data.csv"], []).append(values)
    assert len(seen) > 1
    for originals in seen.values():
        for person in range(4):
            own = [values[person] for values in originals]
            low = [age for age in own if age < 3]
            # Inside the cell [0;2] both values stay as likely as before, whatever was published.
            assert low.count(0) == low.count(1)


def test_cells_are_whole_cells_of_the_grid_and_hold_the_values() -> None:
    history, published, secret = made_from(frame_of(2))
    for spec in history.schema.fields:
        cells = published.cells[spec.name]
        assert cells.contains(history.codes[spec.name][secret.rows]).all()
    text = published.text()
    shown = text["day"].str.extract_groups(r"\[(\d+-\d+-(\d+));(\d+-\d+-\d+)\]").struct.field("2").drop_nulls()
    assert len(shown)
    assert set(shown) == {"01"}
    assert text["goods"].str.contains(r"^(\*|(..\*)|\{..\*(;..\*)+\})$").all()


def test_a_release_with_grids_is_read_back_as_it_was_made(tmp_path: Path) -> None:
    frame = frame_of(7)
    made = tokumei.anonymize(frame, k=2, schema=GRIDS, seed=1)
    made.write(tmp_path / "out")
    back = tokumei.read_release(tmp_path / "out", frame)
    assert back.text().equals(made.release.text())
    for name, cells in made.release.cells.items():
        assert cells.equals(back.cells[name]).all()  # type: ignore[arg-type]
    assert "[2011-" in (tmp_path / "out" / "data.csv").read_text()
    codes = {reason.code for reason in tokumei.audit(frame, tmp_path / "out", quick=True).verdict.reasons}
    assert "identical" in codes or codes


@pytest.mark.parametrize(
    ("field", "grid", "codes", "low", "high"),
    [
        (Field("d", Kind.DATE), "week", [0, 4, 5], [-3, 4, 4], [3, 10, 10]),
        (Field("d", Kind.DATE), "quarter", [0, 100], [0, 90], [89, 180]),
        (Field("d", Kind.DATETIME), "hour", [0, 3600, 7199], [0, 3600, 3600], [3599, 7199, 7199]),
        (Field("d", Kind.DATE), 10, [-1, 9, 10], [-10, 0, 10], [-1, 9, 19]),
        (
            Field("p", Kind.NUMBER, 0.01),
            "1-2-5",
            [0, 1, 4, 199, 200, -3],
            [0, 1, 2, 100, 200, -4],
            [0, 1, 4, 199, 499, -2],
        ),
        (Field("p", Kind.NUMBER, 0.25), "1-2-5", [0, 1, 2, 3], [0, 1, 2, 2], [0, 1, 3, 3]),
        (Field("p", Kind.NUMBER, 0.5), 1.5, [0, 2, 3], [0, 0, 3], [2, 2, 5]),
    ],
)
def test_cells_of_grids_worked_out_by_hand(
    field: Field, grid: str | float, codes: list[int], low: list[int], high: list[int]
) -> None:
    ends = grid_ends(field, grid, np.array(codes))
    assert [side.tolist() for side in ends] == [low, high]


def test_rare_codes_are_shortened_until_enough_people_share_them() -> None:
    codes = [f"{number:03}" for number in range(100, 130)]
    label = np.concatenate((np.repeat(np.arange(10), 1), np.repeat(np.arange(10, 30), 5)))
    subject = np.arange(len(label))
    merged = merged_upwards(codes, label, subject, 5)
    assert merged == ["10*"] * 10 + codes[10:]
    # What is too rare under every prefix is left over, and takes in the next rarest prefix.
    assert merged_upwards(codes, label, subject, 20) == [OTHER] * 20 + ["12*"] * 10


def test_rare_names_become_one_set_that_enough_people_have() -> None:
    label, subject = np.array([0, 1, 1, 2, 2, 2]), np.arange(6)
    assert merged_upwards(["a", "b", "c"], label, subject, 2) == [OTHER, OTHER, "c"]
    above = {"a": ["ab"], "b": ["ab"], "c": []}
    assert merged_upwards(["a", "b", "c"], np.array([0, 1, 2, 2]), np.arange(4), 2, above) == ["ab", "ab", "c"]
    assert merged_upwards(["", "b"], np.array([0, 1, 1]), np.arange(3), 2) == ["", "b"]


def test_a_hierarchy_file_names_the_cells_of_a_category(tmp_path: Path) -> None:
    (tmp_path / "goods.csv").write_text("tea;drink;*\nmilk;drink;*\nbread;food;*\ncake;food;*\n")
    (tmp_path / "s.toml").write_text(
        'subject = "who"\n[columns]\nwhat = { kind = "category", hierarchy = "goods.csv", grid = "level 1" }\n'
    )
    frame = pl.DataFrame({"who": list("abcd"), "what": ["tea", "milk", "bread", "cake"]})
    schema = Schema.read(tmp_path / "s.toml")
    made = tokumei.anonymize(frame, k=2, schema=schema, seed=1)
    assert sorted(made.data["what"]) == ["drink", "drink", "food", "food"]
    made.write(tmp_path / "out")
    assert tokumei.read_release(tmp_path / "out", frame, schema=schema).text().equals(made.release.text())
    with pytest.raises(SchemaError, match="'what': its grid is level 1 of a hierarchy; name the file beside it"):
        tokumei.read_release(tmp_path / "out", frame)


def test_profiles_choose_grids_by_kind_and_the_publisher_wins() -> None:
    history = History.from_frame(mixed_frame(), Schema("customer", (Column(name="day", kind=Kind.DATE, grid="week"),)))
    assert with_content(history.schema, Content.STRONG) == history.schema
    told = [str(message) for message in content_messages(history.schema, Content.GRID)]
    assert (
        told[1]
        == "the column 'day' tells more than the profile grid would: its grid is week, that of the profile month"
    )
    assert [str(one) for one in content_messages(history.schema, Content.STRONG, 2)][2].startswith("k = 2 is weaker")
    plain = Schema("customer", (Column(name="goods", kind=Kind.CATEGORY),))
    assert str(content_messages(plain, Content.GRID)[0]).startswith("content = grid: no column here is of a kind that")
    assert str(content_messages(plain, Content.TIGHT)[0]).startswith("content = tight: without grids, the ends of")
    columns = [replace(column, grid="") for column in GRIDS.columns]
    assert proposals(Schema("customer", tuple(columns))) == {
        "grid": ["day: month", "spot: 0.01"],
        "strong": ["day: month", "goods: 3 characters", "price: 1-2-5", "units: 1-2-5", "spot: 0.05"],
    }
    with pytest.raises(ParameterError, match=r"no content 'gird'; did you mean 'grid'\?|there is no content 'gird'"):
        read_content("gird")


def test_the_default_is_the_grid_and_a_plan_says_so(tmp_path: Path) -> None:
    history = History.from_frame(frame_of(1), replace(GRIDS, columns=(Column(name="day", kind=Kind.DATE),)))
    made = release(history, plan_of(None, k=2, seed=1), audit=False)
    assert (made.plan.content, made.release.schema.columns[0].grid) == ("grid", "month")
    tight = release(history, plan_of(None, k=2, seed=1, content="tight"), audit=False)
    assert tight.release.schema.columns[0].grid == ""
    assert release(history, plan_of("pseudonymize", seed=1), audit=False).plan.content == "tight"
    (tmp_path / "plan.toml").write_text(made.plan.to_toml())
    again = Plan.read(tmp_path / "plan.toml")
    assert again.content == "grid"
    assert again.schema is not None
    assert again.schema.columns[0].grid == "month"
    (tmp_path / "plan.toml").write_text(made.plan.to_toml().replace('content = "grid"', 'content = "loose"'))
    with pytest.raises(ParameterError, match="'content' must be one of tight, grid, strong, got 'loose'"):
        Plan.read(tmp_path / "plan.toml")


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        (replace(GRIDS, columns=(Column(name="goods", rare=3),)), "no rare values"),
        (
            Schema.from_toml('subject = "customer"\n[columns]\ngoods = { kind = "category", sensitive = true }\n'),
            "no demands",
        ),
    ],
)
def test_out_of_core_there_are_no_rare_values_and_no_demands(schema: Schema, what: str, tmp_path: Path) -> None:
    frame_of(1).write_csv(tmp_path / "in.csv")
    with pytest.raises(InfeasibleError, match=f"out of core there are {what}"):
        release_in_parts(tmp_path / "in.csv", plan_of(None, schema=schema), places_of(tmp_path / "out"), Running())


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{ kind = "date", grid = "decade" }', 'the grid of a date is one of "week", "month", "quarter", "year"'),
        ('{ kind = "number", step = 0.5, grid = 0.7 }', "the grid of a number is a multiple of the step, got 0.7"),
        (
            '{ kind = "category", grid = "level 1", hierarchy = "auto" }',
            'grid = "level 1" needs a file: write hierarchy = "FILE"',
        ),
        ('{ kind = "number", rare = 3 }', "only categories can be rare, but this is a number; give it a grid instead"),
        ('{ kind = "category", grid = 2, keep = true }', "a column that is kept unchanged has no grid"),
        ('{ kind = "category", sensitive = { m = 2 } }', "'sensitive' has no 'm'; it knows l, diversity, c, t"),
        ('{ kind = "category", sensitive = { l = 1.5 } }', "'l' must be a whole number of at least 1"),
        ('{ kind = "category", sensitive = { l = "x" } }', "'l' of 'sensitive' has the wrong type: 'x'"),
        ('{ kind = "category", sensitive = { t = 2 } }', "'t' and 'gain' must be numbers from 0 to 1"),
    ],
)
def test_wrong_choices_are_told_with_their_column(line: str, what: str) -> None:
    with pytest.raises(SchemaError) as refused:
        Schema.from_toml(f'subject = "who"\n[columns]\nx = {line}\n', file="s.toml")
    assert str(refused.value).startswith(f"s.toml: column 'x': {what}")


@pytest.mark.parametrize(
    "line",
    [
        '{ kind = "date", grid = "month" }',
        '{ kind = "category", grid = 3, rare = 10 }',
        '{ kind = "category", sensitive = true }',
        '{ kind = "category", sensitive = { l = 1 } }',
        '{ kind = "number", step = 1, sensitive = { t = 0.2, distance = "ordered" } }',
        '{ kind = "category", sensitive = { l = 3, diversity = "recursive", c = 2 } }',
    ],
)
def test_choices_are_written_as_they_are_read(line: str) -> None:
    text = f'subject = "who"\n\n[columns]\n"x" = {line}\n'
    assert Schema.from_toml(text).to_toml() == text


def test_commands_tell_the_grids(run: Run, tmp_path: Path) -> None:
    frame_of(3).drop("lat", "lon").write_csv(tmp_path / "in.csv")
    done = run("anonymize", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out"), "--k", "2", "--json")
    told = done.json
    assert told["content"] == "grid"
    assert told["contents"][0].startswith(
        "content = grid: values are told in public grids before anybody is grouped (day: month)"
    )
    described = run("describe", str(tmp_path / "in.csv"), "--json").json
    assert described["grids"]["grid"] == ["day: month"]
    wrong = run("anonymize", str(tmp_path / "in.csv"), "-o", str(tmp_path / "o2"), "--content", "gird")
    assert wrong.status == 2
