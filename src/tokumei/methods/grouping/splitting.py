"""Split mode: a long history is published under several pseudonyms, so that less of it must be deleted.

Histories are cut into chunks of consecutive records (in the order of the first field, usually time); records that a
group cannot publish are collected per owner and grouped again among themselves. What this loses is linkage: the judge
must report pseudonyms per subject beside utility. Two chunks of one owner never share a group.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Ints
from tokumei.methods.grouping.record_table import RecordTable


def cut_units(table: RecordTable, most: int) -> RecordTable:
    """Return the table with every unit of more than ``most`` records cut into chunks of nearly equal size."""
    counts = table.counts()
    pieces = np.maximum(-(-counts // most), 1)
    unit = np.repeat(np.arange(len(table)), pieces)
    within = np.arange(len(unit)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    starts = table.offsets[unit] + counts[unit] * within // pieces[unit]
    offsets = np.append(starts, table.offsets[-1]).astype(np.int64)
    return table.regroup(np.arange(len(table.rows)), offsets, table.owners[unit])


def leftover_units(table: RecordTable, positions: Ints, *, fewest: int, most: int) -> RecordTable:
    """Return the unpublished records as new units, one per owner, cut to ``most``; owners with fewer are left out."""
    owner = np.repeat(table.owners, table.counts())[positions]
    order = positions[np.lexsort((positions, owner))]
    owners, counts = np.unique(owner, return_counts=True)
    keep = counts >= fewest
    kept = order[np.repeat(keep, counts)]
    offsets = np.concatenate(([0], np.cumsum(counts[keep]))).astype(np.int64)
    return cut_units(table.regroup(kept, offsets, owners[keep]), most)
