"""Whether a release folder is exactly what its content makes of it, byte by byte.

A proof about cells says nothing about a file that writes one value in two ways (``6`` and ``06``), keeps its rows in an
order of its own, or has a column, a file or a word more than a release has. So the folder is made again from what was
read of it (`tokumei.data.release_files`), and every byte that differs is a finding: what is proven of the content is
not proven of these files. ``tokumei reissue`` makes files of which it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tokumei.audits.apart_tables import apart_findings
from tokumei.audits.byte_differences import order_findings
from tokumei.audits.manifest import (
    UNCHECKED,
    manifest_findings,
    own_summary,
    smallest_group,
    stated_method,
    versions_of,
)
from tokumei.audits.pseudonym_forms import PseudonymForms
from tokumei.audits.published_files import differences, folder_findings
from tokumei.audits.published_parts import parted_findings
from tokumei.audits.result import AuditResult
from tokumei.data import SUMMARY_NAME, Outcome, Reason, Release, ReleaseFacts, ReleaseFolder, folder_files

# What proves a release safe: with a finding it is a proof about something else.
PROVEN = frozenset({"k-anonymous"})


def byte_findings(folder: ReleaseFolder, release: Release) -> tuple[Reason, ...]:
    """Return what of a folder is not what ``release``, read from it, makes of it; nothing if it is canonical.

    Text is compared with the text that the writer of this version makes, Parquet with its bytes.
    """
    if folder.parts:
        return parted_findings(folder, release)
    method, facts, text = stated_method(folder), ReleaseFacts.of(release), release.text()
    smallest = smallest_group(folder, release, text)
    findings = [*folder_findings(folder), *manifest_findings(folder, facts, method, smallest)]
    data_format = folder.data_format
    summary = own_summary(folder, facts, method)
    expected, _ = folder_files(
        replace(release, method=folder.method),
        parameters=folder.parameters,
        data_format=data_format,
        summary=summary if SUMMARY_NAME in folder.content else None,
        versions=versions_of(folder.manifest),
        text=text,
    )
    findings += differences(folder, expected, summary, findings)
    findings += order_findings(folder.data.name, text)
    forms = PseudonymForms(method)
    forms.look(folder.data.name, release.pseudonyms)
    if release.people is not None:
        people = f"people{folder.data.suffix}"
        findings += order_findings(people, release.people.text())
        forms.look(people, release.people.pseudonyms)
    if release.apart is not None:
        findings += apart_findings(folder, release)
    return (*findings, *forms.findings())


def with_findings(
    result: AuditResult,
    findings: tuple[Reason, ...],
    *,
    notes: tuple[Reason, ...] = (),
    digests: Mapping[str, str] | None = None,
) -> AuditResult:
    """Return the result with findings that no proof about the content outweighs, and the bytes that it is about.

    What cannot be checked refutes no more than the proof: then the release is not shown to be unsafe.

    ``notes`` are told after all reasons and decide nothing.
    """
    verdict = replace(result.verdict, reasons=(*result.verdict.reasons, *notes))
    if findings:
        reasons = (*findings, *(reason for reason in verdict.reasons if reason.code not in PROVEN))
        doubts = all(finding.code == UNCHECKED for finding in findings)
        outcome = verdict.outcome if verdict.outcome is Outcome.UNSAFE else Outcome.NOT_SHOWN_UNSAFE
        verdict = replace(verdict, outcome=outcome if doubts else Outcome.UNSAFE, reasons=reasons)
    return replace(result, verdict=verdict, digests=dict(digests or result.digests))
