"""The tools around the code: commit subjects, lower bounds, the check of what is uploaded, names of modules."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).resolve().parent.parent


def tool(name: str) -> ModuleType:
    """Load a program of the folder .ci."""
    spec = importlib.util.spec_from_file_location(name, PROJECT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("message", "faults"),
    [
        ("Refuse a Secret inside the release folder\n\nIt would be handed out with it.\n", []),
        ("x" * 72, []),
        ("Merge remote-tracking branch 'origin/main' of somewhere with a very long name indeed into main", []),
        ("x" * 73, ["the subject has 73 characters, 72 are allowed: move the rest to the body"]),
        ("# a comment of git\n\n", ["the first line is empty: say there what the commit does"]),
        ("Do this.\n", ["the subject ends with a full stop: leave it out"]),
        ("Do this\nand that\n", ["the second line is not empty: a blank line parts subject and body"]),
    ],
)
def test_subjects_of_commits(message: str, faults: list[str]) -> None:
    assert tool("commit_subject").faults(message) == faults


def test_every_dependency_has_a_lower_bound() -> None:
    lowest = tool("lowest_versions").lowest
    document = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"numpy", "polars", "django", "psycopg"} <= {entry.split("==")[0] for entry in lowest(document["project"])}
    extras = {"s3": ["a[b,c]>=1.2,<2"], "dev": ["tool"]}
    assert lowest({"dependencies": ["d>=3"], "optional-dependencies": extras}) == ["a==1.2", "d==3"]
    with pytest.raises(SystemExit, match="pyproject.toml: 'e<5' has no lower bound; write name>=version"):
        lowest({"dependencies": ["e<5"], "optional-dependencies": {}})


def test_what_an_incomplete_distribution_lacks() -> None:
    check = tool("check_dist")
    names = [f"tokumei/a{kind}" for kind in check.KINDS]
    entries = "".join(f"[{group}]\n" for group in check.ENTRY_GROUPS)
    sdist = check.DOCUMENTS | {f"src/{name}" for name in names}
    wheel = {*names, "tokumei-1.dist-info/METADATA"}
    assert check.faults(wheel, sdist, set(names), entries) == []
    assert check.faults(wheel - {"tokumei/a.mo"} | {"x.py"}, sdist - {"LICENSE"}, set(names), "") == [
        "the wheel lacks tokumei/a.mo",
        "the wheel has x.py, which is not in src",
        "the sdist lacks LICENSE",
        "no file of the wheel ends with .mo",
        *(f"the wheel has no entry points {group}" for group in sorted(check.ENTRY_GROUPS)),
    ]


def test_no_module_looks_like_a_test() -> None:
    """Pytest would collect it."""
    source = PROJECT / "src"
    assert [str(file) for name in ("test_*.py", "*_test.py", "conftest.py") for file in source.rglob(name)] == []


def test_python_versions_claimed_are_those_that_are_tested() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    claimed = [entry.split()[-1] for entry in project["classifiers"] if entry.startswith("Programming Language")]
    assert claimed == ["3", "Only", "3.11"]
    assert project["requires-python"] == ">=3.11"
