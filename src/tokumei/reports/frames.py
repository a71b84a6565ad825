"""Dossiers: the evidence of a release arranged by the questions of a legal or technical frame.

    ppc        guideline of Japan's Personal Information Protection Commission, 3-2-1 to 3-2-5 (匿名加工情報)
    gdpr       Opinion 05/2014 of the Article 29 Working Party (WP216): singling out, linkability, inference
    iso27559   ISO/IEC 27559:2022, clauses 6 to 9
    hipaa      expert determination, 45 CFR 164.514(b)(1)

A dossier measures nothing anew: it shows what the audit found, and leaves lines for what only people can say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tokumei.audits import Question
from tokumei.errors import ParameterError, did_you_mean
from tokumei.reports import frame_evidence as evidence
from tokumei.reports.document import Banner, Block, Facts, Linked, Prose, Section, render
from tokumei.reports.frame_evidence import Evidence, little_known, questions, to_fill
from tokumei.reports.material import Material
from tokumei.reports.public_page import HOME, public_blocks
from tokumei.reports.release import conclusion_of, glossary, identity_facts
from tokumei.words import Words


@dataclass(frozen=True, slots=True)
class Chapter:
    """One question of a frame: the key of its title and of what it asks, and the evidence that answers it."""

    key: str
    evidence: Sequence[Evidence]


def _singles_out(what: str) -> bool:
    return what == "singled-out"


def _finds_group(what: str) -> bool:
    return what == "class-found"


def _infers(what: str) -> bool:
    return what not in ("class-found", "singled-out") and not what.startswith("membership")


def _recognizes(what: str) -> bool:
    return what.startswith("membership")


_ALL = (*Question,)
FRAMES: Mapping[str, Sequence[Chapter]] = {
    "ppc": (
        Chapter("identifiers", (evidence.measures_of_ppc, evidence.columns, to_fill("assessment"))),
        Chapter("codes", (to_fill("assessment"),)),
        Chapter("linking", (evidence.linking_codes, to_fill("assessment"))),
        Chapter("rare", (evidence.rare, little_known(_singles_out, Question.CONTENTS), to_fill("assessment"))),
        Chapter(
            "nature", (evidence.naming, evidence.posteriors, questions(*_ALL), evidence.attacks, to_fill("assessment"))
        ),
        Chapter("processing", (evidence.secret, evidence.method, evidence.hashes, to_fill("custodian", "until"))),
        Chapter("public", (public_blocks, to_fill("provision", "contact"))),
    ),
    "gdpr": (
        Chapter("context", (evidence.size, evidence.assumed, to_fill("purpose", "recipient", "safeguards"))),
        Chapter(
            "singling",
            (evidence.rare, evidence.posteriors, little_known(_singles_out, Question.CONTENTS), to_fill("assessment")),
        ),
        Chapter(
            "linkability",
            (
                evidence.linked_within,
                evidence.naming,
                evidence.attacks,
                little_known(_finds_group, Question.CONTENTS),
                questions(Question.RELEASES),
                to_fill("assessment"),
            ),
        ),
        Chapter(
            "inference",
            (
                questions(Question.CONTENTS, Question.ATTRIBUTES, Question.MEMBERSHIP),
                little_known(_infers, Question.CONTENTS, Question.ATTRIBUTES),
                to_fill("assessment"),
            ),
        ),
        Chapter("recipients", (evidence.recipients,)),
        Chapter("mitigation", (evidence.columns, evidence.method, evidence.utility, evidence.hashes)),
        Chapter("residual", (evidence.limits, evidence.secret, to_fill("custodian", "review"))),
    ),
    "iso27559": (
        Chapter("context", (evidence.assumed, to_fill("purpose", "recipient", "safeguards", "motives", "harms"))),
        Chapter("features", (evidence.size, evidence.columns, evidence.rare)),
        Chapter("attacks", (evidence.attacks, little_known(_finds_group, Question.CONTENTS), evidence.limits)),
        Chapter(
            "identifiability",
            (evidence.naming, evidence.posteriors, questions(*_ALL), little_known(_recognizes, Question.MEMBERSHIP)),
        ),
        Chapter("mitigation", (evidence.method, evidence.utility, evidence.recipients, to_fill("assessment"))),
        Chapter(
            "governance",
            (evidence.secret, evidence.hashes, to_fill("roles", "custodian", "monitoring", "incident", "review")),
        ),
    ),
    "hipaa": (
        Chapter("expert", (to_fill("expert"),)),
        Chapter("recipient", (evidence.assumed, to_fill("recipient", "available"))),
        Chapter("features", (evidence.size, evidence.columns, evidence.rare, to_fill("assessment"))),
        Chapter("methods", (evidence.method, evidence.attacks, evidence.limits)),
        Chapter(
            "results",
            (
                evidence.very_small,
                evidence.naming,
                evidence.posteriors,
                questions(*_ALL),
                little_known(_infers, Question.CONTENTS, Question.ATTRIBUTES),
                evidence.utility,
            ),
        ),
        Chapter("determination", (evidence.hashes, to_fill("determination", "until"))),
    ),
}


def check_frame(frame: str) -> None:
    """Raise ParameterError for a frame that there is none of."""
    if frame not in FRAMES:
        known = ", ".join(FRAMES)
        message = f"there is no frame '{frame}'{did_you_mean(frame, tuple(FRAMES))}; known: {known}"
        raise ParameterError(message, code="usage")


def frame_report(material: Material, frame: str, *, language: str = "en") -> str:
    """Return the dossier of a release in a frame as one HTML document."""
    check_frame(frame)
    words = Words(language, HOME)
    title = words(f"frame.{frame}")
    conclusion = conclusion_of(material, words)
    banner = Banner(material.verdict.outcome.value, Linked(conclusion, "verdict"), words("frame.decides"))
    chapters = [_section(frame, chapter, material, words) for chapter in FRAMES[frame]]
    ways = Section(title=words("frame.attacks"), anchor="attacks", blocks=[evidence.ways(material, words)])
    return render(
        title,
        words(f"frame.lead_{frame}"),
        [*chapters, _signatures(material, words), ways, glossary(words)],
        language=language,
        banner=banner,
        notes=[Prose(words("frame.internal"), "warning"), *_notes(material, words)],
        facts=_facts(material, words),
        contents=words("report.contents"),
        footer=words("report.version", version=material.version),
        page_name=" · ".join(filter(None, (title, material.identity.original, material.identity.date))),
    )


def _notes(material: Material, words: Words) -> list[Prose]:
    return [] if material.with_secret else [Prose(words("report.no_secret"), "warning")]


def _section(frame: str, chapter: Chapter, material: Material, words: Words) -> Section:
    asks: Block = Prose(words(f"{frame}.{chapter.key}_asks"), "asks")
    blocks = [block for part in chapter.evidence for block in part(material, words)]
    return Section(title=words(f"{frame}.{chapter.key}"), anchor=chapter.key, blocks=[asks, *blocks])


def _facts(material: Material, words: Words) -> list[tuple[str, str]]:
    """Return what the document is about: files, day, author, hash, program and sizes."""
    figures = {name: int(material.figures.get(name) or 0) for name in ("records_before", "records_after")}
    told = [
        (words("field.people"), f"{material.subjects:,}"),
        (words("field.records"), f"{figures['records_before']:,} / {figures['records_after']:,}"),
    ]
    return [*identity_facts(material, words), *told]


def _signatures(material: Material, words: Words) -> Section:
    names = {"prepared": material.identity.author, "approved": ""}
    rest = [(words(f"field.{name}"), "") for name in ("day", "signature")]
    people: list[Block] = [Facts([(words(f"field.{who}"), name), *rest], lines=True) for who, name in names.items()]
    return Section(title=words("frame.signatures"), anchor="signatures", blocks=people)
