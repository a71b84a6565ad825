"""Attacks on traces of regions that draw: which times they look at, which members of a set, which region at last.

They draw from numpy's legacy generator in a fixed order, so that programs which do the same give the same answers.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.region_traces import SeenTraces, visits
from tokumei.data import RegionGrid

USED_SHARE = 0.1
MOST_MEMBERS = 10


def drawn_likelihoods(
    seen: SeenTraces, grid: RegionGrid, draw: np.random.RandomState, *, at: Bools | None = None
) -> Floats:
    """Return the log likelihoods of every pseudonym and user by where the users were before.

    Every published cell is drawn for or, with ``at``, taken at these times, as are the reference traces.
    """
    times = seen.reference.shape[1]
    chances = visits(seen.reference if at is None else seen.reference[:, at], grid)
    members, hidden = seen.cells.member_lists(), seen.cells.hidden
    scores = np.zeros((seen.users, seen.users))
    for cell, region_set in enumerate(members):
        used = draw.random_sample() < USED_SHARE if at is None else at[cell % times]
        if used and not hidden[cell]:
            own = region_set.copy()
            if len(own) > 1:
                draw.shuffle(own)
            own = own[:MOST_MEMBERS]
            # Added one after another as there: rounding decides between users who are equally likely.
            scores[cell // times] += np.log(np.add.accumulate(chances[:, own] / len(own), axis=1)[:, -1])
    return scores


def drawn_members(seen: SeenTraces, scores: Floats, grid: RegionGrid, draw: np.random.RandomState) -> Ints:
    """Return a region for every user and time: the pseudonyms choose their likeliest users in order, each user once.

    Of a set a member is drawn, of a hidden cell any region. The scores of users who were chosen are overwritten.
    """
    users, times = seen.users, seen.reference.shape[1]
    answers = np.zeros((users, times), dtype=np.int64)
    everywhere = np.arange(1, grid.count + 1)
    members, hidden = seen.cells.member_lists(), seen.cells.hidden
    owners = np.zeros(users, dtype=np.int64)
    for pseudonym in range(users):
        owners[pseudonym] = scores[pseudonym].argmax()
        scores[:, owners[pseudonym]] = -np.inf
    for cell, own in enumerate(members):
        choice = everywhere.copy() if hidden[cell] else own.copy()
        if len(choice) > 1:
            draw.shuffle(choice)
        answers[owners[cell // times], cell % times] = choice[0]
    return answers
