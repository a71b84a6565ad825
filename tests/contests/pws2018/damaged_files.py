"""Random small T files, valid A files for them, and damage of every kind the rules know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.contests.pws2018.slow_rules import Row

GOODS = ["22745", "85123A", "POST", "M", "a b", "ü7", "15056BL", "20000" + "Z" * 70]
ODD_GOODS = ["*", "{X}", "p;q", ""]
BYTES = list(b"\r\n\r\n,,;;[]{}*0123456789/. -+eA\t\x00\xff\xef\xbb\xbf\xc3")
SPOILED = {
    0: "0 007 1000000000 999999999 * -1 +3 3.0 {3} [3;3] \ufeff1 ３ ** 1",
    1: "2011/2/29 2011/001/1 2011/12/31 [2010/1/1;2011/12/31] [2011/2/1;2011/1/1] 2009/12/31 [*;2011/1/1] {2011/1/15} "
    "[2010/1/1;2012/1/1] [2011/1/1] [2011/1/1;2011/1/2;2011/1/3] 2011/01/15 2011/1/15] [2010/1/1;*] ２０１１/1/15 "
    "[[2010/1/1;2011/12/31]] *;* 2011/0/1 2011/1/00",
    2: "{} {;} {22745;} {22745;22745} {22745;nope} {{22745}} [22745;M] * ** {*} {22745;POST;M} {POST} {ü7;M} {p;q} {X} "
    "{22745 22745} { } {M;85123A;POST;22745}",
    3: "0 0.00 [0;3] 2. .5 02.1 2.100 [0.01;99999.99] [3;1] 100000 99999.99 1e3 {2.1} [2.10;2.1] -2 * NaN [1;3 [;] 2,1 "
    "0.01 [0.5;0.50] ٣",
    4: "0 06 6.0 [1;999999] 1000000 [6;1] {6} -5 * [1;] [0;9] 999999 [6;6]",
}
CELLS = {column: [*texts.split(" "), "", " 6", "6 ", "6\t", "a b"] for column, texts in SPOILED.items()}


def random_original(rng: np.random.Generator) -> list[Row]:
    """Return a T of up to 12 rows, now and then with values outside the rules."""
    customers = [str(number) for number in rng.integers(1, 30, size=int(rng.integers(1, 6)))]
    pools = [
        customers,
        ["2011/1/15", "2010/12/1", "2011/01/05", "2010/1/1", "2011/12/31"],
        list(GOODS),
        ["2.1", "2.10", "18", "0.85", "0.04", "99999.99"],
        ["6", "1", "80995", "999999"],
    ]
    if rng.random() < 0.3:
        pools[1] += ["2009/12/31", "2012/1/1", "oops"]
        pools[2] += ODD_GOODS
        pools[3] += ["0", "-3", "2.105", "x"]
        pools[4] += ["0", "-5", "1000000", "6.5"]
    rows = []
    for _ in range(int(rng.integers(0, 13))):
        customer, date, goods, price, quantity = (str(rng.choice(pool)) for pool in pools)
        rows.append((customer, date, goods, price, quantity))
    return rows


def random_release(rng: np.random.Generator, original: list[Row]) -> list[list[str]]:
    """Return cells that mostly keep the rules: pseudonyms, wide ranges, sets, stars, deleted rows."""
    pseudonyms = {row[0]: str(100 + place) for place, row in enumerate(original)}
    table = []
    for row in original:
        extra = rng.choice(sorted({goods for _, _, goods, _, _ in original if goods not in ODD_GOODS} or {"M"}), size=2)
        wide = [
            "[2010/1/1;2011/12/31]",
            "{" + ";".join({row[2], *extra.tolist()}) + "}",
            "[0.01;99999.99]",
            "[1;999999]",
        ]
        cells = [pseudonyms[row[0]], *row[1:]]
        for column in range(1, 5):
            choice = rng.integers(4)
            cells[column] = "*" if choice == 0 else wide[column - 1] if choice < 3 else cells[column]
        table.append(["*"] * 5 if rng.random() < 0.1 else cells)
    return table


def _spoil_cell(rng: np.random.Generator, table: list[list[str]]) -> None:
    row, column = table[rng.integers(len(table))], int(rng.integers(5))
    if column < len(row):
        row[column] = str(rng.choice(CELLS[column]))


def _swap_cells(rng: np.random.Generator, table: list[list[str]]) -> None:
    row = table[rng.integers(len(table))]
    rng.shuffle(row)


def _mix_pseudonyms(rng: np.random.Generator, table: list[list[str]]) -> None:
    for row in table:
        if row and rng.random() < 0.5:
            row[0] = str(rng.integers(1, 5))


def _swap_rows(rng: np.random.Generator, table: list[list[str]]) -> None:
    one, other = rng.integers(len(table), size=2)
    table[one], table[other] = table[other], table[one]


def _add_cell(rng: np.random.Generator, table: list[list[str]]) -> None:
    table[rng.integers(len(table))].append("*")


def _drop_cell(rng: np.random.Generator, table: list[list[str]]) -> None:
    row = table[rng.integers(len(table))]
    if row:
        row.pop()


def _blank_row(rng: np.random.Generator, table: list[list[str]]) -> None:
    table[rng.integers(len(table))] = []


def _remove_row(rng: np.random.Generator, table: list[list[str]]) -> None:
    del table[rng.integers(len(table))]


def _repeat_row(rng: np.random.Generator, table: list[list[str]]) -> None:
    place = int(rng.integers(len(table)))
    table.insert(place, list(table[place]))


def _lengthen(rng: np.random.Generator, table: list[list[str]]) -> None:
    row = table[rng.integers(len(table))]
    missing = 8000 + int(rng.integers(-1, 2)) - len(",".join(row).encode())
    if row and missing > 0:
        row[-1] += "7" * missing


def _big_set(rng: np.random.Generator, table: list[list[str]]) -> None:
    row = table[rng.integers(len(table))]
    if len(row) > 2:
        row[2] = "{" + ";".join(["M"] * int(rng.integers(99, 103))) + "}"


ROW_DAMAGE: list[Callable[[np.random.Generator, list[list[str]]], None]] = [
    *[_spoil_cell] * 6, _swap_cells, *[_mix_pseudonyms] * 2, _swap_rows, _add_cell, _drop_cell, _blank_row, _remove_row,
    _repeat_row, _lengthen, _big_set,
]  # fmt: skip


def _edit_bytes(rng: np.random.Generator, raw: bytes) -> bytes:
    data = bytearray(raw)
    for _ in range(int(rng.integers(0, 4))):
        at = int(rng.integers(len(data) + 1))
        width = int(rng.integers(0, 2))
        data[at : at + width] = [int(rng.choice(BYTES))] * int(rng.integers(0, 3))
    return bytes(data)


def damaged_release(rng: np.random.Generator, original: list[Row]) -> bytes:
    """Return the bytes of an A with none to several faults."""
    table = random_release(rng, original)
    for _ in range(int(rng.integers(0, 5))):
        if table:
            ROW_DAMAGE[rng.integers(len(ROW_DAMAGE))](rng, table)
    ends = [["\n"], ["\r\n"], ["\n", "\r\n"], ["\r"]][rng.choice(4, p=[0.6, 0.2, 0.15, 0.05])]
    raw = "".join(",".join(row) + str(rng.choice(ends)) for row in table).encode()
    if rng.random() < 0.1:
        raw = raw.rstrip(b"\r\n")
    if rng.random() < 0.05:
        raw += b"\n"
    if rng.random() < 0.05:
        raw = b"\xef\xbb\xbf" + raw
    return _edit_bytes(rng, raw) if rng.random() < 0.3 else raw


def damaged_guesses(rng: np.random.Generator) -> bytes:
    """Return the bytes of an F' over pseudonyms 1..5 and customers 11..14, with faults."""
    lines = []
    for _ in range(int(rng.integers(0, 8))):
        pseudonym, customer = str(rng.integers(1, 7)), str(rng.integers(11, 16))
        odd = ["", "a,b", f"0{pseudonym},{customer}", f"{pseudonym},{customer},", f" {pseudonym},{customer}", "１,11"]
        lines.append(str(rng.choice(odd)) if rng.random() < 0.2 else f"{pseudonym},{customer}")
    raw = "".join(line + str(rng.choice(["\n", "\n", "\r\n", "\r"])) for line in lines).encode()
    return _edit_bytes(rng, raw) if rng.random() < 0.3 else raw
