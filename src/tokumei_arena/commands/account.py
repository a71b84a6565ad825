"""Where the client commands find the arena and the token: the environment, or a file that only its owner reads."""

from __future__ import annotations

import json
import os
import secrets
import sys
import tomllib
from pathlib import Path

from tokumei_arena.client import ArenaClient, ArenaClientError

URL_VARIABLE, TOKEN_VARIABLE = "TOKUMEI_ARENA_URL", "TOKUMEI_ARENA_TOKEN"
OWNER_ONLY_FOLDER, OWNER_ONLY_FILE = 0o700, 0o600


def _file() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(folder) / "tokumei" / "arena.toml"


def language() -> str:
    """Return the language of the messages: that of the terminal, if the arena speaks it."""
    wanted = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or "en"
    return "ja" if wanted.startswith("ja") else "en"


def _stored() -> dict[str, str]:
    path = _file()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ArenaClientError(f"{path} cannot be read; run 'tokumei arena login URL' again", code="login") from error
    return {name: value for name, value in found.items() if isinstance(value, str)}


def save(url: str, token: str) -> Path:
    """Keep address and token in a file of their own that only its owner reads."""
    path = _file()
    fresh = path.with_name(f".arena.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY_FILE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            # A JSON string is a TOML string.
            file.write(f"url = {json.dumps(url)}\ntoken = {json.dumps(token)}\n")
        fresh.replace(path)
    except OSError as error:
        raise ArenaClientError(f"{path} cannot be written: {error.strerror}", code="output") from error
    finally:
        fresh.unlink(missing_ok=True)
    return path


def read_token() -> str:
    """Return the token from the environment, from standard input, or from the person at the terminal."""
    given = os.environ.get(TOKEN_VARIABLE, "")
    if not given:
        if sys.stdin.isatty():
            import typer

            given = typer.prompt("token (made on the page “API tokens” of the arena)", hide_input=True, err=True)
        else:
            given = sys.stdin.readline()
    token = given.strip()
    if not token or not token.isascii() or any(letter.isspace() for letter in token):
        message = "this is no token; make one on the page “API tokens” of the arena and give all of it"
        raise ArenaClientError(message, code="bad-token")
    return token


def connect() -> ArenaClient:
    """Return a client for the arena of the last login, or of the environment."""
    stored = _stored()
    url = os.environ.get(URL_VARIABLE) or stored.get("url", "")
    token = os.environ.get(TOKEN_VARIABLE) or stored.get("token", "")
    if not url or not token:
        message = f"log in first: tokumei arena login URL (or set {URL_VARIABLE} and {TOKEN_VARIABLE})"
        raise ArenaClientError(message, code="login")
    return ArenaClient(url, token, language=language())
