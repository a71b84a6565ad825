"""The practitioner's path on eight foreign data sets: CPU seconds and loss of describe, anonymize, audit and report.

``python -m benchmarks.practice [-o FILE] [--cache FOLDER] [--only NAME]...`` runs the commands as a new user would, one
process each, on one thread, and prints a line per command; anonymize also with ``--content tight`` (before grids, all
releases were). With ``-o`` the figures are kept in a file after every data set. The data is fetched by `practice_data`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.practice_data import DATA_SETS, PracticeData, fetch

__all__ = ["Step", "measure"]

# Releases are made with each k; that of the usual one is audited and reported.
LEVELS, AUDITED = (2, 3, 5), 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command: what it took (CPU and clock), what the dry run foresaw, and what was lost."""

    data: str
    command: str
    cpu: float
    clock: float
    foreseen: float | None = None
    loss: float | None = None
    verdict: str = ""


def measure(data: PracticeData, cache: Path, folder: Path, *, relative: bool = False) -> list[Step]:
    """Walk the path with one data set; releases go to a folder that is thrown away."""
    table, schema = fetch(data, cache)
    if relative:
        schema = cache / f"{data.name}.relative.toml"
    name = f"{data.name} (relative)" if relative else data.name
    steps = [_step(name, "describe", "describe", str(table), "--schema", str(schema))[0]]
    for k in LEVELS:
        made = folder / f"{data.name}-{int(relative)}-{k}"
        asked = (str(table), "--schema", str(schema), "--k", str(k), "--threads", "1")
        dry, plan = _step(name, f"dry-run k={k}", "anonymize", *asked, "--dry-run")
        step, told = _step(name, f"anonymize k={k}", "anonymize", *asked, "-o", str(made))
        foreseen = plan.get("estimate", {}).get("cpu_seconds") or plan.get("estimate", {}).get("seconds")
        loss, verdict = told["utility"]["value"], (told.get("audit") or {}).get("verdict", "")
        steps += [dry, Step(**{**asdict(step), "foreseen": foreseen, "loss": loss, "verdict": verdict})]
        exact, told = _step(
            name, f"anonymize tight k={k}", "anonymize", *asked, "--content", "tight", "-o", f"{made}-tight"
        )
        loss, verdict = told["utility"]["value"], (told.get("audit") or {}).get("verdict", "")
        steps.append(Step(**{**asdict(exact), "loss": loss, "verdict": verdict}))
        if k != AUDITED:
            continue
        opened = ("--original", str(table), "--release", str(made), "--schema", str(schema))
        audited = ("audit", *opened, "--secret", f"{made}.secret")
        steps.append(_step(name, f"audit k={k}", *audited)[0])
        for language in ("en", "ja"):
            reported = ("report", *opened, "--language", language, "-o", f"{made}.{language}.html")
            steps.append(_step(name, f"report {language} k={k}", *reported)[0])
    return steps


def _step(name: str, label: str, *words: str) -> tuple[Step, dict[str, Any]]:
    """Run a command; return what it took and its JSON document."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tokumei", *words, "--json"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode not in (0, 1):
        message = f"{name}, {label}: exit status {done.returncode}: {done.stdout.decode()[:300]}"
        raise RuntimeError(message)
    return Step(data=name, command=label, cpu=cpu, clock=time.monotonic() - begun), json.loads(done.stdout)


def main() -> None:
    """Measure the data sets that are asked for, and print a line per command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("-o", "--output", type=Path, help="also write the figures as JSON")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "tokumei-practice")
    parser.add_argument("--only", action="append", choices=[data.name for data in DATA_SETS])
    asked = parser.parse_args()
    steps: list[Step] = []
    with tempfile.TemporaryDirectory() as folder:
        for data in DATA_SETS:
            if asked.only and data.name not in asked.only:
                continue
            for relative in (False, True) if data.relative else (False,):
                measured = measure(data, asked.cache, Path(folder), relative=relative)
                steps += measured
                if asked.output is not None:
                    known = json.dumps([asdict(step) for step in steps], indent=1)
                    asked.output.write_text(known + "\n", encoding="utf-8")
                for step in measured:
                    loss = "" if step.loss is None else f"  {100 * step.loss:.1f} % lost, {step.verdict}"
                    sys.stdout.write(f"{step.data:20} {step.command:16} {step.cpu:8.1f} CPU s{loss}\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
