"""How likely a published history is for every subject, from how the method changes values.

A published record is one of the subject's, each equally likely, changed by the channel of every column; the records of
a history are taken as independent (the sum over all orders of a history, its permanent, is out of reach; for one record
each the product is exact). How many records there are counts too: all, or a known share of the subject's.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy

from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.consistency import Histories
from tokumei.data import IMPOSSIBLE, MISSING, Cells, Channel, History, RangeCells, Release, Unchanged
from tokumei.progress import stage

# So many pairs of a published and an original record are compared at most, and so many at once.
MOST_PAIRS = 400_000_000
PAIRS_AT_ONCE = 4_000_000


def likelihood_rows(
    history: History, release: Release, histories: Histories, channel: Channel
) -> Iterator[tuple[int, Floats]]:
    """Yield blocks of log-likelihoods: the first pseudonym of the block, a row per pseudonym, a column per subject.

    Of long histories as many records are compared, evenly chosen, as the amount of work allows.
    """
    sizes = histories.sizes()
    records, starts = _chosen(histories, len(history))
    fields = [spec.name for spec in history.schema.fields]
    changes = [channel.columns.get(name, Unchanged()) for name in fields]
    originals = [np.unique(history.codes[name][history.order], return_inverse=True) for name in fields]
    published = [_plain_codes(release.cells[name])[records] for name in fields]
    counts = history.counts()
    present = np.flatnonzero(counts > 0)
    begins, spans = history.offsets[:-1][present], counts[present]
    number = _count_likelihoods(sizes, counts, channel.kept)
    with stage("likelihoods", total=len(records)) as advance:
        for first, last in _blocks(starts, len(history)):
            part = slice(starts[first], starts[last])
            pairs = np.zeros((starts[last] - starts[first], len(history)))
            for change, (values, place), codes in zip(changes, originals, published, strict=True):
                told = codes[part][:, None]
                table = np.where(told == MISSING, 0.0, change.log_likelihood(values[None, :], told))
                # A value that is missing in the original is published as missing.
                table[:, values == MISSING] = np.where(told == MISSING, 0.0, IMPOSSIBLE)
                pairs += table[:, place]
            rows = np.full((last - first, len(counts)), IMPOSSIBLE * (1 + len(fields)))
            rows[:, present] = np.add.reduceat(_mixtures(pairs, begins, spans), starts[first:last] - starts[first])
            # The records that were left out count as those that were compared.
            rows *= (sizes[first:last] / np.maximum(np.diff(starts[first : last + 1]), 1))[:, None]
            yield first, rows + number[first:last]
            advance(starts[last] - starts[first])


def _mixtures(pairs: Floats, begins: Ints, spans: Ints) -> Floats:
    """Return, for every record and subject, the logarithm of the mean likelihood over the subject's records."""
    most = np.maximum.reduceat(pairs, begins, axis=1)
    total = np.add.reduceat(np.exp(pairs - np.repeat(most, spans, axis=1)), begins, axis=1)
    return np.asarray(most + np.log(total) - np.log(spans))


def _chosen(histories: Histories, originals: int) -> tuple[Ints, Ints]:
    """Return the records that are compared, by pseudonym, and where each pseudonym's begin."""
    sizes = histories.sizes()
    most = max(MOST_PAIRS // max(len(sizes) * originals, 1), 1)
    kept = np.minimum(sizes, most)
    starts = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], kept)
    within = place * np.repeat(sizes, kept) // np.repeat(kept, kept)
    return histories.rows[np.repeat(histories.starts[:-1], kept) + within], starts


def _blocks(starts: Ints, originals: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of pseudonyms whose records can be compared at once."""
    first, most = 0, max(PAIRS_AT_ONCE // max(originals, 1), 1)
    while first < len(starts) - 1:
        last = max(int(np.searchsorted(starts, starts[first] + most, "right")) - 1, first + 1)
        yield first, last
        first = last


def _plain_codes(cells: Cells) -> Ints:
    """Return one code per cell; ranges, sets and suppressed cells tell nothing of a single value."""
    if isinstance(cells, RangeCells):
        return np.where(cells.plain, cells.lo, MISSING)
    codes = np.full(len(cells), MISSING, dtype=np.int64)
    codes[cells.plain] = cells.codes[cells.offsets[:-1][cells.plain]]
    return codes


def _count_likelihoods(sizes: Ints, counts: Ints, kept: float | None) -> Floats:
    """Return how likely each number of published records is for each number of original ones."""
    published, original = sizes[:, None], counts[None, :]
    if kept is None:
        return np.where(published <= original, 0.0, IMPOSSIBLE)
    if kept >= 1.0:
        return np.where(published == original, 0.0, IMPOSSIBLE)
    dropped = original - published
    possible = dropped >= 0
    dropped = np.maximum(dropped, 0)
    # The binomial coefficient by gamma functions; scipy.stats takes a second to load.
    special = scipy.special
    ways = special.gammaln(original + 1) - special.gammaln(np.minimum(published, original) + 1)
    ways -= special.gammaln(dropped + 1)
    likelihood = ways + special.xlogy(published, kept) + special.xlog1py(dropped, -kept)
    return np.where(possible, np.maximum(likelihood, IMPOSSIBLE), IMPOSSIBLE)
