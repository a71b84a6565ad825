"""Teams that play a whole contest of 2018 by themselves, through the API: for the demonstration and for tests.

Each bot has a way to anonymize and a way to attack. They know nothing that a team does not know; a referee bot opens
the contest and closes each phase when everybody is done.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from tokumei_arena.client import ArenaClient, ArenaClientError

__all__ = ["STYLES", "Bot", "Referee", "Style", "play"]

KINDS = ("registration", "anonymize", "attack", "scoring", "published")
LOOK_SECONDS = 0.3
PATIENCE_SECONDS = 300.0
# The threads of numba's kernels must not be entered by two of ours at once.
COMPUTING = threading.Lock()
Tell = Callable[[str], None]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Style:
    """How a team plays: its name, its anonymizer with its k, its attack."""

    team: str
    method: str
    attack: str
    k: int | None = None
    clumsy: bool = False


STYLES = (
    Style("Name Tags", "pseudonymize", "nearest-history", clumsy=True),
    Style("Triplets", "k-anonymity", "matching-posterior", k=3),
    Style("Pairs", "k-anonymity", "cheapest-matching", k=2),
    Style("Dice", "ano-random", "re-item"),
    Style("Scissors", "ano-del-lc", "re-uniq"),
    Style("Coarse Grain", "generalize", "record-counts"),
    Style("Half a Story", "record-sampling", "set-position"),
    Style("Veils", "uniform-concealment", "range-asymmetry", k=3),
)


@dataclass
class Bot:
    """One team of one program."""

    style: Style
    client: ArenaClient
    folder: Path
    seed: int
    refused: list[dict[str, Any]] = field(default_factory=list)

    def register(self, contest: str) -> None:
        """Make a team and accept the terms."""
        body = {"name": self.style.team, "affiliation": "bots", "accept_terms": True}
        self.client.post(f"/contests/{contest}/teams", body)

    def anonymize(self, contest: str) -> dict[str, Any]:
        """Download T, anonymize it, hand A in, choose it; return the evaluated submission."""
        from tokumei.contests.pws2018.rules import Original, Pws2018  # noqa: PLC0415
        from tokumei.flow import make_method, seeded  # noqa: PLC0415

        place = f"/contests/{contest}/rounds/final"
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in self.client.get(f"{place}/data"):
            self.client.download(file["url"], self.folder / file["name"], sha256=file["sha256"])
        with COMPUTING:
            method = make_method(self.style.method, k=self.style.k, threads=1)
            history = Original.read(self.folder / "T.csv").history
            Pws2018().anonymize(method, history, self.folder / "A.csv", rng=seeded(self.seed))
        if self.style.clumsy:
            self.refused.append(self._hand_in_wrong_file(contest))
        note = f"{self.style.method}{'' if self.style.k is None else f', k = {self.style.k}'}"
        made = self.client.upload(f"{place}/submissions", [self.folder / "A.csv"], fields={"note": note})
        found = self._evaluated(contest, made)
        if found["verdict"] != "valid":
            message = f"the data of team {self.style.team} was refused: {found['findings'][:1]}"
            raise ArenaClientError(message, code="bot-refused")
        self.client.post(f"/contests/{contest}/submissions/{found['id']}/choose")
        return found

    def _hand_in_wrong_file(self, contest: str) -> dict[str, Any]:
        """Hand in what a beginner hands in: a file with a forgotten row and a date written another way."""
        lines = (self.folder / "A.csv").read_text(encoding="utf-8").splitlines()
        lines[0] = lines[0].replace("/", "-")
        wrong = self.folder / "A_first_try.csv"
        wrong.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")
        place = f"/contests/{contest}/rounds/final"
        made = self.client.upload(f"{place}/submissions", [wrong], fields={"note": "first try"})
        found = self._evaluated(contest, made)
        if found["verdict"] != "invalid":
            raise ArenaClientError("a wrong file was accepted", code="bot-accepted")
        return found

    def attack(self, contest: str) -> int:
        """Attack every target once; return how many."""
        targets = self.client.get(f"/contests/{contest}/rounds/final/targets")
        for target in targets:
            guesses = self._guess(target)
            path = f"/contests/{contest}/rounds/final/targets/{target['id']}/guesses"
            self.client.upload(path, [guesses], fields={"note": self.style.attack})
        return len(targets)

    def _guess(self, target: dict[str, Any]) -> Path:
        from tokumei.contests.pws2018.rules import Anonymized, Original, Pws2018  # noqa: PLC0415
        from tokumei.flow import seeded  # noqa: PLC0415
        from tokumei.parts import find_part, make_part  # noqa: PLC0415

        folder = self.folder / "targets" / target["alias"]
        folder.mkdir(parents=True, exist_ok=True)
        (file,) = target["files"]
        self.client.download(file["url"], folder / "A1.csv", sha256=file["sha256"])
        with COMPUTING:
            part = make_part(find_part("attack", self.style.attack))
            published = Anonymized.read(folder / "A1.csv", published=True)
            original = Original.read(self.folder / "T.csv")
            guesses = Pws2018().attack(part, original, published, rng=seeded(self.seed))
        text = "".join(f"{pseudonym},{customer}\n" for pseudonym, customer in guesses.pairs().rows())
        # An attack without a single guess still takes part: one row that names the first customer.
        first = f"{published.frame['pseudonym'][0]},{original.frame['customer'][0]}\n" if len(published.frame) else ""
        (folder / "F1.csv").write_text(text or first, encoding="utf-8")
        return folder / "F1.csv"

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
    tell: Tell

    def open(self, name: str, subjects: int) -> str:
        """Open a contest with generated data; return its short name."""
        now = datetime.now(UTC)
        starts = {kind: (now + timedelta(hours=hour)).isoformat() for hour, kind in enumerate(KINDS)}
        made = self.client.post(
            "/contests",
            {
                "name": name,
                "rule_set": "pws2018",
                "about": "Eight programs play PWS Cup 2018 on generated purchases.",
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
