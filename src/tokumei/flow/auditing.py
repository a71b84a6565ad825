"""The one way to audit a release: the five questions, and the limits of a recipient.

Command line, Python and report all call `audit`. Naming, contents, attributes and membership are always asked, several
releases where earlier ones are named; a quick audit runs no method again and tries one attacker who knows little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np

from tokumei.attacks import image_owners
from tokumei.audits import (
    Answer,
    AuditResult,
    AuditSettings,
    Limits,
    Question,
    audit_groups,
    audit_release,
    byte_findings,
    climb_ladder,
    combine_releases,
    naming_answer,
    small_groups,
    untrue_values,
    with_findings,
)
from tokumei.data import Reason, Release, Verdict
from tokumei.flow.booked_releases import BookedReleases
from tokumei.flow.gate import household_findings, identifier_findings
from tokumei.flow.keeping import Keeper
from tokumei.flow.large import LargeRelease
from tokumei.flow.making import Made, compared_with
from tokumei.flow.opening import Opened
from tokumei.flow.replaying import method_of, replay_of, rerun_of
from tokumei.ledgers import Ledger
from tokumei.profiles import refuse_unknown_columns
from tokumei.words import Message


def audit(
    released: Made | Opened,
    settings: AuditSettings | None = None,
    *,
    earlier: Sequence[Release] = (),
    ledger: Ledger | None = None,
) -> AuditResult:
    """Audit a release that was made or opened, as the settings ask (default: all that is tried by default).

    ``earlier`` are releases of the same people, coded after the same original; ``ledger`` knows those that were made
    with it, and who is in which group. An audit of the same bytes, original and settings that was kept beside the
    release is used again, unless other releases come into it or a fresh one is asked for; limits decide anew.
    """
    asked = settings or AuditSettings()
    if earlier or ledger is not None:
        return under_limits(_computed(released, asked, earlier, ledger), asked.limits)
    what = f"{asked.k} {asked.time_limit} {asked.seed} {asked.guess_seeds} {asked.quick} {sorted(asked.allow)}"
    result = Keeper.of(released).remember("audit", what, lambda: _computed(released, asked), fresh=asked.fresh)
    return under_limits(result, asked.limits)


def _computed(
    released: Made | Opened, asked: AuditSettings, earlier: Sequence[Release] = (), ledger: Ledger | None = None
) -> AuditResult:
    """Return an audit without the limits of a recipient."""
    promised = released.parameters.get("k")
    k = promised if asked.k is None and isinstance(promised, int) and promised >= 2 else asked.k
    method, whole = method_of(released), _whole(released)
    original, secret = compared_with(method, released.history, released.secret)
    if whole is not None and whole.secret is None:
        return _without_owners(released, whole, k=k, allow=asked.allow)
    result = audit_release(
        original,
        released.release,
        secret,
        k=k,
        time_limit=asked.time_limit,
        seed=asked.seed,
        guess_seeds=asked.guess_seeds,
        quick=asked.quick,
        rerun=None if asked.quick else rerun_of(released, seed=asked.seed),
        replay=replay_of(released) if asked.guess_seeds and whole is None else None,
        truthful=method is not None and method.truthful,
    )
    result = gated(released, _of_the_whole(released, result), allow=asked.allow)
    answers: dict[Question, Answer] = {Question.NAMING: naming_answer(result)}
    answers |= little_known(released, quick=asked.quick, seed=asked.seed)
    books = None if ledger is None else BookedReleases.of(ledger, released)
    together = [*earlier, *([] if books is None else books.releases)]
    owners = [secret, *[None] * len(earlier), *([] if books is None else books.owners)]
    several = combine_releases(original, released.release, together, owners)
    answers[Question.RELEASES] = several if books is None else books.answered(several)
    return replace(result, answers=answers)


def _whole(released: Made | Opened) -> LargeRelease | None:
    return released.whole if isinstance(released, Opened) else None


def _without_owners(
    released: Made | Opened, whole: LargeRelease, *, k: int | None, allow: Sequence[str]
) -> AuditResult:
    """Judge a large release whose secret is not at hand: nobody knows which of its people to look at closely."""
    counts: dict[str, object] = {"pseudonyms": whole.histories.height, "groups": whole.groups.height}
    unknown = Reason(code="sampled", form="sampled-unknown", values=counts)
    result = audit_groups(
        k=k,
        level=whole.k_anonymity,
        pseudonyms=whole.histories.height,
        subjects=len(whole.survey.subjects),
        skipped=[Reason(code="no-candidates"), unknown],
        image=_image_of_ids(whole),
        untested=True,
    )
    result = gated(released, result, allow=allow)
    asked = (Question.CONTENTS, Question.ATTRIBUTES, Question.MEMBERSHIP, Question.RELEASES)
    answers = {question: Answer(question=question, skipped=(unknown,)) for question in asked}
    return replace(result, answers={Question.NAMING: naming_answer(result), **answers})


def _image_of_ids(whole: LargeRelease) -> tuple[Message, float] | None:
    """Return what transformation of the ids gives the pseudonyms, and how many of them, if one does."""
    names = whole.histories["pseudonym"]
    rules = image_owners(whole.survey.subjects, names)
    found = [(rule.finding, float((rule.owner >= 0).mean())) for rule in rules]
    return max(found, key=itemgetter(1), default=None)


def _of_the_whole(released: Made | Opened, result: AuditResult) -> AuditResult:
    """Return the audit of a sample with the counts of the whole, and what was looked at in the sample alone.

    The smallest groups of the whole are in the sample, so that the k of identical histories is that of the whole.
    """
    whole = _whole(released)
    if whole is None:
        return result
    counts: dict[str, object] = {
        "people": len(released.history.subjects),
        "pseudonyms": whole.histories.height,
        "groups": whole.groups.height,
    }
    sampled = Reason(code="sampled", values=counts)
    verdict = replace(result.verdict, skipped=(*result.verdict.skipped, sampled))
    return replace(
        result,
        subjects=len(whole.survey.subjects),
        pseudonyms=whole.histories.height,
        k_anonymity=whole.k_anonymity,
        verdict=verdict,
    )


def little_known(released: Made | Opened, *, quick: bool = False, seed: int = 0) -> dict[Question, Answer]:
    """Return what attackers get who know little: the answers about contents, attributes and membership."""
    history = released.history
    sensitive = [column.name for column in history.schema.columns if column.sensitive and not column.drop]
    rng = np.random.default_rng(seed)
    return climb_ladder(history, released.release, released.secret, rng=rng, sensitive=sensitive, quick=quick)


def gated(released: Made | Opened, result: AuditResult, *, allow: Sequence[str] = ()) -> AuditResult:
    """Return an audit that holds for the published bytes and columns too.

    A folder that is not canonical and a readable column that seems to name people are not safe.
    """
    refuse_unknown_columns(released.history, allow)
    allow = (*allow, *(released.plan.allow if isinstance(released, Made) else ()))
    folder = None if isinstance(released, Made) else released.folder
    refused, allowed = identifier_findings(released.history, released.release, allow)
    covered = household_findings(released.history, released.release, released.secret, result.k)
    untrue = () if released.secret is None else untrue_values(released.history, released.release, released.secret)
    grouped = small_groups(released.release, result.k)
    refused = (*refused, *covered, *grouped, *untrue)
    whole = _whole(released)
    written = () if folder is None else whole.byte_findings() if whole else byte_findings(folder, released.release)
    # What the tables beside the records show is told once, for the k that is judged.
    written = tuple(reason for reason in written if reason.code not in {one.code for one in grouped})
    digests = {} if folder is None else folder.digests
    return with_findings(result, (*refused, *written), notes=allowed, digests=digests)


def under_limits(result: AuditResult, limits: Limits | None) -> AuditResult:
    """Return an audit whose verdict the limits of a recipient decide; without limits it stays as it is."""
    if limits is None:
        return result
    answers, outcome, reasons = limits.decided(result.answers)
    verdict = Verdict(outcome=outcome, reasons=(*reasons, *result.verdict.reasons), skipped=result.verdict.skipped)
    return replace(result, answers=answers, verdict=verdict, recipient=limits.recipient)
