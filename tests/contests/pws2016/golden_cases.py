"""The golden cases of PWS Cup 2016 through the commands."""

from __future__ import annotations

from collections.abc import Iterator

from tests.golden import Case, Check, Miss, compare


def _cmae(case: Case) -> Iterator[Miss]:
    m, t, t1 = (case.input(name) for name in ("M", "T", "T1"))
    rows = len([line for line in m.read_text(encoding="utf-8").splitlines() if line.strip()])
    places = case.scratch / "P.csv"
    places.write_text("".join(f"{row}\n" for row in range(1, rows + 1)), encoding="utf-8")
    ran = case.run("utility", m, t, m, t1, places, "--cells", "sex", "--json")
    yield from compare(ran.json, {"cmae": case.expected["cmae_sex"]})


KINDS: dict[str, Check] = {"cmae": _cmae}
