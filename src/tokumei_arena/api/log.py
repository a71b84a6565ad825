"""The operation that everybody may call without a token: signed heads of the log."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Schema

from tokumei_arena.api.router import operations
from tokumei_arena.records import heads_document

get, _post = operations("log")


class HeadOut(Schema):
    """The last entry of the log when a phase began; the signature (Ed25519) is of all fields but the last two."""

    number: int
    hash: str
    at: str
    contest: str
    round: str
    phase: str
    key: str
    signature: str


class HeadsOut(Schema):
    """All heads, oldest first; `tokumei arena verify-log --heads FILE` compares the log with a list that was kept."""

    kind: str
    version: int
    heads: list[HeadOut]


@get("/log/heads", auth=None, response=HeadsOut)
def log_heads(request: HttpRequest) -> dict[str, Any]:  # noqa: ARG001
    """List the signed heads of the log; keep the answer, and the log cannot be rewritten unnoticed."""
    return heads_document()
