"""The architecture page shows the house as the code has it, and documents name places that exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parent.parent
NAMES_PLACES = ["CONTRIBUTING.md", "README.md", "README.ja.md", "docs/architecture.md", "docs/ja/architecture.md"]


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the programs that draw the page."""
    monkeypatch.syspath_prepend(str(PROJECT / "docs"))
    return importlib.import_module


@pytest.mark.half_second
def test_the_page_and_its_pictures_are_up_to_date(programs: Any) -> None:
    files = programs("architecture_pages").drawn_files()
    old = [path.name for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    assert old == [], "run make house"


@pytest.mark.half_second
def test_every_room_has_its_words_in_japanese(programs: Any) -> None:
    pages, house = programs("architecture_pages"), programs("house")
    for package, words in pages.JAPANESE_ROOMS.items():
        assert set(words) == set(house.read_house(package).rooms) - {house.GROUND}


def test_rooms_arrows_and_storeys_of_a_small_house(programs: Any, tmp_path: Path) -> None:
    """Two modules of a room import another: one arrow with the figure 2. What follows from two arrows is not drawn."""
    texts = {
        "errors.py": '"""Errors."""\n',
        "data/__init__.py": '"""Values."""\n',
        "data/rows.py": "from tokumei.errors import E\n",
        "methods/__init__.py": '"""Methods, one per file.\n\nMore."""\n',
        "methods/a.py": "from tokumei.data import x\nfrom tokumei.data import y\n",
        "methods/b.py": "def f():\n    import tokumei.data.rows\n",
        "cli/__init__.py": "from tokumei import methods\nfrom tokumei.data import x\nimport os\n",
        "data/late.py": "from tokumei.cli import main\n",
    }
    for name, text in texts.items():
        path = tmp_path / "tokumei" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    house = programs("house")
    small = house.read_house("tokumei", tmp_path)
    assert small.rooms["methods"] == house.Room("methods", 3, 7, "Methods, one per file.")
    assert small.arrows == {
        ("cli", "data"): 1,
        ("cli", "methods"): 1,
        ("data", "cli"): 1,
        ("data", "ground"): 1,
        ("methods", "data"): 2,
    }
    assert small.ground == ("errors",)
    rows, drawn, upwards = house.storeys(small)
    assert rows == [["data"], ["methods"], ["cli"]]
    assert drawn == [("cli", "methods"), ("methods", "data")]
    assert upwards == [("data", "cli")]


@pytest.mark.parametrize("document", NAMES_PLACES)
def test_documents_name_places_that_exist(document: str) -> None:
    text = (PROJECT / document).read_text(encoding="utf-8")
    places = re.findall(r"`((?:src|tests|docs|benchmarks|examples)/[\w./*-]*)`", text)
    assert [place for place in places if not list(PROJECT.glob(place))] == []
