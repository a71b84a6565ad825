"""A certificate of an audit, and its check by somebody who has only the release.

It states which bytes were judged (SHA-256 of every file), which published histories are equal (their digests and how
many pseudonyms share each), method, parameters, the verdict with the codes of its reasons, and the figure that stands
for each question, rounded to whole percents. It holds nothing of the Secret or of the original: no reason names a
pseudonym, no figure is exact enough to confirm a guess. Bytes, groups, counts and the k that the groups prove are
checked by counting again; that every pseudonym of a group has another owner, and the figures, are the word of whoever
signed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from tokumei.audits.counted import CountedFolder
from tokumei.audits.result import AuditResult
from tokumei.audits.signing import SigningKey, signature_holds
from tokumei.data import Reason, ReleaseFolder
from tokumei.errors import UnreadableError

FORM = 1
_BODY = (
    *("certificate", "tokumei", "files", "method", "parameters", "records", "pseudonyms", "groups", "shared_by"),
    *("k", "recipient", "verdict", "reasons", "skipped", "questions", "public_key"),
)
_KEYS = (*_BODY, "sha256", "signature")


def certificate_text(folder: ReleaseFolder, result: AuditResult, *, key: SigningKey | None = None) -> str:
    """Return the certificate of an audit of a release folder as JSON text, signed if there is a key."""
    counted = CountedFolder(folder)
    body: dict[str, Any] = {
        "certificate": FORM,
        "tokumei": version("tokumei"),
        "files": dict(result.digests),
        "method": folder.method,
        "parameters": dict(folder.parameters),
        "records": counted.records,
        "pseudonyms": counted.pseudonyms,
        "groups": counted.groups,
        "shared_by": counted.shared_by,
        "k": result.k,
        "recipient": result.recipient or None,
        "verdict": result.verdict.outcome.value,
        "reasons": [reason.code for reason in result.verdict.reasons],
        "skipped": [reason.code for reason in result.verdict.skipped],
        "questions": _questions(result),
        "public_key": None if key is None else key.public,
    }
    raw = _text(body).encode()
    signature = None if key is None else key.sign(raw)
    return _text({**body, "sha256": hashlib.sha256(raw).hexdigest(), "signature": signature})


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _questions(result: AuditResult) -> dict[str, dict[str, Any]]:
    """Return the figure that stands for each question, in whole percents."""
    stated = {}
    for question, answer in result.answers.items():
        figure = answer.figure
        stated[question.value] = {
            "figure": answer.headline,
            "value": None if figure is None else _rounded(figure.value),
            "without_release": None if figure is None else _rounded(figure.baseline),
            "limit": answer.limit,
            "outcome": None if answer.outcome is None else answer.outcome.value,
        }
    return stated


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(float(share), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a check of a certificate found: nothing, if it is true of the release.

    ``shared_by`` is how many pseudonyms share every published history, counted from the release itself; ``signed``
    says whether a signature was there and holds, ``public_key`` whose it is.
    """

    findings: tuple[Reason, ...]
    verdict: str = ""
    shared_by: int = 0
    signed: bool = False
    public_key: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "valid": not self.findings,
            "verdict": self.verdict,
            "shared_by": self.shared_by,
            "signed": self.signed,
            "public_key": self.public_key,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def verify_certificate(
    folder: ReleaseFolder, text: bytes, *, name: str = "certificate", public_key: str | None = None
) -> Verification:
    """Check a certificate against a release folder, without Secret and original.

    ``public_key`` is the key of the publisher (64 hexadecimal digits), if it is known from elsewhere; then the
    certificate must be signed with it. Raises UnreadableError if the text is no certificate at all.
    """
    document = _document(text, name)
    body = {key: document[key] for key in _BODY}
    raw = _text(body).encode()
    findings = []
    if _text(document).encode() != text or document["sha256"] != hashlib.sha256(raw).hexdigest():
        findings.append(Reason(code="certificate-text", values={"file": name}))
    key, signature = document["public_key"], document["signature"]
    signed = isinstance(key, str) and isinstance(signature, str) and signature_holds(key, signature, raw)
    if not signed and (key is not None or signature is not None):
        findings.append(Reason(code="certificate-signature", values={"file": name}))
    if public_key is not None and key != public_key:
        findings.append(Reason(code="certificate-key", values={"file": name}))
    wrong = _wrong_files(document["files"], folder.digests)
    findings += [Reason(code="certificate-file", values={"file": file}) for file in wrong]
    shared_by = 0
    if not findings:
        # Only bytes that are the stated ones are worth parsing and counting.
        counted = CountedFolder(folder)
        shared_by = counted.shared_by
        expected = {
            "groups": counted.groups,
            "shared_by": shared_by,
            "records": counted.records,
            "pseudonyms": counted.pseudonyms,
            "method": folder.method,
            "parameters": dict(folder.parameters),
        }
        findings += [
            Reason(code="certificate-count", values={"file": name, "key": key})
            for key, value in expected.items()
            if document[key] != value
        ]
        if document["verdict"] == "safe" and not (isinstance(document["k"], int) and shared_by >= document["k"]):
            findings.append(Reason(code="certificate-k", values={"k": document["k"], "level": shared_by}))
        # Whoever calls a release safe with another text of its cells has not judged these bytes.
        findings += counted.findings() if document["verdict"] == "safe" else ()
    return Verification(
        findings=tuple(findings),
        verdict=str(document["verdict"]),
        shared_by=shared_by,
        signed=signed,
        public_key=key if signed else None,
    )


def _document(text: bytes, name: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or tuple(document) != _KEYS or document["certificate"] != FORM:
        message = f"{name}: this is no certificate of this version of tokumei; get it again from its publisher"
        raise UnreadableError(message, file=name)
    return document


def _wrong_files(stated: object, present: Mapping[str, str]) -> list[str]:
    """Return the files that are not the stated ones, missing and additional ones included."""
    known = stated if isinstance(stated, dict) else {}
    return [file for file in sorted(known.keys() | present.keys()) if known.get(file) != present.get(file)]
