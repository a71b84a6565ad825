"""U of PWS Cup 2026: the worst of four facets, with everything behind them."""

from __future__ import annotations

from typing import Any

import polars as pl

from tokumei.contests.pws2026.general import general_utility
from tokumei.contests.pws2026.rarity import rare_utility
from tokumei.contests.pws2026.survival import special_utility
from tokumei.contests.pws2026.table import COLUMNS, World
from tokumei.contests.pws2026.validity import validity
from tokumei.parts import need_libraries


def measure_utility(world: World, made: pl.DataFrame) -> dict[str, Any]:
    """Return U, facets and detail; the order of C's rows does not matter."""
    need_libraries("lifelines", "sklearn")
    ordered = made.select(COLUMNS).sort(COLUMNS, maintain_order=True)
    measures = {"U_gen": general_utility, "U_spec": special_utility, "U_rare": rare_utility, "U_valid": validity}
    found = {name: measure(world, ordered) for name, measure in measures.items()}
    facets = {name: value for name, (value, _) in found.items()}
    detail = {name: part for name, (_, part) in found.items()}
    return {"U": min(facets.values()), "rows": made.height, "facets": facets, "detail": detail}
