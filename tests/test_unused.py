"""Nothing stands in src that the program itself does not use."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
SOURCE = PROJECT / "src"
# Called by Django, allauth, uvicorn and the formatter of strings, not by us.
HOOKS = {
    "LentKernels",
    "_repr_html_",
    "ensure_cache_path",
    "file_complete",
    "format_field",
    "generate_authenticator_name",
    "get_full_name",
    "is_staff",
    "receive_data_chunk",
    "send_messages",
}
# Part of a published rule or of a part's promise; tests hold it to the printed figures.
RULES = {
    "contest_2018",
    "detection_power",
    "expected_loss",
    "item_candidates",
    "judge_guesses",
    "of_sets",
    "overall_ranks",
    "sharp_probability",
    "survival",
    "weighted_rounds",
    "with_generator_defect",
}


def definitions(tree: ast.AST) -> dict[str, int]:
    """Return functions and classes with their line; what a decorator registers somewhere is left out."""
    return {
        node.name: node.lineno
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and not node.name.startswith("__")
        and (isinstance(node, ast.ClassDef) or not any(isinstance(mark, ast.Call) for mark in node.decorator_list))
    }


def used_names(tree: ast.Module) -> set[str]:
    """Return every name that is read, and every word of a string that could be a path to one; not those of __all__."""
    lists = [node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    listed = {id(entry) for node in lists for entry in ast.walk(node)}
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in listed:
            names |= set(re.split(r"[.:]", node.value)) if re.fullmatch(r"[\w.:]+", node.value) else set()
    return names


@pytest.mark.half_second
def test_every_definition_is_used_by_the_program() -> None:
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(SOURCE.rglob("*.py"))}
    elsewhere = [PROJECT / "pyproject.toml", SOURCE / "tokumei" / "__init__.pyi", *SOURCE.rglob("*.html")]
    used = {word for file in elsewhere for word in re.findall(r"\w+", file.read_text(encoding="utf-8"))}
    benchmarks = [ast.parse(file.read_text(encoding="utf-8")) for file in (PROJECT / "benchmarks").glob("*.py")]
    used = used.union(HOOKS, RULES, *map(used_names, [*trees.values(), *benchmarks]))
    unused = {
        f"{file.relative_to(SOURCE)}:{line} {name}"
        for file, tree in trees.items()
        for name, line in definitions(tree).items()
        # Every public function of a contest's official programs is a command (see test_declared).
        if name not in used and (file.name != "official.py" or name.startswith("_"))
    }
    assert unused == set(), "delete it, or move it to the tests if only they need it"


def test_a_function_that_only_its_list_names_is_found() -> None:
    tree = ast.parse("__all__ = ['left']\n@app.command('x')\ndef kept(): used()\ndef left(): pass\ndef used(): pass\n")
    assert set(definitions(tree)) - used_names(tree) == {"left"}
