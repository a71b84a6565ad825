"""The report of a release for those who must answer for it: the verdict first, then the evidence, then the terms."""

from __future__ import annotations

import polars as pl

from tokumei.reports.answer_sections import answer_section, attacker_section
from tokumei.reports.document import DASH, Banner, Bullets, Definitions, Linked, Prose, Section, Table, render
from tokumei.reports.material import Material
from tokumei.reports.safety_sections import (
    attack_section,
    candidate_section,
    figure_section,
    reason_section,
    worst_section,
)
from tokumei.reports.utility_sections import trade_off_blocks, trade_off_section, utility_section
from tokumei.words import Words, conclusion_line

_KNOWS = ("original", "release", "method", "not_random", "goal")
_LIMITS = ("attacks", "attributes", "outside", "seed", "sampled", "legal")


def release_report(material: Material, *, language: str = "en") -> str:
    """Return the report as one HTML document in a language (``en``, ``ja``)."""
    words = Words(language)
    outcome, whose = material.verdict.outcome.value, "_recipient" if material.recipient else ""
    conclusion = conclusion_line(
        outcome, material.k, words, recipient=material.recipient, other_original=material.verdict.of_other_original
    )
    banner = Banner(
        outcome,
        Linked(conclusion[:1].upper() + conclusion[1:], "verdict"),
        Linked(words(f"verdict.{outcome}{whose}_text", k=material.k), "k"),
    )
    notes = [Prose(words("report.internal"), "warning")]
    if not material.with_secret:
        notes.append(Prose(words("report.no_secret"), "warning"))
    if material.sampled is not None:
        notes.append(Prose(words("report.sampled", people=material.sampled, subjects=material.subjects), "warning"))
    sections = [
        answer_section(material, words),
        reason_section(material, words),
        figure_section(material, words),
        candidate_section(material, words),
        attack_section(material, words),
        worst_section(material, words),
        attacker_section(material, words),
        utility_section(material, words),
        trade_off_section(material, words),
        _list_section("attacker", "knows", _KNOWS, words),
        _list_section("limits", "limits", _LIMITS, words),
        _made_section(material, words),
        _glossary(words),
    ]
    counts = {name: int(material.figures[f"records_{name}"] or 0) for name in ("before", "after")}
    people = {name: int(material.figures[name] or 0) for name in ("subjects", "pseudonyms")}
    return render(
        words("report.title"),
        Linked(words("report.lead", method=material.method or DASH, **counts, **people), "records"),
        [section for section in sections if section is not None],
        language=language,
        banner=banner,
        notes=notes,
        contents=words("report.contents"),
        footer=words("report.version", version=material.version),
    )


def comparison_page(rows: pl.DataFrame, *, records: int, subjects: int, version: str, language: str = "en") -> str:
    """Return a page on several releases of the same data (columns as ``Material.trade_off``)."""
    words = Words(language)
    lead = words("report.compare_lead", runs=rows.height, records=records, subjects=subjects)
    sections = [
        Section(title=words("report.trade_off"), anchor="trade-off", blocks=trade_off_blocks(rows, words)),
        _list_section("attacker", "knows", _KNOWS, words),
        _list_section("limits", "limits", _LIMITS, words),
        _glossary(words),
    ]
    return render(
        words("report.compare_title"),
        Linked(lead, "records"),
        sections,
        language=language,
        contents=words("report.contents"),
        footer=words("report.version", version=version),
    )


def _list_section(title: str, group: str, names: tuple[str, ...], words: Words) -> Section:
    return Section(title=words(f"report.{title}"), anchor=title, blocks=[Bullets(words.each(group, *names))])


def _made_section(material: Material, words: Words) -> Section:
    """Return the method with its parameters, as the manifest states them."""
    rows: list[list[object]] = [[words("head.method"), material.method or DASH]]
    none = words("word.none")
    rows += [
        [name, none if value is None or value == "" else Linked(str(value), "setting", whole=True)]
        for name, value in material.parameters.items()
    ]
    table = Table([words("head.parameter"), words("head.value")], rows)
    return Section(title=words("report.made"), anchor="made", blocks=[Prose(words("prose.made")), table])


def _glossary(words: Words) -> Section:
    parted = [(key, text.partition("|")) for key, text in words.group("term").items()]
    terms = [(key, name, text) for key, (name, _, text) in parted]
    note = Prose(words("prose.glossary"), "soft")
    return Section(title=words("report.glossary"), anchor="glossary", blocks=[note, Definitions(terms)])
