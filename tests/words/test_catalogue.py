"""The catalogues: both languages say the same, with the same values, and have every code that the source uses."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from string import Formatter

import pytest

from tokumei.attacks.matching.clues import RANGE_VARIANTS, SET_VARIANTS, position_detail
from tokumei.attacks.matching.pseudonym_clues import order_detail
from tokumei.audits.joint_risk import JointRisk
from tokumei.audits.reasons import Figures, Hub, decide
from tokumei.audits.rerun import Rerun
from tokumei.audits.result import AttackFigure
from tokumei.data.results import Interval, Outcome, Reason
from tokumei.errors import ParameterError
from tokumei.parts import part_names
from tokumei.reports.safety_sections import _FIGURES
from tokumei.words import LANGUAGES, Message, Words, in_both, texts

SOURCE = Path(__file__).resolve().parents[2] / "src"
HOMES = sorted(".".join(file.parent.parent.relative_to(SOURCE).parts) for file in SOURCE.rglob("words/en.toml"))
DETAILS = (
    Message("detail.unchecked"),
    Message("detail.suppression", {"groups": 3, "pseudonyms": 12}),
    Message("detail.counts", {"fell": 4, "pseudonyms": 60}),
    order_detail("text", "appearance", backwards=False),
    order_detail("number", "text", backwards=True),
    Message("detail.own-name"),
    Message("detail.digest", {"digest": "SHA-256"}),
    Message("detail.encoded", {"encoding": "ROT13"}),
    Message("detail.keyed", {"digest": "SHA-256"}),
    Message("detail.arithmetic"),
    Message("detail.group-order"),
    Message("detail.remainder", {"modulus": 3}),
    Message("detail.three-distances"),
    Message("detail.distinct-remainders", {"modulus": 3}),
    *(
        Message(f"detail.seeded-{generator}-{order}", {"seed": 42})
        for generator in ("default", "legacy")
        for order in ("sorted", "file")
    ),
    *(position_detail(variant) for variant in (*RANGE_VARIANTS, *SET_VARIANTS)),
)
CALM = Figures(
    k=3, k_asked=True, k_anonymity=1, strict=False, with_secret=True, pseudonyms=61, subjects=62, min_candidates=4
)


def _numbers(text: str) -> list[str]:
    # "一件だけ", "一人" are how Japanese says "a single".
    return sorted(re.findall(r"\d+(?:\.\d+)?", text))


def _places(text: str) -> set[tuple[str, str]]:
    """Return the names of the values of a text, each with the format it asks for."""
    return {(name, form or "") for _, name, form, _ in string.Formatter().parse(text) if name is not None}


def _english(text: str) -> list[str]:
    """Return runs of four and more Latin words: a sentence that nobody translated."""
    return re.findall(r"(?:[A-Za-z'’]{2,}[ ,;:]+){3,}[A-Za-z]{2,}", text)


def test_all_catalogues_are_found() -> None:
    assert {"tokumei", "tokumei.contests.pws2016", "tokumei.contests.pws2018", "tokumei.contests.pws2021"} <= set(HOMES)


@pytest.mark.parametrize("home", HOMES)
def test_both_languages_have_the_same_keys_and_values(home: str) -> None:
    assert LANGUAGES == ("en", "ja")
    english, japanese = texts("en", home), texts("ja", home)
    assert list(english) == list(japanese)
    assert [key for key in english if _places(english[key]) != _places(japanese[key])] == []
    assert [key for table in (english, japanese) for key, text in table.items() if not text.strip()] == []


@pytest.mark.parametrize("home", HOMES)
def test_the_japanese_catalogue_has_no_english_sentence(home: str) -> None:
    assert {key: found for key, text in texts("ja", home).items() if (found := _english(text))} == {}
    assert _english(texts("en")["prose.attacks"])


@pytest.mark.parametrize("home", HOMES)
def test_keys_are_written_in_one_way(home: str) -> None:
    """Terms and figures are named after the fields they explain; every code of a message has hyphens."""
    spoken = ("reason.", "remedy.", "document.", "detail.", "finding.", "file.", "refusal.", "hint.", "warning.")
    codes = [key for key in texts("en", home) if key.startswith(spoken)]
    assert [code for code in codes if not re.fullmatch(r"[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*", code)] == []


def _home_of(file: Path) -> str:
    """Return the nearest package above a file that has a catalogue."""
    return next(
        ".".join(folder.relative_to(SOURCE).parts) for folder in file.parents if (folder / "words" / "en.toml").exists()
    )


def _used(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the codes of messages and reasons that stand in a file, as patterns, with the home of the file."""
    text = file.read_text(encoding="utf-8")
    if not re.search(r"Message|_message|Reason", text):
        return
    home = _home_of(file)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in ("Message", "_message") and node.args:
            yield from ((code, home) for code in _patterns(node.args[0]))
        if name == "Reason":
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            told = given.get("form") or given["code"]
            yield from ((f"reason\\.{code}", home) for code in _patterns(told) if code)


def _patterns(node: ast.expr) -> Iterator[str]:
    """Yield what a text in the source can be, with .+ where it is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield re.escape(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (*_patterns(node.body), *_patterns(node.orelse))


@pytest.mark.half_second
def test_every_code_of_the_source_is_in_the_catalogue() -> None:
    files = [file for file in sorted(SOURCE.rglob("*.py")) if file.name != "catalogue.py"]
    used = {code for file in files for code in _used(file)}
    assert ("detail\\.own\\-name", "tokumei") in used
    assert ("reason\\.cheap\\-part", "tokumei") in used
    assert ("finding\\.inconsistent", "tokumei.contests.pws2018") in used
    missing = [
        (code, home) for code, home in sorted(used) if not any(re.fullmatch(code, key) for key in texts("ja", home))
    ]
    assert missing == []


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ParameterError, match="there is no report in the language 'jp'; known: en, ja"):
        Words("jp")


def test_a_message_fills_in_messages_names_and_formats() -> None:
    english = Words("en")
    names = tuple(f"p{number}" for number in range(7))
    values = {"pseudonyms": 7, "names": names, "subjects": 1, "owners": ("a",)}
    assert str(Message("reason.inconsistent-group", values)) == (
        "the release contradicts the original: the 7 pseudonyms 'p0', 'p1', 'p2', 'p3', 'p4' and 2 more "
        "together fit only 1 subjects ('a')"
    )
    assert english.say(order_detail("text", "number", backwards=True)) == "text reversed / number"
    assert Words("ja").say(order_detail("text", "number", backwards=True)) == "文字順の逆／番号順"
    assert in_both(Message("finding.missing-goods", home="tokumei.contests.pws2016")) == {
        "en": "the item id is missing; write one",
        "ja": "商品IDがありません。IDを書いてください",
    }
    assert in_both("as it is") == {"en": "as it is", "ja": "as it is"}


def test_every_registered_attack_and_metric_has_a_name() -> None:
    for language in LANGUAGES:
        missing = [
            name
            for kind in ("attack", "metric")
            for name in part_names(kind)
            if f"{kind}.{name}" not in texts(language)
        ]
        assert missing == []
        assert [name for name in _FIGURES if f"figure.{name}" not in texts(language)] == []
        terms = Words(language).group("term")
        assert [key for key, text in terms.items() if len(text.partition("|")[2]) < 10] == []
    assert Words("ja").named("attack", "of-another-package") == "of-another-package"


def _verdicts() -> Iterator[Figures]:
    """Yield figures that between them give every reason."""
    hub = Hub("p17", 1, 40, suppressed=True)
    over = replace(CALM, over_95=0.8, over_k=0.9, largest_posterior=0.97)
    yield replace(CALM, single=5, below_k=9, min_candidates=1)
    yield over
    yield replace(over, with_secret=False)
    yield from (replace(over, hub=one) for one in (hub, replace_hub(hub, records=1), replace_hub(hub, records=8)))
    yield replace(CALM, over_k=0.25, largest_posterior=0.5)
    yield from (replace(CALM, strict=True, k_anonymity=3, with_secret=known) for known in (True, False))
    yield from (replace(CALM, k_anonymity=level) for level in (1, 2))
    yield replace(CALM, strict=True, k_anonymity=3, seeded=True)
    yield replace(CALM, randomized=True)
    yield replace(CALM, pattern=Message("detail.distinct-remainders", {"modulus": 3}))
    for rate in (0.3, 0.9):
        interval = Interval(rate - 0.05, rate + 0.05)
        run = Rerun(rate=rate, interval=interval, expected=interval, baseline=0.01, runs=50, held_out=10, people=90)
        yield replace(CALM, rerun=run)
    yield replace(CALM, seeded=True, joint={"official": JointRisk(probability=0.011, survives=0.866, guesses=7)})
    details = {
        "cheapest-matching": None,
        "range-asymmetry": position_detail("at an end"),
        "set-position": position_detail("first"),
        "suppression-pattern": DETAILS[1],
        "release-order": order_detail("text", "number", backwards=True),
        "predictable-pseudonyms": DETAILS[6],
        "record-counts": DETAILS[2],
    }
    for name, detail in details.items():
        figure = AttackFigure(share=0.95, baseline=0.3, observed=0.95, chance=0.0, detail=detail)
        yield replace(CALM, attacks={name: figure})
    yield replace(CALM, with_secret=False, attacks={"cheapest-matching": AttackFigure(share=0.75, baseline=0.25)})


def replace_hub(hub: Hub, *, records: int) -> Hub:
    return replace(hub, records=records, suppressed=False)


def test_reasons_say_the_same_numbers_in_both_languages() -> None:
    japanese = Words("ja")
    seen = set()
    for figures in _verdicts():
        for reason in decide(figures).reasons:
            seen.add(reason.form or reason.code)
            translated, helping = reason.message(japanese, "reason"), reason.message(japanese, "remedy")
            assert _english(translated + helping) == []
            assert _numbers(translated) == _numbers(reason.sentence), translated
            assert _numbers(helping) == _numbers(reason.remedy), helping
            assert bool(helping) == bool(reason.remedy)
    assert len(seen) >= 20


def test_texts_of_reasons_show_the_same_values_in_both_languages() -> None:
    for group in ("reason", "remedy", "detail"):
        english, japanese = (Words(language).group(group) for language in LANGUAGES)
        shown = {
            name: [
                sorted((field, form) for _, field, form, _ in Formatter().parse(text) if field is not None)
                for text in (english[name], japanese[name])
            ]
            for name in english
        }
        assert {name: both for name, both in shown.items() if both[0] != both[1]} == {}


def test_a_contradiction_is_told_without_its_subjects() -> None:
    example = Message("detail.unfit-subject", {"subject": "QZX", "record": 3, "cells": "day=1"})
    values = {"pseudonyms": 4, "all": 61, "pseudonym": "p1", "example": example}
    reason = Reason(code="inconsistent", form="inconsistent-alone", values=values)
    assert reason.sentence == (
        "the release contradicts the original: 4 of 61 pseudonyms fit no subject; the pseudonym 'p1' belongs to "
        "subject 'QZX', but published record 3 (day=1) cannot stand for any record of that subject that is left"
    )
    for language in LANGUAGES:
        sentence = reason.message(Words(language), "document")
        assert "QZX" not in sentence
        assert _numbers(sentence) == ["4", "61"]


@pytest.mark.parametrize("detail", DETAILS, ids=str)
def test_what_attacks_find_is_translated_with_its_numbers(detail: Message) -> None:
    translated = Words("ja").say(detail)
    assert translated != str(detail)
    assert _english(translated) == []
    assert _numbers(translated) == _numbers(str(detail))


def test_the_verdicts_have_words_for_every_outcome() -> None:
    for outcome in Outcome:
        for form in (outcome.value, f"{outcome.value}_recipient"):
            assert {f"conclusion.{form}", f"verdict.{form}_text"} <= set(texts("ja"))
        assert f"word.{outcome.value}" in texts("ja")
