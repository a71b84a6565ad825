"""``python -m benchmarks.growing``: three releases of a growing shop, with a ledger and without.

Generated purchases; some customers join before the second and the third release, some leave, and those who stay buy
more. The attacker of question 5 holds all originals, links groups by what they show and keeps who fits all of them.
Told are, for every pair of releases and for all three: who is in them, whose groups are linked, how surely owners are
named together and alone, and the fewest candidates of anybody.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import tokumei
from benchmarks.apart import aligned_table, merge_results
from benchmarks.inputs import PROJECT, SEED
from tokumei.audits import combine_releases
from tokumei.data import History, read_release, read_secret
from tokumei.synth.writing import write_synthetic

__all__ = ["growing_shop", "main"]

# Shares of the calendar after which a release is made; of the customers that join later, and that leave.
TIMES, JOIN, LEAVE = (0.5, 0.75, 1.0), 0.2, 0.1
HEAD = ("", "releases", "people", "withheld", "linked", "named", "alone", "fewest", "U")


def growing_shop(data: pl.DataFrame, subject: str, day: str, *, seed: int) -> list[pl.DataFrame]:
    """Return the data of three releases: who is there then, with all records up to then."""
    people = data[subject].unique().sort()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(people))
    first = np.zeros(len(people), dtype=np.int64)
    last = np.full(len(people), len(TIMES) - 1)
    share = round(JOIN * len(people))
    first[order[:share]], first[order[share : 2 * share]] = 1, 2
    share = round(LEAVE * len(people))
    last[order[-share:]], last[order[-2 * share : -share]] = 0, 1
    stay = pl.DataFrame({subject: people, "first": first, "last": last})
    days = data[day].sort()
    ends = [days[min(round(share * len(days)), len(days) - 1)] for share in TIMES]
    joined = data.join(stay, on=subject, maintain_order="left")
    return [
        joined.filter(pl.col("first") <= number, pl.col("last") >= number, pl.col(day) <= end).select(data.columns)
        for number, end in enumerate(ends)
    ]


def main() -> None:
    """Publish, attack, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growing", description=__doc__)
    parser.add_argument("--subjects", type=int, default=240)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "growing.json")
    chosen = parser.parse_args()
    begun = time.process_time()
    rows = []
    with tempfile.TemporaryDirectory(prefix="tokumei-bench-") as name:
        folder = Path(name)
        write_synthetic("purchases", folder / "all.csv", subjects=chosen.subjects, seed=SEED)
        whole = tokumei.read_history(folder / "all.csv")
        subject = whole.schema.subject
        day = next(field.name for field in whole.schema.fields if field.kind is tokumei.Kind.DATE)
        shops = growing_shop(whole.frame, subject, day, seed=SEED)
        # Whoever holds all originals has all records that anybody ever had.
        numbered = pl.concat([shop.with_columns(pl.lit(place).alias("release")) for place, shop in enumerate(shops)])
        latest = numbered.filter(pl.col("release") == pl.col("release").max().over(subject)).drop("release")
        everything = tokumei.read_history(latest, subject=subject)
        for title, ledger in (("without", None), ("with", folder / "ledger")):
            made = [
                _publish(shop, subject, folder / f"{title}-{place}", ledger, chosen.k)
                for place, shop in enumerate(shops)
            ]
            rows += _attacked(title, everything, made)
    print(aligned_table(HEAD, [tuple(row.values()) for row in rows]))
    print(f"\nk = {chosen.k}, {chosen.subjects} customers; {time.process_time() - begun:.0f} CPU seconds")
    merge_results(chosen.output, f"growing (k={chosen.k}, {chosen.subjects})", {"rows": rows})


def _publish(shop: pl.DataFrame, subject: str, folder: Path, ledger: Path | None, k: int) -> dict[str, Any]:
    made = tokumei.anonymize(shop, subject=subject, k=k, effort="fast", audit=False, seed=SEED, ledger=ledger)
    made.write(folder)
    withheld = shop[subject].n_unique() - made.release.pseudonyms.n_unique()
    return {"folder": folder, "withheld": withheld, "U": made.utility.value}


def _attacked(title: str, history: History, made: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return a row for every pair of releases, and for all of them."""
    releases = [read_release(one["folder"], history) for one in made]
    owners = [read_secret(Path(f"{one['folder']}.secret")).owners for one in made]
    rows = []
    for chosen in [*combinations(range(len(made)), 2), tuple(range(len(made)))]:
        last = chosen[-1]
        order = [last, *chosen[:-1]]
        answer = combine_releases(
            history, releases[last], [releases[one] for one in order[1:]], [owners[one] for one in order]
        )
        figures = answer.figures
        shared = set.intersection(*[set(owners[one]["subject"]) for one in chosen])
        rows.append(
            {
                "": f"{title} ledger",
                "releases": "+".join(str(one + 1) for one in chosen),
                "people": str(len(shared)),
                "withheld": str(made[last]["withheld"]),
                "linked": f"{figures['releases/linked'].value:.3f}",
                "named": f"{figures['releases/named'].value:.3f}",
                "alone": f"{figures['releases/named'].baseline or 0:.3f}",
                "fewest": f"{figures['releases/candidates-left'].parts['fewest']:.0f}",
                "U": f"{made[last]['U']:.3f}",
            }
        )
    return rows


if __name__ == "__main__":
    main()
