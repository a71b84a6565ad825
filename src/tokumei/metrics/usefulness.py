"""What a release is still good for, in the units of its columns and in what an analyst would get: the worst first.

Columns are told in days, kilometres, their own unit or "2 of 18 values". Then come the answers that anyone would get
from the release beside those of the original (`analyses`), each with how grave its change is, from 0 (none) to 1 (the
answer is worthless), so that unlike answers can be put in one order. None of it needs the Secret.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tokumei.data import Field, History, Kind, RangeCells, Release, SetCells
from tokumei.metrics.analyses import Change, all_changes
from tokumei.metrics.place_error import kilometres_per_step
from tokumei.words import Message, three_digits

# A change of so much is worth a word of its own in the headline.
NOTABLE = 0.1
MOST_EXCEPTIONS = 2
_UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnUse:
    """How closely one column is still told.

    ``width`` is what the middle one of its cells covers, in ``unit`` (0: half of them or more are exact); ``of`` is
    what the original covers: the range of its values, or how many there are.
    """

    name: str
    unit: str
    width: float
    of: float
    exact: float
    withheld: float

    def message(self) -> Message:
        """Return it as a sentence."""
        values = {"column": self.name, "width": three_digits(self.width), "of": three_digits(self.of)}
        return Message(f"use.width-{self.unit}", {**values, "exact": self.exact, "withheld": self.withheld})

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {name: getattr(self, name) for name in ("name", "unit", "width", "of", "exact", "withheld")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Usefulness:
    """A headline of several sentences, the columns, and what an analyst would get, the worst change first."""

    headline: tuple[Message, ...]
    columns: tuple[ColumnUse, ...]
    findings: tuple[Change, ...]

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON, the headline in English."""
        return {
            "headline": "; ".join(str(message) for message in self.headline),
            "columns": [column.as_dict() for column in self.columns],
            "findings": [finding.as_dict() for finding in self.findings],
        }


def measure_usefulness(history: History, release: Release) -> Usefulness:
    """Return what the release is still good for."""
    found = sorted(all_changes(history, release), key=lambda change: (-change.gravity, change.kind, change.about))
    columns = tuple(_column_use(history, release, spec) for spec in history.schema.fields)
    return Usefulness(headline=_headline(found), columns=columns, findings=tuple(found))


def _column_use(history: History, release: Release, spec: Field) -> ColumnUse:
    cells, shown = release.cells[spec.name], history.cells(spec.name)
    told = ~cells.suppressed
    exact = float((cells.plain & ~cells.missing).mean()) if len(release) else 0.0
    if isinstance(cells, SetCells):
        sizes = np.diff(cells.offsets)[told]
        whole = float(len(history.categories[spec.name]))
        unit, width = "values", float(np.median(sizes)) if len(sizes) else whole
    else:
        assert isinstance(cells, RangeCells)
        assert isinstance(shown, RangeCells)
        unit, scale = _unit(history, spec, cells)
        known = shown.lo[~shown.suppressed]
        # A range of dates holds its last day too.
        last = 1.0 if spec.kind is Kind.DATE else 0.0
        whole = (float(np.ptp(known)) + last) * scale if len(known) else 0.0
        width = (float(np.median((cells.hi - cells.lo)[told])) + last) * scale if told.any() else whole
    withheld = float(cells.withheld.mean()) if len(release) else 0.0
    return ColumnUse(name=spec.name, unit=unit, width=width, of=whole, exact=exact, withheld=withheld)


def _unit(history: History, spec: Field, cells: RangeCells) -> tuple[str, float]:
    """Return the unit of a column and how much of it one step is."""
    if spec.source.kind is Kind.DATE:
        return "days", 1.0
    if spec.source.kind is Kind.DATETIME:
        widths = (cells.hi - cells.lo)[~cells.suppressed]
        typical = float(np.median(widths)) if len(widths) else 1.0
        size, unit = next((size, unit) for size, unit in _UNITS if typical >= size or size == 1.0)
        return unit, spec.step / size
    place = next((one for one in history.schema.columns if one.kind is Kind.PLACE and one.name == spec.column), None)
    if place is None:
        return "number", spec.step
    middle = _middle_step(history, place.latitude)
    north, east = kilometres_per_step(place, middle)
    return "kilometres", north if spec.name == place.latitude else east


def _middle_step(history: History, name: str) -> float:
    """Return the middle one of the values of an ordered field, in steps."""
    cells = history.cells(name)
    assert isinstance(cells, RangeCells)
    known = cells.lo[~cells.suppressed]
    return float(np.median(known)) if len(known) else 0.0


def _headline(found: Sequence[Change]) -> tuple[Message, ...]:
    """Return a sentence per kind of answer: what all but a few keep to, and those few."""
    spoken: list[Message] = []
    for kind, size in _SIZES.items():
        changes = [change for change in found if change.kind == kind]
        if not changes:
            continue
        notable = [change for change in changes if change.gravity > NOTABLE]
        apart, rest = notable[:MOST_EXCEPTIONS], changes[len(notable) :]
        if not apart:
            spoken.append(Message(f"use.all-{kind}", {"most": max(map(size, changes))}))
            continue
        named = tuple(" – ".join(change.about) for change in apart)
        first: dict[str, object] = {"named": named, "before": apart[0].before, "after": apart[0].after}
        first["worst"] = apart[0].gravity
        if len(notable) > MOST_EXCEPTIONS:
            # What most answers keep to would be no praise: all of them within 46 % says nothing.
            more = {"what": Message(f"use.only-{kind}", first), "more": len(notable) - len(apart), "all": len(changes)}
            spoken.append(Message("use.many", more))
        elif rest:
            spoken.append(Message(f"use.except-{kind}", {"most": max(map(size, rest)), **first}))
        else:
            spoken.append(Message(f"use.only-{kind}", first))
    return tuple(spoken) or (Message("use.nothing", {}),)


def _relative(change: Change) -> float:
    return change.gravity


def _absolute(change: Change) -> float:
    return abs(change.after - change.before)


_SIZES: dict[str, Callable[[Change], float]] = {
    "mean": _relative,
    "share": _absolute,
    "monthly": _relative,
    "correlation": _absolute,
    "regression": _absolute,
    "interval": _relative,
    "order": _absolute,
    "top": _absolute,
}
