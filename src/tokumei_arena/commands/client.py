"""``tokumei arena login|status|submit|attack|download|board``: taking part from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.output import JsonFlag, finish, show_table, tell, warn
from tokumei_arena.commands.account import connect, language, read_token, save

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei_arena.client import ArenaClient

ContestOption = Annotated[
    str | None, typer.Option("--contest", help="Short name of the contest, if there are several.")
]
RoundOption = Annotated[
    str | None, typer.Option("--round", help="practice, preliminary or final (default: that is on).")
]
WaitFlag = Annotated[bool, typer.Option("--wait", help="Wait for the result; exit status 1 if the file is invalid.")]
NoteOption = Annotated[str, typer.Option("--note", help="A note for your team.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Folder to write to; it is made if needed.")]
FIRST_FINDINGS = 20
ATTEMPTS = ("anonymize", "attack")


def register(app: typer.Typer) -> None:
    """Add the commands of those who take part."""
    for command in (login, status, submit, attack, download, board):
        app.command()(command)
    app.command("attack-all")(attack_all)


def login(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the arena.")], json: JsonFlag = False
) -> None:
    """Keep the address of an arena and your token (asked for, or from standard input or TOKUMEI_ARENA_TOKEN)."""
    from tokumei_arena.client import ArenaClient

    token = read_token()
    client = ArenaClient(url, token, language=language(), patience=5)
    if not client.is_private:
        warn("this address is not encrypted: others on the network can read the token")
    me = client.get("/me")
    path = save(client.url, token)
    document = {"url": client.url, "name": me["name"], "scopes": me["scopes"], "file": str(path)}
    text = f"logged in at {client.url} as {me['name']} ({', '.join(me['scopes'])}); kept in {path}"
    finish(document, json=json, text=text)


def status(contest: ContestOption = None, json: JsonFlag = False) -> None:
    """Show your contests, the phase each round is in, and your newest submissions."""
    from tokumei_arena.commands import choosing

    client = connect()
    contests = [choosing.contest(client, contest)] if contest else client.get("/contests")
    for one in contests:
        one["submissions"] = client.get(f"/contests/{one['slug']}/submissions")

    def show(console: Console) -> None:
        if not contests:
            console.print("there is no contest that you may see")
        for one in contests:
            _show_contest(console, one)

    finish({"contests": contests}, json=json, show=show)


def _show_contest(console: Console, contest: dict[str, Any]) -> None:
    membership = contest["membership"]
    team = "you are in no team" if membership is None else f"team {membership['team']['name']} ({membership['role']})"
    console.print(f"{contest['slug']}: {contest['name']} ({contest['rule_set']}), {team}")
    rounds = []
    for one in contest["rounds"]:
        end = next((phase["ends_at"] for phase in one["phases"] if phase["on"]), None)
        rounds.append([one["kind"], one["phase"] or "nothing is on", "" if end is None else end])
    show_table(console, ["round", "phase", "until"], rounds)
    if contest["submissions"]:
        rows = [[*_place(one), one["file"], _state(one), _figures(one)] for one in contest["submissions"][:10]]
        show_table(console, ["round", "what", "file", "state", "figures"], rows)


def _place(submission: dict[str, Any]) -> list[str]:
    about = submission["target"]
    return [submission["round"], submission["kind"] if about is None else f"{submission['kind']} about {about}"]


def _state(submission: dict[str, Any]) -> str:
    found = submission["verdict"] or submission["state"]
    return f"{found}, chosen" if submission["chosen"] else str(found)


def _figures(submission: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_number(value)}" for name, value in submission["figures"].items())


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def submit(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="The anonymized data: CSV, .gz or zip.")],
    contest: ContestOption = None,
    round_: RoundOption = None,
    note: NoteOption = "",
    wait: WaitFlag = False,
    json: JsonFlag = False,
) -> None:
    """Hand in anonymized data for your team."""
    from tokumei_arena.commands import choosing

    client = connect()
    place = choosing.round_in(client, contest, round_, phase="anonymize")
    made = client.upload(f"{place}/submissions", files, fields={"note": note})
    _finish_submission(client, made, place, wait=wait, json=json)


def attack(
    alias: Annotated[str, typer.Argument(metavar="ALIAS", help="The alias of the target, as 'download' names it.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The guesses: CSV, .gz or zip.")],
    contest: ContestOption = None,
    round_: RoundOption = None,
    note: NoteOption = "",
    wait: WaitFlag = False,
    json: JsonFlag = False,
) -> None:
    """Hand in guesses about the data of another team."""
    from tokumei_arena.commands import choosing

    client = connect()
    place = choosing.round_in(client, contest, round_, phase="attack")
    target = choosing.target(client, place, alias)
    made = client.upload(f"{place}/targets/{target['id']}/guesses", [file], fields={"note": note})
    _finish_submission(client, made, place, wait=wait, json=json)


def attack_all(
    file: Annotated[Path, typer.Argument(metavar="ZIP", help="Answers about all targets: a folder for each alias.")],
    contest: ContestOption = None,
    round_: RoundOption = None,
    note: NoteOption = "",
    json: JsonFlag = False,
) -> None:
    """Hand in guesses about several targets from one zip; each target is evaluated by itself."""
    import tempfile

    from tokumei.contests import make_contest
    from tokumei_arena.commands import choosing

    client = connect()
    place = choosing.round_in(client, contest, round_, phase="attack")
    rules = client.get("/".join(place.split("/")[:3]))
    targets = {one["alias"]: one["id"] for one in client.get(f"{place}/targets")}
    answers = make_contest(rules["rule_set"], rules["parameters"]).split_answers(file, list(targets))
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (alias, files) in enumerate(answers.items()):
            paths = [Path(folder) / str(number) / name for name in files]
            choosing.make_folder(Path(folder) / str(number))
            for path, content in zip(paths, files.values(), strict=True):
                path.write_bytes(content)
            made[alias] = client.upload(f"{place}/targets/{targets[alias]}/guesses", paths, fields={"note": note})
    left = sorted(set(targets) - set(made))
    text = f"received answers about {', '.join(made)}" + (f"; none about {', '.join(left)}" if left else "")
    finish({"submissions": made, "unanswered": left}, json=json, text=text)


def _finish_submission(client: ArenaClient, made: dict[str, Any], place: str, *, wait: bool, json: bool) -> None:
    from tokumei_arena.commands import choosing

    if wait:
        tell(f"received {made['file']} ({made['size']:,} bytes); waiting for the result")
        made = choosing.evaluated(client, place, made)

    def show(console: Console) -> None:
        if not wait:
            console.print(f"received: {made['id']} ({made['size']:,} bytes, sha256 {made['sha256']})")
            return
        console.print(made["verdict"], style="green" if made["verdict"] == "valid" else "red")
        if made["findings"]:
            rows = [
                [one["file"], "" if one["line"] is None else one["line"], one["code"], one["message"]]
                for one in made["findings"][:FIRST_FINDINGS]
            ]
            show_table(console, ["file", "line", "code", "what is wrong"], rows)
            console.print(f"{made['finding_count']:,} in all")
        if made["figures"]:
            show_table(console, ["figure", "value"], list(made["figures"].items()))

    finish({"submission": made}, json=json, show=show, status=1 if made["verdict"] == "invalid" else 0)


def download(
    what: Annotated[str, typer.Argument(metavar="[data|targets]", help="What to download.")] = "data",
    output: OutputOption = Path(),
    contest: ContestOption = None,
    round_: RoundOption = None,
    json: JsonFlag = False,
) -> None:
    """Download the data of the round, or the published data of all other teams (a folder for each alias)."""
    from tokumei_arena.client import ArenaClientError
    from tokumei_arena.commands import choosing

    if what not in ("data", "targets"):
        raise ArenaClientError(f"say what to download: data or targets, not '{what}'", code="usage")
    client = connect()
    place = choosing.round_in(client, contest, round_, phase="anonymize" if what == "data" else "attack")
    if what == "data":
        listed = [(output / choosing.safe_name(one["name"]), one) for one in client.get(f"{place}/data")]
    else:
        targets = client.get(f"{place}/targets")
        listed = [
            (choosing.place_of(output, one["alias"], file["name"]), file) for one in targets for file in one["files"]
        ]
    written = []
    for path, one in listed:
        choosing.make_folder(path.parent)
        client.download(one["url"], path, sha256=one["sha256"])
        written.append({"file": str(path), "size": one["size"], "sha256": one["sha256"]})

    lines = [f"{one['file']}: {one['size']:,} bytes" for one in written]
    finish({"files": written}, json=json, text="\n".join(lines) or "there is nothing to download (yet)")


def board(contest: ContestOption = None, round_: RoundOption = None, json: JsonFlag = False) -> None:
    """Show the board of a round, and the rankings once they are out."""
    from tokumei_arena.commands import choosing

    client = connect()
    place = choosing.round_in(client, contest, round_, phase=None)
    document = client.get(f"{place}/board")
    finish(document, json=json, show=lambda console: choosing.show_board(console, document))
