"""The report of a release: what it says first, where its numbers lead, whom it never names."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html import unescape
from typing import Any

import polars as pl
import pytest

from tests.reports.test_report import _check_self_contained
from tests.sample_histories import sample
from tests.words.test_catalogue import _english
from tokumei.audits import AuditSettings
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.flow import comparison
from tokumei.flow.making import anonymized
from tokumei.flow.opening import Opened
from tokumei.flow.plan import make_method
from tokumei.reports import dossier
from tokumei.reports.document import with_links
from tokumei.reports.material import Material
from tokumei.reports.release import comparison_page, release_report
from tokumei.reports.release_charts import category_chart

# One method for every shape of an audit: certified, laid bare, contradicting, split, drawn from a design.
METHODS = ("k-anonymity", "pseudonymize", "laplace-noise", "k-concealment", "uniform-concealment")


@cache
def _made(method: str, *, name: str = "mixed") -> tuple[History, Release, Secret]:
    history = sample(name)
    release, secret = anonymized(history, make_method(method), seed=5)
    # As if the choices had come from the system: a seed that is known proves nothing.
    return history, release, replace(secret, seed=None)


@cache
def _material(method: str, *, with_secret: bool = True, name: str = "mixed") -> Material:
    history, release, secret = _made(method, name=name)
    return _collected(history, release, secret if with_secret else None, {"k": 3, "split": None})


def _collected(
    history: History,
    release: Release,
    secret: Secret | None,
    parameters: Any = None,
    *,
    trade_off: pl.DataFrame | None = None,
    k: int | None = None,
) -> Material:
    opened = Opened(history=history, release=release, secret=secret, parameters=parameters or {})
    return dossier.collect_material(opened, AuditSettings(k=k, quick=True), trade_off=trade_off)


def _text(page: str) -> str:
    # Labels of a chart stand side by side and are no sentence together.
    apart = page.replace("</text>", "\n")
    return unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", apart, flags=re.DOTALL))


def _check_page(page: str, history: History) -> None:
    """Check what holds for every report: self-contained, numbers defined, charts described, nobody named."""
    _check_self_contained(page)
    anchors = set(re.findall(r'\bid="([^"]+)"', page))
    targets = re.findall(r'href="#([^"]+)"', page)
    assert set(targets) - anchors == set()
    assert len(re.findall(r'class="n" href="#term-', page)) > 40
    assert page.count("<svg") == page.count('role="img" aria-labelledby=') >= 5
    assert page.count("<desc ") == page.count("<svg")
    assert [subject for subject in history.subjects.to_list() if subject in page] == []


@pytest.mark.half_second
@pytest.mark.parametrize("method", METHODS)
def test_a_report_in_japanese_is_whole(method: str) -> None:
    page = release_report(_material(method), language="ja")
    _check_page(page, sample("mixed"))
    assert '<html lang="ja">' in page
    assert _english(_text(page)) == []


@pytest.mark.half_second
def test_a_report_says_the_verdict_first_and_gives_every_section() -> None:
    page = release_report(_material("k-anonymity"))
    _check_page(page, sample("mixed"))
    text = re.sub(r"\s+", " ", _text(page))
    assert text.index("Names: safe at k = 3 , proven") < text.index("Internal document") < text.index("At a glance", 90)
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert titles == [
        "At a glance",
        "Five answers",
        "Why",
        "The figures of the audit",
        "How well people are hidden",
        "Attacks that were tried",
        "The worst-protected pseudonyms",
        "Attackers who know less",
        "What the data is still worth",
        "What safety costs",
        "What the attacker is assumed to know",
        "Limits of this report",
        "How the release was made",
        "The attacks and attackers",
        "What the figures mean",
    ]
    parts = re.findall(r"<h3>(.*?)</h3>", page)
    assert parts == [
        "What was not tested",
        "Contents",
        "Membership",
        "What it is still good for",
        "Columns in their own units",
        "What an analyst would get, the worst change first",
        "Usual measures of utility",
        "Column by column",
        "Distributions before and after, column by column",
        "Most frequent values",
        "Correlations",
        "Places",
    ]
    assert "split" in text
    assert "Not computed. Give --k-curve 2,3,5" in text


@pytest.mark.half_second
def test_an_unsafe_release_is_called_so() -> None:
    page = release_report(_material("pseudonymize"))
    assert '<div class="banner unsafe">' in page
    assert "Do not hand this release out as it is" in page


@pytest.mark.half_second
def test_without_the_secret_the_report_says_so_and_gives_no_scores() -> None:
    material = _material("k-anonymity", with_secret=False)
    assert not material.with_secret
    assert material.attacks["observed"].null_count() == material.attacks.height
    text = _text(release_report(material))
    assert "Written without the Secret" in text
    assert "The scores need the Secret" in text
    assert "probability of the likeliest candidate" in text


@pytest.mark.half_second
def test_a_report_of_purchases_has_the_rfm_table() -> None:
    columns = (
        Column(name="day", kind=Kind.DATE),
        Column(name="goods", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.NUMBER, step=0.01),
        Column(name="units", kind=Kind.NUMBER),
    )
    frame = sample("mixed").frame.select("customer", "day", "goods", "price", "units")
    history = History.from_frame(frame, Schema("customer", columns))
    release, secret = anonymized(history, make_method("k-anonymity"), seed=1)
    curve = dossier.k_curve(history, "k-anonymity", [2, 3], parameters={"k": 2, "effort": "normal"}, seed=1)
    page = release_report(_collected(history, release, secret, trade_off=curve))
    assert "Recency, frequency, money" in re.findall(r"<h3>(.*?)</h3>", page)
    assert "k-anonymity k=3" in page
    assert page.count("<svg") == 11
    _check_page(page, history)


@pytest.mark.half_second
@pytest.mark.parametrize("name", ["missing values", "columns without a value", "constant columns", "two subjects"])
def test_odd_data_gives_a_report(name: str) -> None:
    history, *_ = _made("pseudonymize", name=name)
    page = release_report(_material("pseudonymize", name=name))
    _check_self_contained(page)
    assert [subject for subject in history.subjects.to_list() if subject in page] == []


@pytest.mark.half_second
def test_pseudonyms_that_are_subject_ids_are_masked() -> None:
    history, release, secret = _made("pseudonymize")
    names = history.subjects.gather(history.subject[secret.rows])
    owners = pl.DataFrame({"pseudonym": history.subjects, "subject": history.subjects})
    bad = Release(release.schema, names, release.cells, "by-hand")
    material = _collected(history, bad, Secret(owners, secret.rows))
    assert material.verdict.outcome.value == "unsafe"
    assert set(material.protection.tables["worst"]["pseudonym"].to_list()) == {dossier.MASK}
    assert [subject for subject in history.subjects.to_list() if subject in release_report(material)] == []


@pytest.mark.half_second
def test_subject_ids_are_masked_where_records_are_judged_one_by_one() -> None:
    """A pseudonym of several subjects is cut into its records, each named after it."""
    history = History.from_frame(
        pl.DataFrame({"who": ["ZEBRA1", "ZEBRA2", "ZEBRA3"], "goods": ["a", "b", "c"]}),
        Schema("who", (Column(name="goods"),)),
    )
    names = pl.Series(["ZEBRA1", "ZEBRA1", "ZEBRA3"])
    release = Release(history.schema, names, {"goods": history.cells("goods")})
    owners = pl.DataFrame({"pseudonym": names, "subject": history.subjects})
    material = _collected(history, release, Secret(owners, history.order), k=2)
    worst = material.protection.tables["worst"]
    assert set(worst["pseudonym"].to_list()) == {dossier.MASK}
    assert worst["count"].sum() == 3
    assert "ZEBRA" not in release_report(material)


def test_values_that_are_shortened_alike_keep_bars_of_their_own() -> None:
    """Bars under one label would be added up; a value may also be called like the rest."""
    start = "regency cakestand with three tiers, "
    table = pl.DataFrame(
        {
            "value": [f"{start}red", f"{start}blue", "others", None],
            "before": [0.4, 0.3, 0.2, 0.1],
            "after": [0.1, 0.2, 0.3, 0.4],
        }
    )
    words = {"before": "original", "after": "release", "records": "records", "others": "others", "empty": "(empty)"}
    svg = category_chart(table, words=words)
    labels = re.findall(r"<text[^>]*>((?:regency|others)[^<]*)</text>", svg)
    short = "regency cakestand with thre…"
    assert labels == [f"{short} (1)", f"{short} (2)", "others (1)", "others (2)"]


@pytest.mark.half_second
def test_a_report_is_written_alike_every_time() -> None:
    history, release, secret = _made("k-anonymity")
    again = _collected(history, release, secret, {"k": 3, "split": None})
    assert release_report(again) == release_report(_material("k-anonymity"))


def test_numbers_of_a_sentence_lead_to_a_term_but_names_do_not() -> None:
    text = with_links("1,234 of the '17' are over 95 % (1/3) <b> SHA-256", "k")
    linked = re.findall(r'<a class="n" href="#term-k">(.*?)</a>', text)
    assert linked == ["1,234", "95 %", "1/3"]
    assert "&lt;b&gt;" in text
    assert "'17'" in unescape(str(text))


def test_the_page_of_a_comparison_names_the_front_and_failures() -> None:
    runs = comparison.mark_front(
        [
            comparison.Run(method="a", k=2, loss=0.2, risk=0.5, verdict="safe"),
            comparison.Run(method="b", loss=0.3, risk=0.6, verdict="unsafe"),
            comparison.Run(method="c", failure="infeasible", message="secret words"),
        ]
    )
    page = comparison_page(comparison.run_frame(runs), records=12345, subjects=67, version="1", language="ja")
    _check_self_contained(page)
    text = _text(page)
    assert "最良の均衡は a k=2 です。" in text
    assert "失敗（infeasible）" in text
    assert "secret words" not in text
    assert "12,345" in text
    assert _english(text) == []
