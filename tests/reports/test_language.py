"""The texts of reports: both languages say the same, with the same numbers, about everything an audit can say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tokumei.attacks.matching.clues import RANGE_VARIANTS, SET_VARIANTS
from tokumei.audits.joint_risk import JointRisk
from tokumei.audits.reasons import Figures, Hub, decide
from tokumei.audits.result import AttackFigure
from tokumei.data.results import Outcome, Reason
from tokumei.errors import ParameterError
from tokumei.parts import part_names
from tokumei.reports.language import LANGUAGES, Words, table
from tokumei.reports.safety_sections import _FIGURES

SOURCE = Path(__file__).resolve().parents[2] / "src" / "tokumei" / "audits"
FORMS = ("sentence", "remedy")
DETAILS = (
    "as the attacker believes; not checked",
    "3 groups with 12 pseudonyms differ only in what is suppressed",
    "4 of 60 pseudonyms drop to one owner",
    "text / appearance",
    "number reversed / text",
    "the subject's own name",
    "an unkeyed SHA-256 digest of the subject",
    "the subject's number plus -17",
    "numpy's default generator with seed 42 (sorted order)",
    "numpy's legacy generator with seed 7 (file order)",
    *RANGE_VARIANTS,
    *SET_VARIANTS,
)
CALM = Figures(
    k=3, k_asked=True, k_anonymity=1, strict=False, with_secret=True, pseudonyms=61, subjects=62, min_candidates=4
)


def _numbers(text: str) -> list[str]:
    # "一件だけ", "一人" are how Japanese says "a single".
    return sorted(re.findall(r"\d+(?:\.\d+)?", text))


def _places(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", text)) - {"form"}


def _english(text: str) -> list[str]:
    """Return runs of four and more Latin words: a sentence that nobody translated."""
    return re.findall(r"(?:[A-Za-z'’]{2,}[ ,;:]+){3,}[A-Za-z]{2,}", text)


def test_both_languages_have_the_same_keys() -> None:
    assert LANGUAGES == ("en", "ja")
    assert list(table("en")) == list(table("ja"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_and_every_term_has_a_definition(language: str) -> None:
    assert [key for key, text in table(language).items() if not text.strip()] == []
    assert [key for key, (name, text) in Words(language).terms().items() if not name or len(text) < 10] == []


def test_texts_have_the_same_values_in_both_languages() -> None:
    english, japanese = table("en"), table("ja")
    differing = [
        key
        for key in english
        if _places(english[key]) != _places(japanese[key]) and not _places(english[key]) & set(FORMS)
    ]
    assert differing == []


def test_the_japanese_table_has_no_english_sentence() -> None:
    assert {key: found for key, text in table("ja").items() if (found := _english(text))} == {}
    assert _english(table("en")["prose.attacks"])


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ParameterError, match="there is no report in the language 'jp'; known: en, ja"):
        Words("jp")


def test_every_registered_attack_and_metric_has_a_name() -> None:
    for language in LANGUAGES:
        missing = [
            name
            for kind in ("attack", "metric")
            for name in part_names(kind)
            if f"{kind}.{name}" not in table(language)
        ]
        assert missing == []
        assert [name for name, _, _ in _FIGURES if f"figure.{name}" not in table(language)] == []
    assert Words("ja").named("attack", "of-another-package") == "of-another-package"


def test_every_reason_code_of_the_audit_is_in_the_tables() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(SOURCE.glob("*.py")))
    codes = set(re.findall(r'(?:code=|_skip\(\s*)"([a-z-]+)"', text)) | set(re.findall(r'"form": "([a-z-]+)"', text))
    codes -= {"empty", "foreign-secret", "certificate", "published-text", "posterior", "inconsistent"}
    assert {"k-anonymous", "posterior-sure", "cheap-part", "no-hypothesis", "merged-pseudonyms"} <= codes
    assert sorted(code for code in codes if f"reason.{code}" not in table("ja")) == []


def _verdicts() -> Iterator[Figures]:
    """Yield figures that between them give every reason."""
    hub = Hub("p17", 1, 40, suppressed=True)
    over = replace(CALM, over_95=0.8, over_k=0.9, largest_posterior=0.97)
    yield replace(CALM, single=5, below_k=9, min_candidates=1)
    yield over
    yield from (replace(over, hub=one) for one in (hub, replace_hub(hub, records=1), replace_hub(hub, records=8)))
    yield replace(CALM, over_k=0.25, largest_posterior=0.5)
    yield from (replace(CALM, strict=True, k_anonymity=3, with_secret=known) for known in (True, False))
    yield replace(CALM, randomized=True)
    yield replace(CALM, seeded=True, joint={"official": JointRisk(probability=0.011, survives=0.866, guesses=7)})
    details = {
        "cheapest-matching": "",
        "range-asymmetry": "at an end",
        "set-position": "first",
        "suppression-pattern": DETAILS[1],
        "release-order": "text reversed / number",
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
    english, japanese = Words("en"), Words("ja")
    seen = set()
    for figures in _verdicts():
        for reason in decide(figures).reasons:
            seen.add(str(reason.values.get("form", reason.code)))
            sentence, remedy = english.reason(reason)
            assert (sentence, remedy) == (reason.sentence, reason.remedy)
            translated, helping = japanese.reason(reason)
            assert _english(translated + helping) == []
            assert _numbers(translated) == _numbers(reason.sentence), translated
            assert _numbers(helping) == _numbers(reason.remedy), helping
            assert bool(helping) == bool(reason.remedy)
    told = {key.removeprefix("reason.") for key in table("en") if key.startswith("reason.")}
    skipped = {"merged-pseudonyms", "unchecked-pairs", "split-pseudonyms", "chains-differ", "not-sampled", "cheap-part"}
    skipped |= {"no-cost", "without-secret", "seeds-not-tried", "no-hypothesis"}
    assert told - seen == skipped | {"inconsistent-alone", "inconsistent-group", "nearest-history"}


def test_a_contradiction_is_told_without_its_subjects() -> None:
    values = {"form": "inconsistent-alone", "pseudonyms": 4, "all": 61}
    reason = Reason(code="inconsistent", sentence="it belongs to subject 'QZX'", remedy="check", values=values)
    for language in LANGUAGES:
        sentence, _ = Words(language).reason(reason)
        assert "QZX" not in sentence
        assert _numbers(sentence) == ["4", "61"]


def test_a_reason_of_another_package_keeps_its_sentence() -> None:
    reason = Reason(code="theirs", sentence="their own words", remedy="ask them")
    assert Words("ja").reason(reason) == ("their own words", "ask them")


@pytest.mark.parametrize("detail", DETAILS)
def test_what_attacks_find_is_translated_with_its_numbers(detail: str) -> None:
    assert Words("en").detail(detail) == detail
    translated = Words("ja").detail(detail)
    assert translated != detail
    assert _english(translated) == []
    assert _numbers(translated) == _numbers(detail)


def test_the_verdicts_have_words_for_every_outcome() -> None:
    for outcome in Outcome:
        for key in (f"verdict.{outcome.value}", f"verdict.{outcome.value}_text", f"word.{outcome.value}"):
            assert key in table("ja")
