"""The page from paper to command covers the five documents, and users are sent to no document that they lack."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import pytest
import typer.main

from tests.conftest import Run, run_main
from tests.contests.pws2021.test_table import random_table
from tests.shop_example import random_history
from tokumei.cli.main import build_app
from tokumei.contests.pws2016.shop import shop_of
from tokumei.parts import find_part, part_names

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = [DOCS / "papers.md", DOCS / "ja" / "papers.md"]
# What the five documents have, by the heading of the page under which it stands; what was not seen stands before them.
COVERED = {
    "2016": ["2.1", "2.2", "3.1", "3.2", "3.3", "3.4", "3.5", "4", "re-id", "cmae", "cmae2", "RFM", "ham", "topitem"],
    "2018": ["3", "4", "5", "6.1", "6.2", "6.3", "6.4", "r", "H0", "24", "U"],
    "concealment": [
        *("Def 2.1", "Def 2.2", "3.1", "3.2", "Def 3.3", "Def 3.4", "Def 3.5", "Def 3.6", "4", "4.1", "5", "T9", "T10"),
        "Algorithm 1",
    ],
    "2021": ["X, C, D, CT, E", "B(i)", "uniqrt", "iloss", "umark", "lmark", "rlink", "R"],
    "06": ["team06", "candidates", "penalties", "odds-errors", "seed-guess"],
}
TABLES: dict[str, set[int]] = {
    "2016": set(range(1, 7)),
    "2018": {1, 3, *range(5, 11)},
    "concealment": {*range(1, 11), 13},
}
FIGURES: dict[str, set[int]] = {"2016": {2}, "concealment": set(range(4, 13))}
NOT_SEEN = {"en": ("figure 1", "tables 2 and 4", "figures 1 to 3"), "ja": ("図1", "表2・表4", "図1〜3")}
# How many commands of each document run in a campaign at least.
LEAST = {"2016": 14, "2018": 11, "concealment": 6, "2021": 10, "06": 5}
WORDS = [
    "仮名の一般化",
    "補間",
    "動的データ",
    "囮",
    "特異",
    "クロス集計",
    "類似度行列",
    "問屋",
    "効果的な再識別",
    "仮顧客",
]
ELSEWHERE = re.compile(r"\bspec(ification)? [A-F][.-]?\d?\b|\bF-[A-G]\d|research (notes|part)|仕様 [A-F]")


def sections(page: Path) -> list[str]:
    return re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def numbers(place: str, kind: str) -> set[int]:
    """Return the numbers of all tables or figures that a first cell names: "table 8", "figures 4 to 7", "表4、5"."""
    found: set[int] = set()
    for first, last, also in re.findall(rf"(?:{kind}) ?(\d+)(?:(?: to |〜)(\d+))?((?:[,、] ?\d+(?![.\d]))*)", place):
        found |= set(range(int(first), int(last or first) + 1)) | {int(one) for one in re.findall(r"\d+", also)}
    return found


def test_numbers_of_tables_and_figures_are_read() -> None:
    assert numbers("2.2, tables 1 to 3", "tables?|表") == {1, 2, 3} == numbers("2.2、表1〜3", "tables?|表")
    assert numbers("tables 4, 5", "tables?|表") == {4, 5} == numbers("表4、5", "tables?|表")
    assert numbers("tables 6 to 10, 6.4", "tables?|表") == set(range(6, 11)) == numbers("表6〜10、6.4", "tables?|表")
    assert numbers("figures 4 to 7, table 8, table 10", "figures?|図") == {4, 5, 6, 7}


def covers(cells: list[str], item: str) -> bool:
    """Return whether a cell names a section, a definition or a formula, by itself or within "6.1 to 6.3"."""
    japanese = item.replace("Algorithm ", "アルゴリズム").replace("re-id", "再識別率")
    if any(
        re.search(rf"(?<![A-Za-z0-9.-]){re.escape(name)}(?![A-Za-z0-9]|\.\d)", cell)
        for name in (item, japanese)
        for cell in cells
    ):
        return True
    head, _, last = item.rpartition(".")
    ranges = re.compile(rf"{re.escape(head)}\.(\d+)(?: to |〜){re.escape(head.removeprefix('Def '))}\.(\d+)")
    spans = [found for cell in cells for found in ranges.findall(cell)]
    return bool(head) and any(int(low) <= int(last) <= int(high) for low, high in spans)


@pytest.mark.parametrize("page", PAGES, ids=["en", "ja"])
def test_every_part_of_the_documents_is_on_the_page(page: Path) -> None:
    parts = [part.replace("、", ", ") for part in sections(page)]
    for part, (name, wanted) in zip(parts, COVERED.items(), strict=False):
        assert name in part.splitlines()[0]
        rows = [line for line in part.splitlines() if line.startswith("| ")][1:]
        assert all("`tokumei " in row for row in rows)
        places = [row.split("|")[1] for row in rows]
        # Sections stand in the first cell, where tables and figures are numbered too; names anywhere in the row.
        bare = [re.sub(r"(tables?|figures?|表|図) ?\d[^A-Za-z]*", "", place) for place in places]
        assert [item for item in wanted if not covers(bare if item[0].isdigit() else rows, item)] == [], name
        for kinds, there in (("tables?|表", TABLES), ("figures?|図", FIGURES)):
            named = set[int]().union(*(numbers(place, kinds) for place in places))
            assert named == there.get(name, set()), (name, kinds)
    lead = page.read_text(encoding="utf-8").partition("\n## ")[0]
    language = "ja" if page.parent.name == "ja" else "en"
    assert [item for item in NOT_SEEN[language] if item not in lead] == []


def test_the_vocabulary_of_the_papers_is_in_the_japanese_guide() -> None:
    guide = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "ja").glob("*.md"))
    assert [word for word in WORDS if word not in guide] == []


@pytest.mark.half_second
def test_nothing_that_users_read_points_to_documents_they_do_not_have() -> None:
    texts = {str(page): page.read_text(encoding="utf-8") for page in [*DOCS.glob("*.md"), *(DOCS / "ja").glob("*.md")]}
    words = (Path(__file__).resolve().parent.parent / "src").rglob("words/*.toml")
    texts |= {str(file): file.read_text(encoding="utf-8") for file in words}
    for kind in ("anonymizer", "attack", "metric", "contest"):
        for name in part_names(kind):
            part = find_part(kind, name)
            texts[name] = " ".join([part.source, getattr(part, "summary", ""), part.__doc__ or ""])
            texts[name] += " ".join(info.doc for info in part.parameters())

    def walk(command: object, path: str) -> None:
        texts[path] = " ".join([getattr(command, "help", None) or "", getattr(command, "epilog", None) or ""])
        texts[path] += " ".join(getattr(one, "help", None) or "" for one in getattr(command, "params", []))
        for name, inner in getattr(command, "commands", {}).items():
            walk(inner, f"{path} {name}")

    walk(typer.main.get_command(build_app()), "tokumei")
    assert {name: found[0] for name, text in texts.items() if (found := ELSEWHERE.search(text))} == {}


COMMAND = re.compile(r"`tokumei ([^`]+)`")
# What needs a public data set, a server, or (team06) a table large enough to keep to the limits of utility.
NOT_HERE = ("pws2016 prepare", "pws2016 table", "pws2018 tables", "arena demo", "pws2021 anonymize team06")
# Options that keep a run short; what the page says stays, the last value of an option counts.
SHORT = {
    "pws2018 correlations": "--releases 5 --customers 10",
    "pws2018 survival": "--rounds 5",
    "pws2018 use-cases": "--draws 2",
    "pws2021 seed-guess": "--last 5",
    "pws2021 risk": "--draws 2",
    "pws2021 penalties": "--draws 2",
    "experiment concealment": "--size 10 places.csv",
}


def commands(text: str) -> list[list[str]]:
    return [shlex.split(words) for words in dict.fromkeys(COMMAND.findall(text))]


def test_every_command_of_the_page_is_understood() -> None:
    """Command, arguments and options exist: parsing goes as far as the files."""
    english, japanese = (commands(page.read_text(encoding="utf-8")) for page in PAGES)
    assert english == japanese
    root = typer.main.get_command(build_app())
    for words in english:
        command, rest = root, words
        while isinstance(command, click.Group):
            found = command.commands.get(rest[0])
            assert found is not None, words
            command, rest = found, rest[1:]
        command.make_context("tokumei", list(rest)).close()


def example_files(folder: Path) -> None:
    """Write tiny files under the names of the page: of 2016, 2018 and 2021 in folders of their own."""
    first, second, third, flow = (folder / name for name in ("pws2016", "pws2018", "pws2021", "flow"))
    for one in (first, second, third, flow):
        one.mkdir()
    for one in (first, third):
        (one / "results.json").write_text('{"entries": [], "pairs": []}', encoding="utf-8")
    shop = random_history(20, 200, 1)
    shop_of(shop).master.write_csv(first / "M", include_header=False, quote_style="never")
    shop.text(literal=True).write_csv(first / "T", include_header=False, quote_style="never")
    lines = random_table(240, 11).lines()
    (third / "B").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (third / "X").write_text("".join(f"{row}\n" for row in range(100)), encoding="utf-8")
    for name in ("C", "D"):
        (third / name).write_text("".join(f"{line}\n" for line in lines[100:]), encoding="utf-8")
    made = [
        f"pws2016 anonymize ano-groups {first}/M {first}/T -o {first}/release --seed 1",
        f"pws2016 attack re-sort {first}/M {first}/T {first}/release/M1.csv {first}/release/T1.csv -o {first}/Q",
        f"synth purchases --subjects 16 --seed 1 --no-header -o {second}/T.csv",
        f"pws2018 anonymize k-anonymity {second}/T.csv --k 2 --seed 1 -o {second}/A",
        f"pws2018 publish {second}/A -o {second}/A1",
        f"pws2018 attack re-item {second}/T.csv {second}/A1 -o {second}/F1 --seed 1",
        f"pws2021 pick {third}/B {third}/X -o {third}/CT --answers {third}/EA",
        f"pws2021 attack rlink {third}/CT {third}/D -o {third}/E",
        f"synth purchases --subjects 40 --seed 1 -o {flow}/visits.csv",
        f"synth trajectories --subjects 20 --seed 1 -o {flow}/places.csv",
    ]
    for line in made:
        with pytest.raises(SystemExit) as ended:
            run_main(*shlex.split(line))
        assert ended.value.code in (None, 0), line
    (second / "T").write_bytes((second / "T.csv").read_bytes())
    for name in ("M1", "T1", "P"):
        (first / name).write_bytes((first / "release" / f"{name}.csv").read_bytes())


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of tiny files under the names of the page, made once for all documents."""
    folder = tmp_path_factory.mktemp("papers")
    example_files(folder)
    return folder


@pytest.mark.campaign
@pytest.mark.parametrize("document", list(COVERED))
def test_every_command_of_the_page_runs(
    document: str, run: Run, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No command stops with status 2: what it is given is what it takes."""
    ran = 0
    for number, words in enumerate(commands(sections(PAGES[0])[list(COVERED).index(document)])):
        line = " ".join(words)
        if line.startswith(NOT_HERE):
            continue
        monkeypatch.chdir(examples / (words[0] if words[0].startswith("pws") else "flow"))
        targets = {"-o": f"new-{document}-{number}", "-x": f"new-{document}-{number}.x"}
        fresh = [targets.get(before, word) for before, word in pairwise(["", *words])]
        extra = next((options for start, options in SHORT.items() if line.startswith(start)), "")
        ended = run(*fresh, *shlex.split(extra))
        assert ended.status in (0, 1), f"{line}\n{ended.err}"
        ran += 1
    assert ran >= LEAST[document]
