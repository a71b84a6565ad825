"""How often a command changes module, and which of its files it reads more than once.

    python -m benchmarks.module_changes [--subjects N]... [--command NAME]... [--python PATH] [--json]

**Module change.** Each command runs in a fresh process under ``sys.setprofile``. Of the ``call`` events on the main
thread those count whose code stands below ``src/tokumei``: functions, methods, lambdas, comprehensions, generators
each time they go on; not the bodies of modules, as imports are no part of the flow. Whenever such a call is of another
module than the call before it, execution has changed module. Returns do not count; libraries, compiled kernels and
other threads are invisible. The figure grows with the data, so that two
sizes are measured: generated purchases of 20 and of 200 people. On version 0.1 (commit f6837d2) ``anonymize`` gave 519
and 639, ``report`` 1,678 and 2,038. The issue that asked for this measurement had 635 and 1,603 without saying how: no
definition and size that was tried gives both, so compare only figures of this script.

**Read twice.** Every opening for reading of a file in the folder of the run (input, schema, release, secret, plan) is
seen by an audit hook; readers of polars, which open files in Rust, are wrapped. Each is told with the places in the
code that opened it. The file is run by its path in the measured interpreter, so that it must not import the project.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

__all__ = ["main"]

# What is traced, in this order; {n} is the number of people.
COMMANDS = {
    "anonymize": "anonymize p.csv --method k-anonymity --seed 1 -o r",
    "anonymize with a schema": "anonymize p.csv --schema s.toml --method k-anonymity --k 3 --seed 1 -o rs",
    "anonymize with a plan": "anonymize --plan r.plan.toml -o again",
    "attack": "attack re-item --original p.csv --schema s.toml --release r --secret r.secret --seed 1 -o g.csv",
    "judge": "judge --original p.csv --schema s.toml --release r",
    "audit": "audit --original p.csv --schema s.toml --release r --secret r.secret",
    "report": "report --original p.csv --release r -o r.html",
    "compare": "compare p.csv --methods k-anonymity,pseudonymize --k 3 --seed 1",
    "describe": "describe p.csv",
}
BEFORE = ("synth purchases --subjects {n} --seed 1 -o p.csv", "describe p.csv -o s.toml")
# Others need the release that this one makes.
FIRST = "anonymize"
SUBJECTS = (20, 200)
POLARS_READERS = ("read_csv", "scan_csv", "read_parquet", "scan_parquet", "read_ipc", "scan_ipc")


class Trace:
    """Counts changes of module and openings of files while a command runs."""

    def __init__(self, root: str, folder: str) -> None:
        self.root, self.folder = root, folder
        self.changes = 0
        self.calls = 0
        self.modules: dict[str, int] = {}
        self.opened: dict[str, list[str]] = {}
        self.on = False
        self._last = ""
        self._inside_reader = False
        self._ours: dict[CodeType, str] = {}

    def profile(self, frame: FrameType, event: str, _argument: object) -> None:
        """Take a profiling event."""
        if event != "call":
            return
        code = frame.f_code
        module = self._ours.get(code)
        if module is None:
            name = code.co_filename
            counts = name.startswith(self.root) and code.co_name != "<module>"
            module = self._ours[code] = name[len(self.root) :] if counts else ""
        if not module:
            return
        self.calls += 1
        if module != self._last:
            self.changes += 1
            self.modules[module] = self.modules.get(module, 0) + 1
            self._last = module

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take an audit event, which may be the opening of a user's file for reading."""
        if event != "open" or not self.on or self._inside_reader or not isinstance(arguments[0], (str, bytes)):
            return
        flags = arguments[2]
        if flags & os.O_ACCMODE == os.O_RDONLY and not flags & getattr(os, "O_DIRECTORY", 0):
            self.note(os.fsdecode(arguments[0]))

    def note(self, name: str) -> None:
        """Note that a file is opened, if it lies in the folder of the run."""
        path = Path(os.path.abspath(name))  # noqa: PTH100 - links must not be resolved here
        if path.is_relative_to(self.folder) and not path.is_dir():
            self.opened.setdefault(str(path.relative_to(self.folder)), []).append(next(self._places(), "outside"))

    def _places(self) -> Iterator[str]:
        """Yield the places of the measured code on the stack, the innermost first."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if name.startswith(self.root):
                yield f"{name[len(self.root) :]}:{frame.f_lineno}"
            frame = frame.f_back

    def wrapped(self, reader: Callable[..., Any]) -> Callable[..., Any]:
        """Return a reader of polars that notes the file it is given."""

        @functools.wraps(reader)
        def read(source: Any, *rest: Any, **options: Any) -> Any:
            if not self.on or not isinstance(source, (str, Path)):
                return reader(source, *rest, **options)
            self.note(str(source))
            self._inside_reader = True
            try:
                return reader(source, *rest, **options)
            finally:
                self._inside_reader = False

        return read


def trace(words: Sequence[str]) -> dict[str, Any]:
    """Run a command in this process and return what was seen."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - not part of the parent's work
    from importlib.util import find_spec  # noqa: PLC0415

    import polars as pl  # noqa: PLC0415

    spec = find_spec("tokumei")
    assert spec is not None
    assert spec.origin is not None
    seen = Trace(f"{Path(spec.origin).parent}{os.sep}", str(Path.cwd()))
    for name in POLARS_READERS:
        setattr(pl, name, seen.wrapped(getattr(pl, name)))
    sys.addaudithook(seen.audit)
    [entry] = entry_points(group="console_scripts", name="tokumei")
    command = entry.load()
    seen.on = True
    sys.setprofile(seen.profile)
    try:
        command(list(words))
        status: object = 0
    except SystemExit as ended:
        status = ended.code
    finally:
        sys.setprofile(None)
        seen.on = False
    often = dict(sorted(seen.modules.items(), key=lambda item: -item[1]))
    return {
        "status": status,
        "changes": seen.changes,
        "calls": seen.calls,
        "modules": len(often),
        "into": often,
        "opened": seen.opened,
    }


def _child(python: Path, words: Sequence[str], folder: Path) -> dict[str, Any]:
    """Trace a command in a process of its own."""
    with tempfile.NamedTemporaryFile(suffix=".json") as answer:
        ran = subprocess.run(
            [python, Path(__file__).resolve(), "--trace", answer.name, *words],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            # The modules of the measured version, not those of the folder in which this was started.
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )
        text = Path(answer.name).read_text(encoding="utf-8")
    if not text:
        raise SystemExit(f"the traced process failed: {ran.stderr}")
    return dict(json.loads(text))


def measure(python: Path, people: int, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Trace commands, named ones or all, on generated purchases of so many people."""
    with tempfile.TemporaryDirectory(prefix="tokumei-trace-") as scratch:
        folder = Path(scratch).resolve()
        for line in BEFORE:
            _child(python, line.format(n=people).split(), folder)
        found = {
            name: _child(python, line.split(), folder)
            for name, line in COMMANDS.items()
            if not names or name in names or name == FIRST
        }
    return {name: one for name, one in found.items() if not names or name in names}


def main() -> int:
    """Measure and print the table."""
    if sys.argv[1:2] == ["--trace"]:
        # The child: this folder of benchmarks must not stand before the installed packages.
        sys.path[:] = [place for place in sys.path if place != str(Path(__file__).resolve().parent)]
        Path(sys.argv[2]).write_text(json.dumps(trace(sys.argv[3:])), encoding="utf-8")
        return 0
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.module_changes", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--subjects", type=int, action="append", help="people of the generated data; may be repeated")
    parser.add_argument("--command", action="append", default=[], choices=list(COMMANDS), help="only this one")
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="interpreter with the version to measure"
    )
    parser.add_argument("--json", action="store_true", help="all that was seen, as JSON")
    chosen = parser.parse_args()
    sizes = chosen.subjects or list(SUBJECTS)
    # absolute(), not resolve(): the interpreter of an environment is a link.
    found = {people: measure(chosen.python.absolute(), people, chosen.command) for people in sizes}
    if chosen.json:
        print(json.dumps(found, indent=1))
        return 0
    print("changes of module (calls of ours) by command and number of people; status")
    for name in found[sizes[0]]:
        cells = [
            f"{one['changes']:>6,} ({one['calls']:>7,}) {one['status']}" for one in (found[n][name] for n in sizes)
        ]
        print(f"{name:<24}" + "  ".join(cells) + f"   {found[sizes[0]][name]['modules']} modules")
    print(f"\nfiles opened for reading more than once ({sizes[0]} people)")
    for name, one in found[sizes[0]].items():
        for file, places in one["opened"].items():
            if len(places) > 1:
                print(f"{name:<24}{file}: {len(places)} times: {', '.join(places)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
