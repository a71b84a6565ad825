"""The files of a release folder: which belong there, their hashes, and which are not what its content makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokumei.audits.byte_differences import difference, finding
from tokumei.audits.manifest import versions_of
from tokumei.data import GROUPS_NAME, MANIFEST_NAME, SENSITIVE_NAME, SUMMARY_NAME, Reason, ReleaseFolder, columns_apart


def folder_findings(folder: ReleaseFolder) -> list[Reason]:
    """Return a finding for every entry that a release has no place for."""
    path, listed = folder.path, {part.name for part in folder.parts}
    known = {"schema.toml", SUMMARY_NAME, MANIFEST_NAME}
    for stem, schema in (("data", "schema.toml"), ("people", "people.toml")):
        if (path / schema).is_file():
            tables = [name for name in (f"{stem}.csv", f"{stem}.parquet") if (path / name).is_file()]
            known |= {schema, *(tables[:1] if stem == "people" or not listed else ())}
    if columns_apart(folder.schema):
        known |= {GROUPS_NAME, SENSITIVE_NAME}
    entries = {entry.name: entry for entry in sorted(path.iterdir())}
    if listed and folder.data.is_dir() and not folder.data.is_symlink():
        del entries[folder.data.name]
        entries |= {f"{folder.data.name}/{entry.name}": entry for entry in sorted(folder.data.iterdir())}
    return [
        finding("unknown-file", file=name)
        for name, entry in entries.items()
        if name not in known | listed or entry.is_symlink() or not entry.is_file()
    ]


def differences(
    folder: ReleaseFolder, expected: Mapping[str, bytes], summary: str | None, known: Sequence[Reason]
) -> list[Reason]:
    """Return where the files that are there differ from those expected; ``known`` is what was found before."""
    findings, present = [], folder.content
    polars = versions_of(folder.manifest)["polars"]
    if SUMMARY_NAME in present and summary is None:
        findings.append(finding("summary-text", file=SUMMARY_NAME))
    for name in sorted(expected, key=lambda name: (name == MANIFEST_NAME, name)):
        # A manifest states the hashes of the other files: what is wrong with them need not be told twice.
        if present.get(name) != expected[name] and not (name == MANIFEST_NAME and (known or findings)):
            findings.append(difference(name, present.get(name, b""), expected[name], polars))
    return findings
