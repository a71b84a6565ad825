"""The page from paper to command covers the five documents, and users are sent to no document that they lack."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from tokumei.cli.main import build_app
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
