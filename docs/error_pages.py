"""The page of error messages, read from the source: every class, what it says, with which code, and where."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["errors_page"]

SOURCE = Path(__file__).resolve().parent.parent / "src"
PACKAGES = ("tokumei", "tokumei_arena")
OPEN = "…"
ROOTS = ("TokumeiError", "ArenaError")
INTRODUCTION = (
    "An error is one sentence that says what is wrong, where, and what to do; the exit status is 2. With `--json` it "
    'is `{"error": {"code", "message", "file", "line", "column"}}`. The code is stable: programs should look at it, '
    f"not at the message. {OPEN} stands for a name or value of the case; after each message come its code and where it "
    "is raised. Errors of the arena (`ArenaError` and below) are answers of the server."
)


class ErrorClass(NamedTuple):
    """One class of the tree of errors."""

    name: str
    code: str
    meaning: str


class Message(NamedTuple):
    """One sentence that can be said; ``error`` is empty for a finding in the content of a file."""

    error: str
    text: str
    code: str
    file: str


def errors_page() -> list[str]:
    """Return every error class with its messages, then the findings in the content of files."""
    classes, messages = _read_source()
    lines = ["# Error messages", "", INTRODUCTION, ""]
    for one in sorted(classes.values()):
        usual = f" Usual code: `{one.code}`." if one.code else ""
        lines += [f"## `{one.name}`", "", f"{one.meaning}{usual}", ""]
        lines += _entries([said for said in messages if said.error == one.name])
    lines += ["## Findings in the content of a file", "", "Reported together, each with its line and column.", ""]
    return lines + _entries([said for said in messages if not said.error])


def _entries(messages: list[Message]) -> list[str]:
    rows: dict[tuple[str, str], set[str]] = {}
    for said in messages:
        rows.setdefault((said.text, said.code), set()).add(said.file)
    lines = [
        f"- {_escape(text)} · `{code}` · *{_escape(', '.join(sorted(files)))}*"
        for (text, code), files in sorted(rows.items())
    ]
    return [*lines, ""] if lines else []


def _escape(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>{}#|$~])", r"\\\1", " ".join(text.split()))


@cache
def _read_source() -> tuple[dict[str, ErrorClass], list[Message]]:
    texts = {
        file: file.read_text(encoding="utf-8") for package in PACKAGES for file in (SOURCE / package).rglob("*.py")
    }
    trees = {
        str(file.relative_to(SOURCE)): ast.parse(text)
        for file, text in sorted(texts.items())
        if re.search(r"Error\(|Finding\(", text)
    }
    classes = _classes([node for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)])
    messages = [said for file, tree in trees.items() for said in _messages(tree, file, classes)]
    return classes, messages


def _classes(nodes: list[ast.ClassDef]) -> dict[str, ErrorClass]:
    """Return the classes of the trees of errors; others are of other libraries or never reach a person."""
    found: dict[str, ErrorClass] = {}
    waiting = list(nodes)
    while True:
        ready = [node for node in waiting if node.name in ROOTS or any(base in found for base in _bases(node))]
        if not ready:
            return found
        waiting = [node for node in waiting if node not in ready]
        for node in ready:
            inherited = next((found[base].code for base in _bases(node) if base in found), "")
            meaning = (ast.get_docstring(node) or "").split("\n\n")[0]
            found[node.name] = ErrorClass(node.name, _own_code(node) or inherited, meaning.replace("``", "`"))


def _bases(node: ast.ClassDef) -> list[str]:
    return [base.id for base in node.bases if isinstance(base, ast.Name)]


def _own_code(node: ast.ClassDef) -> str:
    for statement in node.body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "code":
            return str(ast.literal_eval(statement.value))
    return ""


def _messages(tree: ast.Module, file: str, classes: dict[str, ErrorClass]) -> Iterator[Message]:
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for function in functions:
        nodes = list(ast.walk(function))
        scope = [node for node in nodes if isinstance(node, ast.Assign)]
        for node in nodes:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            name, words = node.func.id, [*node.args, *(word.value for word in node.keywords if word.arg == "message")]
            if name == "Finding" and len(words) > 1:
                code, text = _text(words[0], scope), _text(words[1], scope)
            elif name in classes and name != "ContentError" and words:
                given = next((word.value for word in node.keywords if word.arg == "code"), None)
                code = classes[name].code if given is None else _text(given, scope)
                text = _text(words[0], scope)
            else:
                continue
            if text.strip(f"{OPEN} ") and code.strip(OPEN):
                yield Message("" if name == "Finding" else name, text, code, file)


def _text(node: ast.expr, scope: list[ast.Assign]) -> str:  # noqa: PLR0911 - one return per form of expression
    """Return what an expression says, with a mark for every part that depends on the case.

    ``scope`` has the assignments of the function in which it stands.
    """
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(_text(part, scope) for part in values)
        case ast.BinOp(op=ast.Mod(), left=left):
            return re.sub(r"%\(\w+\)[sd]|%[sd]", OPEN, _text(left, scope))
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _text(left, scope) + _text(right, scope)
        case ast.Call(func=ast.Name(id="_" | "gettext" | "str"), args=[first, *_]):
            return _text(first, scope)
        case ast.IfExp(body=body):
            return _text(body, scope)
        case ast.Name(id=name):
            return _last_assigned(name, node.lineno, scope)
    return OPEN


def _last_assigned(name: str, line: int, scope: list[ast.Assign]) -> str:
    """Return the text that a name was given last above this line of the function."""
    given = [
        statement
        for statement in scope
        if statement.lineno < line
        and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
        and not any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(statement.value))
    ]
    return _text(max(given, key=lambda statement: statement.lineno).value, scope) if given else OPEN
