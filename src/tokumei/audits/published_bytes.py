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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
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
    ReleaseFacts,
    ReleaseFolder,
    folder_files,
    folder_texts,
    made_by,
    part_bytes,
    public_summary,
    sorted_rows,
    stated_verdicts,
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
    if folder.parts:
        return _of_parts(folder, release)
    method, facts, text = stated_method(folder), ReleaseFacts.of(release), release.text()
    smallest = smallest_group(folder, release, text)
    findings = [*_folder_findings(folder), *manifest_findings(folder, facts, method, smallest)]
    data_format = folder.data.suffix.removeprefix(".")
    summary = own_summary(folder, facts, method)
    present = {path.name: path.read_bytes() for path in sorted(folder.path.iterdir()) if path.is_file()}
    expected, _ = folder_files(
        replace(release, method=folder.method),
        parameters=folder.parameters,
        data_format=data_format,
        summary=summary if SUMMARY_NAME in present else None,
        versions=_versions(folder.manifest),
        text=text,
    )
    findings += differences(folder, present, expected, summary, findings)
    findings += order_findings(folder.data.name, text)
    if release.people is not None:
        findings += order_findings(f"people{folder.data.suffix}", release.people.text())
    return tuple(findings) + _pseudonym_findings(folder, release)


class PartedBytes:
    """Looks at the parts of a release one after another, and at the end at all that its folder states of them."""

    def __init__(self, folder: ReleaseFolder) -> None:
        """Begin with a folder whose data is in parts."""
        self.folder = folder
        self.findings: list[Reason] = []
        self.facts: ReleaseFacts | None = None
        self._hashes: dict[str, str] = {}
        self._listed: list[dict[str, Any]] = []

    def look(self, number: int, release: Release, text: pl.DataFrame) -> None:
        """Compare one part with what its content, as ``text``, makes of it; parts come in their order."""
        stated = self.folder.parts[number]
        present, expected = (self.folder.path / stated.name).read_bytes(), part_bytes(text)
        if present != expected:
            self.findings.append(_difference(stated.name, present, expected, self.folder))
        self.findings += order_findings(stated.name, text)
        self.findings += _pseudonym_findings(self.folder, release, stated.name)
        names = release.pseudonyms
        first, last = (str(names[0]), str(names[-1])) if len(names) else ("", "")
        if self._listed and not str(self._listed[-1]["last"]) < first:
            self.findings.append(_finding("row-order", file=stated.name, line=2))
        self._listed.append({"name": stated.name, "rows": len(release), "first": first, "last": last})
        self._hashes[stated.name] = hashlib.sha256(expected).hexdigest()
        facts = replace(ReleaseFacts.of(release), method=self.folder.method)
        self.facts = facts if self.facts is None else self.facts + facts

    def all_findings(self, smallest: int | None) -> tuple[Reason, ...]:
        """Return what of the folder is not what its parts make of it; ``smallest`` is the smallest published group."""
        folder, method = self.folder, stated_method(self.folder)
        if self.facts is None:
            return tuple(self.findings)
        findings = [*_folder_findings(folder), *manifest_findings(folder, self.facts, method, smallest)]
        summary = own_summary(folder, self.facts, method)
        present = {path.name: path.read_bytes() for path in sorted(folder.path.iterdir()) if path.is_file()}
        expected, _ = folder_texts(
            self.facts,
            self._hashes,
            parts=self._listed,
            parameters=folder.parameters,
            summary=summary if SUMMARY_NAME in present else None,
            versions=_versions(folder.manifest),
        )
        findings += self.findings
        return (*findings, *differences(folder, present, expected, summary, findings))


def _of_parts(folder: ReleaseFolder, release: Release) -> tuple[Reason, ...]:
    """Return the findings of a release in parts that was read as a whole."""
    looked, begin = PartedBytes(folder), 0
    for number, part in enumerate(folder.parts):
        end = min(begin + part.rows, len(release)) if number + 1 < len(folder.parts) else len(release)
        part_of = release.take(np.arange(begin, end))
        looked.look(number, part_of, part_of.text())
        begin = end
    return looked.all_findings(smallest_group(folder, release))


def differences(
    folder: ReleaseFolder,
    present: Mapping[str, bytes],
    expected: Mapping[str, bytes],
    summary: str | None,
    known: Sequence[Reason],
) -> list[Reason]:
    """Return where the files that are there differ from those expected; ``known`` is what was found before."""
    findings = []
    if SUMMARY_NAME in present and summary is None:
        findings.append(_finding("summary-text", file=SUMMARY_NAME))
    for name in sorted(expected, key=lambda name: (name == MANIFEST_NAME, name)):
        # A manifest states the hashes of the other files: what is wrong with them need not be told twice.
        if present.get(name) != expected[name] and not (name == MANIFEST_NAME and (known or findings)):
            findings.append(_difference(name, present.get(name, b""), expected[name], folder))
    return findings


def file_digests(folder: ReleaseFolder) -> dict[str, str]:
    """Return the SHA-256 of every file of a release folder by its name, the parts of its data among them."""
    files = [path for path in sorted(folder.path.iterdir()) if path.is_file()]
    named = {path.name: path for path in files} | {part.name: folder.path / part.name for part in folder.parts}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in named.items()}


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


def stated_method(folder: ReleaseFolder) -> Method | None:
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


def _folder_findings(folder: ReleaseFolder) -> list[Reason]:
    """Return a finding for every entry that a release has no place for."""
    path, listed = folder.path, {part.name for part in folder.parts}
    known = {"schema.toml", SUMMARY_NAME, MANIFEST_NAME}
    for stem, schema in (("data", "schema.toml"), ("people", "people.toml")):
        if (path / schema).is_file():
            tables = [name for name in (f"{stem}.csv", f"{stem}.parquet") if (path / name).is_file()]
            known |= {schema, *(tables[:1] if stem == "people" or not listed else ())}
    entries = {entry.name: entry for entry in sorted(path.iterdir())}
    if listed and folder.data.is_dir() and not folder.data.is_symlink():
        del entries[folder.data.name]
        entries |= {f"{folder.data.name}/{entry.name}": entry for entry in sorted(folder.data.iterdir())}
    return [
        _finding("unknown-file", file=name)
        for name, entry in entries.items()
        if name not in known | listed or entry.is_symlink() or not entry.is_file()
    ]


def manifest_findings(
    folder: ReleaseFolder, facts: ReleaseFacts, method: Method | None, smallest: int | None
) -> list[Reason]:
    """Return what a manifest states that is not so; ``smallest`` is the smallest group where a k is stated of them."""
    manifest = folder.manifest
    keys = (*_KEYS, "parts") if folder.parts else _KEYS
    findings = [_finding("unknown-key", file=MANIFEST_NAME, key=str(key)) for key in manifest if key not in keys]
    counts = {"records": facts.records, "pseudonyms": facts.pseudonyms}
    findings += [
        _finding("wrong-count", file=MANIFEST_NAME, key=key, stated=str(manifest.get(key)), counted=counted)
        for key, counted in counts.items()
        if manifest.get(key) != counted or isinstance(manifest.get(key), bool)
    ]
    stated = manifest.get("files")
    hashes = file_digests(folder)
    hashes.pop(MANIFEST_NAME, None)
    for name in sorted(hashes.keys() | (stated.keys() if isinstance(stated, dict) else set())):
        if not isinstance(stated, dict) or stated.get(name) != hashes.get(name):
            findings.append(_finding("wrong-hash", file=name))
    stated_k = folder.parameters.get("k")
    if smallest is not None and isinstance(stated_k, int) and smallest < stated_k:
        findings.append(_finding("wrong-k", file=MANIFEST_NAME, stated=stated_k, level=smallest))
    if method is None or not _stated_as_made(method, folder.parameters):
        findings.append(_finding("wrong-parameters", file=MANIFEST_NAME, method=folder.method))
    findings += [
        _finding("wrong-version", file=MANIFEST_NAME, name=name)
        for name, installed in made_by().items()
        if not _earlier(_stated_versions(manifest).get(name), installed)
    ]
    return findings


def smallest_group(folder: ReleaseFolder, release: Release, text: pl.DataFrame | None = None) -> int | None:
    """Return how many pseudonyms share a history at least, if the method states that as its k; else None."""
    if not states_groups(folder):
        return None
    return min(history_groups(release, text).values(), default=0)


def states_groups(folder: ReleaseFolder) -> bool:
    """Return whether the k of a manifest says how many pseudonyms share every published history."""
    return folder.method in IDENTICAL_HISTORIES and isinstance(folder.parameters.get("k"), int)


def _stated_as_made(method: Method, parameters: Mapping[str, Any]) -> bool:
    """Return whether the parameters are those of the method, all of them, in its order and as plain values.

    Version 0.1 stated all that it knew, and no other choice of names: that would be room for a message.
    """
    names = [info.name for info in method.parameters() if info.name not in HOW_IT_RAN]
    if list(parameters) not in (names, [name for name in names if name not in method.not_in_0_1]):
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


def own_summary(folder: ReleaseFolder, facts: ReleaseFacts, method: Method | None) -> str | None:
    """Return the summary of the folder if it is one that this release can have, else None."""
    file = folder.path / SUMMARY_NAME
    if method is None or not file.is_file():
        return None
    present = file.read_bytes()
    versions = _versions(folder.manifest)
    k = folder.parameters.get("k")
    stated = stated_verdicts(present.decode("utf-8", "replace"))
    for verdict, earlier_words in product(stated, (False, True)):
        if verdict is not None and not (verdict[1] == k or (k is None and verdict[1] <= facts.records)):
            continue
        text = public_summary(
            replace(facts, method=folder.method),
            parameters=folder.parameters,
            about=method.summary,
            verdict=verdict,
            made_by=versions["tokumei"],
            earlier_words=earlier_words,
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


def _pseudonym_findings(folder: ReleaseFolder, release: Release, name: str = "") -> tuple[Reason, ...]:
    """Return the first pseudonym that has another form than the others: letters, blanks, zeros or case can tell."""
    names = release.pseudonyms.unique().sort()
    digests = names.str.contains(_DIGEST) & (names.str.len_bytes() == names.str.len_bytes().max())
    numbers = names.str.contains(_NUMBER)
    # A number with a zero before it can be as long as the others: without a letter nothing is a digest.
    hexadecimal = bool((digests & names.str.contains("[a-f]")).any())
    other = names.filter(~(digests if hexadecimal and digests.sum() > numbers.sum() else numbers))
    if not len(other):
        return ()
    line = int((release.pseudonyms == other[0]).arg_true()[0]) + 2
    return (_finding("pseudonym-text", file=name or folder.data.name, line=line, count=len(other)),)


def order_findings(name: str, text: pl.DataFrame) -> list[Reason]:
    """Return the first row of a file that is not where sorting its rows as text puts it."""
    order = sorted_rows(text)
    moved = np.flatnonzero(order != np.arange(len(order)))
    # Rows that are equal may stand in any order: sorting moves none of them.
    return [_finding("row-order", file=name, line=int(moved[0]) + 2)] if len(moved) else []
