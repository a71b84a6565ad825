"""Sensitive columns that are published apart from the others: a multiset of values for each group (anatomy).

    groups.csv      pseudonym, group               which pseudonyms share a multiset
    sensitive.csv   group, column, value, records  how often the members of a group have each value

Xiao and Tao (2006) join both tables by the group: which member has which value is not said. Groups are numbered by
their first pseudonym as text, so that their numbers say nothing beside who is in one group with whom.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tokumei.array_types import Ints
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import PSEUDONYM, Schema
from tokumei.errors import UnreadableError

GROUPS_NAME, SENSITIVE_NAME = "groups.csv", "sensitive.csv"
_GROUPS = {PSEUDONYM: pl.String, "group": pl.Int64}
_VALUES = {"group": pl.Int64, "column": pl.String, "value": pl.String, "records": pl.Int64}


def columns_apart(schema: Schema) -> list[str]:
    """Return the columns whose values are published apart."""
    return [name for name, demand in schema.demands.items() if demand.apart]


@dataclass(frozen=True, eq=False, repr=False)
class ApartValues:
    """The two tables, each in its one order: ``groups`` by pseudonym, ``values`` by group, column and value."""

    groups: pl.DataFrame
    values: pl.DataFrame

    @classmethod
    def numbered(cls, groups: pl.DataFrame, values: pl.DataFrame) -> ApartValues:
        """Return both tables with groups numbered by their first pseudonym, from 1, and sorted."""
        first = groups.group_by("group").agg(pl.col(PSEUDONYM).min()).sort(PSEUDONYM)
        number = first.select("group", pl.int_range(1, pl.len() + 1).alias("number"))

        def renumbered(table: pl.DataFrame) -> pl.DataFrame:
            return table.join(number, on="group").with_columns(group="number").drop("number")

        told = renumbered(values).select(*_VALUES).sort("group", "column", "value")
        return cls(renumbered(groups).select(*_GROUPS).sort(PSEUDONYM), told)

    @classmethod
    def of(cls, history: History, secret: Secret, group: Ints) -> ApartValues:
        """Return what groups have in the columns that the schema of a history publishes apart.

        ``history`` tells values as they are published; ``group`` is the group of every subject, -1 where there is none.
        """
        owners = secret.owners.select(pl.col(PSEUDONYM).cast(pl.String), pl.col("subject").cast(pl.String))
        known = pl.DataFrame({"subject": history.subjects.cast(pl.String), "group": group})
        groups = owners.join(known.filter(pl.col("group") >= 0), on="subject").select(*_GROUPS)
        tables = []
        for name in columns_apart(history.schema):
            text = history.categories[name].cast(pl.String)[history.codes[name]]
            rows = pl.DataFrame({"group": group[history.subject], "value": text}).filter(pl.col("group") >= 0)
            counted = rows.group_by("group", "value").len("records").with_columns(pl.lit(name).alias("column"))
            tables.append(counted.select(*_VALUES).cast({"records": pl.Int64}))
        return cls.numbered(groups, pl.concat(tables))

    def renamed(self, fresh: Mapping[str, str]) -> ApartValues:
        """Return the tables under other pseudonyms."""
        names = pl.col(PSEUDONYM).replace_strict(fresh, return_dtype=pl.String)
        return ApartValues.numbered(self.groups.with_columns(names), self.values)

    def files(self) -> dict[str, bytes]:
        """Return the bytes of both files by name."""
        files = {}
        for name, table in ((GROUPS_NAME, self.groups), (SENSITIVE_NAME, self.values)):
            buffer = io.BytesIO()
            table.write_csv(buffer)
            files[name] = buffer.getvalue()
        return files

    @classmethod
    def read(cls, files: Mapping[str, bytes], folder: Path) -> ApartValues:
        """Return the tables of a release folder as they stand there; raise UnreadableError if they are not such."""
        return cls(
            _read(files.get(GROUPS_NAME), _GROUPS, folder / GROUPS_NAME),
            _read(files.get(SENSITIVE_NAME), _VALUES, folder / SENSITIVE_NAME),
        )

    def joined(self) -> pl.DataFrame:
        """Return the multiset of the group of every pseudonym: pseudonym, group, column, value, records."""
        return self.groups.join(self.values, on="group", how="left", maintain_order="left_right")


def _read(content: bytes | None, columns: Mapping[str, Any], file: Path) -> pl.DataFrame:
    try:
        if content is None:
            raise ValueError(file)
        table = pl.read_csv(io.BytesIO(content), schema=dict(columns)).with_columns(pl.col(pl.String).fill_null(""))
    except (ValueError, pl.exceptions.PolarsError):
        message = (
            f"{file}: the schema says that values are published apart, and this is not the table of them that "
            "'tokumei anonymize' writes; restore the release folder"
        )
        raise UnreadableError(message, file=str(file)) from None
    return table


def with_values_apart(history: History, release: Release, secret: Secret) -> Release:
    """Return a release with the values of columns that are published apart, if its method told the groups.

    ``history`` is the one that the method saw.
    """
    group = secret.report.get("group")
    if group is None or not columns_apart(history.schema):
        return release
    return replace(release, apart=ApartValues.of(history, secret, group))
