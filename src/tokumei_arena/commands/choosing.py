"""What the client commands find out by themselves: the contest, the round, the target, the end of an evaluation."""

from __future__ import annotations

import re
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tokumei.cli.output import show_table
from tokumei.errors import did_you_mean
from tokumei_arena.client import ArenaClient, ArenaClientError

if TYPE_CHECKING:
    from rich.console import Console

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 3.0


def contest(client: ArenaClient, slug: str | None) -> dict[str, Any]:
    """Return the named contest, or the only one the caller takes part in (or may see)."""
    if slug is not None:
        return dict(client.get(f"/contests/{quote(slug, safe='')}"))
    seen = client.get("/contests")
    own = [one for one in seen if one["membership"] is not None]
    found = own or seen
    if len(found) == 1:
        return dict(found[0])
    if not found:
        raise ArenaClientError("there is no contest that you may see", code="no-contest")
    names = ", ".join(sorted(one["slug"] for one in found))
    raise ArenaClientError(f"say which contest with --contest; there are {names}", code="which-contest")


def round_in(client: ArenaClient, slug: str | None, kind: str | None, *, phase: str | None) -> str:
    """Return the address of a round: the named one, else the one in this phase, else the newest that has begun."""
    found = contest(client, slug)
    rounds = found["rounds"]
    kinds = [one["kind"] for one in rounds]
    if kind is not None:
        if kind not in kinds:
            message = f"the contest has no round '{kind}'{did_you_mean(kind, kinds)}; it has {', '.join(kinds)}"
            raise ArenaClientError(message, code="no-round")
        return f"/contests/{found['slug']}/rounds/{kind}"
    if not rounds:
        raise ArenaClientError("the contest has no rounds yet", code="no-round")
    on = [one["kind"] for one in rounds if phase is not None and one["phase"] == phase]
    begun = [one["kind"] for one in rounds if one["phase"] is not None]
    # The server refuses what the phase does not allow, in a sentence of its own.
    chosen = on[0] if on else begun[-1] if begun else kinds[0]
    return f"/contests/{found['slug']}/rounds/{chosen}"


def target(client: ArenaClient, place: str, alias: str) -> dict[str, Any]:
    """Return the target with this alias."""
    targets = client.get(f"{place}/targets")
    by_alias = {one["alias"].casefold(): one for one in targets}
    if alias.casefold() in by_alias:
        return dict(by_alias[alias.casefold()])
    names = [one["alias"] for one in targets]
    if not names:
        raise ArenaClientError("there are no targets that you may attack (yet)", code="no-target")
    message = f"there is no target '{alias}'{did_you_mean(alias, names)}; there are {', '.join(names)}"
    raise ArenaClientError(message, code="no-target")


def evaluated(client: ArenaClient, place: str, submission: dict[str, Any]) -> dict[str, Any]:
    """Wait until a submission is evaluated and return it."""
    slug = place.split("/")[2]
    pause = FIRST_PAUSE_SECONDS
    while submission["state"] in ("queued", "running"):
        sleep(pause)
        pause = min(1.5 * pause, LONGEST_PAUSE_SECONDS)
        submission = client.get(f"/contests/{slug}/submissions/{submission['id']}")
    if submission["state"] == "failed":
        raise ArenaClientError(submission["failure"], code="evaluation-failed")
    return submission


def safe_name(name: str) -> str:
    """Return a name of the server as one of a file: no folders, nothing hidden."""
    return re.sub(r"[^\w. -]", "_", name).lstrip(". ") or "file"


def place_of(output: Path, alias: str, name: str) -> Path:
    """Return where a file of a target is saved: its folder is called like the target, so its name need not be."""
    return output / safe_name(alias) / safe_name(name.removeprefix(f"{alias.replace(' ', '-')}-"))


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArenaClientError(f"{folder} cannot be made: {error.strerror}", code="output") from error


def show_board(console: Console, document: dict[str, Any]) -> None:
    """Print the tables of a board."""
    if not document["tables"]:
        console.print("there is nothing to show yet")
    for table in document["tables"]:
        headers = ["rank", "team", *(column["title"] for column in table["columns"])]
        rows = [
            [
                "" if row["rank"] is None else row["rank"],
                row["team"] or "-",
                *("" if (value := row["figures"].get(column["key"])) is None else value for column in table["columns"]),
            ]
            for row in table["rows"]
        ]
        show_table(console, headers, rows, title=table["title"])
        if table["rule"]:
            console.print(table["rule"])
    if document["blind"]:
        console.print(f"whose figures are whose is told with the results; teams: {', '.join(document['teams'])}")
