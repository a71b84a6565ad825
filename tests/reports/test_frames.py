"""Dossiers: the same evidence under the questions of four frames, in two languages, and a summary for everybody."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.refusal import refused
from tests.conftest import Run
from tests.reports.test_release import _material, _text
from tests.reports.test_repairs import IDENTITY
from tests.reports.test_report import _check_self_contained
from tests.sample_histories import mixed_frame, sample
from tests.words.test_catalogue import _english
from tokumei.data import Column, Kind
from tokumei.errors import ParameterError
from tokumei.reports.frames import FRAMES, check_frame, frame_report
from tokumei.reports.material import Material
from tokumei.reports.public_page import public_summary_page
from tokumei.reports.release import release_report

# What a reader of each frame looks for, in the order of the frame.
ASKED = {
    "ppc": ("3-2-1", "3-2-2", "3-2-3", "3-2-4", "3-2-5", "3-3-1", "3-4, 3-5", "Signatures"),
    "gdpr": ("Purpose", "Singling out", "Linkability", "Inference", "By recipient", "What was done", "Residual"),
    "iso27559": ("6 Context", "7.2 Data", "7.3 Attack", "8.2 Assessing", "8.3 Mitigation", "9 De-identification"),
    "hipaa": ("The expert", "Anticipated recipient", "Features", "Methods", "Results", "Determination"),
}


def _told(method: str = "k-anonymity") -> Material:
    """Return the material of a release with a removed, a kept and a sensitive column."""
    columns = (
        Column(name="name", drop=True),
        Column(name="day", kind=Kind.DATE, keep=True),
        Column(name="goods", sensitive=True),
    )
    identity = replace(IDENTITY, author="A. Author", original_digest="cd" * 32)
    return replace(_material(method), identity=identity, columns=columns, subject="customer")


@pytest.mark.half_second
@pytest.mark.parametrize("frame", FRAMES)
def test_a_dossier_answers_the_questions_of_its_frame(frame: str) -> None:
    page = frame_report(_told(), frame)
    _check_self_contained(page)
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    places = [next(place for place, title in enumerate(titles) if title.startswith(asked)) for asked in ASKED[frame]]
    assert places == sorted(places)
    head = page[: page.index('class="banner')]
    for told in ("visits.csv", "2026-11-18", "A. Author", "ab" * 32, "tokumei"):
        assert told in head, told
    assert '<dl class="facts lines">' in page
    assert [subject for subject in sample("mixed").subjects.to_list() if subject in page] == []


@pytest.mark.half_second
@pytest.mark.parametrize("frame", FRAMES)
def test_a_dossier_in_japanese_is_whole(frame: str) -> None:
    page = frame_report(_told(), frame, language="ja")
    text = _text(page)
    assert _english(text) == []
    assert "仮名" not in text.replace("仮名加工情報", "")
    assert "署名" in text


@pytest.mark.parametrize("frame", FRAMES)
def test_every_figure_leads_to_its_definition_and_its_attack(frame: str) -> None:
    page = frame_report(_told("pseudonymize"), frame)
    anchors = set(re.findall(r'\bid="([^"]+)"', page))
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets <= anchors
    assert {"term-attack_share", "attack-matching-posterior"} <= targets
    cells = re.findall(r'<td class="number">(.*?)</td>', page)
    assert len(cells) > 15
    assert [cell for cell in cells if re.search(r"\d", cell) and "href=" not in cell] == []


def test_columns_are_told_by_what_was_done_with_them() -> None:
    text = re.sub(r"\s+", " ", _text(frame_report(_told(), "ppc")))
    assert "customer says whose record it is; replaced by random pseudonyms" in text
    assert "name removed" in text
    assert "day published unchanged, on the publisher's word" in text
    assert "goods sensitive; " in text


def test_each_recipient_has_its_own_limits() -> None:
    page = frame_report(_told(), "gdpr")
    table = page[page.index('id="recipients"') : page.index('id="mitigation"')]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)]
    outcomes = {row[0]: row[-1] for row in rows if len(row) > 1 and row[1] == "Names"}
    assert outcomes == {"public": "unsafe", "partner": "unsafe", "internal": "safe"}


def test_a_dossier_of_plain_pseudonyms_says_that_the_measures_fail() -> None:
    text = _text(frame_report(_told("pseudonymize"), "ppc"))
    assert "the release does not meet the measures: people can be named" in text
    assert "proven" not in text[: text.index("Signatures")]


@pytest.mark.half_second
def test_without_the_secret_a_proof_is_told_with_its_condition() -> None:
    """Two pseudonyms of one person look like those of two people: every sentence on the proof says so."""
    condition, assumed = "if every pseudonym has an owner of its own", "どの仮IDの持ち主も別人であるなら"
    for with_secret in (True, False):
        material = _material("k-anonymity", with_secret=with_secret)
        assert (material.proven_k, material.believed) == (3, not with_secret)
        dossiers = [(frame_report(material, frame), frame_report(material, frame, language="ja")) for frame in FRAMES]
        reports = (release_report(material), release_report(material, language="ja"))
        for english, japanese in [*dossiers, reports]:
            told = re.sub(r"\s+", " ", _text(english)).lower()
            assert (condition in told or "if each has an owner of its own" in told) == (not with_secret)
            assert (assumed in _text(japanese)) == (not with_secret)
        summary = _text(public_summary_page(material))
        assert (f"proven safe at k = 3 {condition}" in summary, assumed in summary) == (not with_secret,) * 2
        text = re.sub(r"\s+", " ", _text(dossiers[0][0] + dossiers[1][0]))
        assert ("at least 3 pseudonyms of different people: nobody" in text) == with_secret
        assert (f"names are proven at 1/3 {condition}" in text) == (not with_secret)


def test_the_public_summary_has_both_languages_and_nothing_secret() -> None:
    material = _told()
    page = public_summary_page(material)
    _check_self_contained(page)
    text = _text(page)
    assert "Names are proven safe at k = 3" in text
    assert "名前は k = 3 で安全と証明されています" in text
    assert "day, goods" in text
    assert "ab" * 32 in text
    worst = material.protection.tables["worst"]["pseudonym"].to_list()
    secret = [*sample("mixed").subjects.to_list(), *worst, "cd" * 32, "visits.csv", "customer"]
    assert [word for word in secret if word in text] == []
    assert re.findall(r"\d+\.\d+ %", text) == []
    unsafe = _text(public_summary_page(_told("pseudonymize")))
    assert "The audit found it unsafe" in unsafe


def test_an_unknown_frame_is_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"there is no frame 'gdrp' \(did you mean 'gdpr'\?\); known: ppc, gdpr, iso27559, hipaa"
    ):
        check_frame("gdrp")


@pytest.mark.half_second
def test_the_command_writes_dossier_and_public_summary(run: Run, tmp_path: Path) -> None:
    table, folder = tmp_path / "data.parquet", tmp_path / "release"
    mixed_frame().write_parquet(table)
    assert run("anonymize", table, "--k", "2", "--skip-audit", "-o", folder).status == 0
    words = ("report", "--original", table, "--release", folder, "--quick")
    file, public = tmp_path / "dossier.html", tmp_path / "public.html"
    done = run(*words, "-o", file, "--frame", "hipaa", "--public", public, "--author", "E. Expert", "--json")
    assert done.status == 0, done.err
    assert (done.json["frame"], done.json["public"]) == ("hipaa", str(public))
    text = file.read_text(encoding="utf-8")
    assert "E. Expert" in text
    assert "data.parquet" in text
    assert file.stat().st_mode & 0o077 == 0
    assert "この匿名化データについて" in public.read_text(encoding="utf-8")
    error = refused(run, tmp_path, *words, "-o", file, "--frame", "hippa")
    assert error["message"].startswith("there is no frame 'hippa' (did you mean 'hipaa'?)")
    error = refused(run, tmp_path, *words, "-o", file, "--public", file)
    assert "-o and --public both name" in error["message"]
    error = refused(run, tmp_path, *words, "-o", file, "--date", "18.11.2026")
    assert error["message"] == "--date takes a day such as 2026-11-18; got '18.11.2026'"
