"""What `tokumei.describe` returns: schema, profile, raw risk and hints, shown without a value of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tokumei.data import Schema
from tokumei.profiles.columns import Profile
from tokumei.profiles.content import proposals
from tokumei.profiles.risk import RawRisk
from tokumei.profiles.subjects import Proposal, subject_document
from tokumei.words import html_table, percent


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Description:
    """What `describe` found: the schema it inferred, the profile, the raw risk, and what a person should look at.

    ``identifiers`` are the columns that seem to name people, each with the reason; ``subject`` is who the records seem
    to be of, with rivals and doubts, where nobody said it.
    """

    schema: Schema
    profile: Profile
    risk: RawRisk
    hints: list[str]
    identifiers: Mapping[str, str]
    subject: Proposal | None = None

    def __repr__(self) -> str:
        """Return a summary without a value of the data."""
        return f"Description({self.profile.records:,} records of {self.profile.subjects:,} subjects)"

    def _repr_html_(self) -> str:
        """Return columns with counts, the raw risk and hints for a notebook, no value of the data."""
        told = {one.columns[0]: percent(one.share) for one in self.risk.columns}
        column_of = {spec.name: spec.column for spec in self.schema.fields}
        rows = [
            [one.name, one.kind, f"{one.distinct:,}", f"{one.missing:,}", told.get(column_of[one.name], "")]
            for one in self.profile.columns
        ]
        lines = [f"subject: {self.schema.subject}"]
        if self.subject is not None and self.subject.doubt is not None:
            lines.append(f"doubtful: {self.subject.doubt}")
        lines += [f"who knows {number} records: {percent(one.value)}" for number, one in self.risk.known.items()]
        heads = ("column", "kind", "distinct", "missing", "singles out")
        return html_table(repr(self), rows, heads=heads, lines=[*lines, *self.hints])

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, the same as ``tokumei describe --json`` prints."""
        rest = {"risk": self.risk.as_dict(), "hints": self.hints, "identifiers": dict(self.identifiers)}
        rest |= {"schema": self.schema.to_toml(), "subject": subject_document(self.schema, self.subject)}
        rest |= {"grids": proposals(self.schema)}
        return {**self.profile.as_dict(), **rest}
