"""How far published places are from the true ones, in kilometres (spec C.6: the error of the paper's experiment).

A published place is a rectangle. ``uniform`` is the expected distance from the true point to a random point of the
rectangle, ``centre`` the distance to its middle; both are averaged over a subject's records, then over subjects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, Column, Goal, History, Kind, RangeCells, Release, Score, Secret
from tokumei.errors import SchemaError
from tokumei.parts import Metric, parameter

KM_PER_DEGREE = 6371.0 * np.pi / 180.0
MIDPOINTS = 12
ROWS_AT_ONCE = 20_000


def kilometres_per_step(column: Column, latitude: Ints) -> tuple[float, float]:
    """Return the length of one step of latitude and of longitude, at the mean latitude of these codes."""
    present = latitude[latitude != MISSING]
    middle = float(present.mean()) * column.step if len(present) else 0.0
    north = column.step * KM_PER_DEGREE
    return north, north * float(np.cos(np.radians(middle)))


def box_errors(points: Floats, low: Floats, high: Floats, *, midpoints: int = MIDPOINTS) -> tuple[Floats, Floats]:
    """Return the uniform and the centre error of every point (lines of two kilometres) in its box.

    The expected distance is the mean over the midpoints of a grid of 12 by 12 cells of the box.
    """
    centre = np.linalg.norm(points - (low + high) / 2.0, axis=1)
    uniform = np.empty(len(points))
    share = (np.arange(midpoints) + 0.5) / midpoints
    for start in range(0, len(points), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        apart = low[part, :, None] + share * (high - low)[part, :, None] - points[part, :, None]
        uniform[part] = np.sqrt(apart[:, 0, :, None] ** 2 + apart[:, 1, None, :] ** 2).mean(axis=(1, 2))
    return uniform, centre


@dataclass(frozen=True, kw_only=True)
class PlaceError(Metric):
    """The mean distance between true and published places, per subject, in kilometres.

    Detects rectangles that grew. It does not see records that were deleted or suppressed (their share is a part of the
    score) or times that were changed.
    """

    name: ClassVar[str] = "place-error"
    summary: ClassVar[str] = "expected distance to the published place in km, mean over subjects"
    source: ClassVar[str] = "k-concealment for history data, experiment (spec C.6)"

    point: str = parameter("uniform", "which point of a rectangle is taken", choices=("uniform", "centre"))

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the error of the first place column over the published records that show a place."""
        column = next((one for one in history.schema.columns if one.kind is Kind.PLACE), None)
        if column is None:
            message = "'place-error' needs a place (latitude and longitude) in the schema; it has none"
            raise SchemaError(message)
        latitude, longitude = release.cells[column.latitude], release.cells[column.longitude]
        assert isinstance(latitude, RangeCells)
        assert isinstance(longitude, RangeCells)
        hidden = latitude.suppressed | longitude.suppressed | (secret.rows < 0)
        shown = np.flatnonzero(~hidden)
        rows = secret.rows[shown]
        steps = np.array(kilometres_per_step(column, history.codes[column.latitude]))
        codes = np.column_stack((history.codes[column.latitude][rows], history.codes[column.longitude][rows]))
        low = np.column_stack((latitude.lo[shown], longitude.lo[shown]))
        high = np.column_stack((latitude.hi[shown], longitude.hi[shown]))
        errors = dict(zip(("uniform", "centre"), box_errors(codes * steps, low * steps, high * steps), strict=True))
        owner = history.subject[rows]
        counts = np.bincount(owner, minlength=len(history.subjects))
        present = counts > 0
        parts = {
            name: float((np.bincount(owner, error, len(counts))[present] / counts[present]).mean())
            if len(rows)
            else 0.0
            for name, error in errors.items()
        }
        parts["shown"] = len(shown) / len(history) if len(history) else 0.0
        return Score(name=self.name, value=parts[self.point], goal=Goal.LOWER, parts=parts)
