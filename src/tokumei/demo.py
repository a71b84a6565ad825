"""The whole flow on generated purchases: synth, describe, anonymize, publish, attack, judge, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tokumei import flow
from tokumei.describe.profile import Profile, profile
from tokumei.files import atomic_folder, write_text
from tokumei.history import History, Release, Score, Verdict
from tokumei.judge.audit import audit_release
from tokumei.judge.cell_error import CellError
from tokumei.parts import find_part, make_part
from tokumei.progress import stage
from tokumei.read.synthetic import write_synthetic
from tokumei.read.table import read_history
from tokumei.report import charts
from tokumei.report.document import Section, Table, render

__all__ = ["run_demo"]

METHODS: Sequence[tuple[str, str, Sequence[str]]] = (
    ("pseudonyms only", "pseudonymize", ()),
    ("random generalization", "ano-random", ()),
    ("3-anonymity", "k-anonymity", ("k=3",)),
)
ATTACKS = ("re-uniq", "re-item")
SAMPLE_ROWS = 4
REPORT = "report.html"


def run_demo(folder: Path, *, subjects: int, seed: int) -> dict[str, Any]:
    """Fill a new folder with generated data, releases and a report; return what was measured."""
    with atomic_folder(folder) as temporary:
        measured = _fill(temporary, subjects=subjects, seed=seed)
    return {"folder": str(folder), "report": str(folder / REPORT), **measured}


def _fill(folder: Path, *, subjects: int, seed: int) -> dict[str, Any]:
    """Run the flow in an empty folder; return what was measured."""
    original = folder / "purchases.csv"
    write_synthetic("purchases", original, subjects=subjects, seed=seed)
    history = read_history(original)
    write_text(folder / "schema.toml", history.schema.to_toml())
    facts = profile(history)
    releases: list[dict[str, Any]] = []
    bars: list[dict[str, object]] = []
    verdicts: dict[str, Verdict] = {}
    samples: dict[str, Release] = {}
    for label, method_name, settings in METHODS:
        method = flow.make_anonymizer(method_name, settings)
        release, secret = flow.anonymize(history, method, seed=seed)
        flow.publish(history, release, secret, folder / f"release-{method_name}", method=method)
        utility = CellError().measure(history, release, secret)
        success = [
            flow.attack_success(history, release, secret, make_part(find_part("attack", name)), seed=seed)[1]
            for name in ATTACKS
        ]
        bars += [_bar(label, name, score) for name, score in zip(ATTACKS, success, strict=True)]
        with stage(f"audit: {label}"):
            audit = audit_release(history, release, secret, seed=seed)
        strongest = max(audit.reidentified.values(), key=lambda figure: figure.share, default=None)
        if strongest is not None:
            share, chance = strongest.share, 1 / len(history.subjects)
            bars.append({"release": label, "attack": "audit's best", "share": share, "baseline": chance})
        best = max([score.value for score in success] + [figure.share for figure in audit.reidentified.values()])
        releases.append({"release": label, "loss": utility.value, "risk": best, "verdict": audit.verdict.outcome.value})
        verdicts[label] = audit.verdict
        samples[label] = release
    with stage("report"):
        write_text(folder / REPORT, _report(history, facts, releases, bars, verdicts, samples))
    return {"records": len(history), "releases": releases}


def _bar(label: str, attack: str, score: Score) -> dict[str, object]:
    return {"release": label, "attack": attack, "share": score.value, "baseline": score.baseline}


def _spoken(verdict: Verdict) -> str:
    """Return a verdict with its reasons as running text."""
    reasons = [
        f"{reason.sentence}; {reason.remedy}." if reason.remedy else f"{reason.sentence}." for reason in verdict.reasons
    ]
    return " ".join([f"{verdict.outcome.value.replace('-', ' ')}.", *(text[0].upper() + text[1:] for text in reasons)])


def _report(  # noqa: PLR0917 - everything that was measured goes into the one document
    history: History,
    facts: Profile,
    releases: Sequence[dict[str, Any]],
    bars: Sequence[dict[str, object]],
    verdicts: Mapping[str, Verdict],
    samples: dict[str, Release],
) -> str:
    lead = (
        f"{facts.records:,} generated purchases of {facts.subjects:,} customers, released in {len(releases)} ways, "
        "each attacked by someone who holds the complete original data."
    )
    raw = Section(
        title="The raw data",
        paragraphs=["How many customers a single piece of knowledge singles out, before anything is done:"],
        tables=[Table(["who knows ...", "singles out"], [[k, f"{v:.1%}"] for k, v in facts.singled_out.items()])],
        charts={"Records per customer": charts.histogram(history.counts().tolist(), label="records per customer")},
    )
    outcome = Section(
        title="What the attacker gets, and what it costs",
        paragraphs=["Orange: share of pseudonyms whose owner was named. Blue mark: guessing at random."],
        tables=[
            Table(
                ["release", "information lost", "re-identified by the best attack", "audit"],
                [[row["release"], row["loss"], f"{row['risk']:.1%}", row["verdict"]] for row in releases],
            )
        ],
        charts={
            "Attack success by release": charts.attack_bars(bars),
            "Information lost against risk": charts.trade_off(releases),
        },
    )
    audits = Section(
        title="What the audit says",
        paragraphs=[f"{label}: {_spoken(verdict)}" for label, verdict in verdicts.items()],
    )
    looks = Section(
        title="What a release looks like",
        paragraphs=["The first records of each release; ranges, sets and * stand for what was hidden."],
        tables=[Table(release.text().columns, release.text().head(SAMPLE_ROWS).rows()) for release in samples.values()],
    )
    return render("Tokumei demo", lead, [outcome, audits, raw, looks])
