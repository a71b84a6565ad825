"""The house as the code has it: rooms, their modules and lines, and which room imports which."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["ARENA", "GROUND", "TOKUMEI", "House", "Room", "read_house", "rounded", "storeys"]

SOURCE = Path(__file__).resolve().parent.parent / "src"
TOKUMEI = "tokumei"
ARENA = "tokumei_arena"
# Everybody stands on the ground: it is drawn under the house, without arrows. Modules beside the folders belong to it,
# except those that are rooms of their own, and so does the folder of words.
GROUND = "ground"
MODULES_THAT_ARE_ROOMS = {TOKUMEI: {"api", "demo", "parts"}, ARENA: {"bots", "client"}}
GROUND_FOLDERS = {"words"}
Arrows = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Room:
    """A folder or a module directly under a package."""

    name: str
    modules: int
    lines: int
    summary: str


@dataclass(frozen=True, slots=True)
class House:
    """A package: its rooms, for every pair of rooms how many modules of the first import the second, and the ground."""

    package: str
    rooms: dict[str, Room]
    arrows: Arrows
    ground: tuple[str, ...]


@cache
def read_house(package: str, source: Path = SOURCE) -> House:
    """Read the rooms of a package under ``source`` and the imports between them, lazy imports included."""
    files: dict[str, list[Path]] = {}
    for file in sorted((source / package).rglob("*.py")):
        files.setdefault(_room(source, file.relative_to(source).with_suffix("").parts), []).append(file)
    rooms, arrows = {}, Counter[tuple[str, str]]()
    for name, members in files.items():
        texts = [file.read_text(encoding="utf-8") for file in members]
        rooms[name] = Room(name, len(members), sum(text.count("\n") for text in texts), _summary(members[0]))
        for text in texts:
            others = {_room(source, parts) for parts in _imports(text) if parts[0] == package}
            arrows.update((name, other) for other in others - {name})
    inside = {file.relative_to(source / package).parts[0].removesuffix(".py") for file in files.get(GROUND, [])}
    ground = tuple(sorted(name for name in inside if not name.startswith("__")))
    return House(package, rooms, {pair: count for pair, count in sorted(arrows.items()) if pair[1] in rooms}, ground)


def _room(source: Path, parts: tuple[str, ...]) -> str:
    """Return the room of a module, given as its parts from the package on."""
    package, name = parts[0], parts[1] if len(parts) > 1 else "__init__"
    is_room = (source / package / name).is_dir() and name not in GROUND_FOLDERS
    return name if is_room or name in MODULES_THAT_ARE_ROOMS[package] else GROUND


def _summary(file: Path) -> str:
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n\n")[0].replace("\n", " ")


def _imports(text: str) -> Iterable[tuple[str, ...]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            package, *inside = node.module.split(".")
            # ``from tokumei import flow``: each name may be a room.
            yield from [(package, *inside)] if inside else [(package, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)


def rounded(lines: int) -> str:
    """Return a number of lines in hundreds: not every commit shall change the page."""
    return f"{max(round(lines, -2), 100):,}"


def storeys(house: House) -> tuple[list[list[str]], list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the rooms by storey (lowest first), the arrows worth drawing, and those that lead upwards.

    A room stands above all that it imports. Where rooms import each other, the arrow with fewer imports is said to lead
    upwards. An arrow that follows from two others is not drawn.
    """
    below: dict[str, set[str]] = {name: set() for name in house.rooms if name != GROUND}
    upwards = []
    for (room, other), _ in sorted(house.arrows.items(), key=lambda item: (-item[1], item[0])):
        if GROUND in (room, other):
            continue
        if room in _reached(below, other):
            upwards.append((room, other))
        else:
            below[room].add(other)
    heights: dict[str, int] = {}
    for name in sorted(below, key=lambda name: (len(_reached(below, name)), name)):
        heights[name] = 1 + max((heights[other] for other in below[name]), default=-1)
    rows: list[list[str]] = [[] for _ in range(max(heights.values()) + 1)]
    for name in sorted(heights):
        rows[heights[name]].append(name)
    drawn = [
        (room, other)
        for room, others in sorted(below.items())
        for other in sorted(others)
        if not any(other in _reached(below, between) for between in others - {other})
    ]
    return rows, drawn, upwards


def _reached(below: dict[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    stack = [start]
    while stack:
        fresh = below[stack.pop()] - reached
        reached |= fresh
        stack += sorted(fresh)
    return reached
