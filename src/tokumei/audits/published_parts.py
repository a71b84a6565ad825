"""The bytes of a release in parts: each part as its content makes it, cut and named as all parts together are."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.audits.byte_differences import difference, finding, order_findings
from tokumei.audits.manifest import manifest_findings, own_summary, smallest_group, stated_method, versions_of
from tokumei.audits.pseudonym_forms import PseudonymForms
from tokumei.audits.published_files import differences, folder_findings
from tokumei.data import (
    DATA_FOLDER,
    SUMMARY_NAME,
    Reason,
    Release,
    ReleaseFacts,
    ReleaseFolder,
    cut_parts,
    folder_texts,
    part_bytes,
    part_name,
)


class PartedBytes:
    """Looks at the parts of a release one after another, and at the end at all that its folder states of them."""

    def __init__(self, folder: ReleaseFolder) -> None:
        """Begin with a folder whose data is in parts."""
        self.folder = folder
        self.findings: list[Reason] = []
        self.facts: ReleaseFacts | None = None
        self._method, self._versions = stated_method(folder), versions_of(folder.manifest)
        self._forms = PseudonymForms(self._method)
        # How many records every pseudonym of every part has, in their order.
        self._sizes: list[Ints] = []
        self._hashes: dict[str, str] = {}
        self._listed: list[dict[str, Any]] = []

    def look(self, number: int, release: Release, text: pl.DataFrame) -> None:
        """Compare one part with what its content, as ``text``, makes of it; parts come in their order."""
        stated = self.folder.parts[number]
        present, expected = (self.folder.path / stated.name).read_bytes(), part_bytes(text)
        if present != expected:
            self.findings.append(difference(stated.name, present, expected, self._versions["polars"]))
        self.findings += order_findings(stated.name, text)
        names, own_name = release.pseudonyms, f"{DATA_FOLDER}/{part_name(number)}"
        if stated.name != own_name:
            self.findings.append(finding("part-name", file=stated.name, expected=own_name))
        self._forms.look(stated.name, names)
        self._sizes.append(names.rle().struct.field("len").to_numpy().astype(np.int64))
        first, last = (str(names[0]), str(names[-1])) if len(names) else ("", "")
        if self._listed and not str(self._listed[-1]["last"]) < first:
            self.findings.append(finding("row-order", file=stated.name, line=2))
        self._listed.append({"name": stated.name, "rows": len(release), "first": first, "last": last})
        self._hashes[stated.name] = hashlib.sha256(expected).hexdigest()
        facts = replace(ReleaseFacts.of(release), method=self.folder.method)
        self.facts = facts if self.facts is None else self.facts + facts

    def all_findings(self, smallest: int | None) -> tuple[Reason, ...]:
        """Return what of the folder is not what its parts make of it; ``smallest`` is the smallest published group."""
        folder, method = self.folder, self._method
        if self.facts is None:
            return tuple(self.findings)
        findings = [*folder_findings(folder), *manifest_findings(folder, self.facts, method, smallest)]
        summary = own_summary(folder, self.facts, method)
        expected, _ = folder_texts(
            self.facts,
            self._hashes,
            parts=self._listed,
            parameters=folder.parameters,
            summary=summary if SUMMARY_NAME in folder.content else None,
            versions=self._versions,
        )
        findings += [*self.findings, *self._cut_findings(), *self._forms.findings()]
        return (*findings, *differences(folder, expected, summary, findings))

    def _cut_findings(self) -> list[Reason]:
        """Return the first part that does not end where the records before it say."""
        present = np.repeat(np.arange(len(self._sizes)), [len(sizes) for sizes in self._sizes])
        expected = cut_parts(np.concatenate(self._sizes))
        moved = np.flatnonzero(present != expected)
        if not len(moved) and len(self._sizes) == int(expected.max(initial=-1)) + 1:
            return []
        number = int(present[moved[0]]) if len(moved) else len(self._sizes) - 1
        return [finding("part-cut", file=self.folder.parts[number].name)]


def parted_findings(folder: ReleaseFolder, release: Release) -> tuple[Reason, ...]:
    """Return the findings of a release in parts that was read as a whole."""
    looked, begin = PartedBytes(folder), 0
    for number, part in enumerate(folder.parts):
        end = min(begin + part.rows, len(release)) if number + 1 < len(folder.parts) else len(release)
        part_of = release.take(np.arange(begin, end))
        looked.look(number, part_of, part_of.text())
        begin = end
    return looked.all_findings(smallest_group(folder, release))
