"""Record what every command does, and tell what another version does differently.

    python -m benchmarks.behaviour record FOLDER [--tokumei PATH] [--full] [--group NAME]... [--jobs N] [--apart]
    python -m benchmarks.behaviour compare A B [--except PATTERN]...
    python -m benchmarks.behaviour open FOLDER/artifacts [--tokumei PATH] [--exact]

``record`` runs a fixed list of seeded command lines (behaviour_cases, behaviour_contests), and ``--help`` of every
command that the help texts lead to, with any installed ``tokumei``. It keeps the exit status, both streams, and hash
and permissions of every file written (texts up to 2 MB are kept whole) in FOLDER/record.json and FOLDER/texts, and in
FOLDER/artifacts data, releases, secrets, plans and contest files. ``open`` asks a version to open those of another
one: statuses must be what they were for the writer, with ``--exact`` everything. ``compare`` and ``open`` end with
status 1 if something differs; what is volatile is masked by behaviour_compare.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.behaviour_cases import ARTIFACTS, FLOW_GROUPS, OPENED
from benchmarks.behaviour_compare import differences
from benchmarks.behaviour_contests import FULL, contest_groups
from benchmarks.behaviour_files import SHARED, prepare
from benchmarks.behaviour_runner import Runner

__all__ = ["main"]

KEPT_BYTES = 2_000_000
# Arena commands start servers: their help is recorded, their behaviour is the business of its tests.
ONLY_HELP = ("arena",)
Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recorder:
    """Runs command lines of one executable in a folder, and keeps what they did below another."""

    tokumei: Path
    kept: Path
    apart: bool = False

    def run(self, line: str, folder: Path, runner: Runner) -> Case:
        """Run one line and return what it did."""
        before = dict(_files(folder))
        began = time.perf_counter()
        ran = runner.run(line.lstrip("+?"), folder)
        took = round(time.perf_counter() - began, 2)
        written = {path: found for path, found in _files(folder) if before.get(path) != found}
        out, err = (self.placeless(stream.decode(errors="replace"), folder) for stream in (ran.out, ran.err))
        files = {str(path.relative_to(folder)): self.file(path, folder) for path in sorted(written)}
        told = {"stdout": out, "stderr": err, "files": files}
        return {"status": ran.status, **told, "loose": line.startswith("?"), "took": took}

    def placeless(self, text: str, folder: Path) -> str:
        """Return a text without the places of this run."""
        return text.replace(str(folder), "SCRATCH").replace(str(SHARED), "SHARED")

    def file(self, path: Path, folder: Path) -> Case:
        """Return hash, size and permissions of a file; a text is kept."""
        content = _content(path)
        mode = oct(path.stat().st_mode & 0o777)
        if len(content) <= KEPT_BYTES:
            try:
                text = self.placeless(content.decode(), folder)
            except UnicodeDecodeError:
                pass
            else:
                content = text.encode()
                (self.kept / hashlib.sha256(content).hexdigest()).write_bytes(content)
        return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content), "mode": mode}

    def lines(self, group: str, text: str, folder: Path) -> dict[str, Case]:
        """Run the lines of a group one after another in a folder."""
        found: dict[str, Case] = {}
        runner = Runner(self.tokumei, self.apart)
        for line in text.splitlines():
            if not line.strip():
                continue
            again = [f"{line[1:]} --json"] if line.startswith("+") else []
            for one in (line, *again):
                key = f"{group}: {' '.join(one.lstrip('+?').split())}"
                while key in found:
                    key += " (again)"
                found[key] = self.run(one, folder, runner)
        runner.close()
        return found

    def group(self, group: str, text: str) -> dict[str, Case]:
        """Run the lines of a group in a new folder that is removed afterwards."""
        began = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="tokumei-behaviour-") as scratch:
            folder = Path(scratch).resolve()
            prepare(folder, SHARED)
            found = self.helps(folder) if group == "help" else self.lines(group, text, folder)
        statuses = dict(sorted(Counter(str(case["status"]) for case in found.values()).items()))
        print(f"{group}: {len(found)} runs, statuses {statuses}, {time.perf_counter() - began:.0f} s", file=sys.stderr)
        return found

    def helps(self, folder: Path) -> dict[str, Case]:
        """Return the help texts of all commands, found by following them from the first."""
        found: dict[str, Case] = {}
        waiting: list[str] = [""]
        runner = Runner(self.tokumei, self.apart)
        while waiting:
            path = waiting.pop(0)
            case = self.run(f"{path} --help", folder, runner)
            found[f"help: {path}".strip()] = case
            if "COMMAND [ARGS]" in case["stdout"]:
                waiting += [f"{path} {name}".strip() for name in _commands(case["stdout"])]
        runner.close()
        return found


def _files(folder: Path) -> Iterator[tuple[Path, tuple[int, int, int]]]:
    """Yield the files below a folder with what changes when one is written; links are not followed."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found = path.stat()
            yield path, (found.st_mtime_ns, found.st_size, found.st_ino)


def _content(path: Path) -> bytes:
    """Return what a file holds; a zip file (a Secret) by its members, as it also holds the time of writing."""
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return b"".join(b"%s\n%s\n" % (name.encode(), archive.read(name)) for name in sorted(archive.namelist()))


def _commands(text: str) -> list[str]:
    """Return the names of the commands that a help text lists in its boxes."""
    names: list[str] = []
    title = ""
    for line in text.splitlines():
        if line.startswith("╭"):
            title = line.strip("╭─╮ ")
        elif title not in ("Options", "Arguments") and (found := re.match(r"│ ([a-z]\S*)  ", line)):
            names.append(found[1])
    return names


def _forgotten(cases: Mapping[str, Case]) -> list[str]:
    """Return the commands whose help was found, but of which no line was run."""
    known = [key.removeprefix("help:").strip() for key, case in cases.items() if key.startswith("help:")]
    leaves = [name for name in known if not any(other.startswith(f"{name} ") for other in known) and name]
    ran = [key.partition(": ")[2] for key in cases if not key.startswith("help:")]
    return [
        name
        for name in leaves
        if name.split()[0] not in ONLY_HELP
        and not any(line.split()[: len(name.split())] == name.split() for line in ran)
    ]


def record(folder: Path, tokumei: Path, *, full: bool, only: Sequence[str], jobs: int, apart: bool) -> int:
    """Run everything and write the record."""
    groups = {**FLOW_GROUPS, **contest_groups(SHARED / "golden"), "help": "", **({"full": FULL} if full else {})}
    if unknown := set(only) - groups.keys() - {"artifacts"}:
        print(f"there is no group {', '.join(sorted(unknown))}; there are {', '.join(groups)}", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "texts").mkdir(exist_ok=True)
    recorder = Recorder(tokumei, folder / "texts", apart)
    chosen = {name: text for name, text in groups.items() if not only or name in only}
    cases = _earlier(folder) if only else {}
    with ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(recorder.group, chosen, chosen.values()):
            cases |= found
            _write(folder, cases, tokumei)
    if not only or "artifacts" in only:
        cases |= _make_artifacts(folder / "artifacts", recorder)
    _write(folder, cases, tokumei)
    if not only and (forgotten := _forgotten(cases)):
        print(f"commands that no recorded line runs: {', '.join(forgotten)}", file=sys.stderr)
    print(f"{folder}: {len(cases)} runs recorded")
    return 0


def _earlier(folder: Path) -> dict[str, Case]:
    """Return the cases of an earlier record, of which single groups are renewed."""
    file = folder / "record.json"
    return dict(json.loads(file.read_text(encoding="utf-8"))["cases"]) if file.exists() else {}


def _write(folder: Path, cases: Mapping[str, Case], tokumei: Path) -> None:
    document = {"tokumei": str(tokumei), "cases": cases}
    (folder / "record.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _make_artifacts(folder: Path, recorder: Recorder) -> dict[str, Case]:
    """Write the files that other versions must open, and record beside them how this one opens them."""
    shutil.rmtree(folder, ignore_errors=True)
    files = folder / "files"
    files.mkdir(parents=True)
    (files / "golden").symlink_to(SHARED / "golden")
    made = recorder.lines("artifacts", ARTIFACTS, files)
    (folder / "texts").mkdir()
    opener = Recorder(recorder.tokumei, folder / "texts", recorder.apart)
    _write(folder, _open_copies(files, opener), recorder.tokumei)
    return made


def _open_copies(files: Path, recorder: Recorder) -> dict[str, Case]:
    """Run the lines that open artifacts on copies of them."""
    with tempfile.TemporaryDirectory(prefix="tokumei-behaviour-") as scratch:
        folder = Path(scratch).resolve() / "files"
        shutil.copytree(files, folder, symlinks=True)
        return recorder.lines("open", OPENED, folder)


def open_artifacts(artifacts: Path, tokumei: Path, *, exact: bool) -> int:
    """Open the files of another version; they must be as good as they were for their writer."""
    with tempfile.TemporaryDirectory(prefix="tokumei-behaviour-") as scratch:
        now = Path(scratch)
        (now / "texts").mkdir()
        cases = _open_copies(artifacts / "files", Recorder(tokumei, now / "texts"))
        _write(now, cases, tokumei)
        return _tell(differences(artifacts, now, statuses_only=not exact), f"{len(cases)} runs on files of {artifacts}")


def _tell(found: Mapping[str, Sequence[str]], about: str) -> int:
    for key, told in found.items():
        print(f"\n{key}")
        for one in told:
            print(f"    {one}")
    print(f"{about}: {f'{len(found)} differ' if found else 'no difference'}")
    return 1 if found else 0


def compare(a: Path, b: Path, accepted: Sequence[str]) -> int:
    """Print what differs between two records, except in lines that match a pattern."""
    found = differences(a, b)
    left = {key: told for key, told in found.items() if not any(re.search(one, key) for one in accepted)}
    passed = f", {len(found) - len(left)} accepted" if len(left) < len(found) else ""
    return _tell(left, f"{a} and {b}{passed}")


def main() -> int:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.behaviour", description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run everything and keep what happened")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--full", action="store_true", help="also real data of full size (minutes more)")
    recording.add_argument("--group", action="append", default=[], help="only this group of lines")
    recording.add_argument("--apart", action="store_true", help="a process per line: slower by a second each")
    recording.add_argument("--jobs", type=int, default=1, help="groups at the same time")
    comparing = commands.add_parser("compare", help="tell what differs between two records")
    comparing.add_argument("a", type=Path)
    comparing.add_argument("b", type=Path)
    comparing.add_argument("--except", dest="accepted", action="append", default=[], metavar="PATTERN")
    opening = commands.add_parser("open", help="open the files that another version wrote")
    opening.add_argument("artifacts", type=Path)
    opening.add_argument("--exact", action="store_true", help="all that they give must be equal, not only the status")
    for command in (recording, opening):
        command.add_argument("--tokumei", type=Path, default=Path(sys.executable).parent / "tokumei")
    chosen = parser.parse_args()
    if chosen.command == "compare":
        return compare(chosen.a, chosen.b, chosen.accepted)
    if not SHARED.is_dir():
        parser.error(f"the shared data is needed, but {SHARED} is missing; say where it is with TOKUMEI_SHARED")
    tokumei = chosen.tokumei.absolute()
    if chosen.command == "open":
        return open_artifacts(chosen.artifacts, tokumei, exact=chosen.exact)
    options = {"full": chosen.full, "only": chosen.group, "jobs": chosen.jobs, "apart": chosen.apart}
    return record(chosen.folder, tokumei, **options)


if __name__ == "__main__":
    sys.exit(main())
