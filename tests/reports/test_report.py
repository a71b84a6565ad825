"""Reports: one file that asks nobody for anything, in which data is text and never markup."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from tests.conftest import Run
from tokumei.reports import charts, release_charts
from tokumei.reports.document import Section, Table, render
from tokumei.reports.trade_off_chart import trade_off_chart

HOSTILE = "<script>alert('x')</script>&\"'{{ 7 * 7 }}"
# Attributes and forms by which a document loads something.
LOADING = ("src", "href", "xlink:href", "srcset", "action", "data", "poster", "background", "formaction")


class _Reader(HTMLParser):
    """Collects tags and what they would load."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loads: list[tuple[str, str | None]] = []
        self.events: list[str] = []
        self.policy = ""
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        values = dict(attrs)
        self.loads += [(name, value) for name, value in attrs if name in LOADING]
        self.events += [name for name in values if name.startswith("on")]
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"] or ""

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(document: str) -> _Reader:
    reader = _Reader()
    reader.feed(document)
    return reader


def _check_self_contained(document: str) -> _Reader:
    reader = _read(document)
    assert "default-src 'none'" in reader.policy
    assert "script-src" not in reader.policy
    assert not reader.tags & {"script", "link", "iframe", "object", "embed", "form", "base", "img", "audio", "video"}
    assert [(name, value) for name, value in reader.loads if not (value or "").startswith("#")] == []
    assert reader.events == []
    assert "@import" not in document
    assert [found for found in re.findall(r"url\(([^)]*)\)", document) if not found.strip("'\"").startswith("#")] == []
    return reader


@cache
def _charts() -> dict[str, str]:
    sides = {"before": HOSTILE, "after": "after", "records": HOSTILE, "others": HOSTILE, "empty": "", "random": HOSTILE}
    sides |= dict.fromkeys(("latitude", "longitude", "loss", "risk", "money_class", "recency_class"), HOSTILE)
    outcomes = {name: name for name in ("safe", "unsafe", "not-shown-unsafe")}
    attacks = pl.DataFrame({"attack": [HOSTILE], "share": [0.5], "baseline": [0.1]})
    steps = pl.DataFrame({"from": [0.5, 1.5], "to": [1.5, 2.5], "before": [0.5, 0.5], "after": [0.25, 0.75]})
    values = pl.DataFrame({"value": [HOSTILE, "", None], "before": [0.5, 0.3, 0.2], "after": [0.1, 0.4, 0.5]})
    releases = pl.DataFrame(
        {"release": [HOSTILE], "loss": [0.25], "risk": [1.0], "verdict": ["unsafe"], "front": [True]}
    )
    grid = pl.DataFrame({"recency": [1, 2], "monetary": [1, 2], "before": [1, 0], "after": [0, 3]})
    points = pl.DataFrame({"latitude": [35.0, 35.1], "longitude": [139.0, 139.1]})
    boxes = pl.DataFrame({"south": [35.0], "north": [35.1], "west": [139.0], "east": [139.2]})
    return {
        "histogram": charts.histogram([1, 2, 3, 1000], label=HOSTILE),
        "attacks": release_charts.attack_chart(attacks, limit=0.5, words={**sides, "share": HOSTILE + "s"}),
        "stairs": release_charts.stairs(steps.with_columns(pseudonyms=pl.lit(3)), x=HOSTILE, y=HOSTILE, limit=0.5),
        "number": release_charts.ordered_chart(steps, kind="number", scale="linear", words=sides),
        "log": release_charts.ordered_chart(steps, kind="number", scale="log", words=sides),
        "date": release_charts.ordered_chart(steps, kind="date", scale="linear", words=sides),
        "datetime": release_charts.ordered_chart(steps, kind="datetime", scale="linear", words=sides),
        "values": release_charts.category_chart(values, words=sides),
        "grid": release_charts.grid_chart(grid, words=sides),
        "map": release_charts.map_chart(points, boxes, words=sides),
        "trade-off": trade_off_chart(releases, words={**sides, **outcomes}),
        "curves": charts.curves(
            [{"n": n, "y": n / 9, "k": HOSTILE, "t": "a"} for n in range(9)],
            x="n",
            y="y",
            series="k",
            dash="t",
            titles=("x", HOSTILE),
        ),
    }


@pytest.mark.half_second
def test_a_document_is_self_contained_and_escaped() -> None:
    sections = [
        Section(
            title=HOSTILE,
            paragraphs=[HOSTILE],
            tables=[Table([HOSTILE], [[HOSTILE], [0.5], [12345], [True], [None]])],
            charts={HOSTILE: charts.histogram([1], label="x")} | _charts(),
        )
    ]
    document = render(HOSTILE, HOSTILE, sections, language="en")
    reader = _check_self_contained(document)
    assert "<script" not in document
    assert "{{ 7 * 7 }}" in reader.text
    assert "49" not in reader.text.replace("0.49", "")
    for shown in ("0.5000", "12,345", "True", "None"):
        assert shown in reader.text
    assert document.count("<svg") == 1 + len(_charts())
    ids = re.findall(r'\bid="([^"]+)"', document)
    assert len(ids) == len(set(ids))


@pytest.mark.half_second
def test_a_chart_is_valid_svg_without_requests() -> None:
    for name, svg in _charts().items():
        root = ElementTree.fromstring(svg)  # noqa: S314 - our own text
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        elements = list(root.iter())
        tags = {element.tag.rpartition("}")[2] for element in elements}
        assert not tags & {"script", "image", "foreignObject", "a"}, name
        for element in elements:
            for attribute, value in element.attrib.items():
                plain = attribute.rpartition("}")[2]
                assert not plain.startswith("on"), name
                assert plain not in ("href", "src") or value.startswith("#"), name


@pytest.mark.parametrize("values", [[], [1], [1.0, 1.0], [10**9]])
def test_a_histogram_of_next_to_nothing_is_drawn(values: list[float]) -> None:
    assert charts.histogram(values, label="records").startswith("<svg")


@pytest.mark.half_second
def test_charts_are_drawn_alike_every_time() -> None:
    assert _charts.__wrapped__() == _charts()


@pytest.mark.half_second
def test_the_demo_report_is_self_contained(run: Run, tmp_path: Path) -> None:
    shown = run("demo", tmp_path / "demo", "--subjects", "12", "--json")
    assert shown.status == 0, shown.err
    report = Path(shown.json["report"])
    assert report == tmp_path / "demo" / "report.html"
    reader = _check_self_contained(report.read_text(encoding="utf-8"))
    assert "svg" in reader.tags
    assert "Release report" in reader.text
    assert "k-anonymity k=3" in reader.text
    # The data comes from a seed, the release from the system: nobody can make it again, so that its proof holds.
    assert "Names: safe at k = 3, proven" in reader.text
    assert "公開データ報告書" in (tmp_path / "demo" / "report.ja.html").read_text(encoding="utf-8")
    names = {path.name for path in (tmp_path / "demo").iterdir()}
    assert {"purchases.csv", "schema.toml", "report.html", "report.ja.html"} <= names
    secrets = [name for name in names if name.endswith(".secret")]
    assert sorted(name.removesuffix(".secret") for name in secrets) == sorted(
        name for name in names if name.startswith("release-") and not name.endswith(".secret")
    )
