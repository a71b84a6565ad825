"""Whether a deployment is as it should be: everything that health asks, and what takes longer or is set up once."""

from __future__ import annotations

import json
import secrets
import stat
import urllib.error
import urllib.request
from collections.abc import Callable

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokumei_arena import environment
from tokumei_arena.models import Blob, Person
from tokumei_arena.operations.checks import Check, State, health
from tokumei_arena.records import log_state
from tokumei_arena.teams import has_second_factor

LOCAL = ("localhost", "127.0.0.1", "[::1]")
SHORTEST_SECRET = 32
PATIENCE_SECONDS = 10.0


def _stores() -> Check:
    """Store a file in every area, and remove it again."""
    for area in Blob.Area.values:
        storage, data = storages[area], secrets.token_bytes(16)
        try:
            name = storage.save(f"doctor/{secrets.token_hex(16)}", ContentFile(data))
            with storage.open(name, "rb") as file:
                right = file.read() == data
            storage.delete(name)
        except Exception:
            right = False
        if not right:
            text = _("A file could not be stored and read again (area “%(area)s”).") % {"area": area}
            return Check("store", State.BAD, text, _("Check STORAGE_URL, its rights, and the room that is left."))
    return Check("store", State.OK, _("Files are stored and read again in all areas."))


def _home() -> Check:
    home = environment.home()
    found = [home, *(home / name for name in ("secret.key", environment.LOG_KEY_FILE, "arena.sqlite3"))]
    open_ = [path.name for path in found if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077]
    if open_:
        text = _("Others can read %(names)s.") % {"names": ", ".join(open_)}
        return Check("home", State.BAD, text, _("Take their rights away: chmod -R go= on the folder of the arena."))
    return Check("home", State.OK, _("Folder, keys and database are closed to other users."))


def _secret() -> Check:
    if len(settings.SECRET_KEY) < SHORTEST_SECRET:
        advice = _("Set TOKUMEI_ARENA_SECRET to 50 random characters, the same on all machines.")
        return Check("secret", State.BAD, _("The secret key is too short."), advice)
    return Check("secret", State.OK, _("The secret key is long enough."))


def _address() -> Check:
    public = [name for name in settings.ALLOWED_HOSTS if name not in LOCAL]
    if settings.DEBUG:
        return Check("address", State.BAD, _("The arena runs for developers."), _("Unset TOKUMEI_ARENA_DEBUG."))
    if not public:
        return Check("address", State.OK, _("The arena answers to this machine only."))
    if not settings.HTTPS:
        text = _("The arena answers to %(names)s without TLS.") % {"names": ", ".join(public)}
        advice = _("Put a proxy with TLS before it (deploy/ has examples) and set TOKUMEI_ARENA_HTTPS=1.")
        return Check("address", State.BAD, text, advice)
    if not settings.ARENA_URL.startswith("https://"):
        advice = _("Set TOKUMEI_ARENA_URL to the address that people use.")
        return Check("address", State.WARN, _("Mails do not know the address of the arena."), advice)
    return Check("address", State.OK, _("People reach the arena at %(address)s.") % {"address": settings.ARENA_URL})


def _referees() -> Check:
    found = list(Person.objects.filter(is_referee=True, is_active=True))
    bare = sum(not has_second_factor(person) for person in found)
    if not found:
        advice = _("Make a link with “tokumei arena referee-link” and open it.")
        return Check("referees", State.WARN, _("There is no referee yet."), advice)
    if bare:
        text = ngettext(
            "%(count)d referee has no second factor yet.", "%(count)d referees have no second factor yet.", bare
        )
        advice = _("They are asked for it when they sign in; let them do so.")
        return Check("referees", State.WARN, text % {"count": bare}, advice)
    return Check("referees", State.OK, _("Every referee has a second factor."))


def _log() -> Check:
    state = log_state()
    if state.broken is not None:
        text = _("The log is broken at entry %(number)d.") % {"number": state.broken.number}
        return Check("log", State.BAD, text, _("Keep a copy of the database and find out who changed it."))
    if not state.guarded:
        advice = _("Restore the database from a backup, or let “tokumei arena serve” make a new one.")
        return Check("log", State.BAD, _("The database does not protect the log."), advice)
    return Check("log", State.OK, _("The log is whole and agrees with what was signed of it."))


def _server(address: str) -> Check:
    """Ask a running server whether it is ready."""
    request = urllib.request.Request(f"{address.rstrip('/')}/readyz")  # noqa: S310 - the operator names it
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:  # noqa: S310
            ready = json.load(response)["ready"]
    except urllib.error.HTTPError as error:
        text = _("The server at %(address)s answers with status %(status)d.")
        told = text % {"address": address, "status": error.code}
        return Check("server", State.BAD, told, _("Look at the other findings, and at its messages."))
    except (OSError, ValueError, KeyError):
        text = _("Nobody answers at %(address)s.") % {"address": address}
        return Check("server", State.BAD, text, _("Start “tokumei arena serve”, and check the proxy before it."))
    state = State.OK if ready else State.BAD
    return Check("server", state, _("The server at %(address)s is ready.") % {"address": address})


LOOKS: tuple[Callable[[], Check], ...] = (_stores, _home, _secret, _address, _referees, _log)


def examine(address: str = "") -> list[Check]:
    """Look at a deployment from a machine of it; with an address the server there is asked too."""
    found = health()
    if not any(check.name in ("database", "migrations") and check.state is State.BAD for check in found):
        found += [look() for look in LOOKS]
    if address:
        found.append(_server(address))
    return found
