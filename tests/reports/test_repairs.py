"""Faults that readers found in the report, each with what should stand there instead."""

from __future__ import annotations

import re
import stat
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tests.conftest import Run
from tests.reports.test_release import _material, _text
from tests.sample_histories import mixed_frame
from tests.words.test_catalogue import _english
from tokumei.audits import Answer, Question, worst_groups
from tokumei.data import Column, Goal, Kind, Reason, Schema, Score
from tokumei.errors import ParameterError
from tokumei.profiles import proposal_message
from tokumei.reports import pdf
from tokumei.reports.answer_sections import attacker_tables
from tokumei.reports.document import Definitions, Linked, Prose, Section, Table, render
from tokumei.reports.frame_evidence import RECIPIENTS
from tokumei.reports.frames import frame_report
from tokumei.reports.identity import identify
from tokumei.reports.material import Identity
from tokumei.reports.release import release_report
from tokumei.reports.safety_sections import attack_table
from tokumei.words import Message, Words, percent, texts

IDENTITY = Identity(
    original="visits.csv", release="handed-out", date="2026-11-18", digests={"manifest.json": "ab" * 32}
)


def test_file_day_and_hash_stand_on_top() -> None:
    material = replace(_material("k-anonymity"), identity=IDENTITY)
    for language in ("en", "ja"):
        page = release_report(material, language=language)
        head = page[: page.index('class="banner')]
        for told in ("visits.csv", "handed-out", "2026-11-18", "ab" * 32):
            assert told in head, (language, told)


def test_identity_has_names_without_places_and_the_day(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("a\n1\n", encoding="utf-8")
    told = identify(file, None, date="2026-02-03", author="A. Author")
    assert (told.original, told.release, told.date, told.author) == ("data.csv", "", "2026-02-03", "A. Author")
    assert len(told.original_digest) == 64
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", identify(None, None).date)
    with pytest.raises(ParameterError, match="--date takes a day such as 2026-11-18; got 'yesterday'"):
        identify(None, None, date="yesterday")


def test_charts_come_first_and_details_are_folded() -> None:
    page = release_report(_material("k-anonymity"))
    sections = re.findall(r'<section id="([\w-]+)">\s*<(details|h2)', page)
    opened = [name for name, tag in sections if tag == "h2"]
    assert opened == ["overview", "answers", "why"]
    first = page[page.index('id="overview"') : page.index('id="answers"')]
    assert first.count("<svg") == 4
    assert "<table" not in first
    # What an analyst would get stands in words before the charts, not far down.
    assert "Means within " in _text(first[: first.index("<svg")])
    assert "position: sticky" in page
    assert "underline dotted" not in page


def test_only_definitions_that_something_leads_to_are_shown() -> None:
    page = release_report(_material("k-anonymity"))
    defined = set(re.findall(r'<dt id="(term-[^"]+)"', page))
    assert defined
    assert defined <= set(re.findall(r'href="#(term-[^"]+)"', page))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_word_of_a_contest_stands_in_a_report(language: str) -> None:
    material = _material("k-anonymity")
    joint = Reason(
        code="joint-risk",
        values={"guesses": 7, "probability": 0.01, "survives": 0.9, "coordinated": 0.8, "attempts": 13},
    )
    skipped = [Reason(code=code, values={"difference": 0.2}) for code in ("split-pseudonyms", "chains-differ")]
    skipped += [Reason(code=code) for code in ("cheap-part", "no-hypothesis", "no-candidates")]
    reasons = (*material.verdict.reasons, joint)
    verdict = replace(material.verdict, reasons=reasons, skipped=tuple(skipped))
    text = _text(release_report(replace(material, verdict=verdict), language=language))
    assert re.findall(r"(?i)contest|PWS|joint risk|survives|大会|同時リスク", text) == []


def test_pseudonyms_that_are_protected_alike_are_one_row() -> None:
    table = pl.DataFrame(
        {
            "pseudonym": [str(number) for number in range(12)],
            "records": [*range(1, 12), 3],
            "alike": [3] * 11 + [1],
            "candidates": [3] * 11 + [1],
            "posterior": [1 / 3] * 10 + [1 / 3 + 1e-13, 1.0],
        }
    )
    rows = worst_groups(table).select("count", "pseudonym", "fewest", "most", "candidates").rows()
    assert rows == [(1, "11", 3, 3, 1), (11, "0", 1, 11, 3)]


def test_a_k_that_the_method_had_is_no_advice() -> None:
    material = _material("k-anonymity")
    reason = Reason(code="few-candidates", values={"below": 2, "pseudonyms": 9, "k": 3})
    verdict = replace(material.verdict, reasons=(reason,))
    advised = _text(release_report(replace(material, verdict=verdict, parameters={"k": 3})))
    assert "k = 3 or more" not in advised
    assert "the method had k = 3 already" in re.sub(r"\s+", " ", advised)
    other = _text(release_report(replace(material, verdict=verdict, parameters={"k": 2})))
    assert "anonymize with k = 3 or more" in re.sub(r"\s+", " ", other)


def test_figures_of_many_columns_are_cut_into_tables_that_fit_a_page() -> None:
    figures = {
        f"{who}/{what}": Score(name="x", value=0.5, goal=Goal.LOWER)
        for who in ("records-1", "records-3")
        for what in (f"lab{number}-value" for number in range(20))
    }
    tables = attacker_tables(Answer(question=Question.CONTENTS, figures=figures), Words("en"))
    assert [isinstance(table, Table) and (len(table.headers), len(table.rows)) for table in tables] == [(6, 2)] * 4


def test_of_many_attackers_with_one_column_those_who_gain_most_are_shown() -> None:
    """A table of 19 columns had a row for each of them against each of the others: six pages of figures."""
    known = {f"only-lab{number}": 0.01 * number for number in range(19)}
    figures = {
        f"{who}/class-found": Score(name="x", value=value, baseline=0.0, goal=Goal.LOWER)
        for who, value in {"records-3": 0.5, **known, "all-but-one": 0.6}.items()
    }
    note, table = attacker_tables(Answer(question=Question.MEMBERSHIP, figures=figures), Words("en"))
    assert isinstance(table, Table)
    told = [str(row[0]) for row in table.rows]
    assert len(told) == 6
    assert all(f"'lab{number}'" in text for number, text in zip(range(15, 19), told[1:5], strict=True))
    assert isinstance(note, Prose)
    assert str(note.text).startswith("6 of 21 attackers; of those who know a single column")


def test_discernibility_is_no_bare_number() -> None:
    """705,307,274 said nothing; what stands there is how many of the records look alike, and the rest is folded."""
    material = _material("k-anonymity")
    score = next(one for one in material.scores if one.name == "discernibility")
    assert score.value > 100
    told = re.search(r"Records that look alike \(discernibility\)\s+([\d.]+ %)", _text(release_report(material)))
    assert told
    assert told[1] == percent(score.parts["normalized"]) == percent(score.told)
    assert f"{score.value:,.0f}" not in _text(release_report(material))
    page = release_report(material)
    measures = page.index("Usual measures of utility")
    assert page.rindex("<details>", 0, measures) > page.rindex("</h3>", 0, measures)


def test_a_japanese_dossier_names_recipients_and_grids_in_japanese() -> None:
    words = Words("ja")
    assert [words.named("recipient", name) for name in RECIPIENTS] == ["一般公開", "契約のある提供先", "組織内"]
    page = frame_report(_material("k-anonymity"), "gdpr", language="ja")
    table = _text(page[page.index('id="recipients"') : page.index('id="mitigation"')])
    assert re.findall(r"\b(public|partner|internal)\b", table) == []
    assert "一般公開" in table
    reason = Message("reason.near-limit-naming", {"recipient": "public", "limit": 0.09})
    assert words.say(reason).startswith("名前：提供先「一般公開」の上限（9.0 %）")
    own = Message("reason.near-limit-naming", {"recipient": "auditor", "limit": 0.09})
    assert "提供先「auditor」" in words.say(own)
    schema = Schema("customer", (Column(name="goods"), Column(name="day", kind=Kind.DATE)))
    told = words.say(proposal_message(schema))
    assert told.startswith("content = grid では公開の格子（day：1 か月）で、content = strong ではさらに粗く")
    assert "（goods：先頭 3 文字、day：1 か月）" in told


def test_japanese_has_one_style_of_brackets_and_colons() -> None:
    """Half of the sentences had (...) and ': ', the other half （…） and '：', on the same page."""
    japanese = "[ぁ-んァ-ヶ一-龠ー」]"
    wrong = {
        key: text
        for home in ("tokumei", "tokumei.reports", "tokumei_studio")
        for key, text in texts("ja", home).items()
        if re.search(rf"{japanese} ?\(|{japanese}: |\){japanese}|」 を", text)
    }
    assert wrong == {}


def test_attacks_that_found_nothing_have_no_empty_column() -> None:
    material = _material("k-anonymity")
    assert len(attack_table(replace(material, findings={}), Words("en")).headers) == 4
    found = {material.attacks["attack"][0]: Message("detail.own-name")}
    assert len(attack_table(replace(material, findings=found), Words("en")).headers) == 5


def test_signatures_of_a_dossier_stand_in_two_lines() -> None:
    page = frame_report(_material("k-anonymity"), "ppc")
    signed = page[page.index('id="signatures"') : page.index('id="attacks"')]
    assert signed.count('<dl class="facts lines">') == 2
    assert signed.count("<dt>") == 6


def test_japanese_is_polite_and_keeps_legal_terms_apart() -> None:
    """仮名 alone would be read as 仮名加工情報, which is something else."""
    sentences = texts("ja")
    for key, text in sentences.items():
        assert "仮名" not in text.replace("仮名加工情報", ""), key
        if key.startswith(("prose.", "term.", "remedy.", "knows.", "limits.", "verdict.")):
            ends = [end for end in re.split("。", text.partition("|")[2] or text) if end.strip()]
            wrong = [
                end
                for end in ends
                if not re.search(r"(です|ます|ません|でした|ました|ください|でしょう)(（[^）]*）)?$", end.strip())
                and "tokumei reissue" not in end
            ]
            assert wrong == [], key


@pytest.mark.half_second
def test_a_pdf_is_a_pdf_and_alike_every_time(tmp_path: Path) -> None:
    fold = Section(title="折り畳み", anchor="fold", folded=True, blocks=[Prose(Linked("1/3 です", "k"))])
    terms = Section(title="定義", anchor="terms", folded=True, blocks=[Definitions([("k", "k", "人数です。")])])
    page = render("報告書", "要約", [fold, terms], language="ja", contents="目次")
    file = tmp_path / "report.PDF"
    size = pdf.write_document(file, page)
    content = file.read_bytes()
    assert len(content) == size
    assert content.startswith(b"%PDF-")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"CreationDate" not in content
    assert pdf.pdf_bytes(page) == content


def test_a_pdf_that_cannot_be_made_is_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "has_font", lambda _language: False)
    with pytest.raises(ParameterError, match="no Japanese font for a PDF; install one .*fonts-noto-cjk"):
        pdf.check_document(Path("x.pdf"), "ja")
    pdf.check_document(Path("x.html"), "ja")
    monkeypatch.setattr(pdf, "find_spec", lambda _name: None)
    with pytest.raises(ParameterError, match=r"a PDF needs WeasyPrint: pip install 'tokumei\[pdf\]'"):
        pdf.check_document(Path("x.pdf"), "en")


@pytest.mark.half_second
def test_the_page_of_describe_is_japanese_too_and_private(run: Run, tmp_path: Path) -> None:
    table, page = tmp_path / "data.parquet", tmp_path / "page.html"
    mixed_frame().write_parquet(table)
    assert run("describe", table, "--html", page, "--language", "ja").status == 0
    text = page.read_text(encoding="utf-8")
    assert '<html lang="ja">' in text
    assert "どれだけ少ない知識で一人に絞れるか" in text
    assert _english(_text(text)) == []
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    wrong = run("describe", table, "--html", page, "--language", "fr", "--json")
    assert wrong.status == 2
    assert "there is no report in the language 'fr'" in wrong.json["error"]["message"]
