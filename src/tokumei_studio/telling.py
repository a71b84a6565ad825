"""What `describe` and `audit` find, as documents whose messages are in every language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tokumei.audits import Answer, AuditResult, AuditSettings, Limits, evidence_as_dict
from tokumei.data import OF_CONTESTS, Reason, Schema
from tokumei.flow import Keeper, audit, open_release
from tokumei.metrics import Usefulness, measure_usefulness
from tokumei.profiles import describe_data, hints, identifier_suspects
from tokumei.words import LANGUAGES, Words, conclusion_line, figure_name, json_values

SHOWN_CHANGES = 6


def described(options: Mapping[str, str]) -> dict[str, Any]:
    """Return the profile and the raw risk of an input (``input``, ``schema``)."""
    schema = Schema.read(Path(options["schema"])) if "schema" in options else None
    found = describe_data(Path(options["input"]), schema)
    suspects = identifier_suspects(found.sample)
    noted = [*hints(found.sample), *found.sampled()]

    def told(words: Words) -> dict[str, Any]:
        return {
            "hints": [{"column": str(one.values.get("column", "")), "text": words.say(one)} for one in noted],
            "identifiers": {one.column: words.say(one.why) for one in suspects},
        }

    return {
        **found.profile.as_dict(),
        "risk": found.risk.as_dict(),
        "sampled_subjects": len(found.sample.subjects) if found.large else None,
        "told": {language: told(Words(language)) for language in LANGUAGES},
    }


def audited(options: Mapping[str, str]) -> dict[str, Any]:
    """Return the audit of a release (``original``, ``release``, ``secret``, ``recipient``)."""
    recipient = options.get("recipient")
    limits = None if recipient is None else Limits.read(recipient)
    opened = open_release(
        Path(options["original"]),
        Path(options["release"]),
        schema=None,
        secret=Path(options["secret"]) if "secret" in options else None,
    )
    result = audit(opened, AuditSettings(limits=limits))
    measured = partial(measure_usefulness, opened.history, opened.release)
    useful = Keeper.of(opened).remember("usefulness", "", measured)
    return {
        **json_values(result.as_dict()),
        "evidence": json_values(evidence_as_dict(result.evidence, k=result.k)),
        "told": {language: _told(result, useful, Words(language)) for language in LANGUAGES},
    }


def _told(result: AuditResult, useful: Usefulness, words: Words) -> dict[str, Any]:
    verdict, outcome = result.verdict, result.verdict.outcome.value
    whom = "_recipient" if result.recipient else ""
    return {
        "conclusion": conclusion_line(
            outcome,
            result.k,
            words,
            recipient=result.recipient,
            other_original=verdict.of_other_original,
            believed=verdict.believed,
        ),
        "text": words(f"verdict.{outcome}{whom}_text", k=result.k),
        "reasons": [_reason(reason, words) for reason in verdict.outside_contests],
        "skipped": [reason.message(words, "reason") for reason in verdict.skipped],
        "answers": {question.value: _answer(answer, words) for question, answer in result.answers.items()},
        "useful": words("use.stop").join(words.say(message) for message in useful.headline),
        "changes": [words.say(change.message()) for change in useful.findings[:SHOWN_CHANGES]],
    }


def _answer(answer: Answer, words: Words) -> dict[str, Any]:
    return {
        "name": words(f"question.{answer.question.value}"),
        "figure": figure_name(answer.headline, words) if answer.headline else "",
        "standing": words(f"word.{answer.standing}"),
        # What only a contest asks is no advice to a publisher.
        "reasons": [_reason(reason, words) for reason in answer.reasons if reason.code not in OF_CONTESTS],
        "skipped": [reason.message(words, "reason") for reason in answer.skipped],
    }


def _reason(reason: Reason, words: Words) -> dict[str, str]:
    return {"sentence": reason.message(words, "reason"), "remedy": reason.message(words, "remedy")}
