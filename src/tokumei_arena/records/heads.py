"""Signed heads of the log: whoever owns the database can rewrite the log, but not what was signed and handed out.

When a phase of a contest begins, a worker signs the number and the hash of the last entry with a key that is not in the
database (Ed25519, RFC 8032), and everybody can fetch the list. A log that was rewritten, or cut off, before a head that
somebody kept no longer agrees with it. Not shown by this: what happened after the last head, what nobody kept, and what
was written into the log falsely in the first place.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.db import transaction
from django.db.models import Max

from tokumei_arena import clock, environment
from tokumei_arena.models import LogEntry, LogHead, Phase
from tokumei_arena.records.logbook import START, Broken, alone

KIND, VERSION = "tokumei-arena-log-heads", 1


def _statement(head: LogHead) -> bytes:
    """Return what is signed."""
    fields = {"kind": KIND, "version": VERSION, **_told(head)}
    return json.dumps(fields, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


def _told(head: LogHead) -> dict[str, Any]:
    return {
        "number": head.number,
        "hash": head.hash,
        "at": head.at.isoformat(timespec="microseconds"),
        "contest": str(head.contest),
        "round": head.round,
        "phase": head.phase,
    }


def head_values(head: LogHead) -> dict[str, Any]:
    """Return a head as plain values, with its signature and the key that checks it."""
    return {**_told(head), "key": head.key, "signature": head.signature}


def heads_document(heads: Iterable[LogHead] | None = None) -> dict[str, Any]:
    """Return all heads as everybody can fetch and keep them."""
    listed = LogHead.objects.all() if heads is None else heads
    return {"kind": KIND, "version": VERSION, "heads": [head_values(head) for head in listed]}


def read_heads(document: Any) -> list[LogHead]:
    """Return the heads of a document as it was fetched; raise ValueError if it is none."""
    if not isinstance(document, Mapping) or (document.get("kind"), document.get("version")) != (KIND, VERSION):
        raise ValueError("it is no list of signed heads")
    try:
        return [_read(values) for values in document["heads"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("a head in it is not complete") from error


def _read(values: Mapping[str, Any]) -> LogHead:
    texts = {name: str(values[name]) for name in ("hash", "round", "phase", "key", "signature")}
    at, contest = datetime.fromisoformat(values["at"]), UUID(values["contest"])
    return LogHead(number=int(values["number"]), at=at, contest=contest, **texts)


def sign_due_heads() -> int:
    """Sign the log for every contest of which a phase has begun since its last head; return how many heads."""
    if not _due():
        return 0
    key = Ed25519PrivateKey.from_private_bytes(environment.log_key())
    with transaction.atomic():
        # Of two workers, the second finds nothing due any more.
        alone()
        begun = _due()
        last = LogEntry.objects.order_by("-number").first()
        for phase in begun:
            head = LogHead(
                number=0 if last is None else last.number,
                hash=START if last is None else last.hash,
                at=clock.now(),
                contest=phase.round.contest_id,
                round=phase.round.kind,
                phase=phase.kind,
                key=key.public_key().public_bytes_raw().hex(),
            )
            head.signature = key.sign(_statement(head)).hex()
            head.save(force_insert=True)
    return len(begun)


def _due() -> list[Phase]:
    """Return of every contest the phase that began last, if it has no head yet."""
    signed = dict(LogHead.objects.values_list("contest").annotate(Max("at")))
    found: dict[UUID, Phase] = {}
    for phase in Phase.objects.filter(starts_at__lte=clock.now()).select_related("round").order_by("starts_at", "pk"):
        found[phase.round.contest_id] = phase
    return [phase for contest, phase in found.items() if contest not in signed or signed[contest] < phase.starts_at]


def own_key() -> str | None:
    """Return the key that checks the heads of this arena, if this machine holds the one that signs them."""
    if not environment.has_log_key():
        return None
    try:
        secret = environment.log_key()
    except PermissionError:
        # Web processes may not read it; heads are then checked with the keys that stand in them.
        return None
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw().hex()


def disagreement(heads: Iterable[LogHead], trusted: Collection[str] = ()) -> Broken | None:
    """Return the first head that nobody trusted signed or that the log does not agree with.

    ``trusted`` are the keys that count; without any, a head is checked with the key that stands in it.
    """
    for head in heads:
        if trusted and head.key not in trusted:
            return Broken(head.number, f"the head at entry {head.number} is signed by another key")
        if not _is_signed(head):
            return Broken(head.number, f"the signature of the head at entry {head.number} is wrong")
        found = LogEntry.objects.filter(number=head.number).values_list("hash", flat=True).first()
        if (START if head.number == 0 else found) != head.hash:
            reason = f"entry {head.number} is not the one that was signed: the log was rewritten or cut off"
            return Broken(head.number, reason)
    return None


def _is_signed(head: LogHead) -> bool:
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(head.key))
        key.verify(bytes.fromhex(head.signature), _statement(head))
    except (InvalidSignature, ValueError):
        return False
    return True
