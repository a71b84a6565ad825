"""Every record published, none added, no link above 1/k: what groups cannot publish is pooled record by record.

The open question of the k-concealment paper (section 5) is whether all records can be published, without deletion or
dummies, so that nobody is named with more than 1/k. They can, exactly when nobody has more than a share 1/k of them:

*Necessary.* Let P(d, u) be the probability, for who knows everything but the random choices, that the published record
d was made by subject u. Nothing is deleted or added, so every hypothesis gives u exactly its r(u) records: the sum of
P(d, u) over the m published records is r(u). If no P(d, u) is above 1/k, r(u) <= m / k. That holds for every method.

*Sufficient.* Let q = m // k and no r(u) above q. Put the records in a line, those of a subject next to each other, and
record j into class j mod q. A subject's records are at most q in a row, so they fall into different classes, and every
class has k or more. Published as their hull under k fresh random pseudonyms, the k permutations of its pseudonyms are
equally likely, whatever else is published: no link is above 1/k. (The same condition allows l-diversity of a table:
Machanavajjhala et al. 2006; Xiao and Tao, Anatomy, 2006, section 3.)

Classes of single records lose every link between the records of a subject. So groups of whole histories come first, and
only what they leave over is pooled. If one subject has too large a share of that, published lines without it are taken
back until the condition holds: a line brings k records and at most one of each subject, so that nobody else's share
rises above 1/k.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from tokumei.array_types import Bools, Floats, Ints
from tokumei.errors import InfeasibleError
from tokumei.methods.grouping.merging import Merged
from tokumei.methods.grouping.record_table import RecordTable

# So many classes are filled by one assignment; its matrix has as many lines and columns.
CLASSES_AT_ONCE = 1500
FORBIDDEN = 1e9
FAR = 1e17


def require_shares(table: RecordTable, k: int) -> None:
    """Refuse data in which one subject has more than a share 1/k of the records: see the proof above."""
    counts = np.bincount(table.owners, table.counts()).astype(np.int64)
    largest, total = int(counts.max(initial=0)), int(counts.sum())
    if largest * k > total:
        message = (
            f"one subject has {largest:,} of {total:,} records, more than 1/{k} of them: no method can publish all "
            "records and keep every link at 1/k; choose another surplus, or a smaller k"
        )
        raise InfeasibleError(message)


def pool_rest(table: RecordTable, merged: Merged, k: int) -> Merged:
    """Return what is published with every record that was left over, pooled in classes of k or more subjects.

    ``table`` is that of all records, one unit per subject.
    """
    place = np.empty(len(table.rows), dtype=np.int64)
    place[table.rows] = np.arange(len(table.rows))
    subject = np.repeat(np.arange(len(table)), table.counts())
    # Lines are asked for their subjects and their loss by the position of their records in the table.
    line = np.repeat(np.arange(len(merged.starts)), np.diff(np.append(merged.starts, len(merged.rows))))
    position = place[merged.rows]
    loss = _line_losses(table, position, merged.starts)
    kept = np.ones(len(merged.starts), dtype=np.bool_)
    counts = table.counts() - np.bincount(subject[position], minlength=len(table))
    if counts.sum() == 0:
        return merged
    while counts.max() * k > counts.sum():
        kept[_taken_back(counts, k, kept, line[subject[position] == counts.argmax()], loss)] = False
        counts = table.counts() - np.bincount(subject[position[kept[line]]], minlength=len(table))
    published = np.zeros(len(table.rows), dtype=np.bool_)
    published[position[kept[line]]] = True
    classes = _classes(table, np.flatnonzero(~published), subject, k)
    return Merged.join([_without_lines(merged, kept), _single_records(table, classes, subject)])


def _line_losses(table: RecordTable, position: Ints, starts: Ints) -> Floats:
    """Return about what every published line loses per record: the widths of its ranges, the sizes of its sets."""
    sizes = np.diff(np.append(starts, len(position)))
    loss = np.zeros(len(starts))
    if not len(starts):
        return loss
    for values, weight in zip(table.ordered, table.ordered_weights, strict=True):
        width = np.maximum.reduceat(values[position], starts) - np.minimum.reduceat(values[position], starts)
        loss += weight * np.minimum(width, 1.0)
    for codes, weight in zip(table.nominal, table.nominal_weights, strict=True):
        same = np.maximum.reduceat(codes[position], starts) == np.minimum.reduceat(codes[position], starts)
        loss += weight * np.where(same, 0.0, 1.0 - 1.0 / sizes)
    return loss


def _taken_back(counts: Ints, k: int, kept: Bools, with_largest: Ints, loss: Floats) -> Ints:
    """Return lines to take back for the subject with most records left over: those without it that lose most."""
    without = kept.copy()
    without[with_largest] = False
    free = np.flatnonzero(without)
    if len(free) == 0:
        return np.flatnonzero(kept)
    needed = -(-(int(counts.max()) * k - int(counts.sum())) // k)
    return free[np.argsort(-loss[free], kind="stable")[:needed]]


def _classes(table: RecordTable, rest: Ints, subject: Ints, k: int) -> list[Ints]:
    """Return classes of k or more records of different subjects, records that are alike together.

    Record j of the line of all records goes to class j mod q, as in the proof, but within a run of classes records may
    change places: each layer of q records is assigned to the classes at least cost, never beside its own subject.
    """
    count = len(rest) // k
    size = np.bincount(subject[rest], minlength=len(table))
    # The largest first: they fill the first layer, from which the others choose.
    ordered = rest[np.lexsort((rest, subject[rest], -size[subject[rest]]))]
    filled: list[list[Ints]] = []
    for start in range(0, count, CLASSES_AT_ONCE):
        stop = min(start + CLASSES_AT_ONCE, count)
        members = [ordered[start:stop]]
        for layer in range(count, len(ordered), count):
            records = ordered[layer + start : min(layer + stop, len(ordered))]
            if not len(records):
                continue
            cost = sum((_pair_costs(table, subject, records, line) for line in members), np.zeros((1, 1)))
            of_record, of_class = scipy.optimize.linear_sum_assignment(cost)
            line = np.full(stop - start, -1, dtype=np.int64)
            line[of_class] = records[of_record]
            members.append(line)
        filled.append(members)
    return [column[column >= 0] for members in filled for column in np.stack(members, axis=1)]


def _pair_costs(table: RecordTable, subject: Ints, records: Ints, others: Ints) -> Floats:
    """Return what it costs to publish two records alike, one line per record; records of one subject never are."""
    cost = np.zeros((len(records), len(others)))
    for values, weight in zip(table.ordered, table.ordered_weights, strict=True):
        apart = np.abs(values[records][:, None] - values[others][None, :])
        cost += weight * np.where(apart < FAR, np.minimum(apart, 1.0), 1.0)
    for codes, weight in zip(table.nominal, table.nominal_weights, strict=True):
        cost += weight * 0.5 * (codes[records][:, None] != codes[others][None, :])
    cost[subject[records][:, None] == subject[others][None, :]] = FORBIDDEN
    # A class that has no record of this layer yet.
    cost[:, others < 0] = 0.0
    return cost


def _without_lines(merged: Merged, kept: Bools) -> Merged:
    """Return what is published without some lines, and without names that show nothing any more."""
    sizes = np.diff(np.append(merged.starts, len(merged.rows)))
    entries = kept[merged.line]
    number = np.cumsum(kept) - 1
    named = np.isin(merged.owner_name, merged.name[entries])
    return replace(
        merged,
        rows=merged.rows[np.repeat(kept, sizes)],
        starts=(np.cumsum(sizes[kept]) - sizes[kept]).astype(np.int64),
        line=number[merged.line[entries]],
        name=merged.name[entries],
        source=merged.source[entries],
        owner_name=merged.owner_name[named],
        owner=merged.owner[named],
    )


def _single_records(table: RecordTable, classes: list[Ints], subject: Ints) -> Merged:
    """Return every class as one line that is shown under a name of its own for each of its records."""
    sizes = np.array([len(records) for records in classes], dtype=np.int64)
    positions = np.concatenate(classes)
    rows = table.rows[positions]
    return Merged(
        rows=rows,
        starts=np.cumsum(sizes) - sizes,
        line=np.repeat(np.arange(len(classes)), sizes),
        name=np.arange(len(rows)),
        source=rows,
        owner_name=np.arange(len(rows)),
        owner=table.owners[subject[positions]],
    )
