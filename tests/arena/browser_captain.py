"""What the captain of a team does with a browser: sign up, make a team, sign in, hand in, attack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.arena.browser_visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Locator

__all__ = ["Captain"]

MOST_STOPS = 30
PASSWORD = "trombone under the stairs"


class Captain(Visitor):
    """A visitor who leads a team."""

    team: str
    email: str
    slug: str

    def sign_up(self, name: str, email: str, pass_on: Callable[[str], str]) -> None:
        """Make an account; somebody passes the link of the verification mail on."""
        self.email = email
        self.open("/accounts/signup/")
        self.fill(name=name, email=email, password1=PASSWORD, password2=PASSWORD)
        self.press("Sign up")
        self.look()
        self.open(pass_on(email))
        self.press("Yes, verify it")

    def make_team(self, contest: str, team: str) -> None:
        """Find the contest on the first page, make a team and accept the terms."""
        self.team = team
        self.open("/")
        self.follow(contest)
        self.slug = self.page.url.rstrip("/").rsplit("/", 1)[-1]
        self.follow("Create a team")
        self.fill(name=team, affiliation="Test University")
        self.tick("terms")
        self.press("Make the team")
        self.look()

    def sign_in_by_keyboard(self) -> None:
        """Sign out, then in again, without a mouse: past the header with the skip link, then from field to field."""
        self._sign_out()
        self.open("/accounts/login/")
        keyboard = self.page.keyboard
        self._skip_header()
        keyboard.press("Tab")
        assert self.page.evaluate("document.activeElement.name") == "login"
        keyboard.type(self.email)
        keyboard.press("Tab")
        keyboard.type(PASSWORD)
        with self.page.expect_navigation():
            keyboard.press("Enter")
        assert self._leave.is_visible()

    @property
    def _leave(self) -> Locator:
        return self.page.locator("header").get_by_role("button", name=self.words("Sign out"), exact=True)

    def _sign_out(self) -> None:
        with self.page.expect_navigation():
            self._leave.press("Enter")

    def add_passkey(self) -> None:
        """Plug a key into the browser and add it as one that replaces the password."""
        key = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
        session = self.context.new_cdp_session(self.page)
        session.send("WebAuthn.enable")
        options = {**key, "isUserVerified": True, "automaticPresenceSimulation": True}
        session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self.open("/accounts/2fa/webauthn/add/")
        assert self.place == "/accounts/reauthenticate/"
        self.fill(password=PASSWORD)
        self.press("Go on")
        self.look()
        # Every time this page is shown it offers another challenge; only the last one counts.
        self.page.reload()
        self.fill(name="Test key")
        self.tick("passwordless")
        self.press("Add the key")
        self.open("/accounts/2fa/webauthn/")
        assert "Test key" in self.said()

    def sign_in_with_passkey(self) -> None:
        """Sign out, then in again with nothing but the key."""
        self._sign_out()
        self.open("/accounts/login/")
        self.press("Sign in with a passkey")
        assert self._leave.is_visible()

    def _skip_header(self) -> None:
        """Use the first link of a page that was just opened."""
        self.page.keyboard.press("Tab")
        assert self.page.evaluate("document.activeElement.textContent") == self.words("Skip to the content")
        self.page.keyboard.press("Enter")

    def get_original(self, folder: Path) -> Path:
        """Download T from the page of the round."""
        self.open(f"/c/{self.slug}/final/")
        return self.save("T.csv", folder / f"T-{self.team}.csv")

    def hand_in(self, file: Path) -> None:
        """Choose a file and send the form of this page."""
        self.page.locator("input[name='file']").set_input_files(file)
        self.press("Hand in")

    def hand_in_by_keyboard(self, file: Path, note: str) -> None:
        """Go to the page of the round and send its form without a mouse."""
        self.open(f"/c/{self.slug}/final/")
        keyboard = self.page.keyboard
        self._skip_header()
        stops: list[str | None] = []
        while "file" not in stops:
            keyboard.press("Tab")
            stops.append(self.page.evaluate("document.activeElement.type"))
            assert len(stops) < MOST_STOPS, stops
        with self.page.expect_file_chooser() as chooser:
            keyboard.press("Enter")
        chooser.value.set_files(file)
        keyboard.press("Tab")
        keyboard.type(note)
        keyboard.press("Tab")
        assert self.page.evaluate("document.activeElement.textContent") == self.words("Hand in")
        with self.page.expect_navigation():
            keyboard.press("Enter")

    def wait_for_targets(self, count: int) -> list[str]:
        """Go to the targets and wait until so many are published; return their aliases."""
        self.open(f"/c/{self.slug}/final/targets/")
        listed = self.page.locator("tbody th a")
        self.reload_until(lambda: listed.count() == count, f"{count} targets")
        self.look()
        return listed.all_inner_texts()

    def get_published(self, alias: str, folder: Path) -> Path:
        """Go to the page of a target and download its file."""
        self.open(f"/c/{self.slug}/final/targets/")
        self.follow(alias)
        return self.save("A1.csv", folder / f"A1-{self.team}-{alias}.csv")
