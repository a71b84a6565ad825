"""What `describe` tells of data that is not held: counted in streams where that is exact, else found for some people.

The records are coded once into a scratch folder and queried there. Counts, spreads, totals and single columns are
exact. What would need a group for every combination of values is asked of a sample of people against all records: of
each of their values, whether anybody else in the whole data has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.data import (
    MISSING,
    DataSet,
    Field,
    History,
    Kind,
    Schema,
    Survey,
    atomic_folder,
    exceeds_memory,
    input_path,
    located,
    part_name,
    records_held,
    records_of,
)
from tokumei.profiles.columns import DAY_LENGTH, ColumnProfile, Profile, column_profile, profile, spread_of
from tokumei.profiles.infer import Subject, infer_schema
from tokumei.profiles.known_records import Holdings, Share, unique_share
from tokumei.profiles.reading import propose_history, refined_schema
from tokumei.profiles.risk import (
    MOST_KNOWN_RECORDS,
    PAIRED_COLUMNS,
    ColumnRisk,
    RawRisk,
    alone_share,
    facts_of,
    ranked_risks,
    raw_risk,
)
from tokumei.profiles.subjects import Proposal
from tokumei.progress import stage
from tokumei.words import Message

# So many rows show what the columns mean; so many people stand for all where a count would cost too much.
INFERRED_ROWS, SAMPLED_PEOPLE = 200_000, 2_000
# A column with more values than this is asked of the sample too.
MOST_VALUES = 5_000_000
SUBJECT = "subject"


@dataclass(frozen=True, eq=False)
class Described:
    """Profile and raw risk of data; ``sample`` has all its records, or those of some people if it is ``large``.

    ``subject`` is who the records seem to be of, where nobody said it.
    """

    profile: Profile
    risk: RawRisk
    sample: History
    large: bool = False
    subject: Proposal | None = None

    def sampled(self) -> list[Message]:
        """Return what a person should know where not everything was counted for everybody."""
        if not self.large:
            return []
        counts = {"people": len(self.sample.subjects), "all": self.profile.subjects}
        return [Message("hint.sampled", counts)]


def describe_data(data: Any, schema: Schema | None = None, *, subject: Subject = None) -> Described:
    """Profile a file, a folder of parts or a frame and measure its raw risk, in memory if it fits there."""
    if isinstance(data, (str, Path)) and exceeds_memory(input_path(data)):
        return describe_large(input_path(data), schema, subject=subject)
    history, proposal = propose_history(data, schema, subject=subject)
    return Described(profile(history), raw_risk(history), history, subject=proposal)


def describe_large(
    path: Path, schema: Schema | None = None, *, subject: Subject = None, people: int = SAMPLED_PEOPLE
) -> Described:
    """Profile a data set that is not held and measure its raw risk; without a schema its first rows show one."""
    data_set, survey = _surveyed(path, schema, subject)
    with _coded(data_set, survey) as table:
        return _Describer(survey, table, people).described()


def some_people(
    path: Path, schema: Schema | None = None, *, subject: Subject = None, people: int = SAMPLED_PEOPLE
) -> tuple[History, int]:
    """Return all records of some people, drawn at random, of data that is not held; and how many people there are.

    They are fewer than asked for where memory does not hold their records.
    """
    data_set, survey = _surveyed(path, schema, subject)
    people = min(people, records_held() * len(survey.subjects) // max(survey.records, 1) + 1)
    names = survey.subjects[_drawn(survey, people)]
    return records_of(data_set, survey, names)[0], len(survey.subjects)


def _surveyed(path: Path, schema: Schema | None, subject: Subject) -> tuple[DataSet, Survey]:
    data_set = DataSet.open(path)
    if schema is None:
        schema = refined_schema(infer_schema(data_set.head(INFERRED_ROWS), subject=subject), data_set)
    with stage("read the data"):
        return data_set, Survey.of(data_set, schema)


def _drawn(survey: Survey, people: int) -> Ints:
    """Return the numbers of some subjects, ascending."""
    return np.sort(np.random.default_rng(0).permutation(len(survey.subjects))[:people])


@contextmanager
def _coded(data_set: DataSet, survey: Survey) -> Iterator[pl.LazyFrame]:
    """Yield all records as integers: their subject, and a column per field; the files are gone afterwards."""
    names = [spec.name for spec in survey.schema.fields]
    with TemporaryDirectory(prefix="tokumei-") as scratch:
        with atomic_folder(Path(scratch) / "coded") as folder, stage("code the data"):
            for number, batch in enumerate(data_set.batches(survey.schema.sources())):
                coded = survey.coded(located(batch, survey.schema, survey.records))
                columns = {SUBJECT: coded.subject, **{str(at): coded.codes[name] for at, name in enumerate(names)}}
                pl.DataFrame(columns).write_parquet(folder / part_name(number), compression="lz4")
        yield pl.scan_parquet(Path(scratch) / "coded" / "*.parquet")


class _Describer:
    """Asks the coded records one question after the other."""

    def __init__(self, survey: Survey, table: pl.LazyFrame, people: int) -> None:
        self.survey, self.table = survey, table
        fields = survey.schema.fields
        self.place = {spec.name: str(at) for at, spec in enumerate(fields)}
        self.targets = _drawn(survey, people)
        self.chosen = self._collect(table.filter(pl.col(SUBJECT).is_in(pl.Series(self.targets).implode())))
        self.totals = self._per_subject(fields)
        self.counts = self.totals["records"].to_numpy()

    @staticmethod
    def _collect(query: pl.LazyFrame) -> pl.DataFrame:
        return query.collect(engine="streaming")

    def _per_subject(self, fields: Sequence[Field]) -> pl.DataFrame:
        """Return, subject by subject, the number of records, first and last days, and totals of numbers."""
        asked = [pl.len().alias("records")]
        for spec in fields:
            column = pl.col(self.place[spec.name])
            present = column.filter(column != MISSING)
            if spec.kind in DAY_LENGTH:
                asked += [present.min().alias(f"first {spec.name}"), present.max().alias(f"last {spec.name}")]
            if spec.kind is Kind.NUMBER:
                asked.append(present.sum().alias(f"total {spec.name}"))
        with stage("count per subject"):
            return self._collect(self.table.group_by(SUBJECT).agg(asked)).sort(SUBJECT)

    def described(self) -> Described:
        """Return profile and risk."""
        with stage("risk: columns"):
            columns = self._column_risks()
        with stage("risk: known records"):
            record = list(self.place.values())
            telling = self._risk_of_sample(record, ()).most_telling
            known = self._known_records(record)
        names = [one.columns[0] for one in columns[:PAIRED_COLUMNS]]
        with stage("risk: pairs of columns"):
            pairs = [self._risk_of_sample(self._keys(*pair), pair) for pair in combinations(names, 2)]
        risk = RawRisk(
            known=known,
            most_telling_record=telling,
            facts=self._facts(),
            columns=columns,
            pairs=ranked_risks(pairs),
            seed=0,
        )
        return Described(self._profile(risk), risk, self._sample(), large=True)

    def _keys(self, *columns: str) -> list[str]:
        """Return the coded columns of some columns of the schema."""
        chosen = [column for column in self.survey.schema.columns if column.name in columns]
        return [self.place[spec.name] for column in chosen for spec in column.fields()]

    def _column_risks(self) -> tuple[ColumnRisk, ...]:
        """Return the risk of every column, exact where its values can be counted."""
        risks = []
        for column in self.survey.schema.columns:
            if column.drop or column.weight or column.household:
                continue
            risks.append(self._values_risk(self._keys(column.name), (column.name,)))
        return ranked_risks(risks)

    def _values_risk(self, keys: Sequence[str], columns: tuple[str, ...] = ()) -> ColumnRisk:
        if len(keys) > 1 or self._distinct(keys[0]) > MOST_VALUES:
            return self._risk_of_sample(keys, columns)
        own = self._own(self.table, keys)
        return ColumnRisk(columns, float(np.mean(own / self.counts)), float(np.mean(own > 0)))

    def _distinct(self, place: str) -> int:
        present = pl.col(place).filter(pl.col(place) != MISSING)
        return int(self._collect(self.table.select(present.n_unique())).item())

    def _own(self, table: pl.LazyFrame, keys: Sequence[str]) -> Floats:
        """Return how many records every subject has whose values nobody else has."""
        whose = pl.col(SUBJECT)
        values = table.group_by(keys).agg(low=whose.min(), high=whose.max(), times=pl.len())
        alone = self._collect(values.filter(pl.col("low") == pl.col("high")))
        own: Floats = np.zeros(len(self.counts))
        np.add.at(own, alone["low"].to_numpy(), alone["times"].to_numpy())
        return own

    def _risk_of_sample(self, keys: Sequence[str], columns: tuple[str, ...]) -> ColumnRisk:
        """Return the risk of the sampled people: all records of anybody that share a value with theirs are counted."""
        wanted = self.chosen.select(keys).unique().lazy()
        own = self._own(self.table.join(wanted, on=keys, how="semi"), keys)[self.targets]
        counts = self.counts[self.targets]
        return ColumnRisk(columns, float(np.mean(own / counts)), float(np.mean(own > 0)))

    def _known_records(self, record: Sequence[str]) -> dict[int, Share]:
        """Return how many of the sampled people a few of their records single out in the whole data."""
        numbered = self.chosen.select(record).unique(maintain_order=True).with_row_index("record")
        crowd = self._collect(self.table.join(numbered.lazy(), on=list(record), how="inner").select(SUBJECT, "record"))
        subjects = len(self.survey.subjects)
        holdings = Holdings.of(
            crowd[SUBJECT].to_numpy().astype(np.int64), crowd["record"].to_numpy().astype(np.int64), subjects=subjects
        )
        most = min(MOST_KNOWN_RECORDS, int(holdings.distinct()[self.targets].max(initial=1)))
        return {number: unique_share(holdings, number, among=self.targets) for number in range(1, most + 1)}

    def _facts(self) -> dict[str, float]:
        totals = {
            column.name: self.totals[f"total {column.name}"].to_numpy()
            for column in self.survey.schema.columns
            if not column.drop and column.kind is Kind.NUMBER
        }
        return facts_of(self.counts, totals)

    def _profile(self, risk: RawRisk) -> Profile:
        fields = self.survey.schema.fields
        columns = tuple(self._column(spec) for spec in fields)
        days = {spec.name: self._days(spec) for spec in fields if spec.kind in DAY_LENGTH}
        told = {
            "number of records": alone_share([self.counts]),
            "one whole record": risk.most_telling_record,
            **{f"one value of {spec.name}": self._values_risk([self.place[spec.name]]).most_telling for spec in fields},
        }
        return Profile(self.survey.records, len(self.counts), spread_of(self.counts), columns, told, days)

    def _days(self, spec: Field) -> dict[str, float]:
        """Return the quantiles of the days between a subject's first and last date; who has no date is left out."""
        steps = (self.totals[f"last {spec.name}"] - self.totals[f"first {spec.name}"]).drop_nulls().to_numpy()
        return spread_of(steps / DAY_LENGTH[spec.kind])

    def _column(self, spec: Field) -> ColumnProfile:
        if spec.nominal:
            values = self.survey.categories[spec.name]
            empty = values.index_of("")
            missing = 0
            if empty is not None:
                missing = int(self._collect(self.table.select((pl.col(self.place[spec.name]) == empty).sum())).item())
            return ColumnProfile(spec.name, spec.kind.value, len(values) - (empty is not None), missing, "", "")
        sums = self.survey.sums[spec.name]
        ends = (sums.low, sums.high) if sums.count else None
        return column_profile(spec, self._distinct(self.place[spec.name]), self.survey.records - sums.count, ends)

    def _sample(self) -> History:
        """Return all records of the sampled people."""
        survey = self.survey
        names = survey.subjects[self.targets]
        subject = np.searchsorted(self.targets, self.chosen[SUBJECT].to_numpy())
        codes = {name: self.chosen[place].to_numpy().astype(np.int64) for name, place in self.place.items()}
        history = survey.empty()
        return replace(history, subjects=names, subject=subject.astype(np.int64), codes=codes)
