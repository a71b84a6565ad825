"""Exports of boards: figures exact, formulas harmless, nothing that its viewer may not see."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from tests.arena import world
from tests.arena.playing import evaluate
from tests.arena.test_boards import attacked
from tokumei_arena.models import Contest, Round
from tokumei_arena.web.exports import csv_bytes, neutral

pytestmark = pytest.mark.django_db


def export(contest: Contest, ending: str, query: str = "") -> Any:
    return Client().get(reverse("board_export", args=[contest.slug, "final", ending]) + query)


def table(answer: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_formula_cells_are_neutralised_in_text_and_numbers_untouched(name: str) -> None:
    contest = world.make_contest(blind=False)
    _team, captain = world.make_team(contest, name)
    evaluate(world.hand_in(captain, contest.rounds.get()), U=-0.5, il_date=1e-7)
    head, row = table(export(contest, "csv"))
    assert head[:4] == ["rank", "team", "U", "il_date"]
    assert row[:4] == ["1", f"'{name}", "-0.5", "1e-07"]


@given(st.one_of(st.text(), st.floats(allow_nan=False), st.integers(), st.none()))
def test_no_text_cell_begins_as_a_formula_does(value: Any) -> None:
    ((cell, _end),) = csv.reader(
        io.StringIO(csv_bytes([], [[value, "."]]).decode("utf-8-sig").lstrip("\r\n"), newline="")
    )
    if isinstance(value, str):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
        assert cell in (value, f"'{value}")
    else:
        assert cell == ("" if value is None else str(value))
        assert neutral(value) == ("" if value is None else value)


def test_exports_are_files_to_be_saved() -> None:
    contest = world.make_contest()
    for ending, kind in (("csv", "text/csv"), ("json", "application/json")):
        answer = export(contest, ending)
        assert answer["Content-Type"] == f"{kind}; charset=utf-8"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Cache-Control"] == "private, no-store"
        assert answer["Content-Disposition"].startswith(f'attachment; filename="{contest.slug}-final')
    assert export(contest, "csv", "?table=anonymizers").status_code == 404
    assert export(contest, "csv", "?table=matrix").status_code == 404
    assert Client().get(f"/c/{contest.slug}/final/board.xml").status_code == 404


def test_results_are_exported_when_they_are_out() -> None:
    contest, _captains = attacked(("Alpha", "=Beta"), {(0, 1): 3, (1, 0): 8})
    assert set(json.loads(export(contest, "json").content)["tables"]) == {"utility"}
    world.move_to(contest.rounds.get(), "published")
    document = json.loads(export(contest, "json").content)
    assert (document["contest"], document["round"], document["phase"]) == (contest.slug, "final", "published")
    assert set(document["tables"]) == {"utility", "anonymizers", "attackers"}
    anonymizers = document["tables"]["anonymizers"]
    assert anonymizers["rows"][0] == {
        "rank": 1,
        "team": "=Beta",
        "figures": {"U": 0.2, "received": 0, "sharp_received": 0, "most_hits": 3},
        "remark": "",
    }
    assert anonymizers["rule"].startswith("Lowest U among the files")
    pairs = {(pair["attacker"], pair["owner"]): pair["figures"]["hits"] for pair in document["matrix"]["pairs"]}
    assert pairs == {("Alpha", "=Beta"): 3, ("=Beta", "Alpha"): 8}
    assert table(export(contest, "csv"))[1:] == [
        ["1", "'=Beta", "0.2", "0", "0", "3", ""],
        ["", "Alpha", "0.1", "1", "1", "8", "effectively re-identified"],
    ]
    assert table(export(contest, "csv", "?table=matrix")) == [
        ["hits: attacker / owner", "Alpha", "'=Beta"],
        ["Alpha", "", "3"],
        ["'=Beta", "8", ""],
    ]


def test_the_utility_export_tells_no_more_than_the_board() -> None:
    contest = world.make_contest(blind=False)
    _team, captain = world.make_team(contest, "Alpha")
    evaluate(world.hand_in(captain, contest.rounds.get()), U=0.123456)
    Round.objects.update(release_feedback="bands")
    assert table(export(contest, "csv"))[1][:3] == ["1", "Alpha", "0.1 – 0.2"]
    Round.objects.update(release_feedback="none")
    assert table(export(contest, "csv"))[1][:3] == ["", "Alpha", ""]
    assert "0.12" not in export(contest, "json").content.decode()


def test_the_overall_ranking_is_exported_when_all_rounds_are_out() -> None:
    contest, _captains = attacked(("Alpha", "Beta"), {(0, 1): 8})
    address = reverse("overall_export", args=[contest.slug, "csv"])
    assert Client().get(address).status_code == 404
    world.move_to(contest.rounds.get(), "published")
    assert table(Client().get(address)) == [
        ["rank", "team", "score", "sharp_received", "remark"],
        ["1", "Alpha", "0.1", "0", ""],
        ["", "Beta", "1.0", "1", "effectively re-identified"],
    ]
    attackers = Client().get(f"{address}?table=attackers")
    assert attackers["Content-Disposition"] == f'attachment; filename="{contest.slug}-overall-attackers.csv"'
    document = json.loads(Client().get(reverse("overall_export", args=[contest.slug, "json"])).content)
    assert [row["team"] for row in document["tables"]["attackers"]["rows"]] == ["Alpha", "Beta"]
