"""``tokumei arena demo``: a whole contest, played by programs through the API, then left open to browse."""

from __future__ import annotations

import os
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.output import JsonFlag, tell
from tokumei_arena.commands.serve import Server, running_server
from tokumei_arena.commands.setup import CannotStartError, need_extra, refusals_as_sentences, show_now
from tokumei_arena.commands.supervisor import stop_on_signals, watch

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.contests import Contest as Rules
    from tokumei_arena.bots import Bot
    from tokumei_arena.client import ArenaClient
    from tokumei_arena.models import Person

NAME = "Demo Cup"
# What could lead out of the folder of the demonstration.
OUTSIDE = ("DATABASE_URL", "STORAGE_URL", "EMAIL_URL", "TOKUMEI_ARENA_SECRET", "TOKUMEI_ARENA_HTTPS")
REFEREE_ADDRESS = "referee@example.org"
SHOWN_CODES = 3

PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 for any free one.")]
HomeOption = Annotated[Path | None, typer.Option("--home", help="New folder for everything (default: temporary).")]
ContestOption = Annotated[str | None, typer.Option("--contest", metavar="NAME", help="The contest that is played.")]
TeamsOption = Annotated[
    int, typer.Option("--teams", min=2, max=8, help="How many teams play (or as many as the contest has players).")
]
SubjectsOption = Annotated[
    int | None, typer.Option("--subjects", min=1, help="Persons in the generated data (default: those of the contest).")
]
SeedOption = Annotated[int | None, typer.Option("--seed", min=0, help="Make the bots' choices repeatable.")]
ExitFlag = Annotated[bool, typer.Option("--exit", help="End when the contest is over.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    port: PortOption = 8000,
    home: HomeOption = None,
    contest: ContestOption = None,
    teams: TeamsOption = 8,
    subjects: SubjectsOption = None,
    seed: SeedOption = None,
    leave: ExitFlag = False,
    json: JsonFlag = False,
) -> None:
    """Show a contest: programs register, anonymize, attack and are ranked within minutes; then look around."""
    need_extra()
    rules, size = _chosen(contest, subjects)
    began = time.monotonic()
    with _folder(home) as folder, _watched("127.0.0.1", port) as server:
        tell(f"demo: the arena is open at {server.address}/ after {time.monotonic() - began:.1f} s; watch it")
        cast = _cast(server, folder, rules, teams, secrets.randbits(32) if seed is None else seed)
        document = {**cast.document(cast.play(size)), "seconds": round(time.monotonic() - began, 1)}
        show_now(document, json=json, show=lambda console: _show(console, document))
        if not leave:
            with stop_on_signals() as stop:
                tell("demo: everything stays open; press Ctrl-C to end (a temporary folder is removed then)")
                stop.wait()


def _chosen(contest: str | None, subjects: int | None) -> tuple[Rules, int]:
    """Return the rules to play by and how many persons the data shall have."""
    from tokumei.contests import make_contest, suggested_contest
    from tokumei.errors import ParameterError

    rules = make_contest(contest or suggested_contest())
    if rules.sizes is None or not rules.players:
        message = f"the contest '{rules.name}' has no programs that play it; choose another one with --contest"
        raise ParameterError(message, code="usage")
    size = rules.sizes.demo if subjects is None else subjects
    if not rules.sizes.low <= size <= rules.sizes.high:
        message = f"--subjects must be from {rules.sizes.low:,} to {rules.sizes.high:,} for {rules.name}, got {size:,}"
        raise ParameterError(message, code="usage")
    return rules, size


@contextmanager
def _folder(home: Path | None) -> Iterator[Path]:
    """Give the folder of the demonstration and make it the arena's, away from any real arena."""
    if home is not None and home.exists() and any(home.iterdir()):
        message = f"{home} is not empty; the demonstration wants a new folder"
        raise CannotStartError(message, code="home", file=str(home))
    with tempfile.TemporaryDirectory(prefix="tokumei-demo-") as temporary:
        folder = (home or Path(temporary)).resolve()
        before = dict(os.environ)
        for name in OUTSIDE:
            os.environ.pop(name, None)
        os.environ["TOKUMEI_ARENA_HOME"] = str(folder)
        try:
            yield folder
        finally:
            os.environ.clear()
            os.environ.update(before)


@contextmanager
def _watched(host: str, port: int) -> Iterator[Server]:
    """Run a server whose processes are started again if they die."""
    with running_server(host, port) as server:
        ending = threading.Event()
        watcher = threading.Thread(target=watch, args=(server.children, ending), daemon=True)
        watcher.start()
        try:
            yield server
        finally:
            ending.set()
            watcher.join()


class _Cast:
    """Everybody who plays: a referee and the bots, with the accounts a visitor can use."""

    def __init__(self, server: Server, folder: Path, rules: Rules, teams: int, seed: int) -> None:
        from tokumei_arena import bots as playing

        self._address = server.address
        self._folder = folder / "bots"
        self.password = secrets.token_urlsafe(9)
        person, self.codes = _referee(server, self.password)
        self.referee = playing.Referee(self._client(person, "referee"), rules, lambda text: tell(f"demo: {text}"))
        self.bots: list[Bot] = []
        self.addresses: list[str] = []
        for number, player in enumerate(rules.players[:teams]):
            address = f"{player.team.lower().replace(' ', '.')}@example.org"
            member = _participant(address, player.team, self.password)
            client = self._client(member, "submit", "attack")
            self.bots.append(playing.Bot(player, rules, client, self._folder / player.team, seed + number))
            self.addresses.append(address)

    def _client(self, person: Person, *scopes: str) -> ArenaClient:
        from datetime import timedelta

        from tokumei_arena.client import ArenaClient
        from tokumei_arena.teams import make_token

        _token, text = make_token(person, name="demo", scopes=("read", *scopes), lasts=timedelta(days=1))
        return ArenaClient(self._address.replace("localhost", "127.0.0.1"), text, patience=30)

    def play(self, subjects: int) -> str:
        """Play the contest; return its short name."""
        from tokumei_arena import bots as playing

        return playing.play(self.referee, self.bots, name=NAME, subjects=subjects)

    def document(self, contest: str) -> dict[str, Any]:
        """Return where the contest can be looked at, who may sign in, and all results."""
        place = f"/contests/{contest}/rounds/final"
        client = self.bots[0].client
        return {
            "url": f"{self._address}/c/{contest}/",
            "contest": contest,
            "folder": str(self._folder),
            "referee": {"email": REFEREE_ADDRESS, "password": self.password, "recovery_codes": self.codes},
            "participant": {"email": self.addresses[0], "password": self.password},
            "refused_first": [one["finding_count"] for bot in self.bots for one in bot.refused],
            "board": client.get(f"{place}/board"),
            "matrix": client.get(f"{place}/matrix"),
        }


def _cast(server: Server, folder: Path, rules: Rules, teams: int, seed: int) -> _Cast:
    with refusals_as_sentences():
        return _Cast(server, folder, rules, teams, seed)


def _referee(server: Server, password: str) -> tuple[Person, list[str]]:
    """Use the one-time link of the new arena, with a second factor; return the person and some recovery codes."""
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

    from tokumei_arena.teams import become_referee

    assert server.referee_token is not None
    person = become_referee(server.referee_token, email=REFEREE_ADDRESS, name="Referee", password=password)
    TOTP.activate(person, generate_totp_secret())
    return person, RecoveryCodes.activate(person).get_unused_codes()[:SHOWN_CODES]


def _participant(address: str, name: str, password: str) -> Person:
    from allauth.account.models import EmailAddress

    from tokumei_arena.models import Person

    person = Person.objects.create_user(address, password, name=f"{name} bot")
    EmailAddress.objects.create(user=person, email=address, verified=True, primary=True)
    return person


def _show(console: Console, document: dict[str, Any]) -> None:
    from tokumei_arena.commands.choosing import show_board

    show_board(console, document["board"])
    referee, participant = document["referee"], document["participant"]
    console.print(f"look around: {document['url']} (the contest took {document['seconds']} s)")
    codes = ", ".join(referee["recovery_codes"])
    console.print(f"referee: {referee['email']}, password {referee['password']}, code (one for each sign-in): {codes}")
    console.print(f"participant: {participant['email']}, password {participant['password']}")
