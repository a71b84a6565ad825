"""Teams that play a whole contest by themselves, through the API: for the demonstration and for tests.

Each bot has a way to anonymize and a way to attack, out of the samples of the contest. They know nothing that a team
does not know; a referee bot opens the contest and closes each phase when everybody is done.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tokumei_arena.client import ArenaClient, ArenaClientError

if TYPE_CHECKING:
    from tokumei.contests import Contest as Rules
    from tokumei.contests import Player

KINDS = ("registration", "anonymize", "attack", "scoring", "published")
LOOK_SECONDS = 0.3
PATIENCE_SECONDS = 300.0
# The threads of numba's kernels must not be entered by two of ours at once.
COMPUTING = threading.Lock()
Tell = Callable[[str], None]
Result = TypeVar("Result")


@dataclass
class Bot:
    """One team of one program, which plays with sample parts of the contest."""

    player: Player
    rules: Rules
    client: ArenaClient
    folder: Path
    seed: int
    refused: list[dict[str, Any]] = field(default_factory=list)

    def register(self, contest: str) -> None:
        """Make a team and accept the terms."""
        body = {"name": self.player.team, "affiliation": "bots", "accept_terms": True}
        self.client.post(f"/contests/{contest}/teams", body)

    def anonymize(self, contest: str) -> dict[str, Any]:
        """Download the data, anonymize it, hand the release in, choose it; return the evaluated submission."""
        import numpy as np  # noqa: PLC0415

        place = f"/contests/{contest}/rounds/final"
        data, release = self._place("data"), self._place("release")
        for file in self.client.get(f"{place}/data"):
            self.client.download(file["url"], data / file["name"], sha256=file["sha256"])
        player = self.player
        with COMPUTING:
            rng = np.random.default_rng(self.seed)
            self.rules.anonymize(player.method, data, release, settings=player.settings, rng=rng)
        if player.clumsy:
            self.refused.append(self._hand_in_wrong_files(contest))
        note = ", ".join([player.method, *(f"{name} = {value}" for name, value in player.settings.items())])
        found = self._hand_in(contest, release, note)
        if found["verdict"] != "valid":
            message = f"the data of team {player.team} was refused: {found['findings'][:1]}"
            raise ArenaClientError(message, code="bot-refused")
        self.client.post(f"/contests/{contest}/submissions/{found['id']}/choose")
        return found

    def _place(self, *names: str) -> Path:
        folder = self.folder.joinpath(*names)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _hand_in(self, contest: str, release: Path, note: str) -> dict[str, Any]:
        files = [release / spec.filename for spec in self.rules.release_files]
        path = f"/contests/{contest}/rounds/final/submissions"
        return self._evaluated(contest, self.client.upload(path, files, fields={"note": note}))

    def _hand_in_wrong_files(self, contest: str) -> dict[str, Any]:
        """Hand in what a beginner hands in: a table with a forgotten row, and a cell too many in its first one."""
        wrong = self._place("first_try")
        shutil.copytree(self.folder / "release", wrong, dirs_exist_ok=True)
        table = wrong / self.rules.release_files[0].filename
        first, *others = table.read_text(encoding="utf-8").splitlines()
        table.write_text("".join(f"{line}\n" for line in (f"{first},", *others[:-1])), encoding="utf-8")
        found = self._hand_in(contest, wrong, "first try")
        if found["verdict"] != "invalid":
            raise ArenaClientError("a wrong file was accepted", code="bot-accepted")
        return found

    def attack(self, contest: str) -> int:
        """Attack every target once; return how many."""
        targets = self.client.get(f"/contests/{contest}/rounds/final/targets")
        for target in targets:
            guesses = self._guess(target)
            path = f"/contests/{contest}/rounds/final/targets/{target['id']}/guesses"
            self.client.upload(path, guesses, fields={"note": self.player.attack})
        return len(targets)

    def _guess(self, target: dict[str, Any]) -> list[Path]:
        import numpy as np  # noqa: PLC0415

        published = self._place("targets", target["alias"], "published")
        guesses = self._place("targets", target["alias"], "guesses")
        for file in target["files"]:
            self.client.download(file["url"], published / file["name"], sha256=file["sha256"])
        with COMPUTING:
            rng = np.random.default_rng(self.seed)
            self.rules.attack(self.player.attack, self.folder / "data", published, guesses, rng=rng)
        return [guesses / spec.filename for spec in self.rules.guess_files]

    def _evaluated(self, contest: str, made: dict[str, Any]) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            found = self.client.get(f"/contests/{contest}/submissions/{made['id']}")
            return None if found["state"] in ("queued", "running") else dict(found)

        found = _wait_for(look, "an evaluation")
        if found["state"] == "failed":
            raise ArenaClientError(found["failure"], code="evaluation-failed")
        return found


@dataclass
class Referee:
    """The program that runs the contest."""

    client: ArenaClient
    rules: Rules
    tell: Tell

    def open(self, name: str, subjects: int) -> str:
        """Open a contest with generated data; return its short name."""
        now = datetime.now(UTC)
        starts = {kind: (now + timedelta(hours=hour)).isoformat() for hour, kind in enumerate(KINDS)}
        made = self.client.post(
            "/contests",
            {
                "name": name,
                "rule_set": self.rules.name,
                "about": f"Programs play on generated data. {self.rules.title['en']}.",
                "terms": "Be fair: attack data, not machines.",
                "rounds": [{"kind": "final", "weight": "1", "starts": starts}],
                "open": True,
            },
        )
        contest = str(made["slug"])
        self.client.post(f"/contests/{contest}/rounds/final/data/generate", {"subjects": subjects})
        self.client.post(
            f"/contests/{contest}/announcements",
            {"title": "Welcome", "body": "Every phase ends when all teams are done. Good luck!"},
        )
        return contest

    def approve_all(self, contest: str) -> None:
        """Let every team take part."""
        for team in self.client.get(f"/contests/{contest}/teams"):
            self.client.post(f"/contests/{contest}/teams/{team['id']}/approve")

    def close(self, contest: str, phase: str) -> None:
        """End a phase because everybody is done."""
        path = f"/contests/{contest}/rounds/final/phases/{phase}/close"
        self.client.post(path, {"reason": "every team is done"})
        self.tell(f"the phase '{phase}' is over")

    def wait_for_targets(self, contest: str, count: int) -> None:
        """Wait until the data of all teams is published."""

        def look() -> bool:
            queue = self.client.get(f"/contests/{contest}/queue")["targets"]
            if queue["failed"]:
                raise ArenaClientError("the data of a team could not be published", code="evaluation-failed")
            return bool(queue["done"] == count)

        _wait_for(look, "targets")

    def wait_for_scores(self, contest: str) -> None:
        """Wait until everything is evaluated."""

        def look() -> bool:
            queue = self.client.get(f"/contests/{contest}/queue")["submissions"]
            if queue["failed"]:
                raise ArenaClientError("the evaluation of a submission failed", code="evaluation-failed")
            return not queue["queued"] and not queue["running"]

        _wait_for(look, "scores")


def _wait_for(look: Callable[[], Result | None], what: str) -> Result:
    """Look again and again until there is something to see."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := look()):
        if time.monotonic() > deadline:
            message = f"{what} did not come within {PATIENCE_SECONDS:.0f} s; is a worker running?"
            raise ArenaClientError(message, code="too-slow")
        time.sleep(LOOK_SECONDS)
    return found


def play(referee: Referee, bots: Sequence[Bot], *, name: str, subjects: int) -> str:
    """Play a whole contest; return its short name."""
    tell = referee.tell
    with ThreadPoolExecutor(max_workers=len(bots)) as pool:
        contest = referee.open(name, subjects)
        tell(f"{len(bots)} teams register")
        for bot in bots:
            bot.register(contest)
        referee.approve_all(contest)
        bots[0].client.post(f"/contests/{contest}/questions", {"question": "May a row be deleted?"})
        referee.close(contest, "registration")
        tell("the teams anonymize the data and hand it in")
        list(pool.map(lambda bot: bot.anonymize(contest), bots))
        referee.close(contest, "anonymize")
        referee.wait_for_targets(contest, len(bots))
        tell("every team attacks the data of all others")
        list(pool.map(lambda bot: bot.attack(contest), bots))
        referee.close(contest, "attack")
        referee.wait_for_scores(contest)
        referee.close(contest, "scoring")
    return contest
