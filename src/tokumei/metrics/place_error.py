"""How far published places are from the true ones, in kilometres (the error of the k-concealment paper, section 4).

A published place is a rectangle. ``uniform`` is the expected distance from the true point to a random point of the
rectangle, ``centre`` the distance to its middle; both are averaged over a subject's records, then over subjects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tokumei.array_types import Floats
from tokumei.data import Column, Goal, Kind, PublishedPart, RangeCells, Score, Survey
from tokumei.errors import SchemaError
from tokumei.parts import CombinableMetric, parameter

KM_PER_DEGREE = 6371.0 * np.pi / 180.0
FLAT = 1e-7
# Which point of a published rectangle is compared with the true one.
POINTS = ("uniform", "centre")


def kilometres_per_step(column: Column, latitude: float) -> tuple[float, float]:
    """Return the length of one step of latitude and of longitude at a latitude in steps."""
    north = column.step * KM_PER_DEGREE
    return north, north * float(np.cos(np.radians(latitude * column.step)))


def box_errors(points: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the uniform and the centre error of every point (lines of two kilometres) in its box, both exact."""
    centre = np.linalg.norm(points - (low + high) / 2.0, axis=1)
    return _mean_distance(low - points, high - points), centre


def _mean_distance(low: Floats, high: Floats) -> Floats:
    """Return the mean distance of the origin to a point of the box from ``low`` to ``high``.

    The integral of sqrt(x^2 + y^2) over a rectangle is the sum of its antiderivative over the corners, with signs
    (`_corner`); a box without height is a line, one without extent a point.
    """
    (left, bottom), (right, top) = low.T, high.T
    width, height = right - left, top - bottom
    # Below this share of the distance the differences of the antiderivative would be rounding noise.
    tiny = FLAT * np.hypot(np.maximum(abs(left), abs(right)), np.maximum(abs(bottom), abs(top)))
    flat, thin = height <= tiny, width <= tiny
    whole = _corner(right, top) - _corner(left, top) - _corner(right, bottom) + _corner(left, bottom)
    along = _line(right, bottom) - _line(left, bottom)
    up = _line(top, left) - _line(bottom, left)
    return np.select(
        [flat & thin, flat, thin],
        [np.hypot(left, bottom), along / np.where(thin, 1.0, width), up / np.where(flat, 1.0, height)],
        whole / np.where(flat | thin, 1.0, width * height),
    )


def _corner(x: Floats, y: Floats) -> Floats:
    """Return the integral of the distance to the origin over the box from the origin to (x, y), signed by quadrant."""
    wide, tall = abs(x), abs(y)
    x_part = wide**3 * np.arcsinh(np.divide(tall, wide, out=np.zeros_like(wide), where=wide > 0))
    y_part = tall**3 * np.arcsinh(np.divide(wide, tall, out=np.zeros_like(tall), where=tall > 0))
    return np.sign(x) * np.sign(y) * (2.0 * wide * tall * np.hypot(x, y) + x_part + y_part) / 6.0


def _line(x: Floats, y: Floats) -> Floats:
    """Return the integral of the distance to the origin along the line from (0, y) to (x, y), signed by side."""
    wide, tall = abs(x), abs(y)
    part = tall**2 * np.arcsinh(np.divide(wide, tall, out=np.zeros_like(tall), where=tall > 0))
    return np.sign(x) * (wide * np.hypot(x, y) + part) / 2.0


@dataclass(frozen=True, kw_only=True)
class PlaceError(CombinableMetric):
    """The mean distance between true and published places, per subject, in kilometres.

    Detects rectangles that grew. It does not see records that were deleted or suppressed (their share is a part of the
    score) or times that were changed.
    """

    name: ClassVar[str] = "place-error"
    summary: ClassVar[str] = "expected distance to the published place in km, mean over subjects"
    source: ClassVar[str] = "k-concealment for history data, section 4 (experiment)"

    point: str = parameter("uniform", "which point of a rectangle is taken", choices=POINTS)

    def tally(self, part: PublishedPart) -> dict[str, Any]:
        """Return, per subject, the number of published records that show a place and the sums of their errors."""
        column = _place(part.survey)
        latitude, longitude = part.release.cells[column.latitude], part.release.cells[column.longitude]
        assert isinstance(latitude, RangeCells)
        assert isinstance(longitude, RangeCells)
        shown = np.flatnonzero(~(latitude.suppressed | longitude.suppressed))
        steps = np.array(kilometres_per_step(column, part.survey.sums[column.latitude].mean()))
        places = np.column_stack([part.original.codes[name][shown] for name in (column.latitude, column.longitude)])
        low = np.column_stack((latitude.lo[shown], longitude.lo[shown]))
        high = np.column_stack((latitude.hi[shown], longitude.hi[shown]))
        errors = dict(zip(POINTS, box_errors(places * steps, low * steps, high * steps), strict=True))
        owner, subjects = part.original.subject[shown], len(part.survey.subjects)
        sums = {name: np.bincount(owner, error, subjects) for name, error in errors.items()}
        return {"shown": np.bincount(owner, minlength=subjects), **sums}

    def score(self, survey: Survey, tally: Mapping[str, Any]) -> Score:
        """Return the error of the first place column over the published records that show a place."""
        counts = tally["shown"]
        present = counts > 0
        parts = {
            name: float((tally[name][present] / counts[present]).mean()) if present.any() else 0.0 for name in POINTS
        }
        parts["shown"] = int(counts.sum()) / survey.records if survey.records else 0.0
        return Score(name=self.name, value=parts[self.point], goal=Goal.LOWER, parts=parts)


def _place(survey: Survey) -> Column:
    column = next((one for one in survey.schema.columns if one.kind is Kind.PLACE), None)
    if column is None:
        message = "'place-error' needs a place (latitude and longitude) in the schema; it has none"
        raise SchemaError(message)
    return column
