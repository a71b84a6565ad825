"""The whole flow on generated purchases: synth, describe, anonymize, publish, attack, judge, report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokumei.audits import AuditSettings
from tokumei.data import ReleaseFolder, atomic_folder, write_text
from tokumei.flow import Run, judged, mark_front, plan_of, publish, release, run_frame
from tokumei.profiles import read_history
from tokumei.progress import stage
from tokumei.reports import collect_material, identify, release_report
from tokumei.synth import write_synthetic
from tokumei.words import LANGUAGES

# The last one is what the report is about; the others show what it gives up and what it gains.
RUNS: Sequence[Run] = (Run(method="pseudonymize"), Run(method="ano-random"), Run(method="k-anonymity", k=3))
REPORTS = {"en": "report.html", "ja": "report.ja.html"}


def run_demo(folder: Path, *, subjects: int, seed: int, key: str = "") -> dict[str, Any]:
    """Fill a new folder with generated data, releases and reports; return what was measured.

    Data and measurements follow from the seed. The releases do not: a release that can be made again proves nothing,
    so its random choices come from ``key``, 32 bytes as hexadecimal text (default: the system's entropy).
    """
    with atomic_folder(folder) as temporary:
        measured = _fill(temporary, subjects=subjects, seed=seed, key=key)
    return {"folder": str(folder), "report": str(folder / REPORTS["en"]), **measured}


def _fill(folder: Path, *, subjects: int, seed: int, key: str) -> dict[str, Any]:
    """Run the flow in an empty folder; return what was measured."""
    original = folder / "purchases.csv"
    write_synthetic("purchases", original, subjects=subjects, seed=seed)
    history = read_history(original)
    write_text(folder / "schema.toml", history.schema.to_toml())
    done: list[Run] = []
    for run in RUNS:
        made = release(history, plan_of(run.method, k=run.k, key=key), audit=False)
        published = folder / f"release-{run.method}"
        publish(made, published, keep_plan=False)
        with stage(f"audit: {run.name}"):
            done.append(judged(made, run, seed=seed))
    runs = mark_front(done)
    settings, identity = AuditSettings(k=RUNS[-1].k, seed=seed), identify(original, ReleaseFolder.open(published))
    material = collect_material(made, settings, trade_off=run_frame(runs), identity=identity)
    with stage("report"):
        for language in LANGUAGES:
            write_text(folder / REPORTS[language], release_report(material, language=language))
    rows = [{"release": run.name, "loss": run.loss, "risk": run.risk, "verdict": run.verdict} for run in runs]
    return {"records": len(history), "releases": rows}
