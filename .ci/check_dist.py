"""Look into the wheel and the sdist: ``check_dist.py DIST`` ends with a sentence when a file is missing or too much.

Everything under version control in src must be in both; the wheel has nothing else but its metadata.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
# What a wheel without them would lack in silence: pages, words, doors, types, translations, styles, scripts, icons.
KINDS = (".html", ".toml", ".pyi", "py.typed", ".mo", ".css", ".js", ".svg", ".py")
DOCUMENTS = {"README.md", "README.ja.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml"}
ENTRY_GROUPS = ("console_scripts", "tokumei.methods", "tokumei.attacks", "tokumei.metrics", "tokumei.commands")


def tracked() -> set[str]:
    """Return the files of src that are under version control, as paths from src."""
    listed = subprocess.run(["git", "ls-files", "src"], cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    return {name.removeprefix("src/") for name in listed.splitlines()}


def faults(wheel: set[str], sdist: set[str], source: set[str], entry_points: str) -> list[str]:
    """Return what is wrong, given the names in the wheel, in the sdist (from its root) and in src."""
    code = {name for name in wheel if ".dist-info/" not in name}
    needed = DOCUMENTS | {f"src/{name}" for name in source}
    kinds = {kind for kind in KINDS if not any(name.endswith(kind) for name in code)}
    groups = {group for group in ENTRY_GROUPS if f"[{group}]" not in entry_points}
    return [
        *(f"the wheel lacks {name}" for name in sorted(source - code)),
        *(f"the wheel has {name}, which is not in src" for name in sorted(code - source)),
        *(f"the sdist lacks {name}" for name in sorted(needed - sdist)),
        *(f"no file of the wheel ends with {kind}" for kind in sorted(kinds)),
        *(f"the wheel has no entry points {group}" for group in sorted(groups)),
    ]


def main(folder: Path) -> list[str]:
    """Return what is wrong with the one wheel and the one sdist of a folder."""
    (wheel_path,), (sdist_path,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel_path) as archive:
        wheel = set(archive.namelist())
        (entries,) = (name for name in wheel if name.endswith(".dist-info/entry_points.txt"))
        entry_points = archive.read(entries).decode()
    with tarfile.open(sdist_path) as archive:
        sdist = {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}
    return faults(wheel, sdist, tracked(), entry_points)


if __name__ == "__main__":
    sys.exit("\n".join(main(Path(sys.argv[1]))) or 0)
