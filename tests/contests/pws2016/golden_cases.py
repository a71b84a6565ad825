"""How the golden case of PWS Cup 2016 is replayed."""

from __future__ import annotations

from collections.abc import Iterator

from tests.golden import Case, Check, Miss, compare


def _cross_tabulation(case: Case) -> Iterator[Miss]:
    m, t, t1 = (case.input(name) for name in ("M", "T", "T1"))
    p = case.scratch / "P.csv"
    customers = len(m.read_text(encoding="utf-8").split())
    p.write_text("".join(f"{number + 1}\n" for number in range(customers)), encoding="utf-8")
    ran = case.run("utility", m, t, m, t1, p, "--cells", "sex", "--json")
    yield from compare(ran.json, {"cmae": case.expected["cmae_sex"]})


KINDS: dict[str, Check] = {"cmae": _cross_tabulation}
