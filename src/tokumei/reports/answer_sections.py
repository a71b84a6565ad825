"""The five answers of an audit in a report: one table for who must decide, then every figure behind each answer."""

from __future__ import annotations

from tokumei.audits import Answer
from tokumei.data import Score
from tokumei.reports.document import DASH, Block, Bullets, Heading, Linked, Number, Prose, Section, Table, Text
from tokumei.reports.material import Material
from tokumei.words import Words, figure_name, percent


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
        headers = words.each("head", "attacker", "value", "interval", "without")
        blocks.append(Table(headers, [_figure(name, score, term, words) for name, score in answer.figures.items()]))
        if answer.reasons:
            blocks.append(Bullets([_linked(reason.message(words, "reason"), term) for reason in answer.reasons]))
    if not blocks:
        return None
    blocks.insert(0, Prose(words("prose.ladder")))
    return Section(title=words("report.ladder"), anchor="ladder", blocks=blocks)


def _row(answer: Answer, words: Words) -> list[object]:
    figure, term = answer.figure, f"question_{answer.question.value}"
    outcome = words("word.measured" if answer.outcome is None else f"word.{answer.outcome.value}")
    return [
        words(f"question.{answer.question.value}"),
        words("word.not_measured") if figure is None else figure_name(answer.headline, words),
        Number(None if figure is None else figure.value, term, percent),
        DASH if figure is None else _interval(figure, term, words),
        Number(None if figure is None else figure.baseline, term, percent),
        Number(answer.limit, "limit", percent),
        words("word.not_measured") if figure is None and answer.outcome is None else outcome,
    ]


def _figure(name: str, score: Score, term: str, words: Words) -> list[object]:
    baseline = Number(score.baseline, term, percent)
    return [figure_name(name, words), Number(score.value, term, percent), _interval(score, term, words), baseline]


def _interval(score: Score, term: str, words: Words) -> Text:
    if score.interval is None:
        return DASH
    low, high = percent(score.interval.low), percent(score.interval.high)
    return Linked(words("word.interval", low=low, high=high), term)


def _linked(sentence: str, term: str) -> Linked:
    return Linked(sentence[:1].upper() + sentence[1:], term)
