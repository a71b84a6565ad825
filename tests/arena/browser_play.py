"""The play of the browser test: a referee and three teams go through a contest of 2018, step by step."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.arena import browser_files as files
from tests.arena import browser_referee as desk
from tests.arena.browser_captain import Captain
from tests.arena.browser_visitor import Inspector, Visitor
from tests.arena.real_server import RealServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["BOARD", "NAMES", "PERSONS", "Play"]

ZONE = "Europe/Berlin"
CONTEST, SLUG, PERSONS = "Spring Cup", "spring-cup", 24
ROUND, BOARD = f"/c/{SLUG}/final/", f"/c/{SLUG}/final/board/"
NAMES = ("Renamers", "覆面座", "Blotters")

OPEN_PAGES = ("/accounts/password/reset/", "/accounts/password/reset/done/")
OWN_PAGES = (
    "/preferences/",
    "/preferences/erase/",
    "/tokens/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/2fa/",
    f"/c/{SLUG}/questions/",
    f"/c/{SLUG}/terms/",
    f"/c/{SLUG}/metrics/",
    f"/c/{SLUG}/final/board/?show=attackers",
)
DESK_PAGES = (
    "/desk/log/",
    "/desk/referees/",
    "/desk/operations/",
    "/desk/contests/new/?rules=pws2021",
    f"/desk/c/{SLUG}/",
    f"/desk/c/{SLUG}/failed/",
    f"/desk/c/{SLUG}/notices/",
    f"/desk/c/{SLUG}/rescores/",
    f"/desk/c/{SLUG}/edit/",
    f"/desk/c/{SLUG}/look/",
)


@contextmanager
def _worker_asleep(server: RealServer) -> Iterator[None]:
    """Hold the worker, so that a page is seen before its result is there."""
    (worker,) = server.processes("worker")
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


class Play:
    """The stage of the contest: who is there, and what lies on their disks."""

    def __init__(self, browser: Browser, server: RealServer, folder: Path) -> None:
        self._browser, self.server, self.folder, self.inspector = browser, server, folder, Inspector()
        self.url = server.url.replace("127.0.0.1", "localhost")
        self.referee = Visitor(browser, self.url, self.inspector, timezone_id=ZONE)
        self.renamers, self.maskers, self.blotters = self.teams = [
            Captain(browser, self.url, self.inspector) for _ in range(3)
        ]

    def prepare(self) -> None:
        """Use the link that the first start printed, and make the contest."""
        referee = self.referee
        link = next(word for word in self.server.messages.read_text().split() if "/referee/" in word)
        codes = desk.become_referee(referee, link)
        assert referee.reads("There is no contest yet. Make the first one on the referee desk.")
        desk.sign_in_again(referee, codes[0])
        desk.make_contest(referee, CONTEST, persons=PERSONS, zone=ZONE)
        assert referee.reads("nothing to do")
        self.renamers.page.goto(self.url)
        assert self.renamers.reads("Sign in to take part.")

    def register(self) -> None:
        """Sign three captains up, one of them in Japanese, with a team each; a referee approves them."""
        self.maskers.open("/")
        self.maskers.switch_language("ja")
        assert self.maskers.reads("参加するにはログインしてください。")
        for number, (captain, team) in enumerate(zip(self.teams, NAMES, strict=True)):
            captain.sign_up(f"Captain {number}", f"captain{number}@example.org", self._pass_on)
            captain.make_team(CONTEST, team)
        assert self.renamers.reads("A referee has not approved this team yet.")
        assert self.maskers.reads("審判はまだこのチームを承認していません。")
        self.referee.open("/desk/")
        assert self.referee.reads("3 teams wait for approval.")
        desk.approve_all(self.referee, SLUG)
        desk.close_phase(self.referee, SLUG, "everybody is here")

    def _pass_on(self, email: str) -> str:
        return desk.link_for(self.referee, email)

    def refuse_and_correct(self) -> None:
        """Let the first team hand in a file with mistakes by keyboard, read why, and hand in a better one."""
        team = self.renamers
        team.sign_in_by_keyboard()
        self.original = team.get_original(self.folder)
        self.renamed = files.rename(self.original, self.folder / "A-renamed.csv")
        wrong = files.spoil(self.renamed, self.folder / "A-wrong.csv")
        with _worker_asleep(self.server):
            team.hand_in_by_keyboard(wrong, "first try")
            assert team.reads("The file is stored and waits for the checker.")
            assert team.reads("The checker is at work; this page shows the result as soon as it is there.")
            team.page.evaluate("window.notReloaded = true")
        team.wait_for("The file breaks the rules below, and costs no try.")
        assert team.page.evaluate("window.notReloaded")
        self._check_findings(team, wrong)
        team.look()
        team.open(ROUND)
        with _worker_asleep(self.server):
            team.hand_in(self.renamed)
            team.look()
            team.page.evaluate("window.notReloaded = true")
        team.wait_for("The file is valid.")
        assert team.page.evaluate("window.notReloaded")
        assert team.table("Figures") == [["U", "date", "goods", "price", "quantity"], ["0.000000"] * 5]

    def check_first(self) -> None:
        """Let a team have a file checked that it then does not hand in."""
        team = self.renamers
        team.open(ROUND)
        team.follow("Check a file first")
        team.page.locator("input[name='file']").set_input_files(self.folder / "A-wrong.csv")
        team.press("Check")
        team.wait_for("The file breaks the rules below. Nothing was handed in.")
        team.look()
        assert team.reads("3 findings")
        team.open(ROUND)
        assert len(team.table("Submissions of your team")) == 1 + 2

    def _check_findings(self, team: Captain, wrong: Path) -> None:
        price = files.cell(self.original, 2, 4)
        assert team.reads("3 findings")
        shown = [row[1:4] for row in team.table("3 findings")]
        assert shown == [
            ["Line", "Column", "Value"],
            ["1", "2 date", "<b>soon</b>"],
            ["2", "4 price", "99999.99"],
            ["3", "1 pseudonym", "x"],
        ]
        sentence = f"'99999.99' does not contain the original price '{price}'"
        assert team.reads(sentence)
        assert wrong.exists()
        team.switch_language("ja")
        assert team.reads("ファイルが下の規則に反しています。試行には数えません。")
        assert [row[2] for row in team.table("3件の指摘")] == ["列", "2 日付", "4 単価", "1 仮名"]
        assert team.reads(f"「99999.99」は元の単価「{price}」を含みません。")
        team.switch_language("en")

    def submit_others(self) -> None:
        """Let the other teams hand in what they hide more with, in Japanese and in English, and choose."""
        other = self.maskers
        other.open(ROUND)
        assert other.reads("元の購買履歴")
        for columns, loss in (((1, 2), "0.500000"), ((2, 3, 4), "0.750000")):
            other.open(ROUND)
            other.hand_in(files.mask(self.renamed, self.folder / "A-masked.csv", *columns))
            other.wait_for("ファイルは有効です。")
            assert other.table("数値")[1][0] == loss
        other.open(ROUND)
        other.press_in_row("0.750000", "Choose")
        assert other.reads("この提出を採用しました。")
        assert "採用中" in other.row("0.750000")
        self.blotters.open(ROUND)
        self.blotters.hand_in(files.mask(self.renamed, self.folder / "A-blotted.csv", 1, 2, 3, 4))
        self.blotters.wait_for("The file is valid.")
        assert self.blotters.table("Figures")[1][0] == "1.000000"

    def attack(self) -> None:
        """Let all teams attack under aliases; one takes a team for whom it is, the others only try."""
        desk.close_phase(self.referee, SLUG, "all files are in")
        aliases = {team.team: team.wait_for_targets(2) for team in self.teams}
        assert len(set().union(*aliases.values())) == len(NAMES)
        assert not any(name in team.said() for team in self.teams for name in NAMES)
        self.refuse_to_spend(self.blotters, aliases["Blotters"][0])
        self.guess(self.maskers, aliases["覆面座"], "ファイルは有効です。数値はまだ知らされません。")
        for team in (self.renamers, self.blotters):
            self.guess(team, aliases[team.team][:1], "The file is valid. Its figures are not told yet.")
        self.maskers.open(f"/c/{SLUG}/")
        assert self.maskers.reads("あなたのチームはすべての標的を攻撃しました。")
        self.maskers.open(ROUND)
        assert self.maskers.reads("フェーズ「匿名化」は終わりました")

    def refuse_to_spend(self, team: Captain, alias: str) -> None:
        """Let a team hand in one guess of many, be asked, and keep its try; then take all targets in one piece."""
        published = team.get_published(alias, self.folder)
        whole = files.all_wrong(self.original, published, self.folder / "F1-all.csv")
        poor = self.folder / "F1-poor.csv"
        poor.write_text(whole.read_text(encoding="ascii").splitlines()[0] + "\n", encoding="ascii")
        team.page.locator("input[name='file']").set_input_files(poor)
        asked = team.decline(lambda: team.button("Hand in").click())
        assert asked == f"1 of {PERSONS} pseudonyms guessed: spend your only try?"
        assert team.button("Hand in").is_enabled()
        team.open(f"{ROUND}targets/")
        assert "1 of 1" in team.row(alias)

    def guess(self, team: Captain, aliases: list[str], sentence: str) -> None:
        """Attack some targets: the Japanese team well, the others badly."""
        for alias in aliases:
            published = team.get_published(alias, self.folder)
            hidden = "*" in published.read_text(encoding="ascii")
            make = files.all_wrong if hidden or team is not self.maskers else files.all_right
            team.hand_in(make(self.original, published, self.folder / f"F1-{team.team}-{alias}.csv"))
            team.wait_for(sentence)
            team.look()

    def publish(self) -> None:
        """Score, look at the result as a referee, and publish it."""
        desk.close_phase(self.referee, SLUG, "all guesses are in")
        self.referee.open(BOARD)
        self.referee.wait_for("Only referees see the rankings so far.")
        self.renamers.open(BOARD)
        assert not self.renamers.reads("Anonymizers")
        self.renamers.open(f"/c/{SLUG}/")
        assert self.renamers.reads("The referees check the scores. Nothing is left to do.")
        desk.close_phase(self.referee, SLUG, "the scores are checked")

    def weigh_first_page(self) -> int:
        """Return how many bytes a stranger gets for the first page."""
        stranger = Visitor(self._browser, self.url, self.inspector)
        weight = stranger.weigh("/")
        stranger.context.close()
        return weight

    def look_around(self) -> None:
        """Sign in with a passkey, and open the pages that the contest did not lead to."""
        self.blotters.add_passkey()
        self.blotters.sign_in_with_passkey()
        anybody = Visitor(self._browser, self.url, self.inspector)
        visits = {anybody: OPEN_PAGES, self.renamers: OWN_PAGES, self.referee: DESK_PAGES}
        for visitor, pages in visits.items():
            for page in pages:
                visitor.open(page)
        anybody.context.close()
