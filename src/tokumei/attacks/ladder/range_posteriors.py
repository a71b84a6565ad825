"""How probable every value of a range is for each record of a row, learned from a whole release (a numba kernel).

Every record of a row has some value of the row's range, and both ends are values of records: of all ways to give out
values those count in which somebody has the lower and somebody the upper end. With a, b and s the weights of the lower
end, of the upper end and of all values of a record, the ways of the others are counted by inclusion and exclusion::

    prod s - prod (s - a) - prod (s - b) + prod (s - a - b)

A value weighs what it is worth for the key of the record: how often the fine key has it, short of that the coarse key,
short of that the whole release. Weights and probabilities are found in turn (expectation maximization; Dempster, Laird
and Rubin 1977), and a record never counts as a witness of itself, or every guess would confirm itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Bools, Floats, Floats32, Ints

# What is known of all counts, against what is seen with a key, as much as so many records.
BORROWED = 3.0
# Another record of the same category has the same value with less than the full probability: some value twice.
AGAIN = 0.5
_LEAST = 1e-12


class RangeGuesses(NamedTuple):
    """Guesses and their candidates: the lower end, the upper end, and the kept values ``begin`` to ``end`` between.

    Ends are numbers of kept values, or one beyond them for all that are not kept, each of which has a ``portion`` of
    their weight. ``rows`` bound the guesses of each row, ``blocks`` the rows that share their keys; ``coarse`` and
    ``fine`` number the keys within the block. ``places`` say where the probabilities of each guess begin.
    """

    rows: Ints
    blocks: Ints
    low: Ints
    high: Ints
    begin: Ints
    end: Ints
    hidden: Bools
    category: Ints
    coarse: Ints
    fine: Ints
    places: Ints
    portion: float


@njit(cache=True, nogil=True)
def _candidate(guesses: RangeGuesses, guess: int, number: int) -> int:
    """Return the value that a candidate of a guess is: first its ends, unless they are hidden, then what is between."""
    if guesses.hidden[guess]:
        return guesses.begin[guess] + number
    if number == 0:
        return guesses.low[guess]
    return guesses.high[guess] if number == 1 else guesses.begin[guess] + number - 2


@njit(cache=True, nogil=True)
def _weigh(  # noqa: PLR0917
    guesses: RangeGuesses, guess: int, whole: Floats, counts: Floats, totals: Floats, own: Floats32, out: Floats
) -> None:
    """Fill in what each candidate weighs, in all 1; tables have the coarse keys first, ``own`` is the guess's share."""
    coarse, fine, total = guesses.coarse[guess], guesses.fine[guess], 0.0
    for number in range(len(own)):
        value = _candidate(guesses, guess, number)
        weight = whole[value]
        if len(counts) > 0:
            weight = counts[coarse, value] - own[number] + BORROWED * weight
            weight /= totals[coarse] - 1.0 + BORROWED
            weight = (counts[fine, value] - own[number] + BORROWED * weight) / (totals[fine] - 1.0 + BORROWED)
        weight *= guesses.portion if value == len(whole) - 1 else 1.0
        out[number] = max(weight, 1e-300)
        total += out[number]
    for number in range(len(own)):
        out[number] /= total


@njit(cache=True, nogil=True)
def _held_by_others(low: Floats, high: Floats, one: int, ends: Floats) -> None:
    """Fill in how probably the others of a row leave nothing, the upper, the lower end, or both ends to be held.

    Somebody who has the lower end needs another with the upper one, and so on.
    """
    not_low, not_high, neither = 1.0, 1.0, 1.0
    for other in range(len(low)):
        if other != one:
            not_low *= 1.0 - low[other]
            not_high *= 1.0 - high[other]
            neither *= max(1.0 - low[other] - high[other], 0.0)
    ends[0] = max(1.0 - not_high, _LEAST)
    ends[1] = max(1.0 - not_low, _LEAST)
    ends[2] = max(1.0 - not_low - not_high + neither, _LEAST)


@njit(cache=True, nogil=True)
def _solve_row(  # noqa: PLR0917
    guesses: RangeGuesses, first: int, last: int, whole: Floats, counts: Floats, totals: Floats, found: Floats32
) -> None:
    """Replace the probabilities of the guesses of one row."""
    size, width = last - first, guesses.places[first + 1] - guesses.places[first]
    weights = np.empty((size, width))
    for one in range(size):
        place = guesses.places[first + one]
        _weigh(guesses, first + one, whole, counts, totals, found[place : place + width], weights[one])
    if not guesses.hidden[first] and width > 1 and size > 1:
        low, high, ends = weights[:, 0].copy(), weights[:, 1].copy(), np.empty(3)
        for one in range(size):
            _held_by_others(low, high, one, ends)
            for number in range(width):
                weights[one, number] *= ends[min(number, 2)]
            weights[one] /= weights[one].sum()
    for one in range(size):
        place = guesses.places[first + one]
        for number in range(width):
            found[place + number] = weights[one, number]


@njit(cache=True, nogil=True)
def _count(  # noqa: PLR0917
    guesses: RangeGuesses, first: int, last: int, found: Floats32, counts: Floats, totals: Floats
) -> None:
    """Add up what the guesses have of every value, by their keys."""
    for guess in range(first, last):
        for place in range(guesses.places[guess], guesses.places[guess + 1]):
            value = _candidate(guesses, guess, place - guesses.places[guess])
            counts[guesses.coarse[guess], value] += found[place]
            counts[guesses.fine[guess], value] += found[place]
        totals[guesses.coarse[guess]] += 1.0
        totals[guesses.fine[guess]] += 1.0


@njit(cache=True, nogil=True)
def range_posteriors(guesses: RangeGuesses, whole: Floats, keys: Ints, rounds: int) -> Floats32:
    """Return how probable each candidate of each guess is.

    ``whole`` is how probable values are at the ends of ranges, to begin with; ``keys`` is how many keys a block has.
    """
    found = np.zeros(guesses.places[-1], dtype=np.float32)
    share = whole.copy()
    for turn in range(rounds):
        for block in range(len(keys)):
            rows = guesses.rows[guesses.blocks[block] : guesses.blocks[block + 1] + 1]
            counts = np.zeros((keys[block] if turn else 0, len(whole)))
            totals = np.zeros(len(counts))
            if turn:
                _count(guesses, rows[0], rows[-1], found, counts, totals)
            for row in range(len(rows) - 1):
                _solve_row(guesses, rows[row], rows[row + 1], share, counts, totals, found)
        share[:] = whole / max(float(len(guesses.low)), 1.0)
        for guess in range(len(guesses.low)):
            for place in range(guesses.places[guess], guesses.places[guess + 1]):
                share[_candidate(guesses, guess, place - guesses.places[guess])] += found[place]
        share /= share.sum()
    return found


@njit(cache=True, nogil=True)
def likeliest(guesses: RangeGuesses, found: Floats32) -> Ints:
    """Return the number of the candidate that each guess takes: the likeliest that its like in the row left over."""
    taken = np.zeros(len(guesses.low), dtype=np.int64)
    for row in range(len(guesses.rows) - 1):
        first = guesses.rows[row]
        for guess in range(first, guesses.rows[row + 1]):
            most = -1.0
            for number in range(guesses.places[guess + 1] - guesses.places[guess]):
                chance = found[guesses.places[guess] + number]
                for other in range(first, guess):
                    if guesses.category[other] == guesses.category[guess] and taken[other] == number:
                        chance *= AGAIN
                if chance > most:
                    taken[guess], most = number, chance
    return taken
