"""Sending something to an address that somebody wrote down: to public servers by TLS only, and nowhere else.

A server that fetches what it is told to can be made to knock at doors that only it can reach (OWASP, server-side
request forgery). So names are looked up here, every address found must be public, the connection goes to the very
address that was checked, and redirects are not followed. Operators can list hosts to which none of this applies.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from tokumei_arena.errors import RefusedError

TIMEOUT_SECONDS, LONGEST_SECONDS = 10.0, 20.0
# Addresses that hold one of the old kind in their last four bytes.
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


class UnsentError(Exception):
    """What was to be sent did not arrive; says why in English, for the log and the desk."""


def check_address(address: str) -> SplitResult:
    """Return the parts of an address to which something may be sent; raise one sentence about any other."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise RefusedError(_("this is no address; write https://host/path"), code="bad-url") from None
    if not parts.hostname or parts.username or parts.password or parts.fragment or port == 0:
        raise RefusedError(_("this is no address; write https://host/path"), code="bad-url")
    if _is_listed(parts):
        return parts
    if parts.scheme != "https":
        message = _("the address must begin with https://, or the operator must list its host (docs: webhooks)")
        raise RefusedError(message, code="no-tls")
    with suppress(ValueError):
        if not _is_public(ipaddress.ip_address(parts.hostname)):
            raise RefusedError(_("the address is not a public one"), code="private-address")
    return parts


def _is_listed(parts: SplitResult) -> bool:
    """Return whether the operator vouches for a host (with its port, if the list names one)."""
    if parts.scheme not in ("http", "https"):
        return False
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return bool({f"{parts.hostname}", f"{parts.hostname}:{port}"} & set(settings.ARENA_WEBHOOK_HOSTS))


def _is_public(ip: Ip) -> bool:
    """Return whether an address is one of the public internet, also behind the forms that hold another one.

    >>> [_is_public(ipaddress.ip_address(one)) for one in ("1.1.1.1", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False]
    """
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return _is_public(inner)
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _resolve(host: str, port: int, *, listed: bool) -> str:
    """Return the address to connect to; all that a name stands for must be public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UnsentError(f"the name {host} is not known") from None
    addresses = [str(one[4][0]) for one in found]
    if not listed and not all(_is_public(ipaddress.ip_address(one.partition("%")[0])) for one in addresses):
        raise UnsentError(f"{host} is not at a public address")
    return addresses[0]


class _PlainTo(HTTPConnection):
    """A connection to an address that was checked, whatever the name means by now."""

    def __init__(self, host: str, port: int, address: str) -> None:
        super().__init__(host, port, timeout=TIMEOUT_SECONDS)
        self._address = address

    def connect(self) -> None:
        """Connect."""
        self.sock = socket.create_connection((self._address, self.port), self.timeout)


class _SecureTo(HTTPSConnection):
    """The same by TLS; the certificate must be that of the name."""

    def __init__(self, host: str, port: int, address: str) -> None:
        self._secure = ssl.create_default_context()
        super().__init__(host, port, timeout=TIMEOUT_SECONDS, context=self._secure)
        self._address = address

    def connect(self) -> None:
        """Connect."""
        plain = socket.create_connection((self._address, self.port), self.timeout)
        self.sock = self._secure.wrap_socket(plain, server_hostname=self.host)


def send_out(address: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Post a body to an address; return the status, which is one of success. Anything else raises UnsentError."""
    try:
        parts = check_address(address)
    except RefusedError as error:
        raise UnsentError(error.code) from None
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    pinned = _resolve(host, port, listed=_is_listed(parts))
    connection = _SecureTo(host, port, pinned) if secure else _PlainTo(host, port, pinned)
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    # Whoever answers byte by byte does not hold up the others.
    ender = threading.Timer(LONGEST_SECONDS, _end, [connection])
    ender.start()
    try:
        connection.request("POST", path, body, dict(headers))
        status = connection.getresponse().status
    except (OSError, HTTPException, UnicodeError, ValueError) as error:
        raise UnsentError(f"{type(error).__name__}: {str(error)[:120]}") from None
    finally:
        ender.cancel()
        connection.close()
    if not 200 <= status < 300:
        raise UnsentError(f"the answer was {status}" + (" (redirects are not followed)" if 300 <= status < 400 else ""))
    return status


def _end(connection: HTTPConnection) -> None:
    with suppress(OSError):
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
