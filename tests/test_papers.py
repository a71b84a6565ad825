"""The page from paper to command covers the five documents, and users are sent to no document that they lack."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import pytest
import typer.main

from tests.conftest import Run
from tests.contests.pws2021.test_table import random_table
from tests.shop_example import random_history
from tokumei.cli.main import build_app
from tokumei.contests.pws2016.shop import shop_of
from tokumei.parts import find_part, part_names

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = [DOCS / "papers.md", DOCS / "ja" / "papers.md"]
# What the five documents have, by the heading of the page under which it stands.
COVERED = {
    "2016": ["2.1", "2.2", "3.1", "3.2", "3.3", "3.4", "3.5", "cmae2", "RFM", "ham", "topitem", "6 |"],
    "2018": ["H0", "U", "6.1", "6.4", "1 |", "3 |", "5 |", "10"],
    "concealment": ["Def 2.1", "Def 2.2", "Def 3.3", "Def 3.4", "4.1", "T9", "T10", "13", "8", "12", "5,"],
    "2021": ["uniqrt", "iloss", "umark", "lmark", "CT"],
    "06": ["candidates", "penalties", "odds-errors", "seed-guess", "team06"],
}
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


@pytest.mark.parametrize("page", PAGES, ids=["en", "ja"])
def test_every_part_of_the_documents_is_on_the_page(page: Path) -> None:
    parts = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for place, (name, wanted) in enumerate(COVERED.items()):
        assert name in parts[place].splitlines()[0]
        text = parts[place].replace("、", ",")
        assert [item for item in wanted if item not in text] == [], name
        rows = [line for line in parts[place].splitlines() if line.startswith("| ")][1:]
        assert all("`tokumei " in row for row in rows)


def test_the_vocabulary_of_the_papers_is_in_the_japanese_guide() -> None:
    guide = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "ja").glob("*.md"))
    assert [word for word in WORDS if word not in guide] == []


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


def commands(page: Path) -> list[list[str]]:
    return [shlex.split(words) for words in dict.fromkeys(COMMAND.findall(page.read_text(encoding="utf-8")))]


def test_every_command_of_the_page_is_understood() -> None:
    """Command, arguments and options exist: parsing goes as far as the files."""
    assert commands(PAGES[0]) == commands(PAGES[1])
    root = typer.main.get_command(build_app())
    for words in commands(PAGES[0]):
        command, rest = root, words
        while isinstance(command, click.Group):
            found = command.commands.get(rest[0])
            assert found is not None, words
            command, rest = found, rest[1:]
        command.make_context("tokumei", list(rest)).close()


def example_files(folder: Path, run: Run) -> None:
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
        ran = run(*shlex.split(line))
        assert ran.status == 0, f"{line}\n{ran.err}"
    (second / "T").write_bytes((second / "T.csv").read_bytes())
    for name in ("M1", "T1", "P"):
        (first / name).write_bytes((first / "release" / f"{name}.csv").read_bytes())


@pytest.mark.campaign
def test_every_command_of_the_page_runs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No command stops with status 2: what it is given is what it takes."""
    example_files(tmp_path, run)
    ran: list[str] = []
    for number, words in enumerate(commands(PAGES[0])):
        line = " ".join(words)
        if line.startswith(NOT_HERE):
            continue
        monkeypatch.chdir(tmp_path / (words[0] if words[0].startswith("pws") else "flow"))
        targets = {"-o": f"new{number}", "-x": f"new{number}.x"}
        fresh = [targets.get(before, word) for before, word in pairwise(["", *words])]
        extra = next((options for start, options in SHORT.items() if line.startswith(start)), "")
        ended = run(*fresh, *shlex.split(extra))
        assert ended.status in (0, 1), f"{line}\n{ended.err}"
        ran.append(line)
    assert len(ran) > 40
