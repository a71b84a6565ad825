"""The experiment of the paper on k-concealment for history data, in one run (section 4).

Samples of n people of a set of trajectories are published by 2-anonymity and by several 2-concealments; for each the
error in kilometres and, beside it, what the audit says. The paper found concealment worse than anonymity. That is what
a graph of nearest neighbours gives; with the cheapest edge cover or an assignment concealment is equal or slightly
better, and each of them pays for it in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.audits import audit_release
from tokumei.data import MISSING, Column, History, Kind, Schema, atomic_folder, check_folder_target
from tokumei.errors import InfeasibleError, SchemaError
from tokumei.experiments.concealment_report import HOME, Measured, draw_figures, report_page
from tokumei.methods import (
    Completed,
    Groups,
    complete,
    cut_cycles,
    disjoint_permutations,
    edge_cover,
    match_graph,
    neighbour_graph,
    publish_slots,
    turn_cycles,
)
from tokumei.metrics import box_errors, kilometres_per_step
from tokumei.profiles import read_history
from tokumei.progress import stage
from tokumei.synth import generate_trajectories
from tokumei.words import Words

Construction = Callable[[Floats, np.random.Generator], tuple[Groups, Ints]]

SIZES = (10, 50, 100, 500, 1000)
MOST_SAMPLES = 50
PEOPLE_PER_SIZE = 1000
AUDITED_UP_TO = 100
HISTOGRAM_SIZE = 100
MAP_SIZE = 100
SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, eq=False, slots=True)
class Trajectories:
    """People completed to equally many points: codes (people, points, 2), and how long a step of either is.

    ``records`` is how many points each had before.
    """

    schema: Schema
    subjects: pl.Series
    codes: Ints
    records: Ints
    kilometres: Floats
    degrees: float

    def __len__(self) -> int:
        """Return the number of people."""
        return len(self.codes)

    def take(self, people: Ints) -> Trajectories:
        """Return some of the people."""
        codes, records = self.codes[people], self.records[people]
        return Trajectories(self.schema, self.subjects[people], codes, records, self.kilometres, self.degrees)

    def completed(self) -> Completed:
        """Return the points as a history with one record per person and number."""
        people, points, _ = self.codes.shape
        place = self.schema.columns[1]
        codes = {
            "point": np.tile(np.arange(points), people),
            place.latitude: self.codes[:, :, 0].ravel(),
            place.longitude: self.codes[:, :, 1].ravel(),
        }
        subject = np.repeat(np.arange(people), points)
        history = History(self.schema, self.subjects, subject, codes)
        return Completed(history, np.arange(people * points), points)


def interpolated(history: History, *, slot: int | None = None, daily: bool = False) -> Trajectories:
    """Return everybody's places at all times of one grid, on the line between the places that are known (section 4.1).

    Before the first and after the last known place the nearest one stands. ``slot`` is that of record interpolation;
    with ``daily`` only the time of day counts, so that people who were seen on different days can be compared.
    """
    place = next((column for column in history.schema.columns if column.kind is Kind.PLACE), None)
    if place is None:
        raise SchemaError("the experiment needs a place (latitude and longitude) in the schema; the data has none")
    if any((history.codes[name] == MISSING).any() for name in (place.latitude, place.longitude)):
        message = f"the place '{place.name}' is missing in some records; delete or complete them for the experiment"
        raise InfeasibleError(message)
    if daily:
        clocks = [spec.name for spec in history.schema.fields if spec.kind is Kind.DATETIME]
        codes = {name: history.codes[name] % SECONDS_PER_DAY for name in clocks}
        history = replace(history, codes={**history.codes, **codes})
    completed = complete(history, slot=slot, fill="linear")
    shape = (len(history.subjects), completed.slots)
    names = (place.latitude, place.longitude)
    points = np.stack([completed.history.codes[name].reshape(shape) for name in names], axis=2)
    steps = np.array(kilometres_per_step(place, float(history.codes[place.latitude].mean())))
    schema = Schema("person", (Column(name="point", kind=Kind.NUMBER), place))
    return Trajectories(schema, history.subjects, points, history.counts(), steps, place.step)


def person_distances(people: Trajectories) -> Floats:
    """Return the mean distance in kilometres of any two people over their points of equal number."""
    points = people.codes * people.kilometres
    total = np.zeros((len(people), len(people)))
    for number in range(points.shape[1]):
        apart = points[:, None, number] - points[None, :, number]
        total += np.sqrt((apart**2).sum(axis=2))
    return total / max(points.shape[1], 1)


def _pairs(cost: Floats, _rng: np.random.Generator) -> tuple[Groups, Ints]:
    """Optimal pairs; with an odd number whoever is left joins the pair that is nearest."""
    count = len(cost)
    first, second = np.triu_indices(count, 1)
    groups = [list(pair) for pair in match_graph(count, first, second, cost[first, second])]
    for left in sorted(set(range(count)) - {one for group in groups for one in group}):
        min(groups, key=lambda group: float(cost[left, group].sum())).append(left)
    of = {member: group for group in groups for member in group}
    return Groups.of([sorted(of[person]) for person in range(count)]), np.arange(count)


def _symmetric(graph: Callable[[Floats], Ints]) -> Construction:
    def build(cost: Floats, _rng: np.random.Generator) -> tuple[Groups, Ints]:
        partners: list[list[int]] = [[person] for person in range(len(cost))]
        for one, other in graph(cost).tolist():
            partners[one].append(other)
            partners[other].append(one)
        return Groups.of(partners), np.arange(len(cost))

    return build


def _assigned(longest: int) -> Construction:
    def build(cost: Floats, rng: np.random.Generator) -> tuple[Groups, Ints]:
        permutation = cut_cycles(disjoint_permutations(cost, 1)[0], cost, longest)
        hulls = np.column_stack((np.arange(len(cost)), permutation))
        return Groups.of_equal(hulls), turn_cycles(permutation, rng=rng)

    return build


_BUILDERS: dict[str, Construction] = {
    "pairs": _pairs,
    "neighbours": _symmetric(neighbour_graph),
    "cover": _symmetric(edge_cover),
    "assignment": _assigned(0),
    "cycles": _assigned(3),
}
# In files and JSON a construction has its English name, whatever the language of the report.
CONSTRUCTIONS = {Words("en", HOME)(f"construction.{key}"): build for key, build in _BUILDERS.items()}
BASELINE = next(iter(CONSTRUCTIONS))


def _boxes(people: Trajectories, hulls: Groups) -> tuple[Ints, Ints]:
    """Return the smallest and largest codes of every hull at every point."""
    members, starts = people.codes[hulls.members], hulls.bounds[:-1]
    return np.minimum.reduceat(members, starts, axis=0), np.maximum.reduceat(members, starts, axis=0)


def _errors(people: Trajectories, hulls: Groups, owners: Ints) -> tuple[Floats, Floats]:
    """Return the uniform and the centre error of every person, averaged over the points."""
    low, high = _boxes(people, hulls)
    shape = people.codes.shape[:2]
    flat = [(codes * people.kilometres).reshape(-1, 2) for codes in (people.codes[owners], low, high)]
    uniform, centre = box_errors(*flat)
    return uniform.reshape(shape).mean(axis=1), centre.reshape(shape).mean(axis=1)


def _audit(people: Trajectories, hulls: Groups, owners: Ints, method: str, rng: np.random.Generator) -> dict[str, Any]:
    """Publish a sample and return what the audit says."""
    completed = people.completed()
    release, secret = publish_slots(completed, hulls, owners, rng=rng, method="record-interpolation")
    result = audit_release(completed.history, release, secret, k=2)
    named = max((figure.share for figure in result.reidentified.values()), default=None)
    return {
        "people": len(people),
        "method": method,
        "verdict": result.verdict.outcome.value,
        "candidates": result.min_candidates,
        "largest_component": result.largest_component,
        "max_posterior": result.max_posterior,
        "expected_hits": result.expected_hits,
        "named_by_best_attack": named,
        "reasons": [reason.sentence for reason in result.verdict.reasons],
    }


def _run(people: Trajectories, sizes: Sequence[int], rng: np.random.Generator) -> Measured:
    found = Measured([], [], [], [], np.empty(0), {})
    pictured = _nearest_size(sizes, HISTOGRAM_SIZE)
    mapped = _nearest_size(sizes, MAP_SIZE)
    for size in sizes:
        samples = 1 if size >= len(people) else min(MOST_SAMPLES, max(1, PEOPLE_PER_SIZE // size))
        sums: dict[str, list[tuple[float, float]]] = {name: [] for name in CONSTRUCTIONS}
        with stage(f"samples of {size} people", total=samples) as advance:
            for number in range(samples):
                part = people.take(np.sort(rng.permutation(len(people))[:size]))
                cost = person_distances(part)
                if number == 0:
                    found.samples.append(_sample_row(part))
                if number == 0 and size == pictured:
                    found.distances = cost[np.triu_indices(size, 1)]
                for name, build in CONSTRUCTIONS.items():
                    hulls, owners = build(cost, rng)
                    uniform, centre = _errors(part, hulls, owners)
                    sums[name].append((float(uniform.mean()), float(centre.mean())))
                    if number == 0:
                        _picture(found, part, (hulls, owners), name, uniform, pictured=pictured, mapped=mapped)
                        if size <= AUDITED_UP_TO:
                            found.audits.append(_audit(part, hulls, owners, name, rng))
                advance(1)
        found.errors += _summary(size, sums)
    return found


def _sample_row(part: Trajectories) -> dict[str, Any]:
    """Return the row of table 13 for a sample, and how many records it has after interpolation."""
    return {"people": len(part), "records": int(part.records.sum()), "interpolated": int(part.codes[:, :, 0].size)}


def _nearest_size(sizes: Sequence[int], wanted: int) -> int:
    return min(sizes, key=lambda size: abs(size - wanted))


def _picture(
    found: Measured,
    part: Trajectories,
    built: tuple[Groups, Ints],
    name: str,
    uniform: Floats,
    *,
    pictured: int,
    mapped: int,
) -> None:
    """Keep what the figures need of the first sample of a size."""
    if len(part) == pictured:
        found.histograms.append((name, uniform))
    if len(part) == mapped:
        hulls, owners = built
        low, high = _boxes(part, hulls)
        points, south_west, north_east = (
            np.multiply(codes, part.degrees, dtype=np.float64).reshape(-1, 2)
            for codes in (part.codes[owners], low, high)
        )
        found.maps[name] = (points, south_west, north_east)


def _summary(size: int, sums: dict[str, list[tuple[float, float]]]) -> list[dict[str, Any]]:
    """Return one row per construction: mean errors over the samples, and how they compare with 2-anonymity."""
    base = np.mean(sums[BASELINE], axis=0)
    rows = []
    for name, values in sums.items():
        uniform, centre = np.mean(values, axis=0).tolist()
        ratios = np.array(values)[:, 0] / np.array(sums[BASELINE])[:, 0]
        rows.append(
            {
                "people": size,
                "samples": len(values),
                "method": name,
                "uniform": uniform,
                "centre": centre,
                "ratio": uniform / float(base[0]) if base[0] else 1.0,
                "ratio_centre": centre / float(base[1]) if base[1] else 1.0,
                "ratio_deviation": float(np.std(ratios)),
            }
        )
    return rows


def load_trajectories(source: Path | None, *, people: int, seed: int | None) -> History:
    """Return the trajectories of a file, or generated ones of as many people."""
    if source is not None:
        return read_history(source)
    frame = pl.concat(generate_trajectories(people, seed=seed, cells=True))
    place = Column(name="position", kind=Kind.PLACE, step=0.0001, latitude="lat", longitude="lon")
    schema = Schema("user", (Column(name="time", kind=Kind.DATETIME), place))
    return History.from_frame(frame, schema)


def run_experiment(
    folder: Path,
    *,
    source: Path | None = None,
    sizes: Sequence[int] = SIZES,
    seed: int | None = None,
    slot: int | None = None,
    daily: bool = False,
    language: str = "en",
) -> dict[str, Any]:
    """Run the experiment, fill a new folder with figures, tables and a report, and return what was measured."""
    words = Words(language, HOME)
    check_folder_target(folder)
    people = interpolated(load_trajectories(source, people=max(sizes), seed=seed), slot=slot, daily=daily)
    fitting = sorted({size for size in sizes if size <= len(people)})
    if not fitting or fitting[0] < 2:
        message = f"the data has {len(people)} people; choose sizes from 2 to that number"
        raise InfeasibleError(message)
    found = _run(people, fitting, np.random.default_rng(seed))
    figures = draw_figures(found, words)
    with atomic_folder(folder) as temporary:
        for name, svg in figures.items():
            (temporary / f"{name}.svg").write_text(svg, encoding="utf-8")
        pl.DataFrame(found.samples).write_csv(temporary / "table-13.csv")
        pl.DataFrame(found.errors).write_csv(temporary / "errors.csv")
        pl.DataFrame([{**row, "reasons": " ".join(row["reasons"])} for row in found.audits]).write_csv(
            temporary / "audits.csv"
        )
        (temporary / "report.html").write_text(report_page(len(people), found, figures, words), encoding="utf-8")
    return {
        "folder": str(folder),
        "people": len(people),
        "points": int(people.codes.shape[1]),
        "samples": found.samples,
        "errors": found.errors,
        "audits": found.audits,
    }
