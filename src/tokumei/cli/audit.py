"""``tokumei audit``: what the strongest attacker gets out of a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from tokumei.cli.certificate import signing_key, write_certificate
from tokumei.cli.language import SpokenOption, heads, spoken_words
from tokumei.cli.options import (
    AllowOption,
    FreshOption,
    LimitsOption,
    MemoryOption,
    OriginalOption,
    QuickOption,
    RecipientOption,
    ReleaseOption,
    allowed_by,
    opened,
)
from tokumei.cli.output import JsonFlag, finish, progress_bars, refuse_in_release, show_table, show_verdict
from tokumei.words import Words, amount, figure_name, percent

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.audits import Answer, AuditResult

KOption = Annotated[
    int | None, typer.Option("--k", min=2, help="The k that must hold (default: what the release seems to aim at).")
]
LimitOption = Annotated[float | None, typer.Option("--time-limit", min=0, help="Seconds; what was skipped is listed.")]
GuessOption = Annotated[
    int, typer.Option("--guess-seeds", min=0, help="Also try so many small seeds: make the release again from each.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the Markov chains of large components.")]
EarlierOption = Annotated[
    list[Path] | None,
    typer.Option("--with", metavar="RELEASE_DIR", help="An earlier release of the same people (repeatable)."),
]
LedgerOption = Annotated[
    Path | None,
    typer.Option("--ledger", metavar="FOLDER", help="The ledger it was made with: judged with all releases of it."),
]
CertificateOption = Annotated[
    Path | None,
    typer.Option("--certificate", metavar="FILE", help="Also write a certificate that others check with 'verify'."),
]
SignOption = Annotated[
    Path | None, typer.Option("--sign", metavar="KEYFILE", help="Sign the certificate; 'tokumei keygen' makes a key.")
]


def audit(
    original: OriginalOption,
    release: ReleaseOption,
    secret: Annotated[
        Path | None, typer.Option("--secret", metavar="FILE", help="With it, true hits are counted.")
    ] = None,
    schema: Annotated[Path | None, typer.Option("--schema", metavar="S.toml", help="What the columns mean.")] = None,
    method: Annotated[str | None, typer.Option("--method", help="The method, if the manifest does not say.")] = None,
    k: KOption = None,
    time_limit: LimitOption = None,
    guess_seeds: GuessOption = 0,
    seed: SeedOption = 0,
    recipient: RecipientOption = None,
    limits: LimitsOption = None,
    earlier: EarlierOption = None,
    ledger: LedgerOption = None,
    quick: QuickOption = False,
    fresh: FreshOption = False,
    allow: AllowOption = None,
    certificate: CertificateOption = None,
    sign: SignOption = None,
    _memory: MemoryOption = None,
    _language: SpokenOption = None,
    json: JsonFlag = False,
) -> None:
    """Audit a release: what attackers name, learn, infer and recognize; exit status 1 if it is unsafe.

    Without --recipient the status is that of naming alone, and the other questions are told as measured. Limits stand
    in a file such as: [public] naming = 0.09, contents = 0.05, attributes = 0.05, releases = 0.09.

    Example: tokumei audit --original my.csv --release release --secret release.secret --recipient partner
    """
    from tokumei.audits import AuditSettings
    from tokumei.data import read_release
    from tokumei.flow import audit as audit_opened
    from tokumei.ledgers import Ledger

    settings = AuditSettings(
        k=k,
        limits=allowed_by(recipient, limits),
        time_limit=time_limit,
        seed=seed,
        guess_seeds=guess_seeds,
        quick=quick,
        allow=allow or (),
        fresh=fresh,
    )
    if certificate is not None:
        refuse_in_release(certificate, release, "the certificate", "it names every file there and is one more")
    key = signing_key(certificate, sign, original, secret, schema)
    with progress_bars():
        audited = opened(original, release, schema, secret)
        if method is not None:
            audited = replace(audited, release=replace(audited.release, method=method))
        together = [read_release(folder, audited.history) for folder in earlier or []]
        books = None if ledger is None else Ledger.existing(ledger)
        result = audit_opened(audited, settings, earlier=together, ledger=books)
    if certificate is not None and audited.folder is not None:
        write_certificate(audited.folder, result, certificate, key)
    finish_audit(result, json=json)


def finish_audit(result: AuditResult, *, json: bool, contest: bool = False) -> NoReturn:
    """Print an audit, with what its rules ask in a contest, and end the command; exit status 1 if it is unsafe."""
    unsafe = result.verdict.outcome == "unsafe"
    from tokumei.audits import evidence_as_dict

    document = {**result.as_dict(), "evidence": evidence_as_dict(result.evidence, k=result.k)}
    finish(document, json=json, show=lambda console: _show(console, result, contest=contest), status=int(unsafe))


def _show(console: Console, result: AuditResult, *, contest: bool) -> None:
    """Print the verdict first, then its reasons, then the figures."""
    answers = _answers(result)
    show_verdict(console, result.verdict, result.k, recipient=result.recipient, answers=answers, contest=contest)
    words = spoken_words()
    figures = {
        "k_anonymity": result.k_anonymity,
        "k_concealment": result.k_concealment,
        "min_candidates": result.min_candidates,
        "mean_candidates": None if result.mean_candidates is None else round(result.mean_candidates, 3),
        "components": result.components,
        "max_posterior": _share(result.max_posterior),
        "over-95": _share(result.share_posterior_over_95),
        "expected_hits": None if result.expected_hits is None else amount(result.expected_hits),
    }
    rows = [[words(f"cli.{name}"), "-" if value is None else value] for name, value in figures.items()]
    show_table(console, heads("figure", "value"), rows)
    attacks = [[name, percent(figure.share), percent(figure.baseline)] for name, figure in result.reidentified.items()]
    if attacks:
        show_table(console, heads("attack", "names", "blind"), attacks)
    joint = [
        [name, risk.guesses, percent(risk.probability), percent(risk.survives)] for name, risk in result.joint.items()
    ]
    if joint and contest:
        headers = ["contest test", "guesses", "caught per attempt", "survives 13"]
        show_table(console, headers, joint)


def _answers(result: AuditResult) -> list[str]:
    """Return the five answers, a line each."""
    words = spoken_words()
    lines = []
    for question, answer in result.answers.items():
        lines.append(f"{words(f'question.{question.value}')}: {_told(answer, words)}")
    return lines


def _told(answer: Answer, words: Words) -> str:
    """Return an answer in one line: the figure that stands for it, its interval, its baseline and its limit."""
    figure = answer.figure
    if figure is None:
        told = [reason.message(words, "reason") for reason in (*answer.reasons, *answer.skipped)]
        return words("use.stop").join(told) or words("word.not-measured")
    about = [words("answer.without", share=figure.baseline)] if figure.baseline is not None else []
    if figure.interval is not None:
        about.insert(0, words("answer.interval", low=figure.interval.low, high=figure.interval.high))
    if answer.limit is not None:
        about.append(words("answer.limit", limit=answer.limit))
    outcome = words(f"word.{answer.standing}")
    return f"{outcome}: {figure_name(answer.headline, words)} {percent(figure.value)} ({'; '.join(about)})"


def _share(share: float | None) -> str | None:
    return None if share is None else percent(share)
