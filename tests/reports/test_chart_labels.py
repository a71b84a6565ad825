"""What stands beside the axes and bars of a chart: numbers as everywhere else, none over another or under a line."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import polars as pl
import pytest

from tokumei.reports import charts, release_charts
from tokumei.reports.trade_off_chart import HEIGHT, WIDTH, Box, trade_off_chart

SIDES = {"share": "named", "random": "blind"}


def _texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def _attacks(share: float) -> str:
    rows = pl.DataFrame({"attack": ["a"], "share": [share], "baseline": [0.1]})
    return release_charts.attack_chart(rows, limit=1 / 3, words=SIDES)


@pytest.mark.half_second
def test_percentages_of_charts_have_the_space_of_all_others() -> None:
    texts = _texts(_attacks(0.2963))
    assert "29.6 %" in texts
    assert {"0 %", "20 %", "100 %"} <= set(texts)
    assert not any(re.search(r"\d%", text) for text in texts)


@pytest.mark.half_second
@pytest.mark.parametrize(("share", "behind"), [(0.15, False), (0.2963, True), (1 / 3, True), (0.5, False)])
def test_the_figure_of_a_bar_is_not_crossed_by_the_line(share: float, behind: bool) -> None:  # noqa: FBT001
    shown = f"{100 * share:.1f} %"
    places = re.findall(r"<text[^>]*translate\(([\d.]+),[^>]*>" + shown, _attacks(share))
    line = release_charts.ATTACK_WIDTH / 3
    at = float(places[0])
    assert at == pytest.approx((line if behind else release_charts.ATTACK_WIDTH * share) + 6, abs=1)


def test_ticks_of_a_logarithmic_axis_are_few_and_round() -> None:
    assert charts.log_axis(1, 300)["values"] == [1, 2, 5, 10, 20, 50, 100, 200]
    assert charts.log_axis(1, 4289)["values"] == [1, 10, 100, 1000]
    assert charts.log_axis(0.5, 12)["values"] == pytest.approx([0.5, 1, 2, 5, 10])
    shown = _texts(charts.histogram([1, 2, 3, 4289], label="records"))
    assert {"1", "10", "100", "1,000"} <= set(shown)
    assert "2,000" not in shown


def test_the_bars_of_posteriors_stop_at_the_promise() -> None:
    table = pl.DataFrame({"from": [0.0, 1 / 3], "to": [1 / 3, 1.0], "pseudonyms": [9, 1]})
    texts = _texts(release_charts.stairs(table, x="x", y="y", limit=1 / 3, share=True))
    assert [text for text in texts if text.endswith("%")] == ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]


OUTCOMES = {name: name for name in ("loss", "risk", "safe", "not-shown-unsafe", "unsafe")}


def _trade_off(names: list[str], losses: list[float], risks: list[float]) -> list[tuple[Box, Box]]:
    """Return for every release the box of its name and the box of its point."""
    verdicts = ["unsafe"] * len(names)
    rows = pl.DataFrame(
        {"release": names, "loss": losses, "risk": risks, "verdict": verdicts, "front": [True] * len(names)}
    )
    svg = trade_off_chart(rows, words=OUTCOMES)
    wide, high = WIDTH / (1.35 * max(losses)), HEIGHT / 1.05
    boxes = []
    for name, loss, risk in zip(names, losses, risks, strict=True):
        x, y = map(float, re.findall(r"<text[^>]*translate\((-?[\d.]+),(-?[\d.]+)\)[^>]*>" + re.escape(name), svg)[0])
        # The text stands on y, which is 4 below its middle; a letter is at least half as wide as high.
        text = Box(x, x + 5.5 * len(name), y - 9, y + 1)
        left, top = loss * wide, HEIGHT - risk * high
        boxes.append((text, Box(left - 5, left + 5, top - 5, top + 5)))
    return boxes


@pytest.mark.parametrize("crowd", ["spread", "one spot", "right edge", "bottom"])
def test_no_name_of_the_trade_off_covers_a_point_or_another_name(crowd: str) -> None:
    names = ["k-anonymity k=3", "k-anonymity k=5", "microaggregation k=3", "microaggregation k=5", "pseudonymize"]
    losses, risks = {
        "spread": ([0.453, 0.589, 0.59, 0.697, 0.0], [1 / 3, 0.2, 1 / 3, 0.183, 1.0]),
        "one spot": ([0.5] * 5, [0.3333, 0.3334, 0.3333, 0.33, 0.34]),
        "right edge": ([1.0, 0.99, 0.98, 0.97, 0.5], [0.5, 0.49, 0.48, 0.47, 0.46]),
        "bottom": ([0.2, 0.21, 0.22, 0.23, 1.0], [0.0, 0.0, 0.01, 0.0, 0.02]),
    }[crowd]
    placed = _trade_off(names, losses, risks)
    for number, (text, _) in enumerate(placed):
        assert not any(text.meets(point) for _, point in placed), names[number]
        assert not any(text.meets(other) for other, _ in placed[:number]), names[number]
        assert text.left >= -1, names[number]


def _outside(svg: str) -> list[str]:
    """Return the texts of a chart that would not fit into it if their letters were as wide as those of wide fonts."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own text
    _, _, width, _ = map(float, root.attrib["viewBox"].split())
    cut = []

    def walk(element: ElementTree.Element, left: float) -> None:
        moved = re.search(r"translate\((-?[\d.]+)", element.get("transform", ""))
        left += float(moved.group(1)) if moved else 0.0
        if element.tag.endswith("text") and "rotate" not in element.get("transform", ""):
            text = "".join(element.itertext())
            wide = charts.text_width(text, float(element.get("font-size", "11px").removesuffix("px")))
            start = left - wide * {"end": 1.0, "middle": 0.5}.get(element.get("text-anchor", ""), 0.0)
            if start < -1 or start + wide > width + 1:
                cut.append(text)
        for child in element:
            walk(child, left)

    walk(root, 0.0)
    return cut


def test_long_japanese_names_are_not_cut_where_no_font_has_them() -> None:
    """Names of attacks were cut at the left: they were measured without the font that they were read with."""
    names = ["誤差が最小の割り当て", "最も確率の高い持ち主", "Very long name of an attack that somebody added"]
    rows = pl.DataFrame({"attack": names, "share": [0.3, 0.2, 0.1], "baseline": [0.1] * 3})
    words = {"share": "言い当てた仮IDの割合", "random": "当てずっぽう"}
    svg = release_charts.attack_chart(rows, limit=1 / 3, words=words)
    assert _outside(svg) == []
    answers = pl.DataFrame({"what": names, "value": [0.3, 0.5, 0.9], "without": [0.1] * 3, "limit": [0.2, None, None]})
    told = {"value": "公開データあり", "without": "公開データなし", "limit": "上限"}
    assert _outside(release_charts.measured_chart(answers, words=told)) == []
    shares = pl.DataFrame({"what": names, "share": [0.1, 0.5, 1.0]})
    assert _outside(release_charts.share_chart(shares, title="重なり")) == []


def test_names_of_a_legend_do_not_run_into_each_other() -> None:
    words = {**OUTCOMES, "safe": "安全", "not-shown-unsafe": "危険は見つからない", "unsafe": "安全ではない"}
    rows = pl.DataFrame({"release": ["a"], "loss": [0.3], "risk": [0.3], "verdict": ["safe"], "front": [True]})
    svg = trade_off_chart(rows, words=words)
    entries = re.findall(
        r'<g transform="translate\(([\d.]+),[\d.]+\)"><path class="background"[^>]*opacity="1"/>.*?>([^<]+)</text>', svg
    )
    assert [name for _, name in entries] == ["安全", "危険は見つからない", "安全ではない"]
    ends = [float(start) + 16 + charts.text_width(name, charts.LEGEND_SIZE) for start, name in entries]
    assert all(end < float(start) for end, (start, _) in zip(ends, entries[1:], strict=False))
