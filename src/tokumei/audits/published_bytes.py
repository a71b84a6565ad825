"""Whether a release folder is exactly what its content makes of it, byte by byte.

A proof about cells says nothing about a file that writes one value in two ways (``6`` and ``06``), keeps its rows in an
order of its own, or has a column, a file or a word more than a release has. So the folder is made again from what was
read of it (`tokumei.data.release_files`), and every byte that differs is a finding: what is proven of the content is
not proven of these files. ``tokumei reissue`` makes files of which it is.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.audits.published_groups import history_groups
from tokumei.audits.result import AuditResult
from tokumei.data import (
    MANIFEST_NAME,
    SUMMARY_NAME,
    Outcome,
    Reason,
    Release,
    ReleaseFolder,
    cell_shares,
    folder_files,
    made_by,
    public_summary,
    stated_verdicts,
    text_order,
)
from tokumei.errors import TokumeiError
from tokumei.parts import HOW_IT_RAN, Method, find_part, make_part

# The sentence is that of the code; what helps is the same for all.
REMEDY = "not-canonical"
# What proves a release safe: with a finding it is a proof about something else.
PROVEN = frozenset({"k-anonymous"})
_VERSION = re.compile(r"(0|[1-9]\d{0,3})(\.(0|[1-9]\d{0,3})){1,3}")
# Methods whose k says how many pseudonyms share every published history.
IDENTICAL_HISTORIES = frozenset({"k-anonymity"})
# The forms of pseudonyms: numbers as they are drawn, digests in lower case and of one length; or sets of either.
_NUMBER = r"^(\{[1-9][0-9;]*\}|[1-9]\d{0,8})$"
_DIGEST = r"^(\{[0-9a-f;]+\}|[0-9a-f]{8,64})$"
_KEYS = ("tokumei", "versions", "method", "parameters", "records", "pseudonyms", "files")


def byte_findings(folder: ReleaseFolder, release: Release) -> tuple[Reason, ...]:
    """Return what of a folder is not what ``release``, read from it, makes of it; nothing if it is canonical.

    Text is compared with the text that the writer of this version makes, Parquet with its bytes.
    """
    method = _method(folder)
    findings = [*_folder_findings(folder.path), *_manifest_findings(folder, release, method)]
    data_format = folder.data.suffix.removeprefix(".")
    summary = _own_summary(folder, release, method)
    present = {path.name: path.read_bytes() for path in sorted(folder.path.iterdir()) if path.is_file()}
    expected, _ = folder_files(
        replace(release, method=folder.method),
        parameters=folder.parameters,
        data_format=data_format,
        summary=summary if SUMMARY_NAME in present else None,
        versions=_versions(folder.manifest),
    )
    if SUMMARY_NAME in present and summary is None:
        findings.append(_finding("summary-text", file=SUMMARY_NAME))
    for name in sorted(expected, key=lambda name: (name == MANIFEST_NAME, name)):
        # A manifest states the hashes of the other files: what is wrong with them need not be told twice.
        if present.get(name) != expected[name] and not (name == MANIFEST_NAME and findings):
            findings.append(_difference(name, present.get(name, b""), expected[name], folder))
    findings += _order_findings(folder, release)
    return tuple(findings) + _pseudonym_findings(folder, release)


def file_digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a release folder by its name."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def with_findings(
    result: AuditResult,
    findings: tuple[Reason, ...],
    *,
    notes: tuple[Reason, ...] = (),
    digests: Mapping[str, str] | None = None,
) -> AuditResult:
    """Return the result with findings that no proof about the content outweighs, and the bytes that it is about.

    ``notes`` are told after all reasons and decide nothing.
    """
    verdict = replace(result.verdict, reasons=(*result.verdict.reasons, *notes))
    if findings:
        reasons = (*findings, *(reason for reason in verdict.reasons if reason.code not in PROVEN))
        verdict = replace(verdict, outcome=Outcome.UNSAFE, reasons=reasons)
    return replace(result, verdict=verdict, digests=dict(digests or result.digests))


def _finding(code: str, **values: object) -> Reason:
    return Reason(code=code, form=REMEDY, values=values)


def _method(folder: ReleaseFolder) -> Method | None:
    """Return the method with the parameters that the manifest states, None if no method can be meant by them."""
    try:
        part = find_part("anonymizer", folder.method)
        # Of a parameter that is a file only the name is public.
        stated = {
            name: value
            for name, value in folder.parameters.items()
            if value is not None and not (isinstance(value, str) and value.startswith("@"))
        }
        method: Method = make_part(part, stated)
    except (TokumeiError, TypeError, ValueError):
        return None
    return method


def _folder_findings(path: Path) -> list[Reason]:
    """Return a finding for every entry that a release has no place for."""
    known = {"schema.toml", SUMMARY_NAME, MANIFEST_NAME}
    for stem, schema in (("data", "schema.toml"), ("people", "people.toml")):
        if (path / schema).is_file():
            tables = [name for name in (f"{stem}.csv", f"{stem}.parquet") if (path / name).is_file()]
            known |= {schema, *tables[:1]}
    return [
        _finding("unknown-file", file=entry.name)
        for entry in sorted(path.iterdir())
        if entry.name not in known or entry.is_symlink() or not entry.is_file()
    ]


def _manifest_findings(folder: ReleaseFolder, release: Release, method: Method | None) -> list[Reason]:
    """Return what a manifest states that is not so."""
    manifest = folder.manifest
    findings = [_finding("unknown-key", file=MANIFEST_NAME, key=str(key)) for key in manifest if key not in _KEYS]
    counts = {"records": len(release), "pseudonyms": release.pseudonyms.n_unique()}
    findings += [
        _finding("wrong-count", file=MANIFEST_NAME, key=key, stated=str(manifest.get(key)), counted=counted)
        for key, counted in counts.items()
        if manifest.get(key) != counted or isinstance(manifest.get(key), bool)
    ]
    stated = manifest.get("files")
    hashes = file_digests(folder.path)
    hashes.pop(MANIFEST_NAME, None)
    for name in sorted(hashes.keys() | (stated.keys() if isinstance(stated, dict) else set())):
        if not isinstance(stated, dict) or stated.get(name) != hashes.get(name):
            findings.append(_finding("wrong-hash", file=name))
    findings += _wrong_k(folder, release)
    if method is None or not _stated_as_made(method, folder.parameters):
        findings.append(_finding("wrong-parameters", file=MANIFEST_NAME, method=folder.method))
    findings += [
        _finding("wrong-version", file=MANIFEST_NAME, name=name)
        for name, installed in made_by().items()
        if not _earlier(_stated_versions(manifest).get(name), installed)
    ]
    return findings


def _wrong_k(folder: ReleaseFolder, release: Release) -> list[Reason]:
    """Return the k that a method of identical histories states, where fewer pseudonyms share one."""
    stated = folder.parameters.get("k")
    if folder.method not in IDENTICAL_HISTORIES or not isinstance(stated, int):
        return []
    smallest = min(history_groups(release).values(), default=0)
    return [_finding("wrong-k", file=MANIFEST_NAME, stated=stated, level=smallest)] if smallest < stated else []


def _stated_as_made(method: Method, parameters: Mapping[str, Any]) -> bool:
    """Return whether the parameters are those of the method, all of them, in its order and as plain values."""
    names = [info.name for info in method.parameters() if info.name not in HOW_IT_RAN]
    if list(parameters) != names:
        return False
    for name, value in parameters.items():
        own = getattr(method, name)
        file = isinstance(value, str) and value.startswith("@") and "/" not in value
        if not file and (value != own or type(value) is not type(own)):
            return False
    return True


def _stated_versions(manifest: Mapping[str, Any]) -> dict[str, Any]:
    libraries = manifest.get("versions")
    return {"tokumei": manifest.get("tokumei"), **(libraries if isinstance(libraries, dict) else {})}


def _versions(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the stated versions that can be true, the installed ones in place of others."""
    stated, installed = _stated_versions(manifest), made_by()
    return {name: stated[name] if _earlier(stated.get(name), own) else own for name, own in installed.items()}


def _earlier(stated: object, installed: str) -> bool:
    """Return whether a text is the number of a version up to the installed one: nothing else can stand there."""
    if stated == installed:
        return True
    numbers = re.match(r"\d+(\.\d+)*", installed)
    if not isinstance(stated, str) or not _VERSION.fullmatch(stated) or numbers is None:
        return False
    return [int(part) for part in stated.split(".")] <= [int(part) for part in numbers[0].split(".")]


def _own_summary(folder: ReleaseFolder, release: Release, method: Method | None) -> str | None:
    """Return the summary of the folder if it is one that this release can have, else None."""
    file = folder.path / SUMMARY_NAME
    if method is None or not file.is_file():
        return None
    present = file.read_bytes()
    shares, versions = cell_shares(release), _versions(folder.manifest)
    k = folder.parameters.get("k")
    for verdict in stated_verdicts(present.decode("utf-8", "replace")):
        if verdict is not None and not (verdict[1] == k or (k is None and verdict[1] <= len(release))):
            continue
        text = public_summary(
            replace(release, method=folder.method),
            shares,
            parameters=folder.parameters,
            about=method.summary,
            verdict=verdict,
            made_by=versions["tokumei"],
        )
        if text.encode() == present:
            return text
    return None


def _difference(name: str, present: bytes, expected: bytes, folder: ReleaseFolder) -> Reason:
    """Return where a file differs first from what it should be."""
    if name.endswith(".parquet"):
        return _parquet_difference(name, present, expected, _versions(folder.manifest)["polars"])
    ours, theirs = present.split(b"\n"), expected.split(b"\n")
    line = next((number for number, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    if line is None:
        line = min(len(ours), len(theirs)) - 1
    if not name.endswith(".csv"):
        return _finding("file-text", file=name, line=line + 1)
    if line == 0:
        return _header_difference(name, ours[0], theirs[0])
    column = _differing_column(ours[line], theirs[line])
    if column is None:
        return _finding("line-text", file=name, line=line + 1)
    names = _cells(theirs[0]) or []
    return _finding("cell-text", file=name, line=line + 1, column=names[column])


def _parquet_difference(name: str, present: bytes, expected: bytes, stated: str) -> Reason:
    surplus = [column for column in _parquet_columns(present) if column not in _parquet_columns(expected)]
    if surplus:
        return _finding("unknown-column", file=name, column=surplus[0])
    installed = made_by()["polars"]
    if stated != installed:
        return _finding("parquet-version", file=name, stated=stated, installed=installed)
    return _finding("parquet-bytes", file=name)


def _parquet_columns(content: bytes) -> list[str]:
    return list(pl.read_parquet_schema(io.BytesIO(content)))


def _header_difference(name: str, present: bytes, expected: bytes) -> Reason:
    known, columns = _cells(expected) or [], _cells(present) or []
    surplus = [column for column in columns if column not in known]
    if surplus and len(columns) > len(known):
        return _finding("unknown-column", file=name, column=surplus[0])
    return _finding("line-text", file=name, line=1)


def _cells(line: bytes) -> list[str] | None:
    """Return the cells of a CSV line, None if it is no line of its own (a quoted cell may span several)."""
    try:
        return next(csv.reader([line.decode()], strict=True), None)
    except (csv.Error, UnicodeDecodeError):
        return None


def _differing_column(present: bytes, expected: bytes) -> int | None:
    """Return the first cell in which two lines differ, None if they have the same cells in another dress."""
    ours, theirs = _cells(present), _cells(expected)
    if ours is None or theirs is None or len(ours) != len(theirs):
        return None
    return next((place for place, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]), None)


def _pseudonym_findings(folder: ReleaseFolder, release: Release) -> tuple[Reason, ...]:
    """Return the first pseudonym that has another form than the others: letters, blanks, zeros or case can tell."""
    names = release.pseudonyms.unique().sort()
    digests = names.str.contains(_DIGEST) & (names.str.len_bytes() == names.str.len_bytes().max())
    numbers = names.str.contains(_NUMBER)
    other = names.filter(~(digests if digests.sum() > numbers.sum() else numbers))
    if not len(other):
        return ()
    line = int((release.pseudonyms == other[0]).arg_true()[0]) + 2
    return (_finding("pseudonym-text", file=folder.data.name, line=line, count=len(other)),)


def _order_findings(folder: ReleaseFolder, release: Release) -> list[Reason]:
    """Return the first rows of data and people that are not sorted as text."""
    findings = []
    tables = [(folder.data.name, release)]
    if release.people is not None:
        tables.append((f"people{folder.data.suffix}", release.people))
    for name, table in tables:
        order = text_order(table)
        moved = np.flatnonzero(order != np.arange(len(order)))
        # Rows that are equal may stand in any order: sorting moves none of them.
        if len(moved):
            findings.append(_finding("row-order", file=name, line=int(moved[0]) + 2))
    return findings
