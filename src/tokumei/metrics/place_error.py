"""How far published places are from the true ones, in kilometres (the error of the k-concealment paper, section 4).

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
FLAT = 1e-7


def kilometres_per_step(column: Column, latitude: Ints) -> tuple[float, float]:
    """Return the length of one step of latitude and of longitude, at the mean latitude of these codes."""
    present = latitude[latitude != MISSING]
    middle = float(present.mean()) * column.step if len(present) else 0.0
    north = column.step * KM_PER_DEGREE
    return north, north * float(np.cos(np.radians(middle)))


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
class PlaceError(Metric):
    """The mean distance between true and published places, per subject, in kilometres.

    Detects rectangles that grew. It does not see records that were deleted or suppressed (their share is a part of the
    score) or times that were changed.
    """

    name: ClassVar[str] = "place-error"
    summary: ClassVar[str] = "expected distance to the published place in km, mean over subjects"
    source: ClassVar[str] = "k-concealment for history data, section 4 (experiment)"

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
