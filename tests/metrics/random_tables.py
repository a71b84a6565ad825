"""Twenty small random tables with quasi-identifiers and a sensitive column, the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Ints


@dataclass(frozen=True, eq=False)
class RandomTable:
    """Codes of two or three quasi-identifiers and of a sensitive column, which is a number or a category."""

    quasi: tuple[Ints, ...]
    sensitive: Ints
    ordered: bool

    def columns(self) -> dict[str, list[int] | list[str]]:
        """Return the table by column, categories as text; the sensitive column is ``s``."""
        found: dict[str, list[int] | list[str]] = {f"q{at}": codes.tolist() for at, codes in enumerate(self.quasi)}
        numbers = self.sensitive.tolist()
        return found | {"s": numbers if self.ordered else [f"v{number}" for number in numbers]}

    def classes(self) -> Ints:
        """Return the class of every record."""
        return np.unique(np.column_stack(self.quasi), axis=0, return_inverse=True)[1].ravel()


def random_tables() -> list[RandomTable]:
    """Return the tables; every second one has a sensitive number, later ones have larger classes."""
    tables = []
    for seed in range(20):
        # A linear congruential generator, so that no version of a library changes the figures.
        state = seed * 7919 + 12345
        records, draws = 40 + 10 * seed, []
        for _ in range(records * 4):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            draws.append(state >> 33)
        numbers = np.array(draws).reshape(4, records)
        quasi = tuple(numbers[at] % width for at, width in enumerate((2, 3, 2) if seed % 3 else (3, 2)))
        skewed = (numbers[3] % 9) * (numbers[3] // 9 % 9) // (8 if seed % 4 else 14)
        tables.append(RandomTable(quasi, skewed, bool(seed % 2)))
    return tables
