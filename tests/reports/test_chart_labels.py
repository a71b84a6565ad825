"""What stands beside the axes and bars of a chart: numbers as everywhere else, none over another or under a line."""

from __future__ import annotations

import re

import polars as pl
import pytest

from tokumei.reports import charts, release_charts

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


def test_no_name_of_the_trade_off_covers_a_point() -> None:
    names = ["k-anonymity k=3", "k-anonymity k=5", "microaggregation k=3", "microaggregation k=5", "pseudonymize"]
    losses, risks = [0.453, 0.589, 0.59, 0.697, 0.0], [1 / 3, 0.2, 1 / 3, 0.183, 1.0]
    verdicts = ["safe", "safe", "not-shown-unsafe", "not-shown-unsafe", "unsafe"]
    rows = pl.DataFrame({"release": names, "loss": losses, "risk": risks, "verdict": verdicts, "front": [True] * 5})
    words = {name: name for name in ("loss", "risk", "safe", "not-shown-unsafe", "unsafe")}
    svg = release_charts.trade_off_chart(rows, words=words)
    wide, high = 560 / (1.35 * 0.697), 320 / 1.05
    points = [(loss * wide, 320 - risk * high) for loss, risk in zip(losses, risks, strict=True)]
    for name in names:
        x, y = map(float, re.findall(r"<text[^>]*translate\(([\d.]+),([\d.]+)\)[^>]*>" + name, svg)[0])
        crossed = [(left, top) for left, top in points if x < left + 5 and left - 5 < x + 5.5 * len(name)]
        # The text stands on y and is about 8 high; a point is 5 around its middle.
        assert all(top - 5 >= y or top + 5 <= y - 8 for _, top in crossed), name
