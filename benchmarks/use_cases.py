"""The use cases of the 2018 report: draw plain tables from A and compare them with T (spec B.10)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations
from math import sqrt

import numpy as np

from benchmarks import plain
from benchmarks.harness import Benchmark
from benchmarks.inputs import Inputs
from benchmarks.item_similarity import Table, distance, retail, totals, wholesale
from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018

__all__ = ["benchmark"]

DRAWS = 10
SUPPORT = 100
TOP = 100
RECENCY_DATES = ("2011/3/27", "2011/6/19", "2011/8/28", "2011/10/2", "2011/10/23", "2011/11/13")
RECENCY = [plain.days(text) for text in (*RECENCY_DATES, "2011/11/20", "2011/11/27", "2011/12/4")]
FREQUENCY = list(range(2, 11))
MONETARY = [20_000, 30_000, 40_000, 50_000, 70_000, 100_000, 140_000, 210_000, 370_000]

Rows = list[tuple[str, int, str | None, str, int, int]]


def benchmark(inputs: Inputs) -> Benchmark:
    """Return the benchmark: ten draws of the library against one by hand (T is analysed in both)."""
    original, anonymized = Original.read(inputs.t), Anonymized.read(inputs.a)
    rules = Rules2018()

    def library() -> dict[str, float]:
        judged = rules.use_cases(original, anonymized, draws=DRAWS, rng=np.random.default_rng(1))
        return judged.errors()

    return Benchmark(
        name="use cases",
        summary=f"{DRAWS} draws by the library, one by hand",
        library=library,
        plain=lambda: _by_hand(inputs),
        # Both analyse T and every draw: eleven tables against two.
        work=(DRAWS + 1) / 2,
        limit=3.0,
        # One draw against ten others.
        tolerance=0.1,
    )


def _by_hand(inputs: Inputs) -> dict[str, float]:
    t = plain.parse_rows(plain.read_rows(inputs.t))
    before: Rows = [(who, day, goods, goods, price, quantity) for who, day, goods, price, quantity in t]
    after = _draw(t, plain.read_rows(inputs.a), random.Random(1))
    one, other = (totals((row[0], row[3], row[5]) for row in rows) for rows in (before, after))
    top, top_after = _top(one, one), _top(other, one)
    frequent = _frequent(before)
    tables = _rfm(before), _rfm(after)
    cells = tables[0].keys() | tables[1].keys()
    return {
        "itemset_error": 1 - len(frequent & _frequent(after)) / len(frequent),
        "rfm_error": sqrt(sum((tables[0][cell] - tables[1][cell]) ** 2 for cell in cells)) / (sqrt(2) * len(one)),
        "similarity_wholesale": distance(one, other, wholesale),
        "similarity_retail": distance(one, other, retail),
        "similarity_top": distance(_only(one, top), _only(other, top), lambda _: 1),
        "top_items_error": len(top - top_after) / TOP,
    }


def _draw(t: list[plain.Row], a: list[list[str]], rng: random.Random) -> Rows:
    """Return a plain table: a uniform value of every cell; the first goods of a row is None if it was made up."""
    columns = {column: plain.numbers(t, column) for column in plain.PARSERS}
    extremes = {column: (min(values), max(values)) for column, values in columns.items()}
    goods = sorted({row[2] for row in t})
    rows: Rows = []
    for cells in a:
        if cells[0].startswith("*"):
            continue
        values = {
            column: rng.randint(*(plain.parse_range(cells[column], parse) or extremes[column]))
            for column, parse in plain.PARSERS.items()
        }
        text = cells[2]
        known = None if text == "*" else rng.choice(text[1:-1].split(";")) if text.startswith("{") else text
        rows.append((cells[0], values[1], known, known or rng.choice(goods), values[3], values[4]))
    return rows


def _frequent(rows: Rows) -> set[frozenset[str]]:
    """Return all sets of goods that are together in enough baskets, level by level."""
    baskets: dict[tuple[str, int], set[str]] = defaultdict(set)
    for who, day, goods, *_ in rows:
        if goods is not None:
            baskets[who, day].add(goods)
    counts = Counter(goods for basket in baskets.values() for goods in basket)
    level = {frozenset([goods]) for goods, count in counts.items() if count >= SUPPORT}
    single = {goods for one in level for goods in one}
    kept = [sorted(basket & single) for basket in baskets.values()]
    found = set(level)
    size = 2
    while level:
        usable = {goods for one in level for goods in one}
        together = Counter(
            chosen
            for basket in kept
            for chosen in combinations([goods for goods in basket if goods in usable], size)
            if size == 2 or all(frozenset(part) in level for part in combinations(chosen, size - 1))
        )
        level = {frozenset(chosen) for chosen, count in together.items() if count >= SUPPORT}
        found |= level
        size += 1
    return found


def _rfm(rows: Rows) -> Counter[tuple[int, int, int]]:
    """Return the number of customers per rank of recency, frequency and amount."""
    last: dict[str, int] = defaultdict(int)
    invoices: dict[str, set[int]] = defaultdict(set)
    amount: dict[str, int] = defaultdict(int)
    for who, day, _, _, price, quantity in rows:
        last[who] = max(last[who], day)
        invoices[who].add(day)
        amount[who] += price * quantity
    return Counter(
        (
            sum(limit <= last[who] for limit in RECENCY),
            sum(limit <= len(invoices[who]) for limit in FREQUENCY),
            sum(limit <= amount[who] for limit in MONETARY),
        )
        for who in last
    )


def _top(table: Table, original: Table) -> set[str]:
    """Return the goods of the original with most customers; ties: the larger id first."""
    buyers = Counter(goods for bought in table.values() for goods in bought)
    goods = {goods for bought in original.values() for goods in bought}
    return set(sorted(goods, key=lambda one: (buyers[one], one), reverse=True)[:TOP])


def _only(table: Table, goods: set[str]) -> Table:
    return {who: {one: count for one, count in bought.items() if one in goods} for who, bought in table.items()}
