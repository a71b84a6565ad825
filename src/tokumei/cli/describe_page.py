"""The page of ``tokumei describe --html``: the profile and the raw risk with charts, in one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokumei.cli.describe import risk_rows
from tokumei.data import History
from tokumei.profiles import Profile, RawRisk
from tokumei.reports import Section, Table, charts, render
from tokumei.words import amount, percent

SHOWN_PAIRS = 10
_WHAT_IS_SHOWN = (
    "Share of the subjects that are alone with what somebody knows of them, if the data were handed out under "
    "pseudonyms only. Known records are distinct records of the subject, chosen at random; where there are too "
    "many choices to try all, they are drawn and the 95 % interval is given."
)


def describe_page(history: History, found: Profile, risk: RawRisk, hints: Sequence[str], *, name: str) -> str:
    """Return the page as HTML text; it shows figures of the raw data and is as confidential as the data."""
    known = risk.known.get(1)
    lead = (
        f"{found.records:,} records of {found.subjects:,} subjects. Whoever knows one record of somebody, by chance, "
        f"singles out {percent(known.value if known else 0.0)} of the subjects. This page describes raw data: keep it."
    )
    sections = [_risk(risk), _columns(risk), _profile(history, found)]
    if hints:
        sections.insert(0, Section(title="To look at first", paragraphs=list(hints)))
    schema = Section(
        title="The schema",
        paragraphs=["What the columns are taken for; correct it in the file that describe -o writes."],
        tables=[Table(["schema.toml"], [[line] for line in history.schema.to_toml().splitlines() if line])],
    )
    return render(f"What {name} tells about people", lead, [*sections, schema])


def _risk(risk: RawRisk) -> Section:
    rows = risk_rows(risk)
    return Section(
        title="How little singles a person out",
        paragraphs=[_WHAT_IS_SHOWN],
        tables=[
            Table(
                ["who knows of a subject ...", "singles it out", "how sure"],
                [[what, percent(share), sure] for what, share, sure in rows],
            )
        ],
        charts={"Share of subjects singled out": _share_bars([(what, share) for what, share, _ in rows])},
    )


def _columns(risk: RawRisk) -> Section:
    pairs = [one for one in risk.pairs[:SHOWN_PAIRS] if one.share > 0]
    told = [*risk.columns, *pairs]
    rows = [[" and ".join(one.columns), percent(one.share), percent(one.most_telling)] for one in told]
    bars = [(" and ".join(one.columns), one.share) for one in told]
    return Section(
        title="Which columns identify",
        paragraphs=[
            "One value of a column, or two of the same record, known of a subject: a random one, the best one."
        ],
        tables=[Table(["known", "a random one singles out", "the most telling one"], rows)],
        charts={"Share of subjects singled out by a random value": _share_bars(bars)} if bars else {},
    )


def _profile(history: History, found: Profile) -> Section:
    spreads = {"records per subject": found.records_per_subject}
    spreads |= {f"days from first to last {name}": days for name, days in found.days_per_subject.items()}
    shown = {what: spread for what, spread in spreads.items() if spread}
    names = list(found.records_per_subject)
    columns = [[one.name, one.kind, one.distinct, one.missing, one.lowest, one.highest] for one in found.columns]
    several = found.records > found.subjects > 0
    return Section(
        title="The data",
        tables=[
            Table(
                ["per subject", *names],
                [[what, *(amount(value) for value in spread.values())] for what, spread in shown.items()],
            ),
            Table(["column", "kind", "distinct", "missing", "lowest", "highest"], columns),
        ],
        charts={"Records per subject": charts.histogram(history.counts().tolist(), label="records per subject")}
        if several
        else {},
    )


def _share_bars(rows: Sequence[tuple[str, float]]) -> str:
    """Return horizontal bars of shares as SVG, in the given order."""
    y = {"field": "what", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 320}}
    share: dict[str, Any] = {"field": "share", "type": "quantitative", "title": None, "axis": charts.percent_axis()}
    share["scale"] = {"domain": [0, 1]}
    layer: list[dict[str, Any]] = [
        {"mark": {"type": "bar", "color": charts.ORANGE}, "encoding": {"x": share, "y": y}},
        {
            "mark": {"type": "text", "align": "left", "dx": 4, "color": charts.INK},
            "encoding": {"x": share, "y": y, "text": {"field": "label", "type": "nominal"}},
        },
    ]
    values = [{"what": what, "share": share, "label": percent(share)} for what, share in rows]
    return charts.to_svg({"data": {"values": values}, "width": 420, "height": {"step": 22}, "layer": layer})
