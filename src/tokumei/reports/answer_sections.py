"""The five answers of an audit in a report: one table for who must decide, then every figure behind each answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from tokumei.audits import Answer, Question
from tokumei.data import Score
from tokumei.reports.document import (
    ATTACK_PREFIX,
    DASH,
    Block,
    Bullets,
    Figure,
    Heading,
    Linked,
    Number,
    Prose,
    Section,
    Table,
    Text,
)
from tokumei.reports.material import Material
from tokumei.reports.release_charts import measured_chart
from tokumei.reports.safety_sections import way_of
from tokumei.words import Words, attacker_name, figure_name, measure_name, percent

# A page is not wider than so many figures with their intervals.
MOST_FIGURES = 5
# There is one of these for every column of the data: beyond so many only those who learn most are shown.
_BY_COLUMN, MOST_ALIKE = ("only", "all-but", "person-only"), 4


def answer_section(material: Material, words: Words) -> Section | None:
    """Return the five questions with the figure that stands for each, the same without the release, and the limit."""
    if not material.answers:
        return None
    table = answer_table(list(material.answers.values()), words)
    lead = words("prose.answers_recipient" if material.recipient else "prose.answers", recipient=material.recipient)
    blocks: list[Block] = [Prose(Linked(lead, "verdict")), table]
    return Section(title=words("report.answers"), anchor="answers", blocks=blocks)


def answer_table(answers: Sequence[Answer], words: Words) -> Table:
    """Return a row per answer."""
    headers = words.each("head", "question", "what", "value", "interval", "without", "limit", "outcome")
    return Table(headers, [answer_row(answer, words) for answer in answers])


def answer_figure(material: Material, words: Words) -> Figure | None:
    """Return the figure of every question as a bar, with the same without the release and the limit; None without any.

    The limits of names and of several releases are about the figure itself, the others about what the release adds.
    """
    measured = [answer for answer in material.answers.values() if answer.figure is not None]
    if not measured:
        return None
    rows = pl.DataFrame(
        [_bar(answer, words) for answer in measured],
        schema={"what": pl.String, "value": pl.Float64, "without": pl.Float64, "limit": pl.Float64},
        orient="row",
    )
    value, without, limit = words.each("axis", "with_release", "without_release", "limit")
    svg = measured_chart(rows, words={"value": value, "without": without, "limit": limit})
    told = ", ".join(f"{what} {percent(share)}" for what, share in rows.select("what", "value").iter_rows())
    return Figure(svg, words("chart.answers"), words("chart.answers_text", told=told))


def _bar(answer: Answer, words: Words) -> tuple[str, float, float | None, float | None]:
    assert answer.figure is not None
    value, without, limit = answer.figure.value, answer.figure.baseline, answer.limit
    if limit is not None and answer.question not in (Question.NAMING, Question.RELEASES):
        limit = min(limit + (without or 0.0), 1.0)
    return words(f"question.{answer.question.value}"), value, without, limit


def attacker_section(material: Material, words: Words) -> Section | None:
    """Return what each attacker gets who does not hold the original, question by question."""
    blocks: list[Block] = []
    for answer in material.answers.values():
        # The attacks that name owners have a section of their own.
        if answer.question.value == "naming" or not answer.figures:
            continue
        term = f"question_{answer.question.value}"
        blocks.append(Heading(words(f"question.{answer.question.value}")))
        blocks += attacker_tables(answer, words)
        if answer.reasons:
            blocks.append(Bullets([_linked(reason.message(words, "reason"), term) for reason in answer.reasons]))
    if not blocks:
        return None
    blocks.insert(0, Prose(words("prose.ladder")))
    if material.unicity is not None:
        unicity = words("prose.unicity", share=material.unicity.value, **material.unicity.parts)
        blocks.insert(1, Prose(Linked(unicity, "unicity")))
    return Section(title=words("report.ladder"), anchor="ladder", folded=True, blocks=blocks)


def answer_row(answer: Answer, words: Words) -> list[object]:
    """Return question, figure, interval, the same without the release, limit and outcome of an answer."""
    figure, term = answer.figure, f"question_{answer.question.value}"
    why = [reason.message(words, "reason") for reason in (*answer.reasons, *answer.skipped)]
    return [
        words(f"question.{answer.question.value}"),
        Linked(why[0] if why else DASH, term) if figure is None else _headline(answer.headline, words),
        Number(None if figure is None else figure.value, term, percent),
        DASH if figure is None else _interval(figure, term, words),
        Number(None if figure is None else figure.baseline, term, percent),
        Number(answer.limit, "limit", percent),
        words(f"word.{answer.standing}"),
    ]


def _headline(name: str, words: Words) -> Linked:
    """Return the name of the figure that stands for a question, which leads to the attack behind it."""
    attacker = name.partition("/")[0]
    return Linked(figure_name(name, words), f"{ATTACK_PREFIX}{way_of(attacker)}", whole=True)


def attacker_tables(answer: Answer, words: Words) -> list[Block]:
    """Return a row per attacker and a column per figure; attackers with other figures have a table of their own.

    Of many who know one column each, those are shown who learn most, and that is said first.
    """
    term = f"question_{answer.question.value}"
    figures: dict[str, list[str]] = {}
    for name in answer.figures:
        attacker, _, what = name.partition("/")
        figures.setdefault(attacker, []).append(what)
    shown, all_of = _most_telling(answer, figures), len(figures)
    note = words("answer.most_telling", shown=len(shown), all=all_of)
    tables: dict[tuple[str, ...], list[list[object]]] = {}
    for attacker in shown:
        for part in _parts(figures[attacker]):
            cells = [_cell(answer.figures[f"{attacker}/{what}"], term, words) for what in part]
            tables.setdefault(part, []).append([_attacker(attacker, words), *cells])
    return [
        *([Prose(note, "soft")] if len(shown) < all_of else []),
        *(
            Table([words("head.attacker"), *(measure_name(what, words) for what in names)], rows)
            for names, rows in tables.items()
        ),
    ]


def _most_telling(answer: Answer, figures: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the attackers that are shown, in their order: of those by column the ones who gain most by the release."""

    def gain(attacker: str) -> float:
        scores = [answer.figures[f"{attacker}/{what}"] for what in figures[attacker]]
        return max(score.value - (score.baseline or 0.0) for score in scores)

    left_out: set[str] = set()
    for kind in _BY_COLUMN:
        alike = [attacker for attacker in figures if way_of(attacker) == kind]
        left_out |= set(sorted(alike, key=gain, reverse=True)[MOST_ALIKE:])
    return [attacker for attacker in figures if attacker not in left_out]


def _parts(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return names cut into parts of about the same size, each of which fits into the width of a page."""
    parts = max(-(-len(names) // MOST_FIGURES), 1)
    size = -(-len(names) // parts)
    return [tuple(names[start : start + size]) for start in range(0, len(names), size)]


def _attacker(name: str, words: Words) -> Linked:
    """Return the name of an attacker, which leads to what he does."""
    return Linked(attacker_name(name, words), f"{ATTACK_PREFIX}{way_of(name)}", whole=True)


def _cell(score: Score, term: str, words: Words) -> Text:
    """Return a figure with its interval and what it is without the release."""
    interval = "" if score.interval is None else words("answer.in_interval", interval=_interval_text(score, words))
    without = "" if score.baseline is None else words("answer.beside", share=score.baseline)
    return Linked(f"{percent(score.value)}{interval}{without}", term)


def _interval(score: Score, term: str, words: Words) -> Text:
    if score.interval is None:
        return DASH
    return Linked(_interval_text(score, words), term, whole=True)


def _interval_text(score: Score, words: Words) -> str:
    assert score.interval is not None
    return words("word.interval", low=percent(score.interval.low), high=percent(score.interval.high))


def _linked(sentence: str, term: str) -> Linked:
    return Linked(sentence[:1].upper() + sentence[1:], term)
