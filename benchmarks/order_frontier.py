"""Utility against naming by the order of the test rows, for pipelines of PWS Cup 2021 (docs/pws2021.md).

    python -m benchmarks.order_frontier B.csv [--draws 20] [--slow 6] [--waves 2]

Rows: the winning pipeline, with deletions by an even chance and by secret waves (``uneven``); *spread* (every row
becomes a random record within iloss 4); *gather* (rows become shared records, greedily the one that covers most, until
a share of them did, whatever that does to utility); *block* (records exchanged, and deletions taken from the beginning
of B). Attacks: `order`, and `likelihood` in order; *method known*: order and reach, by an attacker who knows how waves
are drawn but not the wave; *deletions known*: one who knows how densely rows were deleted along B, which only the
Secret tells: an upper bound. The floor is `order` on C itself with a reach of 8: no D made from this C can have less.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2021.attacks.order_window import OrderWindow
from tokumei.contests.pws2021.attacks.perturbation_likelihood import Alignment, PerturbationLikelihood
from tokumei.contests.pws2021.attacks.row_attack import DELETED, GUESSES, RowAttack
from tokumei.contests.pws2021.measures import utility_differences
from tokumei.contests.pws2021.methods.team06 import Team06, allowed_records, secret_wave, swap_records
from tokumei.contests.pws2021.metrics.linkage_marks import linkage_marks
from tokumei.contests.pws2021.picked_rows import pick_rows
from tokumei.contests.pws2021.rows import kept_rows, pair_losses, singletons, uniqueness_keys
from tokumei.contests.pws2021.rules import HealthFile
from tokumei.contests.pws2021.table import HealthTable, same_levels

REACH = 4.0
SMOOTH = 100
# Of the rows of B on which team06 draws its deletions, and the share that goes for other reasons, whatever the wave.
UNIQUE, OTHERWISE = 0.68, 0.058
GRID = 1000


@dataclass(frozen=True, eq=False)
class Informed(RowAttack):
    """`order`, corrected by the known density of deletions along B; answers "deleted" where that is likelier."""

    deletions: Floats

    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Answer the rows nearest to the corrected place."""
        gone, stayed = self.deletions / self.deletions.sum(), (1 - self.deletions) / (1 - self.deletions).sum()
        ranks = (np.arange(test.height) + 0.5) / test.height
        row = np.minimum(np.searchsorted(np.cumsum(gone + stayed) / 2, ranks), len(gone) - 1)
        place = (np.cumsum(stayed) * published.height)[row]
        member = (stayed / (stayed + gone))[row]
        within = pair_losses(*same_levels([test, published])) <= REACH
        away = np.abs(np.arange(published.height)[None, :] - place[:, None])
        best = np.argsort(np.where(within, away, away + published.height), axis=1, kind="stable")[:, :GUESSES]
        order = np.argsort(-member, kind="stable")
        members = order[: int((np.cumsum(member[order]) ** 2 / np.arange(1, len(order) + 1)).argmax()) + 1]
        guesses = np.column_stack((np.full(test.height, DELETED), best[:, : GUESSES - 1]))
        guesses[members] = best[members]
        return guesses


@dataclass(frozen=True, eq=False)
class WaveSearch(RowAttack):
    """An attacker who knows team06 and its ``uneven`` but not the wave: he tries many, and weighs them by the rows.

    The i-th test row stands where the mixture of kept and deleted rows has the quantile of the i-th of so many sorted
    ones. A place of D within reach speaks for its record by 1 over the share of such places, any other not at all.
    """

    total: int
    uneven: float
    tries: int = 300

    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:
        """Answer the likeliest rows over all waves."""
        within = pair_losses(*same_levels([test, published])) <= REACH
        item, place = np.nonzero(within)
        items, count = np.arange(test.height), published.height
        ratio = (1 / np.maximum(within.mean(axis=1), 1 / count))[item]
        grid = (np.arange(GRID) + 0.5) / GRID
        order = beta.pdf(grid, items[:, None] + 1, test.height - items[:, None]) / (2 * count)
        levels = [self._quantiles(count, rng) for _ in range(self.tries if self.uneven else 1)]
        shares, logs = [], []
        for level in levels:
            present = order @ np.bincount(level, minlength=GRID)
            told = order[item, level[place]] * ratio
            likely = np.bincount(item, told, test.height) + 1 - np.minimum(present, 1.0)
            shares.append(told / likely[item])
            logs.append(np.log(likely).sum())
        weights = np.exp(np.array(logs) - max(logs))
        posterior = np.zeros(within.shape)
        posterior[item, place] = weights / weights.sum() @ np.array(shares)
        return PerturbationLikelihood().answers(Alignment(posterior, 0.0))

    def _quantiles(self, count: int, rng: np.random.Generator) -> Ints:
        """Return at which quantile of the mixture each place of D stands, for one wave."""
        wave = secret_wave(GRID, self.uneven, rng=rng)
        gone = 1 - count / self.total - OTHERWISE
        rate = brentq(lambda c: UNIQUE * (1 - np.exp(-c * wave)).mean() - gone, 0.0, 1e6)
        deleted = OTHERWISE + UNIQUE * (1 - np.exp(-rate * wave))
        kept = np.cumsum(1 - deleted) / (1 - deleted).sum()
        lost = np.cumsum(deleted) / deleted.sum()
        at = np.interp((np.arange(count) + 0.5) / count, kept, lost)
        mixture = (np.arange(count) / count + at) / 2
        return np.minimum((mixture * GRID).astype(np.int64), GRID - 1)


def gathered(within: Bools, kept: Ints, share: float) -> Ints:
    """Return the record that every kept row shows: shared ones, that of most uncovered rows first."""
    shown, left = kept.copy(), np.ones(len(kept), dtype=np.bool_)
    while left.any() and left.mean() > 1 - share:
        record = int(within[left].sum(axis=0).argmax())
        rows = left & within[:, record]
        shown[rows], left[rows] = record, False
    return shown


def spread(within: Bools, rng: np.random.Generator) -> Ints:
    """Return a random record within reach for every row."""
    return np.where(within, rng.random(within.shape), -1.0).argmax(axis=1)


def exchanged(table: HealthTable, kept: Ints, rng: np.random.Generator) -> Ints:
    """Return the records after whole records changed places in pairs, outside the 25 nearest."""
    mutual = allowed_records(table, kept, limit=REACH, similar=25)[:, kept]
    partner = swap_records(mutual & mutual.T, scarce_first=True, rng=rng)
    return np.where(partner >= 0, kept[np.maximum(partner, 0)], kept)


def density(count: int, deleted: Ints) -> Floats:
    """Return the share of deleted rows around every row of B."""
    gone = np.zeros(count)
    gone[deleted] = 1.0
    window = np.ones(2 * SMOOTH + 1) / (2 * SMOOTH + 1)
    return np.convolve(np.pad(gone, SMOOTH, mode="reflect"), window, "valid")


@dataclass(frozen=True, eq=False)
class Made:
    """A release: what D shows, which rows of B were deleted, and how uneven the wave was."""

    published: HealthTable
    deleted: Ints
    uneven: float = 0.0


def risk(attack: RowAttack, table: HealthTable, made: Made, draws: int) -> Floats:
    """Return risk and share of the kept test rows that were found, for every draw of test rows."""
    found = np.empty((draws, 2))
    for seed in range(draws):
        rows, answers = pick_rows(table.height, made.deleted, seed=seed)
        guesses = attack.choose(table.take(rows), made.published, rng=np.random.default_rng(seed))
        marks = linkage_marks(answers, guesses).as_dict()
        found[seed] = marks["risk"], marks["topk"]
    return found


def told(found: Floats) -> str:
    """Return a mean with half its 95 % interval."""
    return f"{found.mean():.3f} ± {1.96 * found.std(ddof=1) / np.sqrt(len(found)):.3f}"


def won(table: HealthTable, seed: int, uneven: float = 0.0) -> Made:
    """Return a release of the winning pipeline."""
    made = Team06(uneven=uneven).change(table, rng=np.random.default_rng(seed))
    return Made(made.table, np.setdiff1d(np.arange(table.height), made.kept), uneven)


def row_of(name: str, table: HealthTable, releases: list[Made], draws: int, slow: int) -> str:
    """Return the line of a pipeline: the worst utility of its releases, the mean risk of each attack."""
    worst = np.zeros(3)
    columns: list[list[Floats]] = [[], [], [], []]
    for made in releases:
        utility = utility_differences(table, made.published).as_dict()["max"]
        worst = np.maximum(worst, [utility[key] for key in ("rate", "OR", "cor")])  # type: ignore[index]
        attacks: list[tuple[RowAttack, int]] = [
            (OrderWindow(), draws),
            (PerturbationLikelihood(ordered=True), slow),
            (WaveSearch(table.height, made.uneven), draws),
            (Informed(density(table.height, made.deleted)), draws),
        ]
        for column, (attack, times) in zip(columns, attacks, strict=True):
            column.append(risk(attack, table, made, times)[:, 0])
    cells = [f"{value:.3f}" for value in worst] + [told(np.concatenate(column)) for column in columns]
    return "| " + " | ".join([name, *cells]) + " |"


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("b", type=Path)
    parser.add_argument("--draws", type=int, default=20, help="draws of test rows per release")
    parser.add_argument("--slow", type=int, default=6, help="draws for the attack by likelihood")
    parser.add_argument("--waves", type=int, default=2, help="releases per uneven pipeline")
    arguments = parser.parse_args()
    table = HealthFile.read(arguments.b, "B").table
    print("| pipeline | rate | OR | cor | order | likelihood | method known | deletions known |")
    print("|---|---|---|---|---|---|---|---|")

    def tell(name: str, releases: list[Made]) -> None:
        print(row_of(name, table, releases, arguments.draws, arguments.slow), flush=True)

    for uneven in (0.0, 1.0, 2.0, 4.0):
        made = [won(table, seed, uneven) for seed in range(1, arguments.waves + 1)]
        tell(f"team06, uneven = {uneven:g}", made)
    winner = won(table, 1)
    kept, deleted = kept_rows(table.height, winner.deleted), winner.deleted
    original = table.take(kept)
    found = risk(OrderWindow(reach=2 * REACH), table, Made(original, deleted), 3 * arguments.draws)
    print(f"floor (C, reach 8): {told(found[:, 0])}; found {told(found[:, 1])}", flush=True)
    within = pair_losses(*same_levels([original, table])) <= REACH
    rng = np.random.default_rng(3)
    tell("spread", [Made(table.take(spread(within, rng)), deleted)])
    tell("gather, half", [Made(table.take(gathered(within, kept, 0.5)), deleted)])
    tell("gather, all", [Made(table.take(gathered(within, kept, 1.0)), deleted)])
    block = np.flatnonzero(singletons(uniqueness_keys(table)))[: len(deleted)]
    left = kept_rows(table.height, block)
    tell("block", [Made(table.take(exchanged(table, left, rng)), block)])


if __name__ == "__main__":
    main()
