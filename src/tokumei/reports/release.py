"""The report of a release for those who must answer for it: the verdict first, then the evidence, then the terms."""

from __future__ import annotations

import polars as pl

from tokumei.reports.answer_sections import answer_figure, answer_section, attacker_section
from tokumei.reports.document import DASH, Banner, Block, Bullets, Definitions, Linked, Prose, Section, Table, render
from tokumei.reports.frame_evidence import method_table, ways
from tokumei.reports.material import Material
from tokumei.reports.public_page import HOME
from tokumei.reports.safety_sections import (
    attack_figure,
    attack_section,
    candidate_section,
    figure_section,
    posterior_figure,
    reason_section,
    worst_section,
)
from tokumei.reports.utility_sections import (
    column_figure,
    trade_off_blocks,
    trade_off_figure,
    trade_off_section,
    useful_line,
    utility_section,
)
from tokumei.words import Words, conclusion_line

_KNOWS = ("original", "release", "method", "not_random", "goal")
_LIMITS = ("attacks", "attributes", "outside", "seed", "sampled", "legal")


def release_report(material: Material, *, language: str = "en") -> str:
    """Return the report as one HTML document in a language (``en``, ``ja``)."""
    words = Words(language, HOME)
    outcome, whose = material.verdict.outcome.value, "_recipient" if material.recipient else ""
    if outcome == "safe" and not whose and material.verdict.believed:
        whose = "_believed"
    banner = Banner(
        outcome,
        Linked(conclusion_of(material, words), "verdict"),
        Linked(words(f"verdict.{outcome}{whose}_text", k=material.k), "k"),
    )
    notes = [Prose(words("report.internal"), "warning")]
    if not material.with_secret:
        notes.append(Prose(words("report.no_secret"), "warning"))
    if material.sampled is not None:
        notes.append(Prose(words("report.sampled", people=material.sampled, subjects=material.subjects), "warning"))
    sections = [
        _overview(material, words),
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
        Section(title=words("frame.attacks"), anchor="ways", folded=True, blocks=[ways(material, words)]),
        glossary(words, folded=True),
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
        facts=identity_facts(material, words),
        contents=words("report.contents"),
        footer=words("report.version", version=material.version),
        page_name=" · ".join(filter(None, (words("report.title"), material.identity.original, material.identity.date))),
    )


def conclusion_of(material: Material, words: Words) -> str:
    """Return what the audit concluded, in one line."""
    conclusion = conclusion_line(
        material.verdict.outcome.value,
        material.k,
        words,
        recipient=material.recipient,
        other_original=material.verdict.of_other_original,
        believed=material.verdict.believed,
    )
    return conclusion[:1].upper() + conclusion[1:]


def _overview(material: Material, words: Words) -> Section | None:
    """Return one screen: in words what an analyst would get; the five answers, how sure owners are, columns, others."""
    other = None if material.trade_off is None else trade_off_figure(material.trade_off, words)
    figures = (
        answer_figure(material, words),
        posterior_figure(material, words),
        column_figure(material, words),
        attack_figure(material, words) if material.trade_off is None else other,
    )
    blocks: list[Block] = [*useful_line(material, words), *(figure for figure in figures if figure is not None)]
    return Section(title=words("report.overview"), anchor="overview", blocks=blocks) if blocks else None


def identity_facts(material: Material, words: Words) -> list[tuple[str, str]]:
    """Return which files, which day, whose word and which bytes, as far as they are told."""
    identity = material.identity
    told = {name: getattr(identity, name) for name in ("original", "release", "date", "author", "digest")}
    program = [(words("field.tool"), f"tokumei {material.version}")] if material.version else []
    return [*((words(f"identity.{name}"), text) for name, text in told.items() if text), *program]


def comparison_page(rows: pl.DataFrame, *, records: int, subjects: int, version: str, language: str = "en") -> str:
    """Return a page on several releases of the same data (columns as ``Material.trade_off``)."""
    words = Words(language)
    lead = words("report.compare_lead", runs=rows.height, records=records, subjects=subjects)
    sections = [
        Section(title=words("report.trade_off"), anchor="trade-off", blocks=trade_off_blocks(rows, words)),
        _list_section("attacker", "knows", _KNOWS, words),
        _list_section("limits", "limits", _LIMITS, words),
        glossary(words, folded=True),
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
    blocks = [Bullets(words.each(group, *names))]
    return Section(title=words(f"report.{title}"), anchor=title, folded=True, blocks=blocks)


def _made_section(material: Material, words: Words) -> Section:
    """Return the method with its parameters, as the manifest states them, and the hashes of the files."""
    blocks: list[Block] = [Prose(words("prose.made")), method_table(material, words)]
    if material.identity.digests:
        hashes = [[name, digest] for name, digest in material.identity.digests.items()]
        blocks += [Prose(words("prose.digests")), Table(words.each("head", "file", "digest"), hashes)]
    return Section(title=words("report.made"), anchor="made", folded=True, blocks=blocks)


def glossary(words: Words, *, folded: bool = False) -> Section:
    """Return what every figure means."""
    parted = [(key, text.partition("|")) for key, text in words.group("term").items()]
    terms = [(key, name, text) for key, (name, _, text) in parted]
    note = Prose(words("prose.glossary"), "soft")
    return Section(title=words("report.glossary"), anchor="glossary", folded=folded, blocks=[note, Definitions(terms)])
