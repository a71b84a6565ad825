"""The paper's experiment: what it measures, what it writes, and the findings on real trajectories."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tokumei.cli.experiment import app
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError, OutputError, SchemaError
from tokumei.experiments.concealment import CONSTRUCTIONS, Trajectories, interpolated, person_distances, run_experiment

PAIRS, GREEDY, COVER, ASSIGNMENT, SHORT = CONSTRUCTIONS
FIGURES = [f"figure-{name}" for name in ("8", "9", "9-ratio", "10", "11", "12")]
FIGURES += ["map-cheapest-edge-cover", "map-assignment", "map-cycles-of-3-at-most"]


def four_people() -> Trajectories:
    """Return a and b with all points but one, c with the first only, d with one too many; times out of order."""
    frame = pl.DataFrame(
        {
            "who": ["a", "a", "b", "b", "c", "d", "d", "d"],
            "at": [3, 1, 1, 2, 1, 1, 2, 3],
            "lat": [0.2, 0.0, 0.0, 0.1, 0.0, 0.5, 0.5, 0.5],
            "lon": [0.0, 0.0, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0],
        }
    ).with_columns(pl.col("at").cast(pl.Int32).cast(pl.Date))
    place = Column(name="where", kind=Kind.PLACE, step=0.1, latitude="lat", longitude="lon")
    return interpolated(History.from_frame(frame, Schema("who", (Column(name="at", kind=Kind.DATE), place))))


def test_everybody_is_completed_to_all_times() -> None:
    """Between two points on the line, at the ends the nearest point; nobody is left out or cut."""
    people = four_people()
    assert people.subjects.to_list() == ["a", "b", "c", "d"]
    assert people.codes[:, :, 0].tolist() == [[0, 1, 2], [0, 1, 1], [0, 0, 0], [5, 5, 5]]
    assert people.codes[:, :, 1].tolist() == [[0, 0, 0], [3, 3, 3], [0, 0, 0], [0, 0, 0]]
    assert people.records.tolist() == [2, 2, 1, 3]


def test_distances_are_means_over_points_in_kilometres() -> None:
    people = four_people()
    distance = person_distances(people)
    assert distance[1, 2] == pytest.approx(
        np.mean([np.hypot(apart * people.kilometres[0], 3 * people.kilometres[1]) for apart in (0, 1, 1)])
    )
    assert distance[0, 3] == pytest.approx(4 * people.kilometres[0])
    assert (distance == distance.T).all()


@pytest.mark.parametrize("name", list(CONSTRUCTIONS))
@pytest.mark.parametrize("count", [2, 5, 8])
def test_every_construction_hides_everybody_among_two(name: str, count: int) -> None:
    rng = np.random.default_rng(count)
    points = rng.random((count, 2))
    cost = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    hulls, owners = CONSTRUCTIONS[name](cost, rng)
    assert sorted(owners) == list(range(count))
    assert all(owner in members for owner, members in zip(owners, hulls.lists(), strict=True))
    assert hulls.sizes().min() >= 2
    assert np.bincount(hulls.members, minlength=count).min() >= 2


@pytest.mark.half_second
def test_the_command_writes_figures_tables_and_a_report(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    words = ["concealment", "-o", str(folder), "--size", "4", "--size", "12", "--seed", "3", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["people"] == 12
    assert [row["method"] for row in result["errors"]] == [*CONSTRUCTIONS] * 2
    assert {row["verdict"] for row in result["audits"] if row["method"] == PAIRS} == {"safe"}
    written = sorted(file.name for file in folder.iterdir())
    files = ["audits.csv", "errors.csv", "table-13.csv", "report.html"]
    assert written == sorted([*files, *(f"{name}.svg" for name in FIGURES)])
    assert all((folder / f"{name}.svg").read_text().startswith("<svg") for name in FIGURES)
    assert pl.read_csv(folder / "table-13.csv").rows() == [(4, 120, 120), (12, 360, 360)]
    assert "Figure 12: 2-concealment, nearest neighbours" in (folder / "report.html").read_text()
    assert pl.read_csv(folder / "errors.csv").height == 10
    histograms, curves = ((folder / f"figure-{number}.svg").read_text() for number in (10, 9))
    assert sorted(CONSTRUCTIONS, key=histograms.index) == sorted(CONSTRUCTIONS, key=curves.index) == [*CONSTRUCTIONS]


@pytest.mark.half_second
def test_report_and_figures_are_told_in_japanese(tmp_path: Path) -> None:
    """Files keep the English names of the methods; everything that is read has none of it."""
    result = run_experiment(tmp_path / "out", sizes=[4], seed=3, language="ja")
    assert result["errors"][1]["method"] == "2-concealment, nearest neighbours"
    page = (tmp_path / "out" / "report.html").read_text()
    assert "図12：2-concealment、最近傍" in page
    assert "安全性の代償" in page
    assert [
        word for word in ("nearest", "error", "longitude", "people", "unsafe<") if word in page.split("<h1", 1)[1]
    ] == []
    assert "人数" in (tmp_path / "out" / "figure-9.svg").read_text()


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "numbers.csv"
    data.write_text("who,n\na,1\na,2\nb,3\nb,4\n")
    with pytest.raises(SchemaError, match="the experiment needs a place"):
        run_experiment(tmp_path / "out", source=data)
    data.write_text("user,time,lat,lon\na,2020-01-01,35.1,139.1\nb,2020-01-01,35.2,139.2\n")
    with pytest.raises(InfeasibleError, match="the data has 2 people; choose"):
        run_experiment(tmp_path / "out", source=data, sizes=[10])
    data.write_text("user,time,lat,lon\na,2020-01-01,35.1,139.1\nb,2020-01-01,,139.2\n")
    with pytest.raises(InfeasibleError, match="is missing in some records"):
        run_experiment(tmp_path / "out", source=data, sizes=[2])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(OutputError, match="is not an empty folder"):
        run_experiment(tmp_path / "full", source=data)


@pytest.mark.half_second
def test_the_worked_tables_of_the_paper_come_out_by_command() -> None:
    """Concealment changes 8 cells where anonymity changes 10; table 6 has two dummies, table 7 none."""
    done = CliRunner().invoke(app, ["paper-tables", "--json"])
    assert done.exit_code == 0, done.output
    tables = {table["table"]: table for table in json.loads(done.stdout)["tables"]}
    assert {name: tables[name]["changed_cells"] for name in "234"} == {"2": 10, "3": 10, "4": 8}
    assert {name: (tables[name]["k_anonymity"], tables[name]["k_concealment"]) for name in "234"} == {
        "2": (5, 5),
        "3": (2, 2),
        "4": (1, 2),
    }
    assert [(tables[name]["records"], tables[name]["dummies"], tables[name]["k_anonymity"]) for name in "67"] == [
        (9, 2, 3),
        (7, 0, 3),
    ]
    shared = [row for row in tables["7"]["rows"] if "+" in row["stands for"]]
    assert shared == [{"stands for": "Alice+Bob+Carol", "date": "2017-12-01", "goods": "a"}]
    assert [(row["stands for"], row["goods"]) for row in tables["10"]["rows"]] == [
        ("Alice", "{a;d}"),
        ("Alice", "{b;e}"),
        ("Alice+Bob", "{c;e}"),
        ("Bob", "{a;d;f}"),
        ("Bob", "{b;c;e;g}"),
        ("Carol", "{d;f}"),
        ("Carol", "{e;g}"),
    ]
    assert "table 10" in CliRunner().invoke(app, ["paper-tables"]).stdout


@pytest.mark.slow
def test_findings_on_the_people_flow_of_tokyo(real_data: Path, tmp_path: Path) -> None:
    """Figures of the research notes, part 2, section 3, within the noise of small samples."""
    source = real_data / "people_flow_tokyo.parquet"
    result = run_experiment(tmp_path / "out", source=source, sizes=[10, 50], seed=1, daily=True)
    rows = {(row["people"], row["method"]): row for row in result["errors"]}
    for size, error in {10: 1.4811, 50: 0.9669}.items():
        assert rows[size, PAIRS]["uniform"] == pytest.approx(error, rel=0.06)
        assert 1.03 < rows[size, GREEDY]["ratio"] < 1.14
        assert 0.98 < rows[size, COVER]["ratio"] <= 1.001
        assert 0.97 < rows[size, ASSIGNMENT]["ratio"] < 1.0
        assert rows[size, SHORT]["ratio"] <= 1.0
    verdicts = {(row["people"], row["method"]): row for row in result["audits"]}
    assert verdicts[50, PAIRS]["verdict"] == "safe"
    assert verdicts[50, GREEDY]["verdict"] == "unsafe"
    assert verdicts[50, ASSIGNMENT]["max_posterior"] == pytest.approx(0.5, abs=0.01)


@pytest.mark.campaign
def test_findings_on_everybody_in_tokyo(
    real_data: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The same at full size: 1,000 people exactly."""
    source = real_data / "people_flow_tokyo.parquet"
    hundred = run_experiment(tmp_path / "hundred", source=source, sizes=[100], seed=1, daily=True)
    assert {row["method"]: row for row in hundred["errors"]}[PAIRS]["uniform"] == pytest.approx(0.8446, rel=0.06)
    result = run_experiment(tmp_path / "out", source=source, sizes=[1000], seed=1, daily=True)
    rows = {row["method"]: row for row in result["errors"]}
    assert rows[PAIRS]["uniform"] == pytest.approx(0.5371, abs=5e-4)
    assert rows[GREEDY]["ratio"] == pytest.approx(1.178, abs=1e-3)
    assert rows[COVER]["ratio"] == pytest.approx(0.994, abs=1e-3)
    assert rows[ASSIGNMENT]["ratio"] == pytest.approx(0.987, abs=1e-3)
    told = {name: round(row["ratio"], 4) for name, row in rows.items()}
    record_property("figure", f"people flow of Tokyo, 1,000 people, error to that of pairs: {told}")
