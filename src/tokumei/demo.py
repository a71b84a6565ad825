"""The whole flow on generated purchases: synth, describe, anonymize, publish, attack, judge, report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokumei.data import History, Release, Secret, atomic_folder, write_text
from tokumei.flow import Run, judged, mark_front, run_frame
from tokumei.flow import stages as flow
from tokumei.profiles import read_history
from tokumei.progress import stage
from tokumei.reports import LANGUAGES, dossier, release_report
from tokumei.synth import write_synthetic

__all__ = ["run_demo"]

# The last one is what the report is about; the others show what it gives up and what it gains.
RUNS: Sequence[Run] = (Run(method="pseudonymize"), Run(method="ano-random"), Run(method="k-anonymity", k=3))
REPORTS = {"en": "report.html", "ja": "report.ja.html"}


def run_demo(folder: Path, *, subjects: int, seed: int) -> dict[str, Any]:
    """Fill a new folder with generated data, releases and reports; return what was measured."""
    with atomic_folder(folder) as temporary:
        measured = _fill(temporary, subjects=subjects, seed=seed)
    return {"folder": str(folder), "report": str(folder / REPORTS["en"]), **measured}


def _fill(folder: Path, *, subjects: int, seed: int) -> dict[str, Any]:
    """Run the flow in an empty folder; return what was measured."""
    original = folder / "purchases.csv"
    write_synthetic("purchases", original, subjects=subjects, seed=seed)
    history = read_history(original)
    write_text(folder / "schema.toml", history.schema.to_toml())
    done: list[Run] = []
    for run in RUNS:
        release, secret, parameters = _release(history, run, folder, seed=seed)
        with stage(f"audit: {run.name}"):
            done.append(judged(history, release, secret, run, seed=seed))
    runs = mark_front(done)
    material = dossier.collect(
        history, release, secret, parameters=parameters, trade_off=run_frame(runs), k=RUNS[-1].k, seed=seed
    )
    with stage("report"):
        for language in LANGUAGES:
            write_text(folder / REPORTS[language], release_report(material, language=language))
    rows = [{"release": run.name, "loss": run.loss, "risk": run.risk, "verdict": run.verdict} for run in runs]
    return {"records": len(history), "releases": rows}


def _release(history: History, run: Run, folder: Path, *, seed: int) -> tuple[Release, Secret, dict[str, Any]]:
    """Make and publish one release; return it with its secret and what its manifest says of the parameters."""
    method = flow.make_anonymizer(run.method, run.settings, k=run.k)
    release, secret = flow.anonymize(history, method, seed=seed)
    published = flow.publish(history, release, secret, folder / f"release-{run.method}", method=method)
    return release, secret, dict(published.manifest["parameters"])
