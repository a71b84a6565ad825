"""The page of ``tokumei describe --html``: the profile and the raw risk with charts, in one file."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tokumei.cli.describe import fact_words
from tokumei.data import History
from tokumei.profiles import Profile, RawRisk
from tokumei.reports import Bullets, Prose, Section, Table, charts, render, share_chart
from tokumei.words import Message, Words, amount, percent

SHOWN_PAIRS = 10


def describe_page(
    history: History, found: Profile, risk: RawRisk, hints: Sequence[Message], *, name: str, language: str = "en"
) -> str:
    """Return the page as HTML text; it shows figures of the raw data and is as confidential as the data."""
    words = Words(language)
    known = risk.known.get(1)
    lead = words(
        "describe.lead", records=found.records, subjects=found.subjects, share=known.value if known is not None else 0.0
    )
    sections = [_risk(risk, words), _columns(risk, words), _profile(history, found, words), _schema(history, words)]
    if hints:
        told = Bullets([words.say(hint) for hint in hints])
        sections.insert(0, Section(title=words("describe.first"), anchor="first", blocks=[told]))
    return render(
        words("describe.title", name=name),
        lead,
        sections,
        language=language,
        notes=[Prose(words("describe.raw"), "warning")],
        contents=words("report.contents"),
        page_name=name,
    )


def _schema(history: History, words: Words) -> Section:
    lines = [[line] for line in history.schema.to_toml().splitlines() if line]
    text, table = words("describe.schema_text"), Table(["schema.toml"], lines)
    return Section(title=words("describe.schema"), anchor="schema", folded=True, blocks=[Prose(text), table])


def _certainty(low: float, high: float, words: Words) -> str:
    return words("word.interval", low=percent(low), high=percent(high))


def _risk(risk: RawRisk, words: Words) -> Section:
    exact = words("describe.exact")
    rows: list[tuple[str, float, str]] = []
    for number, share in risk.known.items():
        sure = exact if share.interval is None else _certainty(share.interval.low, share.interval.high, words)
        rows.append(
            (words("describe.one_record" if number == 1 else "describe.records", count=number), share.value, sure)
        )
    rows.append((words("describe.most_telling"), risk.most_telling_record, exact))
    rows += [(fact_words(what, words), share, exact) for what, share in risk.facts.items()]
    table = Table(
        words.each("describe", "who_knows", "singles_out", "how_sure"),
        [[what, percent(share), sure] for what, share, sure in rows],
    )
    chart = {words("describe.singled_out"): _bars([(what, share) for what, share, _ in rows], words)}
    paragraphs = [words("describe.risk_text")]
    return Section(title=words("describe.risk"), anchor="risk", paragraphs=paragraphs, tables=[table], charts=chart)


def _columns(risk: RawRisk, words: Words) -> Section:
    pairs = [one for one in risk.pairs[:SHOWN_PAIRS] if one.share > 0]
    told = [(words("describe.and").join(one.columns), one) for one in [*risk.columns, *pairs]]
    rows = [[name, percent(one.share), percent(one.most_telling)] for name, one in told]
    bars = _bars([(name, one.share) for name, one in told], words)
    return Section(
        title=words("describe.columns"),
        anchor="columns",
        paragraphs=[words("describe.columns_text")],
        tables=[Table(words.each("describe", "known", "random_one", "best_one"), rows)],
        charts={words("describe.singled_out_by_value"): bars} if told else {},
    )


def _profile(history: History, found: Profile, words: Words) -> Section:
    spreads = {words("describe.records_per_subject"): found.records_per_subject}
    spreads |= {words("describe.days", column=name): days for name, days in found.days_per_subject.items()}
    shown = {what: spread for what, spread in spreads.items() if spread}
    names = [words.named("quantile", name) for name in found.records_per_subject]
    columns = [
        [one.name, words.named("kind", one.kind), one.distinct, one.missing, one.lowest, one.highest]
        for one in found.columns
    ]
    several = found.records > found.subjects > 0
    label = words("describe.records_per_subject")
    chart = charts.histogram(history.counts().tolist(), label=label, counted=words("describe.subjects"))
    headers = words.each("describe", "column", "kind", "distinct", "missing", "lowest", "highest")
    return Section(
        title=words("describe.data"),
        anchor="data",
        tables=[
            Table(
                [words("describe.per_subject"), *names],
                [[what, *(amount(value) for value in spread.values())] for what, spread in shown.items()],
            ),
            Table(headers, columns),
        ],
        charts={label: chart} if several else {},
    )


def _bars(rows: Sequence[tuple[str, float]], words: Words) -> str:
    """Return horizontal bars of shares as SVG, in the given order."""
    table = pl.DataFrame(rows, schema={"what": pl.String, "share": pl.Float64}, orient="row")
    return share_chart(table, title=words("describe.share"))
