"""A release that is larger than memory: counted part by part, and looked at closely where some of its people are.

Two kinds of figures come of it. What adds up over parts is exact: the bytes of every part, how many pseudonyms of how
many people share every published history (by 128 bits of its SHA-256), and metrics that are sums. Everything else is
found on a sample: all groups of equal histories that random pseudonyms belong to, and the smallest groups of all, with
the records of their owners. An attacker who is told who is in the sample knows more than one who searches the whole.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.audits import PartedBytes, history_digests, states_groups
from tokumei.data import (
    BASE_MEGABYTES,
    LEAST_GIGABYTES,
    CodedRows,
    DataSet,
    History,
    PublishedPart,
    Reason,
    Release,
    ReleaseFolder,
    Schema,
    Score,
    Secret,
    SecretFolder,
    Survey,
    allowed_gigabytes,
    last_of_each,
    records_held,
    records_of,
)
from tokumei.errors import InfeasibleError, InputError
from tokumei.parts import CombinableMetric
from tokumei.profiles import refined_schema
from tokumei.progress import stage

SAMPLED_PEOPLE, SMALLEST_GROUPS = 4_000, 25
DIGEST_BYTES = 16
# What one record of a part takes while the part is compared with its bytes, and what is held of every pseudonym.
MEGABYTES_PER_PART_RECORD, MEGABYTES_PER_PSEUDONYM = 5e-4, 4e-4


def is_large(folder: ReleaseFolder) -> bool:
    """Return whether the data of a release is in parts that are too many to be held at once."""
    return bool(folder.parts) and sum(part.rows for part in folder.parts) > records_held()


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """Some people of a large release with all that belongs to them, as a small release of its own."""

    history: History
    release: Release
    secret: Secret | None


@dataclass(frozen=True, eq=False, repr=False)
class LargeRelease:
    """A release in parts, its original and its secret (None: not at hand), none of them held."""

    data_set: DataSet
    survey: Survey
    folder: ReleaseFolder
    secret: SecretFolder | None

    @classmethod
    def open(
        cls, original: Path, folder: ReleaseFolder, *, schema: Schema | None = None, secret: Path | None = None
    ) -> LargeRelease:
        """Pass once over the original; ``schema`` says what its columns mean (default: that of the release)."""
        _refuse_little_memory(folder)
        data_set = DataSet.open(original)
        with stage("read the original"):
            survey = Survey.of(data_set, schema or refined_schema(folder.schema, data_set))
        hidden = None if secret is None else SecretFolder.open(secret)
        if hidden is not None and len(hidden.parts) != len(folder.parts):
            raise _foreign()
        return cls(data_set, survey, folder, hidden)

    def part(self, number: int) -> Release:
        """Return one part of the release, coded as the whole original is."""
        return self.folder.part(number, self.survey.empty())

    @cached_property
    def _looked(self) -> tuple[PartedBytes, pl.DataFrame]:
        """What one pass over the release finds: its bytes, and ``pseudonym``, ``part`` and ``digest`` of all."""
        written, tables = PartedBytes(self.folder), []
        with stage("read the release", total=len(self.folder.parts)) as advance:
            for number in range(len(self.folder.parts)):
                release = self.part(number)
                text = release.text()
                written.look(number, release, text)
                digests = history_digests(release, text).with_columns(pl.col("digest").bin.slice(0, DIGEST_BYTES))
                tables.append(digests.with_columns(part=pl.lit(number, pl.Int32)))
                advance(1)
        return written, pl.concat(tables).sort("pseudonym")

    @property
    def histories(self) -> pl.DataFrame:
        """All pseudonyms in sorted order: ``pseudonym``, ``digest`` of what it published, ``part`` it is in."""
        return self._looked[1]

    def byte_findings(self) -> tuple[Reason, ...]:
        """Return what of the folder is not what its content makes of it (`tokumei.audits.byte_findings`)."""
        smallest = int(self.groups["pseudonyms"].min()) if states_groups(self.folder) else None  # type: ignore[arg-type]
        return self._looked[0].all_findings(smallest)

    @cached_property
    def owners(self) -> pl.DataFrame:
        """Who stands behind every pseudonym: ``pseudonym``, ``subject``; none without the secret."""
        if self.secret is None:
            return pl.DataFrame(schema={"pseudonym": pl.String, "subject": pl.String})
        parts = range(len(self.secret.parts))
        owners = pl.concat([self.secret.part(number).owners.cast(pl.String) for number in parts])
        known = owners["subject"].is_in(self.survey.subjects.implode()).all()
        if not known or self.histories.join(owners, on="pseudonym", how="anti").height:
            raise _foreign()
        return owners

    @cached_property
    def groups(self) -> pl.DataFrame:
        """The groups of equal histories: ``digest``, ``pseudonyms``, ``level`` (no owner has more than 1/level of it).

        Without the secret every pseudonym is taken to have an owner of its own.
        """
        whose = pl.col("pseudonym").alias("subject")
        table = self.histories.with_columns(whose)
        if self.secret is not None:
            table = self.histories.join(self.owners, on="pseudonym", how="left")
        held = table.group_by("digest", "subject").len("held")
        most = held.group_by("digest").agg(pl.col("held").max())
        sizes = self.histories.group_by("digest").len("pseudonyms")
        level = (pl.col("pseudonyms") // pl.col("held")).alias("level")
        return sizes.join(most, on="digest").select("digest", "pseudonyms", level).sort("level", "digest")

    @property
    def k_anonymity(self) -> int:
        """The largest k such that no owner has more than 1/k of the pseudonyms of any published history."""
        return int(self.groups["level"].min())  # type: ignore[arg-type]

    def sample(self, *, people: int = SAMPLED_PEOPLE, seed: int = 0) -> Sample:
        """Return the groups of so many random pseudonyms, and the smallest groups, as a release of its own.

        They are fewer where memory does not hold their records. Without the secret nobody knows whose they are: then
        the people are random ones.
        """
        rng = np.random.default_rng([seed, 17])
        published = sum(part.rows for part in self.folder.parts) / self.groups.height
        # The compiled kernels of attacks and the pages of a report come on top of what reading takes.
        beside = LEAST_GIGABYTES * 1e3 - BASE_MEGABYTES + _held_megabytes(self.folder)
        people = min(people, int(records_held(beside) / published) + 1)
        drawn = np.sort(rng.permutation(self.histories.height)[:people])
        digests = pl.concat([self.histories["digest"][drawn], self.groups["digest"].head(SMALLEST_GROUPS)])
        chosen = self.histories.filter(pl.col("digest").is_in(digests.unique().implode()))
        if self.secret is None:
            numbers = np.sort(rng.permutation(len(self.survey.subjects))[:people])
            names = self.survey.subjects[numbers]
        else:
            names = self.owners.filter(pl.col("pseudonym").is_in(chosen["pseudonym"].implode()))["subject"].unique()
        history, rows = records_of(self.data_set, self.survey, names)
        return self._sampled(chosen, history, rows)

    def _sampled(self, chosen: pl.DataFrame, history: History, rows: Ints) -> Sample:
        """Read the chosen pseudonyms; ``rows`` are the numbers that the records of the history have in the whole."""
        numbers = chosen["part"].unique().sort().to_list()
        named = {number: chosen.filter(pl.col("part") == number)["pseudonym"] for number in numbers}
        release, places = self.folder.selected(named, self.survey.empty())
        if self.secret is None:
            return Sample(history, release, None)
        hidden = [self.secret.part(number) for number in numbers]
        if any(len(part.rows) != self.folder.parts[number].rows for number, part in zip(numbers, hidden, strict=True)):
            raise _foreign()
        origin = np.concatenate([part.rows[kept] for part, kept in zip(hidden, places, strict=True)])
        place = np.minimum(np.searchsorted(rows, origin), max(len(rows) - 1, 0))
        if ((origin >= 0) & (rows[place] != origin)).any():
            raise _foreign()
        owners = self.owners.filter(pl.col("pseudonym").is_in(chosen["pseudonym"].implode()))
        secret = Secret(owners, np.where(origin < 0, -1, place), seed=self.secret.seed)
        return Sample(history, release, secret)

    def scores(self, metrics: Sequence[CombinableMetric]) -> list[Score]:
        """Return the exact scores of metrics that add up over parts."""
        if self.secret is None:
            message = "only the secret of a release tells what became of each record; name its file"
            raise InputError(message, code="no-secret")
        totals: list[dict[str, Any]] = [{} for _ in metrics]
        with (
            tempfile.TemporaryDirectory(prefix="tokumei-") as scratch,
            stage("judge", total=len(self.folder.parts)) as advance,
        ):
            rows = CodedRows.write(self.data_set, self.survey, Path(scratch) / "rows")
            seen = np.zeros(self.survey.records, dtype=np.bool_)
            # The last record that stands for a row of the original counts, as it does in memory.
            for number in reversed(range(len(self.folder.parts))):
                part = self._published(number, self.secret, rows, seen)
                totals = [_added(total, metric.tally(part)) for total, metric in zip(totals, metrics, strict=True)]
                advance(1)
        return [metric.score(self.survey, total) for metric, total in zip(metrics, totals, strict=True)]

    def _published(self, number: int, secret: SecretFolder, rows: CodedRows, seen: Any) -> PublishedPart:
        """Return a part beside its original records, and mark these in ``seen``."""
        release, origin = self.part(number), secret.part(number).rows
        if len(origin) != len(release) or int(origin.max(initial=-1)) >= len(seen):
            raise _foreign()
        real = np.flatnonzero(origin >= 0)
        taken = origin[real]
        counted = last_of_each(taken) & ~seen[taken]
        seen[taken] = True
        dummies = len(origin) - len(real)
        return PublishedPart(self.survey, rows.take(taken), release.take(real), counted, dummies)


def _held_megabytes(folder: ReleaseFolder) -> float:
    """Return what is held of all pseudonyms together, if there are as many as the manifest says."""
    stated = folder.manifest.get("pseudonyms")
    return MEGABYTES_PER_PSEUDONYM * stated if isinstance(stated, int) else 0.0


def _refuse_little_memory(folder: ReleaseFolder) -> None:
    """Raise InfeasibleError if a part of the release, with what is held of all its pseudonyms, is more than allowed."""
    rows = max(part.rows for part in folder.parts)
    gigabytes = (BASE_MEGABYTES + _held_megabytes(folder) + MEGABYTES_PER_PART_RECORD * rows) / 1e3
    if gigabytes > allowed_gigabytes():
        message = (
            f"{folder.path}: the memory allowed is not enough for a part of {rows:,} records; "
            f"give --memory {gigabytes:.2f} or more"
        )
        raise InfeasibleError(message, code="memory")


def _foreign() -> InputError:
    message = "the secret does not belong to this release and original; give the three that belong together"
    return InputError(message, code="foreign-secret")


def _added(total: Mapping[str, Any], tally: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value + total[name] if name in total else value for name, value in tally.items()}
