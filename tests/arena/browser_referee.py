"""What a referee does with a browser: from the link of the first start to the results."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.arena.browser_visitor import Visitor
from tests.arena.pages import totp_code

__all__ = ["approve_all", "become_referee", "close_phase", "link_for", "make_contest", "sign_in_again"]

PASSWORD = "a plain horse with a battery"
EMAIL = "referee@example.org"
# Phases begin a day apart; the referee closes each one when everybody is done.
PHASES = ("registration", "anonymize", "attack", "scoring", "published")


def become_referee(referee: Visitor, link: str) -> list[str]:
    """Use the link of the first start and set up an authenticator app; return the recovery codes."""
    referee.open(link)
    referee.fill(name="Rei Referee", email=EMAIL, password1=PASSWORD, password2=PASSWORD)
    referee.press("Make my account")
    referee.look()
    # Every time this page is shown it offers another key; only the last one counts.
    referee.page.reload()
    secret = referee.page.locator("#totp-key").inner_text()
    referee.fill(code=totp_code(secret))
    referee.press("Switch on")
    referee.look()
    codes = referee.page.locator("#recovery-codes li").all_inner_texts()
    referee.follow("To the first page")
    return codes


def sign_in_again(referee: Visitor, code: str) -> None:
    """Sign out, then in with password and second factor."""
    with referee.page.expect_navigation():
        referee.page.get_by_role("button", name=referee.words("Sign out"), exact=True).click()
    referee.open("/accounts/login/")
    referee.fill(login=EMAIL, password=PASSWORD)
    referee.press("Sign in")
    referee.look()
    referee.fill(code=code)
    referee.press("Sign in")


def make_contest(referee: Visitor, name: str, *, persons: int, zone: str) -> None:
    """Make a contest with a final round only, generate its data and open it; registration is on at once."""
    referee.open("/desk/")
    referee.follow("New contest")
    first = datetime.now(ZoneInfo(zone)) - timedelta(hours=1)
    referee.fill(name=name)
    referee.page.locator("input[name='preliminary-included']").uncheck()
    for day, phase in enumerate(PHASES):
        referee.fill(**{f"final__{phase}": f"{first + timedelta(days=day):%Y-%m-%dT%H:%M}"})
    referee.fill(final__weight="1")
    referee.press("Make the contest")
    referee.look()
    referee.follow("Data")
    referee.fill(subjects=str(persons))
    referee.press("Generate synthetic data")
    referee.follow("Now")
    referee.press("Open the contest to everybody")


def link_for(referee: Visitor, email: str) -> str:
    """Take the newest message for an address from the desk, pass it on, and return its link."""
    referee.open("/desk/messages/")
    card = referee.page.locator("section.card").filter(has_text=email).first
    found = re.search(r"https?://\S+", card.locator("pre").inner_text())
    assert found, card.inner_text()
    with referee.page.expect_navigation():
        card.get_by_role("button", name=referee.words("Passed on"), exact=True).click()
    return found[0]


def approve_all(referee: Visitor, slug: str) -> None:
    """Approve every team that waits."""
    referee.open(f"/desk/c/{slug}/teams/")
    while referee.button("Approve").count():
        referee.press("Approve")


def close_phase(referee: Visitor, slug: str, reason: str) -> None:
    """End the phase that is on."""
    referee.open(f"/desk/c/{slug}/phases/")
    form = referee.page.locator("form[action$='/close/']")
    referee.page.locator("details").filter(has=form).locator("summary").click()
    form.locator("input[name='reason']").fill(reason)
    with referee.page.expect_navigation():
        form.get_by_role("button").click()
