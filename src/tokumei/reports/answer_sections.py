"""The five answers of an audit in a report: one table for who must decide, then every figure behind each answer."""

from __future__ import annotations

from tokumei.audits import Answer
from tokumei.data import Score
from tokumei.reports.document import DASH, Block, Bullets, Heading, Linked, Number, Prose, Section, Table, Text
from tokumei.reports.material import Material
from tokumei.words import Words, attacker_name, figure_name, measure_name, percent


def answer_section(material: Material, words: Words) -> Section | None:
    """Return the five questions with the figure that stands for each, the same without the release, and the limit."""
    if not material.answers:
        return None
    rows = [_row(answer, words) for answer in material.answers.values()]
    headers = words.each("head", "question", "what", "value", "interval", "without", "limit", "outcome")
    lead = words("prose.answers_recipient" if material.recipient else "prose.answers", recipient=material.recipient)
    blocks: list[Block] = [Prose(Linked(lead, "verdict")), Table(headers, rows)]
    return Section(title=words("report.answers"), anchor="answers", blocks=blocks)


def attacker_section(material: Material, words: Words) -> Section | None:
    """Return what each attacker gets who does not hold the original, question by question."""
    blocks: list[Block] = []
    for answer in material.answers.values():
        # The attacks that name owners have a section of their own.
        if answer.question.value == "naming" or not answer.figures:
            continue
        term = f"question_{answer.question.value}"
        blocks.append(Heading(words(f"question.{answer.question.value}")))
        blocks += _by_attacker(answer, term, words)
        if answer.reasons:
            blocks.append(Bullets([_linked(reason.message(words, "reason"), term) for reason in answer.reasons]))
    if not blocks:
        return None
    blocks.insert(0, Prose(words("prose.ladder")))
    if material.unicity is not None:
        unicity = words("prose.unicity", share=material.unicity.value, **material.unicity.parts)
        blocks.insert(1, Prose(Linked(unicity, "unicity")))
    return Section(title=words("report.ladder"), anchor="ladder", blocks=blocks)


def _row(answer: Answer, words: Words) -> list[object]:
    figure, term = answer.figure, f"question_{answer.question.value}"
    why = [reason.message(words, "reason") for reason in (*answer.reasons, *answer.skipped)]
    return [
        words(f"question.{answer.question.value}"),
        Linked(why[0] if why else DASH, term) if figure is None else figure_name(answer.headline, words),
        Number(None if figure is None else figure.value, term, percent),
        DASH if figure is None else _interval(figure, term, words),
        Number(None if figure is None else figure.baseline, term, percent),
        Number(answer.limit, "limit", percent),
        words(f"word.{answer.standing}"),
    ]


def _by_attacker(answer: Answer, term: str, words: Words) -> list[Table]:
    """Return a row per attacker and a column per figure; attackers with other figures have a table of their own."""
    figures: dict[str, list[str]] = {}
    for name in answer.figures:
        attacker, _, what = name.partition("/")
        figures.setdefault(attacker, []).append(what)
    tables: dict[tuple[str, ...], list[list[object]]] = {}
    for attacker, names in figures.items():
        cells = [_cell(answer.figures[f"{attacker}/{what}"], term, words) for what in names]
        tables.setdefault(tuple(names), []).append([attacker_name(attacker, words), *cells])
    return [
        Table([words("head.attacker"), *(measure_name(what, words) for what in names)], rows)
        for names, rows in tables.items()
    ]


def _cell(score: Score, term: str, words: Words) -> Text:
    """Return a figure with its interval and what it is without the release."""
    interval = "" if score.interval is None else words("answer.in_interval", interval=_interval_text(score, words))
    without = "" if score.baseline is None else words("answer.beside", share=score.baseline)
    return Linked(f"{percent(score.value)}{interval}{without}", term)


def _interval(score: Score, term: str, words: Words) -> Text:
    if score.interval is None:
        return DASH
    return Linked(_interval_text(score, words), term)


def _interval_text(score: Score, words: Words) -> str:
    assert score.interval is not None
    return words("word.interval", low=percent(score.interval.low), high=percent(score.interval.high))


def _linked(sentence: str, term: str) -> Linked:
    return Linked(sentence[:1].upper() + sentence[1:], term)
