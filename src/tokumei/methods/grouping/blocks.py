"""Cutting many units into blocks that are grouped on their own: by record count, and among equals by content.

Histories of like length end up together anyway, because surplus records are dear: blocks by record count lose 0.01 to
0.2 % (research part 2). Where counts are equal (static tables) units are laid out along a line on which similar
content is near: halved again and again at the median of the field that spreads most.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.leaves import cut_leaves
from tokumei.methods.grouping.losses import ABSENT
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.single_records import records_of

# A block of more of the whole work than this is cut again, as long as both pieces keep so many units.
MOST_SHARE, FEWEST_IN_HEAVY = 1 / 4, 200
LONG_HISTORY = 500


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Some units of a table, to be grouped among themselves; their share of the work that all blocks are."""

    units: Ints
    share: float = 1.0

    def of(self, table: RecordTable) -> RecordTable:
        """Return the table of these units alone."""
        return table if len(self.units) == len(table) else table.take(self.units)

    def threads(self, available: int) -> int:
        """Return how many threads the block deserves: on one, the block of the longest histories outlasts the rest."""
        return max(1, math.ceil(available * self.share))


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """What cutting looks at: the number of records of every unit, and one line of means of its fields."""

    counts: Ints
    means: Floats

    @classmethod
    def of(cls, table: RecordTable) -> Features:
        """Return the features of the units of a table."""
        return cls(table.counts(), _means(table))


def table_digest(table: RecordTable, settings: str) -> str:
    """Return a name for a table that changes with its records and with the settings."""
    content = hashlib.sha256(settings.encode())
    for array in (
        table.ordered,
        table.ordered_weights,
        table.nominal,
        table.nominal_weights,
        table.offsets,
        table.owners,
        table.hefts,
        *table.demands,
    ):
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()[:32]


def cut_blocks(table: RecordTable, *, most: int, fewest: int, multiple: int = 1) -> list[Block]:
    """Return blocks of at most ``most`` units (and at least ``fewest``), the longest histories first.

    All blocks but the last have a ``multiple`` of so many units: nobody is left over when groups are of that size, and
    to find out where somebody left over does the least harm is dear.
    """
    if len(table) <= most:
        return [Block(np.arange(len(table), dtype=np.int64))]
    if table.single:
        leaves = cut_leaves(records_of(table), most, fewest)
        return [Block(np.sort(leaf), len(leaf) / len(table)) for leaf in leaves]
    return cut_features(Features.of(table), most=most, fewest=fewest, multiple=multiple)


def cut_features(features: Features, *, most: int, fewest: int, multiple: int = 1) -> list[Block]:
    """Return the blocks of units of which the features alone are at hand."""
    count = len(features.counts)
    if count <= most:
        return [Block(np.arange(count, dtype=np.int64))]
    order = _line_up(features, fewest)
    pieces = max(1, min(-(-count // most), count // max(fewest, 1)))
    # A cost of two histories takes time in proportion to the product of their lengths; long ones are taken in chunks.
    counts = features.counts[order].astype(np.float64)
    work = counts * np.minimum(counts, LONG_HISTORY)
    done = np.concatenate(([0.0], np.cumsum(work))) / max(float(work.sum()), 1.0)
    ends = [0, *_edges(count, pieces, multiple).tolist(), count]
    least = max(fewest, FEWEST_IN_HEAVY)
    for first, last in itertools.pairwise(tuple(ends)):
        ends += _shared_out(done, first, last, least=least, multiple=multiple)
    return [
        Block(np.sort(order[first:last]), float(done[last] - done[first]))
        for first, last in itertools.pairwise(sorted(ends))
    ]


def _shared_out(done: Floats, first: int, last: int, *, least: int, multiple: int) -> list[int]:
    """Return where to cut a block further that is too large a share of the work, so that several workers can share it.

    The longest histories are few and most of the work: in one block, one worker would still be at it when all others
    have nothing left to do.
    """
    if done[last] - done[first] <= MOST_SHARE or last - first < 2 * least:
        return []
    middle = int(np.searchsorted(done, (done[first] + done[last]) / 2)) // multiple * multiple
    middle = min(max(middle, first + -(-least // multiple) * multiple), (last - least) // multiple * multiple)
    return [
        middle,
        *_shared_out(done, first, middle, least=least, multiple=multiple),
        *_shared_out(done, middle, last, least=least, multiple=multiple),
    ]


def _edges(count: int, pieces: int, multiple: int) -> Ints:
    """Return where to cut into nearly equal pieces, all but the last with a multiple of so many."""
    sizes = np.full(pieces, count // pieces)
    sizes[: count % pieces] += 1
    return np.cumsum(sizes)[:-1] // multiple * multiple


def _line_up(features: Features, fewest: int) -> Ints:
    """Return the units by falling record count; equal counts in large numbers by content."""
    counts, means = features.counts, features.means
    order = np.lexsort((np.arange(len(counts)), -counts))
    edges = np.flatnonzero(np.diff(counts[order])) + 1
    runs = [_halve(run, means, max(fewest, 64)) if len(run) > 64 else run for run in np.split(order, edges)]
    return np.concatenate(runs)


def _means(table: RecordTable) -> Floats:
    """Return one line per unit: the mean of every field (ordered in spreads, nominal codes scaled to spread 1)."""
    counts = np.maximum(table.counts(), 1)
    starts = table.offsets[:-1]
    lines = [np.where(values >= ABSENT, 0.0, values) for values in table.ordered]
    for codes in table.nominal:
        spread = float(np.std(codes)) or 1.0
        lines.append(codes / spread)
    if not lines:
        return np.zeros((len(table), 1))
    return np.stack([np.add.reduceat(line, starts) / counts for line in lines], axis=1)


def _halve(units: Ints, means: Floats, stop: int) -> Ints:
    """Order units by recursive halving at the median of the field with the largest spread."""
    if len(units) <= stop:
        return units
    values = means[units]
    field = int(np.argmax(values.std(axis=0)))
    order = units[np.lexsort((units, values[:, field]))]
    middle = len(order) // 2
    return np.concatenate((_halve(order[:middle], means, stop), _halve(order[middle:], means, stop)))
