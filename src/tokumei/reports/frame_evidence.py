"""The pieces of evidence that dossiers are made of: each takes what is known of a release and returns blocks.

Every figure leads to its definition, and every attack and attacker to what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tokumei.audits import Answer, Limits, Question
from tokumei.data import Column, Outcome
from tokumei.reports.answer_sections import answer_row, answer_table, attacker_tables
from tokumei.reports.document import (
    ATTACK_PREFIX,
    DASH,
    Block,
    Bullets,
    Definitions,
    Facts,
    Linked,
    Number,
    Prose,
    Table,
)
from tokumei.reports.material import Material
from tokumei.reports.safety_sections import attack_table, posterior_figure, reason_section, way_of
from tokumei.reports.utility_sections import column_figure, column_table, score_table
from tokumei.words import Words, attacker_name

Evidence = Callable[[Material, Words], Sequence[Block]]
RECIPIENTS = ("public", "partner", "internal")
TOLD_SCORES = ("cell-error", "records-kept", "place-error")
KNOWS = ("original", "release", "method", "not_random")


def naming(material: Material, words: Words) -> list[Block]:
    """Return whether names are safe, proven or not, and why."""
    level = material.proven_k
    told = Prose(
        Linked(words(f"said.naming_safe{_condition(material)}", level=level), "k_anonymity")
        if level is not None
        else Linked(words("said.naming_open", k=material.k), "k")
        if material.verdict.outcome is not Outcome.UNSAFE or material.recipient
        else words("said.naming_unsafe")
    )
    return [told, *reason_section(material, words).blocks]


def _condition(material: Material) -> str:
    """Return the ending of a sentence on a proof that takes every pseudonym to have an owner of its own."""
    return "_believed" if material.believed else ""


def posteriors(material: Material, words: Words) -> list[Block]:
    """Return how sure the owners are, as a chart."""
    figure = posterior_figure(material, words)
    return [] if figure is None else [figure]


def columns(material: Material, words: Words) -> list[Block]:
    """Return what was done with every column of the original that the schema names."""
    published = {row["column"]: row for row in material.utility.tables["columns"].iter_rows(named=True)}
    rows: list[list[object]] = [[material.subject, words("role.subject")]] if material.subject else []
    for column in material.columns:
        names = [name for name in (column.latitude, column.longitude) if name] or [column.name]
        rows += [[name, _role(column, published.get(name), words)] for name in names]
    return [Table(words.each("head", "column", "role"), rows)]


def _role(column: Column, published: dict[str, object] | None, words: Words) -> str | Linked:
    if column.drop or column.weight or published is None:
        return words("role.weight" if column.weight else "role.drop")
    if column.keep:
        role = words("role.keep")
    else:
        role = words("role.generalized", exact=published["exact"], hidden=published["hidden"])
    return Linked(words("role.sensitive", what=role) if column.sensitive else role, "exact")


def linking_codes(material: Material, words: Words) -> list[Block]:
    """Return whether pseudonyms betray whose they are."""
    clues = ("predictable-pseudonyms", "release-order")
    rows = [row for row in material.attacks.iter_rows(named=True) if row["attack"] in clues]
    if not rows:
        return [Prose(words("said.pseudonyms_untested"))]
    best = max(rows, key=lambda row: row["share"])
    told = words("said.pseudonyms_random", share=best["share"], baseline=best["baseline"])
    return [Prose(Linked(told, "attack_share")), attack_table(material, words, only=clues)]


def linked_within(material: Material, words: Words) -> list[Block]:
    """Return that the records of a person stay linked under a pseudonym."""
    per = next((score.value for score in material.scores if score.name == "pseudonyms-per-subject"), None)
    per = material.figures["pseudonyms"] / max(material.subjects, 1) if per is None else per  # type: ignore[operator]
    return [Prose(Linked(words("said.linked_within", per=per), "pseudonyms_per_subject"))]


def rare(material: Material, words: Words) -> list[Block]:
    """Return how far people stand out: in the original, and in the release."""
    blocks: list[Block] = []
    level = int(material.figures.get("k_anonymity") or 0)
    if material.unicity is not None:
        blocks.append(Prose(Linked(words("said.unicity", share=material.unicity.value, level=level), "unicity")))
    names = ("min_candidates", "components")
    candidates, components = (material.figures.get(name) for name in names)
    if candidates is not None and components is not None:
        told = words("said.groups", level=level, candidates=int(candidates), components=int(components))
        blocks.append(Prose(Linked(told, "candidates")))
    return [*blocks, *_some_attacks(("re-uniq", "re-item", "record-counts"), material, words)]


def _some_attacks(names: Sequence[str], material: Material, words: Words) -> list[Block]:
    table = attack_table(material, words, only=names)
    return [table] if table.rows else []


def attacks(material: Material, words: Words) -> list[Block]:
    """Return what every attack on names gets."""
    table = attack_table(material, words)
    return [table] if table.rows else []


def questions(*asked: Question) -> Evidence:
    """Return evidence that shows the answers to some questions."""

    def evidence(material: Material, words: Words) -> list[Block]:
        answers = [material.answers[question] for question in asked if question in material.answers]
        blocks: list[Block] = [answer_table(answers, words)] if answers else []
        missing = {Question.ATTRIBUTES: "said.no_sensitive", Question.RELEASES: "said.no_earlier"}
        return blocks + [
            Prose(words(missing[answer.question]), "soft")
            for answer in answers
            if answer.question in missing and answer.figure is None
        ]

    return evidence


def little_known(what: Callable[[str], bool], *asked: Question) -> Evidence:
    """Return evidence that shows those figures of attackers who know little whose names fit."""

    def evidence(material: Material, words: Words) -> list[Block]:
        blocks: list[Block] = []
        for question in asked:
            answer = material.answers.get(question)
            if answer is None:
                continue
            fitting = {name: score for name, score in answer.figures.items() if what(name.partition("/")[2])}
            if fitting:
                blocks += attacker_tables(replace(answer, figures=fitting), words)
        return blocks

    return evidence


def recipients(material: Material, words: Words) -> list[Block]:
    """Return the same answers under the limits of every recipient."""
    rows: list[list[object]] = []
    for recipient in RECIPIENTS:
        limits = Limits.read(recipient)
        for answer in material.answers.values():
            question, _, value, interval, without, limit, outcome = answer_row(
                limits.judged(_undecided(answer, material)), words
            )
            rows.append([words.named("recipient", recipient), question, value, interval, without, limit, outcome])
    headers = [
        words("head.recipient"),
        *words.each("head", "question", "value", "interval", "without", "limit", "outcome"),
    ]
    return [Prose(words("said.recipients")), Table(headers, rows)]


def _undecided(answer: Answer, material: Material) -> Answer:
    """Return an answer without what the limits of another recipient decided about it."""
    if answer.question is not Question.NAMING:
        return replace(answer, outcome=None)
    if not material.recipient:
        return answer
    return replace(answer, outcome=Outcome.SAFE if material.proven_k is not None else Outcome.NOT_SHOWN_UNSAFE)


def method(material: Material, words: Words) -> list[Block]:
    """Return the method with its parameters."""
    return [Prose(words("said.method")), method_table(material, words)]


def method_table(material: Material, words: Words) -> Table:
    """Return the method and its parameters, as the manifest states them."""
    none = words("word.none")
    rows: list[list[object]] = [[words("head.method"), material.method or DASH]]
    rows += [
        [name, none if value is None or value == "" else Linked(str(value), "setting", whole=True)]
        for name, value in material.parameters.items()
    ]
    return Table([words("head.parameter"), words("head.value")], rows)


def secret(_material: Material, words: Words) -> list[Block]:
    """Return what is secret about a release."""
    return [Prose(words("said.secret"))]


def assumed(_material: Material, words: Words) -> list[Block]:
    """Return what the strongest attacker is assumed to know."""
    return [Prose(words("said.assumed")), Bullets(words.each("knows", *KNOWS))]


def utility(material: Material, words: Words) -> list[Block]:
    """Return what is left of the data."""
    figure = column_figure(material, words)
    # Of the scores those that a reader who decides can make something of.
    told = replace(material, scores=[score for score in material.scores if score.name in TOLD_SCORES])
    tables = [table for table in (score_table(told, words), column_table(material, words)) if table is not None]
    return [*([] if figure is None else [figure]), *tables]


def size(material: Material, words: Words) -> list[Block]:
    """Return how much data there is."""
    names = ("records_before", "records_after", "subjects", "pseudonyms")
    rows = [[words(f"figure.{name}"), Number(material.figures.get(name), "records")] for name in names]
    return [Table(words.each("head", "figure", "value"), rows)]


def limits(_material: Material, words: Words) -> list[Block]:
    """Return what the evidence does not cover."""
    return [Bullets(words.each("limits", "attacks", "outside", "seed", "sampled"))]


def measures_of_ppc(material: Material, words: Words) -> list[Block]:
    """Return what the five measures come to, in one sentence."""
    if material.proven_k is not None:
        return [Prose(Linked(words(f"said.safe_ppc{_condition(material)}", k=material.proven_k), "k"))]
    if material.verdict.outcome is Outcome.UNSAFE and not material.recipient:
        return [Prose(words("said.unsafe_ppc"), "warning")]
    return [Prose(Linked(words("said.open_ppc", k=material.k), "k"))]


def very_small(material: Material, words: Words) -> list[Block]:
    """Return the risk that an expert determines about."""
    answer = material.answers.get(Question.NAMING)
    if answer is None or answer.figure is None:
        return []
    figures = {"largest": answer.figure.value, "blind": answer.figure.baseline or 0.0}
    return [Prose(Linked(words("said.very_small", **figures), "question_naming"))]


def hashes(material: Material, words: Words) -> list[Block]:
    """Return the hashes of what was judged."""
    told = [*material.identity.digests.items()]
    if material.identity.original_digest:
        told.insert(0, (material.identity.original, material.identity.original_digest))
    return [Table(words.each("head", "file", "digest"), [list(pair) for pair in told])] if told else []


def ways(material: Material, words: Words) -> Definitions:
    """Return what every attack and every attacker does."""
    named = {way_of(name): words.named("attack", name) for name in material.attacks["attack"].to_list()}
    named["surest-owner"] = words("what.surest-owner")
    figures = [name.partition("/") for answer in material.answers.values() for name in answer.figures]
    for attacker in dict.fromkeys(attacker for attacker, _, what in figures if what):
        named.setdefault(way_of(attacker), _kind_of(attacker, words))
    table = words.group("way")
    terms = [(key, name, table[key]) for key, name in named.items() if key in table]
    return Definitions(terms, prefix=ATTACK_PREFIX.removesuffix("-"))


def _kind_of(attacker: str, words: Words) -> str:
    """Return the name of a kind of attacker: "who knows n records" for who knows three."""
    kind = way_of(attacker)
    if kind in (attacker, "all-but-one"):
        return attacker_name(attacker, words)
    return words(f"attacker.{kind}", rest="n" if attacker.rpartition("-")[2].isdecimal() else "…")


def to_fill(*names: str) -> Evidence:
    """Return evidence that people have to write: lines with their names."""

    def evidence(_material: Material, words: Words) -> list[Block]:
        return [Facts([(words(f"field.{name}"), "") for name in names], lines=True)]

    return evidence
