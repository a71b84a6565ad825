"""PWS Cup 2026: faults with their places, ranking, cohorts, and our parts beside the samples."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tokumei.contests import Entry, Pair, make_contest
from tokumei.contests.pws2026.attacks import density_ratio, nearness_ratio
from tokumei.contests.pws2026.people import draw_people
from tokumei.contests.pws2026.scores import anonymity, score_membership
from tokumei.contests.pws2026.table import COLUMNS
from tokumei.contests.pws2026.tasks import score_folder
from tokumei.errors import InputError

TOKEN = "abcDEF0123456789"


def packed(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(name.replace("_csv", ".csv").replace("_txt", ".txt"), text)
    return path


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    people = draw_people(12, np.random.default_rng(1)).with_row_index("record_id")
    people.select("record_id", *COLUMNS).write_csv(folder / "B_practice.csv")
    return folder


def test_all_faults_are_told_together_in_both_languages(dist: Path, tmp_path: Path, run: Run) -> None:
    table = pl.read_csv(dist / "B_practice.csv", infer_schema=False).drop("record_id")
    lines = table.write_csv().splitlines()
    cells = lines[1].split(",")
    cells[0], cells[4] = "39", "many"
    made = packed(tmp_path / "c.zip", C_csv="\n".join([lines[0], ",".join(cells), *lines[2:12]]), token_txt=TOKEN)
    ran = run("pws2026", "check-zip", dist, made, "--json")
    found = [(one["code"], one["line"], one["column"], one["value"]) for one in ran.json["errors"]]
    assert found == [("row-count", None, None, None), ("range", 2, 1, "39"), ("not-finite", 2, 5, "many")]
    assert [one["code"] for one in ran.json["official"]["errors"]] == ["ROW_COUNT", "RANGE", "NOT_FINITE"]
    assert ran.status == 1
    japanese = run("pws2026", "check-zip", dist, made, "--json", "--language", "ja").json["errors"]
    assert japanese[1]["message"] == "39は40から74の範囲外です"


def test_strict_refuses_what_the_official_checker_overlooks(dist: Path, tmp_path: Path, run: Run) -> None:
    (dist / "targets").mkdir()
    (dist / "targets/aia_challenge_1.csv").write_text("challenge_row_id,age\n0,50\n")
    mia = "record_id,1\n" + "".join(f"{at},{'inf' if at == 3 else 0.5}\n" for at in range(12))
    made = packed(
        tmp_path / "f.zip", F_mia_csv=mia, F_aia_csv="target_k,challenge_row_id,time_hat\n1,0,inf\n", token_txt=TOKEN
    )
    assert run("pws2026", "check-zip", dist, made, "--json").json["valid"] is True
    strict = run("pws2026", "check-zip", dist, made, "--json", "--strict")
    assert [(one["code"], one["line"]) for one in strict.json["errors"]] == [("infinite", 5), ("infinite", 2)]
    assert strict.json["official"]["valid"] is True


def test_totals_are_the_weaker_of_utility_and_anonymity() -> None:
    contest = make_contest("pws2026")
    entries = [Entry(team, {"U": value}, None) for team, value in (("a", 0.9), ("b", 0.5), ("c", 0.4))]
    broken = {"mia": 0.2, "aia": 0.0, "beyond_chance": 0.065, "power": 0.2}
    table = contest.rank_round(entries, [Pair("b", "a", broken), Pair("a", "b", {**broken, "beyond_chance": 0.0})])
    totals = {row.team: row.figures["total"] for row in table.anonymizers}
    assert totals == {"a": pytest.approx(0.5), "b": 0.5, "c": 0.4}
    assert [row.figures["power"] for row in table.attackers] == pytest.approx([0.1, 0.1, 0.0])
    assert anonymity(0.065)["a_MIA"] == pytest.approx(0.5)


def test_our_membership_attack_beats_the_reference_on_noisy_copies() -> None:
    rng = np.random.default_rng(5)
    cohort, base, others = (draw_people(count, rng) for count in (150, 450, 150))
    noisy = cohort.with_columns(
        pl.Series(name, cohort[name].to_numpy() + 0.2 * cohort[name].to_numpy().std() * rng.standard_normal(150))
        for name in ("BMI", "SBP", "TG", "HDL", "ALT", "FPG")
    )
    people, member = pl.concat([cohort, others]), np.arange(300) < 150
    ours, theirs = (
        score_membership(attack(noisy, base, people), member)["tpr_at_low_fpr"]
        for attack in (nearness_ratio, density_ratio)
    )
    assert ours > theirs + 0.3


def test_one_zip_in_the_official_layout_answers_about_all_targets(tmp_path: Path) -> None:
    mia = "record_id,Agate,Opal,9\n0,0.1,0.9,1\n1,0.2,,1\n"
    aia = "target_k,challenge_row_id,time_hat\nAgate,0,5\nOpal,0,7.5\nOpal,3,1\n"
    made = packed(tmp_path / "all.zip", F_mia_csv=mia, F_aia_csv=aia, token_txt=TOKEN)
    found = make_contest("pws2026").split_answers(made, ["Agate", "Opal", "Onyx"])
    assert sorted(found) == ["Agate", "Opal"]
    assert found["Agate"]["F_mia.csv"] == b"record_id,confidence\n0,0.1\n1,0.2\n"
    assert found["Opal"]["F_mia.csv"] == b"record_id,confidence\n0,0.9\n"
    assert found["Opal"]["F_aia.csv"] == b"challenge_row_id,time_hat\n0,7.5\n3,1\n"


def test_one_zip_with_a_folder_per_target_serves_every_contest(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as made:
        for name in ("answers/Agate/F.csv", "Opal/F.csv", "Opal/notes.md", "__MACOSX/Agate/F.csv", "Beryl/F.csv"):
            made.writestr(name, name)
    contest = make_contest("pws2025")
    found = contest.split_answers(path, ["Agate", "Opal", "Onyx"])
    assert found == {"Agate": {"F.csv": b"answers/Agate/F.csv"}, "Opal": {"F.csv": b"Opal/F.csv"}}
    with pytest.raises(InputError, match="no folder named like a target"):
        contest.split_answers(path, ["Onyx"])
    (tmp_path / "no.zip").write_bytes(b"no zip")
    with pytest.raises(InputError, match="pack it again"):
        contest.split_answers(tmp_path / "no.zip", ["Onyx"])


def test_attackers_are_told_a_band_of_their_membership_attack_and_their_attribute_attack() -> None:
    assert make_contest("pws2026").banded({"power": 0.4, "mia": 0.3, "band": 2, "aia": 0.1}) == {"band": 2, "aia": 0.1}


def test_answers_with_the_token_of_another_target_are_refused(tmp_path: Path) -> None:
    (tmp_path / "published").mkdir()
    (tmp_path / "published/token.txt").write_text("abc\n")
    for given, codes in (("abc", ["reference-missing"]), ("other", ["token-unknown", "reference-missing"])):
        (tmp_path / "token.txt").write_text(given)
        (tmp_path / "aia_truth.csv").write_text("challenge_row_id\n0\n")
        checked = score_folder(tmp_path, tmp_path, floor=0.0, strict=False)
        assert [note.code for note in checked.notes] == codes
