"""What the manifest and the summary of a release state: whether it is so, and whether it is all that can stand there.

Names, counts, versions and parameters leave as little room as they can for a message: texts of parameters are made of
names of columns and short numbers, numbers have few digits, a version has two or three numbers of two digits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import polars as pl

from tokumei.audits.byte_differences import finding
from tokumei.audits.published_groups import history_groups
from tokumei.audits.stated_texts import is_short, is_weights, speaks_of_columns
from tokumei.data import (
    MANIFEST_NAME,
    SUMMARY_NAME,
    Reason,
    Release,
    ReleaseFacts,
    ReleaseFolder,
    made_by,
    public_summary,
    stated_verdicts,
)
from tokumei.errors import TokumeiError
from tokumei.parts import Method, find_part, make_part

_VERSION = re.compile(r"(0|[1-9]\d?)(\.(0|[1-9]\d?)){1,2}")
# Methods whose k says how many pseudonyms share every published history.
IDENTICAL_HISTORIES = frozenset({"k-anonymity"})
# The finding about a parameter that cannot be checked: it proves nothing against the release.
UNCHECKED = "unchecked-parameter"
_KEYS = ("tokumei", "versions", "method", "parameters", "records", "pseudonyms", "files")


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


def manifest_findings(
    folder: ReleaseFolder, facts: ReleaseFacts, method: Method | None, smallest: int | None
) -> list[Reason]:
    """Return what a manifest states that is not so; ``smallest`` is the smallest group where a k is stated of them."""
    manifest = folder.manifest
    keys = (*_KEYS, "parts") if folder.parts else _KEYS
    findings = [finding("unknown-key", file=MANIFEST_NAME, key=str(key)) for key in manifest if key not in keys]
    counts = {"records": facts.records, "pseudonyms": facts.pseudonyms}
    findings += [
        finding("wrong-count", file=MANIFEST_NAME, key=key, stated=str(manifest.get(key)), counted=counted)
        for key, counted in counts.items()
        if manifest.get(key) != counted or isinstance(manifest.get(key), bool)
    ]
    stated = manifest.get("files")
    hashes = {name: digest for name, digest in folder.digests.items() if name != MANIFEST_NAME}
    for name in sorted(hashes.keys() | (stated.keys() if isinstance(stated, dict) else set())):
        if not isinstance(stated, dict) or stated.get(name) != hashes.get(name):
            findings.append(finding("wrong-hash", file=name))
    stated_k = folder.parameters.get("k")
    if smallest is not None and isinstance(stated_k, int) and smallest < stated_k:
        findings.append(finding("wrong-k", file=MANIFEST_NAME, stated=stated_k, level=smallest))
    columns = {column.name for column in folder.schema.columns} | {field.name for field in folder.schema.fields}
    if method is None or not _stated_as_made(method, folder.parameters, columns):
        findings.append(finding("wrong-parameters", file=MANIFEST_NAME, method=folder.method))
    elif not findings:
        findings += _unchecked(method, folder.parameters, columns)
    return findings + _version_findings(_stated_versions(manifest))


def smallest_group(folder: ReleaseFolder, release: Release, text: pl.DataFrame | None = None) -> int | None:
    """Return how many pseudonyms share a history at least, if the method states that as its k; else None."""
    if not states_groups(folder):
        return None
    return min(history_groups(release, text).values(), default=0)


def states_groups(folder: ReleaseFolder) -> bool:
    """Return whether the k of a manifest says how many pseudonyms share every published history."""
    return folder.method in IDENTICAL_HISTORIES and isinstance(folder.parameters.get("k"), int)


def _stated_as_made(method: Method, parameters: Mapping[str, Any], columns: Collection[str]) -> bool:
    """Return whether the parameters are those of the method, all of them, in its order and as plain values.

    Version 0.1 stated all that it knew, and no other choice of names: that would be room for a message.
    """
    names = method.stated_parameters
    if list(parameters) not in (names, [name for name in names if name not in method.not_in_0_1]):
        return False
    free_text = {info.name: info.type == "str" and not info.choices for info in method.parameters()}
    for name, value in parameters.items():
        own = getattr(method, name)
        file = free_text.get(name) and isinstance(value, str) and value.startswith("@") and "/" not in value
        if not file and (value != own or type(value) is not type(own)):
            return False
        if method.name in IDENTICAL_HISTORIES and not _speaks_of_data(value, columns, choice=not free_text.get(name)):
            return False
    return True


def _speaks_of_data(value: object, columns: Collection[str], *, choice: bool) -> bool:
    """Return whether a parameter is a choice, a short number, or a text of names of columns and short numbers."""
    if isinstance(value, str):
        return choice or is_weights(value, columns)
    return is_short(value)


def _unchecked(method: Method, parameters: Mapping[str, Any], columns: Collection[str]) -> list[Reason]:
    """Return the first parameter that may be what the method took and may be a message: nobody can tell them apart.

    Defaults are those of the program, and the groups of methods with identical histories need no such text.
    """
    if method.name in IDENTICAL_HISTORIES:
        return []
    for info in method.parameters():
        value = parameters.get(info.name)
        if value == info.default or info.choices:
            continue
        if speaks_of_columns(value, columns) if isinstance(value, str) else is_short(value):
            continue
        values = {"file": MANIFEST_NAME, "method": method.name, "parameter": info.name}
        return [Reason(code=UNCHECKED, values=values)]
    return []


def _stated_versions(manifest: Mapping[str, Any]) -> dict[str, Any]:
    libraries = manifest.get("versions")
    return {"tokumei": manifest.get("tokumei"), **(libraries if isinstance(libraries, dict) else {})}


def _version_findings(stated: Mapping[str, Any]) -> list[Reason]:
    findings = []
    for name, installed in made_by().items():
        version = stated.get(name)
        if _earlier(version, installed):
            continue
        if isinstance(version, str) and _VERSION.fullmatch(version):
            values = {"name": name, "stated": version, "installed": installed}
            findings.append(finding("later-version", file=MANIFEST_NAME, **values))
        else:
            findings.append(finding("wrong-version", file=MANIFEST_NAME, name=name))
    return findings


def versions_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the stated versions that can be true, the installed ones in place of others."""
    stated, installed = _stated_versions(manifest), made_by()
    return {name: stated[name] if _earlier(stated.get(name), own) else own for name, own in installed.items()}


def _earlier(stated: object, installed: str) -> bool:
    """Return whether a text is the number of a version up to the installed one: no other can be checked here."""
    if stated == installed:
        return True
    numbers = re.match(r"\d+(\.\d+)*", installed)
    if not isinstance(stated, str) or not _VERSION.fullmatch(stated) or numbers is None:
        return False
    return [int(part) for part in stated.split(".")] <= [int(part) for part in numbers[0].split(".")]


def own_summary(folder: ReleaseFolder, facts: ReleaseFacts, method: Method | None) -> str | None:
    """Return the summary of the folder if it is one that this release can have, else None."""
    present = folder.content.get(SUMMARY_NAME)
    if method is None or present is None:
        return None
    versions = versions_of(folder.manifest)
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
