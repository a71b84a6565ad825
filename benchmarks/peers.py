"""``python -m benchmarks.peers``: other anonymization tools and ours on the same tables, in one run.

Each peer lives in an environment of its own under build/peers (its pins conflict with ours), is installed there on
first use, and gets a limit of CPU seconds; a peer that is absent, fails or does not finish is told as such. CPU seconds
are those of the anonymization alone. NCP is that of tight hulls, sets counted (size - 1) / (values - 1); SSE/SST that
of group means; loss that of ARX on its hierarchies of Adult.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.arx_hierarchies import SEVEN, write_hierarchies
from benchmarks.inputs import PROJECT
from benchmarks.peer_pages import write_pages
from benchmarks.peer_tables import PeerTable, groups_error, groups_penalty, labels_loss, peer_tables, shared_folder
from tokumei.methods.recoding.table import aggregated
from tokumei.metrics.class_figures import class_figures
from tokumei.metrics.generalized_loss import GeneralizedLoss
from tokumei.metrics.squared_error import SquaredError
from tokumei.parts import find_part, has_parameter, make_part

PROGRAMS = Path(__file__).resolve().parent / "peer_programs"
ENVIRONMENTS = PROJECT / "build" / "peers"
# What a peer needs beside itself and does not say.
PEERS = {"anonypy": ["pandas"], "anonypyx": [], "anjana": [], "pycanon": []}
TABLES = ("adult", "cmc", "tarragona", "census")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One tool on one table: its figures, or why there are none."""

    table: str
    tool: str
    version: str = ""
    ncp: float | None = None
    error: float | None = None
    loss: float | None = None
    suppressed: int = 0
    seconds: float | None = None
    note: str = ""


def environment(peer: str) -> Path | None:
    """Return the interpreter of a peer's own environment, installed if need be; None if that cannot be."""
    python = ENVIRONMENTS / peer / "bin" / "python"
    done = ENVIRONMENTS / peer / "installed"
    if done.exists():
        return python
    commands = [
        [sys.executable, "-m", "venv", str(ENVIRONMENTS / peer)],
        [str(python), "-m", "pip", "install", "-q", peer, *PEERS[peer]],
    ]
    for command in commands:
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
    done.touch()
    return python


def asked(peer: str, program: str, arguments: Sequence[str], *, limit: int) -> dict[str, Any] | str:
    """Return what a peer's program prints, or why it prints nothing."""
    python = environment(peer)
    if python is None:
        return "cannot be installed here"

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

    command = [str(python), str(PROGRAMS / program), *arguments]
    # One thread: CPU seconds are compared.
    own = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited, env=own)
    if ended.returncode < 0:
        return f"not finished in {limit} CPU s"
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:] or ["no message"]
        return f"fails: {last[0][:80]}"
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def grouping_peers(table: PeerTable, file: Path, k: int, limit: int) -> list[Line]:
    """Return the lines of the peers that make groups."""
    runs = [
        ("anonypy", "Mondrian", "anonypy_groups.py", []),
        ("anonypyx", "Mondrian", "anonypyx_groups.py", ["Mondrian"]),
        ("anonypyx", "MDAV", "anonypyx_groups.py", ["MDAV-generic"]),
    ]
    lines = []
    for peer, what, program, more in runs:
        tell(f"{table.name}: {peer} {what}")
        told = asked(peer, program, [str(file), str(k), *more], limit=limit)
        tool = f"{peer} {what}"
        if isinstance(told, str):
            lines.append(Line(table=table.name, tool=tool, note=told))
            continue
        groups = told["result"]
        error = groups_error(table.frame, groups) if table.numbers else None
        ncp = groups_penalty(table.frame, groups)
        lines.append(
            Line(table=table.name, tool=tool, version=told["version"], ncp=ncp, error=error, seconds=told["seconds"])
        )
    return lines


def hierarchy_peer(table: PeerTable, file: Path, folder: Path, k: int, limit: int) -> Line:
    """Return the line of anjana on the hierarchies of ARX, with at most 5 % of the records suppressed."""
    tell(f"{table.name}: anjana")
    told = asked("anjana", "anjana_records.py", [str(file), str(k), "5", str(folder)], limit=limit)
    if isinstance(told, str):
        return Line(table=table.name, tool="anjana full-domain", note=told)
    columns = labels_loss(SEVEN, told["result"], table.frame.height)
    return Line(
        table=table.name,
        tool="anjana full-domain",
        version=told["version"],
        loss=float(aggregated(columns, "geometric")),
        suppressed=table.frame.height - len(told["result"]),
        seconds=told["seconds"],
    )


def checking_peer(table: PeerTable, folder: Path, limit: int) -> Line:
    """Return the line of pyCANON, which checks tables: its CPU seconds, and whether our figures are the same."""
    tell(f"{table.name}: pycanon")
    known = ["marital_status", "race", "sex"]
    columns = {name: table.frame[name].to_list() for name in known} | {"s": table.frame["occupation"].to_list()}
    file = folder / "checked.json"
    file.write_text(json.dumps([columns]), encoding="utf-8")
    told = asked("pycanon", "pycanon_figures.py", [str(file)], limit=limit)
    if isinstance(told, str):
        return Line(table=table.name, tool="pycanon", note=told)
    group = table.frame.select(pl.struct(known).rank("dense")).to_series().to_numpy().astype(np.int64)
    value = table.frame["occupation"].rank("dense").to_numpy().astype(np.int64)
    found, theirs = class_figures(group, value, ordered=False), told["result"][0]
    pairs = [(found.k, "k"), (found.distinct, "l"), (found.alpha, "alpha"), (found.t, "t")]
    pairs += [(found.beta, "beta"), (found.enhanced_beta, "enhanced"), (found.delta, "delta")]
    equal = all(abs(ours - theirs[name]) < 1e-9 for ours, name in pairs)
    note = "checks only; k, l, t, alpha, beta, delta equal ours" if equal else "checks only; figures differ from ours"
    return Line(table=table.name, tool="pycanon", version=told["version"], seconds=told["seconds"], note=note)


def ours(table: PeerTable, method: str, settings: Mapping[str, Any], files: dict[str, Path] | None) -> Line:
    """Return the line of one of our methods; kernels are compiled before the clock starts."""
    part = find_part("anonymizer", method)
    chosen = {name: value for name, value in settings.items() if has_parameter(part, name)}
    title = " ".join(str(value) for name, value in chosen.items() if name in ("scope", "loss", "effort"))
    tool = f"Tokumei {method} {title}".strip()
    tell(f"{table.name}: {tool}")
    made = make_part(part, chosen)
    history = table.history(files)
    made.anonymize(PeerTable(table.name, table.frame.head(60), table.numbers).history(files), rng=_rng())
    begin = time.process_time()
    release, secret = made.anonymize(history, rng=_rng())
    seconds = time.process_time() - begin
    ncp = GeneralizedLoss().measure(history, release, secret).value
    error = SquaredError().measure(history, release, secret).value if table.numbers else None
    suppressed = len(history) - len(release)
    loss = float(secret.report["loss"]) if files else None
    return Line(
        table=table.name,
        tool=tool,
        version=version("tokumei"),
        ncp=None if method == "microaggregation" else ncp,
        error=error,
        loss=loss,
        suppressed=suppressed,
        seconds=seconds,
    )


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


def our_lines(table: PeerTable, files: dict[str, Path], k: int) -> list[Line]:
    """Return the lines of our methods on a table."""
    if table.numbers:
        return [ours(table, "microaggregation", {"k": k, "effort": effort}, None) for effort in ("mdav", "normal")]
    efforts = ("fast", "normal")
    lines = [ours(table, "k-anonymity", {"k": k, "loss": "ncp", "effort": effort}, None) for effort in efforts]
    if table.name == "adult":
        lines += [
            ours(table, "recoding", {"k": k, "scope": scope, "suppress": 0.05}, files)
            for scope in ("full-domain", "local")
        ]
    return lines


def absent_peers() -> list[Line]:
    """Return a line for every peer that needs more than Python packages."""
    lines = []
    if not os.environ.get("ARX_JAR"):
        lines.append(Line(table="adult", tool="ARX", note="absent: no jar (ARX_JAR); see the published figures"))
    if shutil.which("Rscript") is None:
        lines.append(Line(table="tarragona", tool="sdcMicro", note="absent: no R"))
    return lines


def tell(what: str) -> None:
    """Say on stderr what runs."""
    print(what, file=sys.stderr, flush=True)


def main() -> int:
    """Run all, print the table, write results and pages where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=TABLES)
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds that a peer gets on a table")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "peers.json")
    parser.add_argument("--pages", action="store_true", help="write docs/peers.md, docs/ja/peers.md and their chart")
    chosen = parser.parse_args()
    tables = peer_tables(shared_folder(), chosen.tables)
    if not tables:
        parser.error("the data is absent: set TOKUMEI_SHARED")
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="tokumei-peers-") as name:
        folder = Path(name)
        files = write_hierarchies(folder / "hierarchies")
        for table in tables:
            file = folder / f"{table.name}.csv"
            table.frame.write_csv(file)
            lines += our_lines(table, files, chosen.k)
            lines += grouping_peers(table, file, chosen.k, chosen.limit)
            if table.name == "adult":
                lines.append(hierarchy_peer(table, file, folder / "hierarchies", chosen.k, chosen.limit))
                lines.append(checking_peer(table, folder, chosen.limit))
    lines += absent_peers()
    rows = [asdict(line) for line in lines]
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    chosen.output.write_text(json.dumps({"k": chosen.k, "lines": rows}, indent=2) + "\n", encoding="utf-8")
    for row in rows:
        print(
            " | ".join(
                "" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)
                for value in row.values()
            )
        )
    if chosen.pages:
        write_pages(rows, k=chosen.k, limit=chosen.limit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
