"""Utility against naming by the order of the test rows, for pipelines of PWS Cup 2021 (docs/pws2021.md).

    python -m benchmarks.order_frontier B.csv [--draws 40]

Rows: the winning pipeline; *spread* (every row becomes a random record within iloss 4); *gather* (rows become shared
records, greedily the one that covers most, until a share of them did, whatever that does to utility); *block* (records
exchanged, and deletions taken from the beginning of B instead of evenly). Attacks: `order`, and `likelihood` in order;
*informed* knows how densely rows were deleted along B, which a method that deletes unevenly cannot keep secret. The
floor is `order` on C itself with a reach of 8: no D made from this C can have less.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2021.attacks.order_window import OrderWindow
from tokumei.contests.pws2021.attacks.perturbation_likelihood import PerturbationLikelihood
from tokumei.contests.pws2021.attacks.row_attack import DELETED, GUESSES, RowAttack
from tokumei.contests.pws2021.measures import utility_differences
from tokumei.contests.pws2021.methods.team06 import Team06, allowed_records, swap_records
from tokumei.contests.pws2021.metrics.linkage_marks import linkage_marks
from tokumei.contests.pws2021.picked_rows import pick_rows
from tokumei.contests.pws2021.rows import kept_rows, pair_losses, singletons, uniqueness_keys
from tokumei.contests.pws2021.rules import HealthFile
from tokumei.contests.pws2021.table import HealthTable, same_levels

REACH = 4.0
SMOOTH = 100


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


def risk(attack: RowAttack, table: HealthTable, published: HealthTable, deleted: Ints, draws: int) -> Floats:
    """Return mean risk and mean share of kept test rows found, each with half its 95 % interval."""
    found = np.empty((draws, 2))
    for seed in range(draws):
        rows, answers = pick_rows(table.height, deleted, seed=seed)
        guesses = attack.choose(table.take(rows), published, rng=np.random.default_rng(seed))
        marks = linkage_marks(answers, guesses).as_dict()
        found[seed] = marks["risk"], marks["topk"]
    return np.stack((found.mean(axis=0), 1.96 * found.std(axis=0, ddof=1) / np.sqrt(draws)), axis=1)


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("b", type=Path)
    parser.add_argument("--draws", type=int, default=40)
    arguments = parser.parse_args()
    table = HealthFile.read(arguments.b, "B").table
    winner = Team06().change(table, rng=np.random.default_rng(1))
    deleted = np.setdiff1d(np.arange(table.height), winner.kept)
    original = table.take(winner.kept)
    within = pair_losses(*same_levels([original, table])) <= REACH
    unique = np.flatnonzero(singletons(uniqueness_keys(table)))
    block = unique[: len(deleted)]
    left = kept_rows(table.height, block)
    rng = np.random.default_rng(3)
    releases = {
        "team06": (winner.table, deleted),
        "spread": (table.take(spread(within, rng)), deleted),
        "gather, half": (table.take(gathered(within, winner.kept, 0.5)), deleted),
        "gather, all": (table.take(gathered(within, winner.kept, 1.0)), deleted),
        "block": (table.take(exchanged(table, left, rng)), block),
    }
    print("| pipeline | rate | OR | cor | order | likelihood | informed | rows within reach |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (published, gone) in releases.items():
        utility = utility_differences(table, published).as_dict()["max"]
        attacks = (OrderWindow(), PerturbationLikelihood(ordered=True), Informed(density(table.height, gone)))
        risks = [risk(one, table, published, gone, arguments.draws)[0] for one in attacks]
        cells = [f"{utility[key]:.3f}" for key in ("rate", "OR", "cor")]  # type: ignore[index]
        cells += [f"{mean:.3f} ± {half:.3f}" for mean, half in risks]
        kept = table.take(kept_rows(table.height, gone))
        cells.append(f"{(pair_losses(*same_levels([kept, published])) <= REACH).sum(axis=1).mean():.0f}")
        print("| " + " | ".join([name, *cells]) + " |", flush=True)
    floor = risk(OrderWindow(reach=2 * REACH), table, original, deleted, arguments.draws)
    print(f"floor (C, reach 8): {floor[0, 0]:.4f} ± {floor[0, 1]:.4f}; found {floor[1, 0]:.4f} ± {floor[1, 1]:.4f}")


if __name__ == "__main__":
    main()
