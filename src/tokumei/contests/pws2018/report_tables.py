"""Tables 6 to 10 of the PWS Cup 2018 report, computed again from the submissions and set beside the printed figures.

The published submissions are flat: every generalized cell was replaced by one draw, every suppressed one is empty
(data README). So one draw stands against the report's mean of a hundred; only suppressed cells can be drawn again.
Tables 6 and 7 use one such filling; tables 8 to 10 the mean over many, because a few hundred suppressed prices, each
uniform up to the dearest goods, move a sum by some per cent from one filling to the next.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.contests.pws2018.printed_figures import printed_correlations, published_figures, published_utility
from tokumei.contests.pws2018.sampling import Sampler
from tokumei.contests.pws2018.statistics import (
    STATISTICS,
    STATISTICS_COLUMNS,
    critical_correlation,
    pearson_correlation,
    rows_statistics,
)
from tokumei.contests.pws2018.use_cases import Original, UseCaseOptions
from tokumei.data import Cells, History, RangeCells, Release, SetCells
from tokumei.errors import InputError, ParameterError
from tokumei.progress import stage

SUBMISSION_COLUMNS = ("team", "pseudonym", "date", "goods", "price", "quantity")
_TABLE_OF_COLUMN = {"date": 8, "price": 9, "quantity": 10}
# Extremes depend on single cells, of which there is one draw here; the printed "medians" are none (spec F-B14).
_INCOMPARABLE = {(table, "median") for table in (8, 9, 10)} | {(9, "max"), (9, "min"), (10, "max")}


@dataclass(frozen=True, eq=False, slots=True)
class ReportTables:
    """Printed and reproduced figures.

    ``figures``: table, team, measure, published, reproduced, difference, comparable (whether the flat submissions
    can give this figure). ``correlations``: table, measure, published, recomputed (from the printed columns),
    reproduced, significant (as printed), reproduced_significant (one draw may fall on the other side of the limit).
    ``critical`` is the least significant |r|.
    """

    figures: pl.DataFrame
    correlations: pl.DataFrame
    critical: float

    def side_by_side(self, table: int) -> pl.DataFrame:
        """Return one table: a row per team and the row of correlations, three columns per measure."""
        chosen = self.figures.filter(pl.col("table") == table)
        result = published_utility()
        for measure in chosen["measure"].unique(maintain_order=True):
            block = chosen.filter(pl.col("measure") == measure).select(
                "team",
                pl.col("published").alias(f"{measure}_published"),
                pl.col("reproduced").alias(f"{measure}_reproduced"),
                pl.col("difference").alias(f"{measure}_difference"),
            )
            result = result.join(block, on="team", how="inner", maintain_order="left")
        return pl.concat([result, self._correlation_row(table)], how="diagonal")

    def _correlation_row(self, table: int) -> pl.DataFrame:
        row: dict[str, object] = {"team": "Pearson"}
        for entry in self.correlations.filter(pl.col("table") == table).iter_rows(named=True):
            printed, ours = entry["published"], entry["reproduced"]
            row[f"{entry['measure']}_published"] = printed
            row[f"{entry['measure']}_reproduced"] = ours
            row[f"{entry['measure']}_difference"] = None if printed is None or ours is None else ours - printed
        return pl.DataFrame([row], schema_overrides={name: pl.Float64 for name in row if name != "team"})

    def agreement(self) -> pl.DataFrame:
        """Return, for every comparable measure, the mean and largest absolute and the mean relative difference."""
        gap = pl.col("difference").abs()
        relative = pl.when(pl.col("published") != 0).then(gap / pl.col("published").abs())
        return (
            self.figures.filter("comparable")
            .group_by("table", "measure", maintain_order=True)
            .agg(
                gap.mean().alias("mean_difference"),
                gap.max().alias("largest_difference"),
                relative.mean().alias("mean_relative_difference"),
            )
        )


def reproduce_tables(
    history: History,
    submissions: pl.DataFrame,
    *,
    rng: np.random.Generator,
    fillings: int = 100,
    correct_dates: bool = True,
    options: UseCaseOptions | None = None,
) -> ReportTables:
    """Compute tables 6 to 10 from the final T and the flat submissions (columns `SUBMISSION_COLUMNS`).

    The sampler behind the submissions hardly ever returned the last day of a range, so dates are half a day early on
    average; ``correct_dates`` takes each as itself or the day after, with equal chances.
    """
    _check(submissions, fillings)
    original = Original.of_history(history, options)
    teams = submissions["team"].unique().sort().to_list()
    rows: list[tuple[int, str, str, float]] = []
    with stage("submissions", len(teams)) as advance:
        for team, child in zip(teams, rng.spawn(len(teams)), strict=True):
            table = submissions.filter(pl.col("team") == team)
            release = _release(history, table, correct_dates=correct_dates)
            measured = _team_figures(original, Sampler.of_release(history, release), fillings, child)
            rows += [(number, team, measure, value) for (number, measure), value in measured.items()]
            advance(1)
    schema = {"table": pl.Int32, "team": pl.String, "measure": pl.String, "reproduced": pl.Float64}
    figures = _beside_published(pl.DataFrame(rows, schema=schema, orient="row"))
    return ReportTables(figures, _correlations(figures), critical_correlation(published_utility().height))


def published_correlations() -> pl.DataFrame:
    """Return Pearson's r of U and every printed column: table, measure, published, recomputed, significant."""
    figures = published_figures().join(published_utility(), on="team", maintain_order="left")
    critical = critical_correlation(published_utility().height)
    rows = []
    for (table, measure), printed in printed_correlations().items():
        chosen = figures.filter((pl.col("table") == table) & (pl.col("measure") == measure))
        again = _or_none(pearson_correlation(chosen["U"].to_numpy(), chosen["published"].to_numpy()))
        rows.append((table, measure, printed, again, printed is not None and abs(printed) >= critical))
    schema = {
        "table": pl.Int32,
        "measure": pl.String,
        "published": pl.Float64,
        "recomputed": pl.Float64,
        "significant": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _check(submissions: pl.DataFrame, fillings: int) -> None:
    missing = [name for name in SUBMISSION_COLUMNS if name not in submissions.columns]
    if missing:
        message = (
            f"the submissions lack the column '{missing[0]}'; they need {', '.join(SUBMISSION_COLUMNS)}, "
            f"but have {', '.join(submissions.columns)}"
        )
        raise InputError(message)
    if submissions.height == 0:
        raise InputError("the submissions hold no rows; give the table with the teams' data")
    if fillings < 1:
        message = f"parameter 'fillings' of the report tables must be a whole number of at least 1, got {fillings}"
        raise ParameterError(message)


def _release(history: History, table: pl.DataFrame, *, correct_dates: bool) -> Release:
    """Return one team's rows as a release; empty cells are suppressed."""
    frame = table.drop("team").rename({"pseudonym": history.schema.subject})
    team = History.from_frame(frame, history.schema, file="submissions")
    cells: dict[str, Cells] = {spec.name: team.cells(spec.name) for spec in history.schema.fields}
    empty = table["goods"].is_null().to_numpy()
    cells["goods"] = SetCells.of_values(team.codes["goods"], team.categories["goods"]).suppress(empty)
    dates = cells["date"]
    if correct_dates and isinstance(dates, RangeCells):
        last = int(history.codes["date"].max(initial=0))
        next_day = np.maximum(np.minimum(dates.hi + 1, last), dates.hi)
        cells["date"] = RangeCells.of_ranges(dates.lo, next_day, suppressed=dates.suppressed)
    return Release(history.schema, table["pseudonym"], cells)


def _team_figures(
    original: Original, sampler: Sampler, fillings: int, rng: np.random.Generator
) -> Mapping[tuple[int, str], float]:
    """Return all figures of one team by table and measure."""
    differences: dict[tuple[int, str], list[float]] = {}
    figures: dict[tuple[int, str], float] = {}
    for number, child in enumerate(rng.spawn(fillings)):
        rows = sampler.draw(child)
        if number == 0:
            errors = original.compare(rows)
            figures = {(7 if name == "top_items_error" else 6, name): value for name, value in errors.errors().items()}
            figures[7, "rows"] = errors.rows
        statistics = rows_statistics(rows, ddof=original.options.ddof)
        for column in STATISTICS_COLUMNS:
            for name in STATISTICS:
                gap = abs(original.statistics[column][name] - statistics[column][name])
                differences.setdefault((_TABLE_OF_COLUMN[column], name), []).append(gap)
    return {**figures, **{key: math.fsum(gaps) / fillings for key, gaps in differences.items()}}


def _beside_published(reproduced: pl.DataFrame) -> pl.DataFrame:
    """Join with the printed figures, in the report's order; teams without printed figures last, no figure null."""
    joined = published_figures().join(
        reproduced, on=["table", "team", "measure"], how="full", coalesce=True, maintain_order="left_right"
    )
    known = pl.DataFrame(
        sorted(_INCOMPARABLE), schema={"table": pl.Int32, "measure": pl.String}, orient="row"
    ).with_columns(comparable=False)
    return (
        joined.filter(pl.col("team").is_in(reproduced["team"].unique().implode()))
        .with_columns(pl.col("reproduced").fill_nan(None))
        .join(known, on=["table", "measure"], how="left", maintain_order="left")
        .select(
            "table",
            "team",
            "measure",
            "published",
            "reproduced",
            (pl.col("reproduced") - pl.col("published")).alias("difference"),
            pl.col("comparable").fill_null(value=True),
        )
    )


def _correlations(figures: pl.DataFrame) -> pl.DataFrame:
    """Return the printed correlations beside those of the reproduced columns (null where not comparable)."""
    utility = published_utility()
    with_utility = figures.filter("comparable").join(utility, on="team", maintain_order="left")
    rows = []
    for (table, measure), group in with_utility.group_by("table", "measure", maintain_order=True):
        again = pearson_correlation(group["U"].to_numpy(), group["reproduced"].to_numpy())
        rows.append((table, measure, _or_none(again)))
    schema = {"table": pl.Int32, "measure": pl.String, "reproduced": pl.Float64}
    ours = pl.DataFrame(rows, schema=schema, orient="row")
    return (
        published_correlations()
        .join(ours, on=["table", "measure"], how="left", maintain_order="left")
        .select(
            "table",
            "measure",
            "published",
            "recomputed",
            "reproduced",
            "significant",
            (pl.col("reproduced").abs() >= critical_correlation(utility.height)).alias("reproduced_significant"),
        )
    )


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
