"""Reports: one file that asks nobody for anything, in which data is text and never markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Run
from tokumei.report import charts
from tokumei.report.document import Section, Table, render

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


def _charts() -> dict[str, str]:
    bars = [{"release": HOSTILE, "attack": HOSTILE, "share": 0.5, "baseline": 0.1}]
    return {
        "histogram": charts.histogram([1, 2, 3, 1000], label=HOSTILE),
        "bars": charts.attack_bars(bars),
        "trade-off": charts.trade_off([{"release": HOSTILE, "loss": 0.25, "risk": 1.0}]),
        "curves": charts.curves(
            [{"n": n, "y": n / 9, "k": HOSTILE, "t": "a"} for n in range(9)],
            x="n",
            y="y",
            series="k",
            dash="t",
            titles=("x", HOSTILE),
        ),
    }


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
    assert document.count("<svg") == 5


@pytest.mark.parametrize("name", list(_charts()))
def test_a_chart_is_valid_svg_without_requests(name: str) -> None:
    svg = _charts()[name]
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own text
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    elements = list(root.iter())
    assert not {element.tag.rpartition("}")[2] for element in elements} & {"script", "image", "foreignObject", "a"}
    for element in elements:
        for attribute, value in element.attrib.items():
            plain = attribute.rpartition("}")[2]
            assert not plain.startswith("on")
            assert plain not in ("href", "src") or value.startswith("#")


@pytest.mark.parametrize("values", [[], [1], [1.0, 1.0], [10**9]])
def test_a_histogram_of_next_to_nothing_is_drawn(values: list[float]) -> None:
    assert charts.histogram(values, label="records").startswith("<svg")


def test_charts_are_drawn_alike_every_time() -> None:
    assert _charts() == _charts()


def test_the_demo_report_is_self_contained(run: Run, tmp_path: Path) -> None:
    shown = run("demo", tmp_path / "demo", "--subjects", "12", "--json")
    assert shown.status == 0, shown.err
    report = Path(shown.json["report"])
    assert report == tmp_path / "demo" / "report.html"
    reader = _check_self_contained(report.read_text(encoding="utf-8"))
    assert "svg" in reader.tags
    assert "Tokumei demo" in reader.text
    names = {path.name for path in (tmp_path / "demo").iterdir()}
    assert {"purchases.csv", "schema.toml", "report.html"} <= names
    secrets = [name for name in names if name.endswith(".secret")]
    assert sorted(name.removesuffix(".secret") for name in secrets) == sorted(
        name for name in names if name.startswith("release-") and not name.endswith(".secret")
    )
