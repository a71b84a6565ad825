"""A client of the arena's API that needs nothing but the standard library.

    client = ArenaClient("https://arena.example.org", token)
    for contest in client.get("/contests"): ...
    client.upload("/contests/cup/rounds/final/submissions", [Path("A.csv")])

Uploads are streamed and carry a key, so that one whose answer got lost is sent again without being taken twice. httpx
would take 70 of these lines away, but bring six packages into an installation that only takes part, and load in five
times the time; what is repeated, and when, it leaves to us.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import secrets
import shutil
import socket
import ssl
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from tokumei.errors import TokumeiError

API = "/api/v1"
PIECE = 1 << 18
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 8.0
# The server is busy or being started again: the same request may work a moment later. Behind a proxy that gave up (502,
# 504) it may have been carried out, too.
BUSY, GIVEN_UP, TOO_OFTEN = 503, (502, 504), "rate-limit"
LOCAL = ("localhost", "127.0.0.1", "::1")
EPOCH = (1980, 1, 1, 0, 0, 0)


class ArenaClientError(TokumeiError):
    """The arena refused something or cannot be reached; ``status`` is that of its answer, 0 without one."""

    code = "arena"

    def __init__(self, message: str, *, code: str | None = None, status: int = 0) -> None:
        super().__init__(message, code=code)
        self.status = status


class _LostError(Exception):
    """The connection broke; ``sent`` says whether the server may have read the request."""

    def __init__(self, reason: Exception, *, sent: bool) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.sent = sent


Body = Callable[[], Iterator[bytes]]


class ArenaClient:
    """Calls of one person to one arena."""

    def __init__(
        self, url: str, token: str, *, language: str = "en", timeout: float = 60.0, patience: float = 60.0
    ) -> None:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            message = f"'{url}' is no address of an arena; write it like https://arena.example.org"
            raise ArenaClientError(message, code="bad-address")
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._parts = parts
        self._prefix = parts.path.rstrip("/") + API
        self._timeout = timeout
        self._patience = patience
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Accept-Language": language,
            "User-Agent": "tokumei-arena-client",
            "Connection": "close",
        }

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read the token: encrypted, or on this machine."""
        return self._parts.scheme == "https" or self._parts.hostname in LOCAL

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """Return the document at an address of the API."""
        return self._document("GET", path + (f"?{urlencode(query)}" if query else ""), again=True)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send a document; return the answer."""
        data = json.dumps(body or {}).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        return self._document("POST", path, headers=headers, body=lambda: iter([data]))

    def upload(
        self, path: str, files: Sequence[Path], *, fields: Mapping[str, str] | None = None, key: str | None = None
    ) -> Any:
        """Send a file, or several packed into one zip; the same key never gives two submissions."""
        headers = {"Idempotency-Key": key or secrets.token_hex(16)}
        with _one_file(files) as file:
            body, more = _multipart({"file": file}, fields or {})
            return self._document("POST", path, headers={**headers, **more}, body=body, again=True)

    def put_files(self, path: str, files: Mapping[str, Path], *, fields: Mapping[str, str] | None = None) -> Any:
        """Send several files, each in the field of its name (referees: data of a round)."""
        body, headers = _multipart({f"file-{name}": file for name, file in files.items()}, fields or {})
        return self._document("POST", path, headers=headers, body=body, again=True)

    def download(self, url: str, target: Path, *, sha256: str | None = None) -> int:
        """Save the bytes at an address that the API gave (or a path of it); return how many.

        They are written under another name first, so that a broken download leaves no half file.
        """
        path = url.removeprefix(API)
        fresh = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")

        def save(response: http.client.HTTPResponse) -> tuple[int, str]:
            digest, size = hashlib.sha256(), 0
            with _writing(target), fresh.open("wb") as file:
                while piece := _read(response):
                    digest.update(piece)
                    size += len(piece)
                    file.write(piece)
            return size, digest.hexdigest()

        try:
            size, found = self._call("GET", path, {}, None, save, again=True)
            if sha256 is not None and found != sha256:
                message = f"{target.name} arrived changed (its sha256 is not that of the server); download it again"
                raise ArenaClientError(message, code="changed")
            with _writing(target):
                fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
        return int(size)

    def _document(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: Body | None = None,
        again: bool = False,
    ) -> Any:
        def read(response: http.client.HTTPResponse) -> Any:
            return json.loads(_read(response, everything=True) or b"null")

        try:
            return self._call(method, path, headers or {}, body, read, again=again)
        except ValueError as error:
            message = f"{self.url} gave an answer that is no JSON; is it the address of an arena?"
            raise ArenaClientError(message, code="no-arena") from error

    def _call(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Body | None,
        take: Callable[[http.client.HTTPResponse], Any],
        *,
        again: bool,
    ) -> Any:
        """Call until there is an answer, as long as trying again does no harm and patience lasts."""
        deadline = time.monotonic() + self._patience
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                with self._answer(method, path, headers, body) as response:
                    if response.status < 300:
                        return take(response)
                    error = self._refusal(response)
                harmless = error.status == BUSY or error.code == TOO_OFTEN
                if not harmless and not (again and error.status in GIVEN_UP):
                    raise error
            except _LostError as lost:
                error = self._unreachable(lost.reason)
                if lost.sent and not again:
                    raise error from lost.reason
            if time.monotonic() + pause > deadline:
                raise error
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    @contextmanager
    def _answer(
        self, method: str, path: str, headers: Mapping[str, str], body: Body | None
    ) -> Iterator[http.client.HTTPResponse]:
        """Send one request and give its answer."""
        connection = self._connection()
        sent = False
        try:
            try:
                connection.connect()
                sent = True
                connection.putrequest(method, self._prefix + quote(path, safe="/?=&%"), skip_accept_encoding=True)
                for name, value in {**self._headers, **headers}.items():
                    connection.putheader(name, value)
                connection.endheaders()
                _send(connection, body)
                response = connection.getresponse()
            except (OSError, http.client.HTTPException) as reason:
                raise _LostError(reason, sent=sent) from reason
            with response:
                yield response
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=ssl.create_default_context())

    def _unreachable(self, reason: Exception) -> ArenaClientError:
        if isinstance(reason, ssl.SSLCertVerificationError):
            return ArenaClientError(f"the certificate of {self.url} is not valid", code="certificate")
        if isinstance(reason, socket.gaierror):
            return ArenaClientError(f"there is no server named {self._parts.hostname}", code="no-server")
        why = "it does not answer in time" if isinstance(reason, TimeoutError) else "the connection failed or broke"
        return ArenaClientError(f"{self.url} cannot be reached: {why}; try again later", code="unreachable")

    def _refusal(self, response: http.client.HTTPResponse) -> ArenaClientError:
        """Return the server's own sentence."""
        status = response.status
        if status in (301, 302, 303, 307, 308):
            # A token is never sent to wherever an answer points.
            where = response.headers.get("Location", "")
            return ArenaClientError(f"{self.url} has moved ({where}); log in at the new address", code="moved")
        try:
            error = json.loads(_read(response, everything=True))["error"]
            return ArenaClientError(str(error["message"]), code=str(error["code"]), status=status)
        except (ValueError, KeyError, TypeError):
            message = f"{self.url} answered with status {status}; is it the address of an arena?"
            return ArenaClientError(message, code="no-arena", status=status)


def _read(response: http.client.HTTPResponse, *, everything: bool = False) -> bytes:
    """Return the next piece of an answer (or all of it); a connection that breaks on the way is lost."""
    try:
        piece = response.read() if everything else response.read(PIECE)
        if not piece and response.length:
            raise http.client.IncompleteRead(b"", response.length)
    except (OSError, http.client.HTTPException) as reason:
        raise _LostError(reason, sent=True) from reason
    return piece


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    """Say which file cannot be written."""
    try:
        yield
    except OSError as error:
        raise ArenaClientError(f"{target} cannot be written: {error.strerror}", code="output") from error


def _send(connection: http.client.HTTPConnection, body: Body | None) -> None:
    """Send the body; a server that refuses early has its answer read instead."""
    try:
        for piece in body() if body is not None else ():
            connection.send(piece)
    except (BrokenPipeError, ConnectionResetError):
        return


@contextmanager
def _one_file(files: Sequence[Path]) -> Iterator[Path]:
    """Give the one file, or a zip of several; the same files always give the same bytes."""
    for path in files:
        if not path.is_file() or not os.access(path, os.R_OK):
            raise ArenaClientError(f"{path}: there is no such file, or it cannot be read", code="unreadable")
    if len(files) == 1:
        yield files[0]
        return
    names = [path.name for path in files]
    if len(set(names)) < len(names) or not files:
        raise ArenaClientError("give files with different names", code="bad-files")
    with tempfile.TemporaryDirectory(prefix="tokumei-") as folder:
        packed = Path(folder) / "files.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                entry = zipfile.ZipInfo(path.name, EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                    shutil.copyfileobj(source, target, PIECE)
        yield packed


def _multipart(files: Mapping[str, Path], fields: Mapping[str, str]) -> tuple[Body, dict[str, str]]:
    """Return the body of a form with files, to be made anew for every try, and its headers."""
    boundary = secrets.token_hex(16)
    line = f"--{boundary}\r\nContent-Disposition: form-data; name="
    texts = "".join(f'{line}"{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()).encode()
    heads = {
        file: f'{line}"{name}"; filename="{_header_text(file.name)}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        for name, file in files.items()
    }
    sizes = {file: file.stat().st_size for file in heads}
    end = f"--{boundary}--\r\n".encode()

    def body() -> Iterator[bytes]:
        yield texts
        for file, head in heads.items():
            yield head.encode()
            yield from _pieces(file, sizes[file])
            yield b"\r\n"
        yield end

    around = sum(len(head.encode()) + len("\r\n") for head in heads.values())
    headers = {
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        "Content-Length": str(len(texts) + around + sum(sizes.values()) + len(end)),
    }
    return body, headers


def _header_text(name: str) -> str:
    """Return a file name as it may stand in a header."""
    return name.encode("utf-8", "replace").decode().replace('"', "%22").replace("\r", "").replace("\n", "")


def _pieces(file: Path, size: int) -> Iterator[bytes]:
    """Give exactly as many bytes as were announced."""
    left = size
    with file.open("rb") as source:
        while left and (piece := source.read(min(PIECE, left))):
            left -= len(piece)
            yield piece
    if left:
        raise ArenaClientError(f"{file} became shorter while it was sent; send it again", code="changed")
