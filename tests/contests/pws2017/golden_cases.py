"""How the golden cases of PWS Cup 2017 are replayed."""

from __future__ import annotations

from collections.abc import Iterator

from tests.golden import Case, Check, Miss, compare

FIGURES = ("E1_itemcf_wholesale", "E2_itemcf_retail", "E3_topk", "E4_date", "E5_price", "E6_nrow")


def _utility(case: Case) -> Iterator[Miss]:
    found = case.run("utility", *(case.input(name) for name in ("M", "T", "AT")), "--json").json
    for name in FIGURES:
        wanted = case.expected[name]
        if not isinstance(wanted, dict):
            yield from compare(found[name], wanted, name)
        elif "error" not in wanted:
            yield from compare(found[name], {key: value for key, value in wanted.items() if key in found[name]}, name)
        elif not found["warnings"]:
            # The official program divides by zero there; ours says so and goes on.
            yield Miss(f"{name}.error", wanted["error"], "no warning")


KINDS: dict[str, Check] = {"use_case_utility": _utility}
