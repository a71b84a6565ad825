"""What the arena takes from its environment: where it keeps things, its secret, its database and its object store.

Everything has a default that works on a fresh machine: SQLite and files in one folder of the user. Addresses are read
by hand: dj-database-url takes any database and an address without a host, dj-email-url takes smtps for STARTTLS, and
neither knows object stores. The variables:

    TOKUMEI_ARENA_HOME     folder of database, files and secret key (default: ~/.local/share/tokumei-arena)
    TOKUMEI_ARENA_SECRET   secret key; without it one is generated in the folder, readable by its owner only
    TOKUMEI_ARENA_LOG_KEY  64 hexadecimal digits that sign heads of the log; else generated in the folder; for workers
    TOKUMEI_ARENA_HOSTS    host names the server answers to, separated by commas (default: localhost)
    TOKUMEI_ARENA_ROLE     "web" cannot open ground truth, "worker" can
    TOKUMEI_ARENA_URL      address under which people reach the server, as mails name it (https://cup.example.org)
    TOKUMEI_ARENA_HTTPS    "1" behind TLS: secure cookies, HSTS, redirects
    TOKUMEI_ARENA_HSTS_SUBDOMAINS, TOKUMEI_ARENA_HSTS_PRELOAD   "1": for all names below this one; for browsers' lists
    TOKUMEI_ARENA_LEASE    seconds after which the work of a silent worker is given to another (default: 30)
    TOKUMEI_ARENA_WEBHOOKS  hosts (host or host:port, separated by commas) that webhooks may reach without TLS or in
                           private networks; all others are reached by https and at public addresses only
    TOKUMEI_ARENA_LOG      "json": messages and requests as lines of JSON on standard error
    TOKUMEI_ARENA_METRICS_TOKEN   token for /metrics from elsewhere than this machine
    TOKUMEI_ARENA_SANDBOX  "limits": evaluate without a sandbox
    TOKUMEI_ARENA_DEBUG    "1" for developers only
    DATABASE_URL           postgresql://user:password@host:port/name
    STORAGE_URL            s3://key:secret@host:port/bucket?tls=0
    EMAIL_URL              smtp://user:password@host:port?tls=1&from=arena@example.org
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

OWNER_ONLY_FOLDER, OWNER_ONLY_FILE = 0o700, 0o600
SHORTEST_LEASE, USUAL_LEASE = 1, 30
LOG_KEY_FILE, LOG_KEY_BYTES = "log.key", 32
# Threads of web processes and workers stay, and so do their connections, as long as they are used.
KEEP_CONNECTION_SECONDS = 60
# What is stored where: only "truth" holds what nobody but the judge may read.
AREAS = ("uploads", "data", "published", "truth")


@dataclass(frozen=True)
class _Address:
    scheme: str
    user: str
    password: str
    host: str
    port: int | None
    path: str
    options: dict[str, str]


def _address(variable: str, schemes: tuple[str, ...]) -> _Address | None:
    text = os.environ.get(variable, "")
    if not text:
        return None
    parts = urlsplit(text)
    if parts.scheme not in schemes or not parts.hostname:
        # The value may hold a password: it is never shown.
        message = f"{variable} cannot be used; write it as {schemes[0]}://user:password@host:port/name"
        raise ImproperlyConfigured(message)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return _Address(parts.scheme, user, password, parts.hostname, parts.port, parts.path.strip("/"), options)


def home() -> Path:
    """Return the folder of the arena, made on first use and closed to others."""
    folder = Path(os.environ.get("TOKUMEI_ARENA_HOME") or Path.home() / ".local/share/tokumei-arena")
    if not folder.is_dir():
        folder.mkdir(mode=OWNER_ONLY_FOLDER, parents=True)
    found = folder.stat()
    if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(OWNER_ONLY_FOLDER)
    return folder.resolve()


def close_database_file() -> None:
    """Keep others from reading the database where it is a file of ours, whatever made it before."""
    for name in ("arena.sqlite3", "arena.sqlite3-wal", "arena.sqlite3-shm"):
        path = home() / name
        if path.exists() and path.stat().st_uid == os.getuid():
            path.chmod(OWNER_ONLY_FILE)


def public_url() -> str:
    """Return the address of the arena without a slash at its end; empty if none is configured."""
    text = os.environ.get("TOKUMEI_ARENA_URL", "").rstrip("/")
    parts = urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query):
        raise ImproperlyConfigured("TOKUMEI_ARENA_URL cannot be used; write it as https://cup.example.org")
    return text


def flag(name: str) -> bool:
    """Return whether a variable is switched on."""
    return os.environ.get(name, "").lower() in ("1", "true", "yes", "on")


def hosts() -> list[str]:
    """Return the host names the server answers to."""
    listed = os.environ.get("TOKUMEI_ARENA_HOSTS", "localhost,127.0.0.1,[::1]")
    return [name.strip() for name in listed.split(",") if name.strip()]


def role() -> str:
    """Return what this process is: 'web' or 'worker'."""
    return os.environ.get("TOKUMEI_ARENA_ROLE", "web")


def webhook_hosts() -> list[str]:
    """Return the hosts to which news may go although they are not public, or not reached by TLS."""
    return [name.strip().lower() for name in os.environ.get("TOKUMEI_ARENA_WEBHOOKS", "").split(",") if name.strip()]


def log_form() -> str:
    """Return how messages are written: 'line' for people, 'json' for programs."""
    text = os.environ.get("TOKUMEI_ARENA_LOG") or "line"
    if text not in ("line", "json"):
        raise ImproperlyConfigured(f"TOKUMEI_ARENA_LOG is '{text}', but it has to be 'line' or 'json'")
    return text


def lease_seconds() -> int:
    """Return how long work belongs to a worker that says nothing any more."""
    text = os.environ.get("TOKUMEI_ARENA_LEASE") or str(USUAL_LEASE)
    if not text.isdecimal() or int(text) < SHORTEST_LEASE:
        message = (
            f"TOKUMEI_ARENA_LEASE is '{text}', but it has to be a whole number of seconds from {SHORTEST_LEASE} on"
        )
        raise ImproperlyConfigured(message)
    return int(text)


def secret_key() -> str:
    """Return the secret key; the first process of a new arena makes it."""
    return os.environ.get("TOKUMEI_ARENA_SECRET") or _made_once("secret.key", lambda: secrets.token_urlsafe(64))


def log_key() -> bytes:
    """Return the key that signs heads of the log; the first worker of a new arena makes it."""
    given = os.environ.get("TOKUMEI_ARENA_LOG_KEY")
    text = given or _made_once(LOG_KEY_FILE, lambda: secrets.token_hex(LOG_KEY_BYTES))
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != LOG_KEY_BYTES:
        # The value is a secret: it is never shown.
        place = "TOKUMEI_ARENA_LOG_KEY" if given else str(home() / LOG_KEY_FILE)
        raise ImproperlyConfigured(f"{place} has to be {2 * LOG_KEY_BYTES} hexadecimal digits")
    return found


def has_log_key() -> bool:
    """Return whether this machine holds the key that signs heads of the log."""
    return bool(os.environ.get("TOKUMEI_ARENA_LOG_KEY")) or (home() / LOG_KEY_FILE).exists()


def _made_once(name: str, make: Callable[[], str]) -> str:
    """Return what stands in a file of ours, which is made if it is not there."""
    path, fresh = home() / name, home() / f".{name}.{secrets.token_hex(8)}"
    if not path.exists():
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY_FILE)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(make())
        try:
            # Of two processes that start at once, one links first and both read the same key.
            path.hardlink_to(fresh)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text(encoding="ascii").strip()


def database() -> dict[str, Any]:
    """Return the settings of the database."""
    address = _address("DATABASE_URL", ("postgresql", "postgres"))
    if address is None:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": home() / "arena.sqlite3",
            "CONN_MAX_AGE": KEEP_CONNECTION_SECONDS,
            "OPTIONS": {
                # Writers queue up at BEGIN instead of failing in the middle.
                "transaction_mode": "IMMEDIATE",
                "timeout": 30,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
            },
        }
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": address.path,
        "USER": address.user,
        "PASSWORD": address.password,
        "HOST": address.options.get("host", address.host),
        "PORT": address.port or "",
        "CONN_MAX_AGE": KEEP_CONNECTION_SECONDS,
        "CONN_HEALTH_CHECKS": True,
    }


def storages() -> dict[str, Any]:
    """Return where files are kept: one storage per area, in the folder of the arena or in a bucket."""
    address = _address("STORAGE_URL", ("s3",))
    found: dict[str, Any] = {
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
        "default": {"BACKEND": "tokumei_arena.records.storage.NoStorage"},
    }
    for area in AREAS:
        if address is None:
            location = {"location": str(home() / "files" / area)}
            found[area] = {"BACKEND": "tokumei_arena.records.storage.FolderStorage", "OPTIONS": location}
            continue
        scheme = "http" if address.options.get("tls") == "0" else "https"
        port = f":{address.port}" if address.port else ""
        found[area] = {
            "BACKEND": "tokumei_arena.records.bucket.BucketStorage",
            "OPTIONS": {
                "access_key": address.user,
                "secret_key": address.password,
                "bucket_name": address.path,
                "endpoint_url": f"{scheme}://{address.host}{port}",
                "region_name": address.options.get("region", "us-east-1"),
                "location": area,
                "file_overwrite": True,
                "default_acl": None,
                "querystring_auth": True,
            },
        }
    return found


def email() -> dict[str, Any]:
    """Return the mail settings; without a server, messages are kept for the referee desk."""
    address = _address("EMAIL_URL", ("smtp", "smtps"))
    if address is None:
        return {"EMAIL_BACKEND": "tokumei_arena.teams.mail.DeskBackend", "DEFAULT_FROM_EMAIL": "arena@localhost"}
    open_ = address.scheme == "smtp" and address.options.get("tls") != "1"
    if address.password and open_ and address.host not in ("localhost", "127.0.0.1", "::1"):
        message = "EMAIL_URL would send its password in clear; add ?tls=1 or write smtps://"
        raise ImproperlyConfigured(message)
    return {
        "EMAIL_BACKEND": "tokumei_arena.teams.mail.OutboxBackend",
        "EMAIL_HOST": address.host,
        "EMAIL_PORT": address.port or 587,
        "EMAIL_HOST_USER": address.user,
        "EMAIL_HOST_PASSWORD": address.password,
        "EMAIL_USE_TLS": address.scheme == "smtp" and address.options.get("tls") == "1",
        "EMAIL_USE_SSL": address.scheme == "smtps",
        "EMAIL_TIMEOUT": 10,
        "DEFAULT_FROM_EMAIL": address.options.get("from", "arena@localhost"),
    }
