"""``tokumei describe``: the profile and the raw risk of a table, in the terminal, as JSON or as a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.language import SpokenOption, heads, spoken_words
from tokumei.cli.options import InputArgument, MemoryOption, SchemaOption, SubjectOption, refuse_both
from tokumei.cli.output import JsonFlag, bar, check_targets, finish, progress_bars, show_table, tell, visible
from tokumei.errors import ParameterError
from tokumei.words import Message, Words, amount, percent

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.profiles import ColumnRisk, Profile, Proposal, RawRisk, Share

SHOWN_PAIRS = 5


def describe(
    data: InputArgument,
    schema: SchemaOption = None,
    subject: SubjectOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="S.toml", help="Write the inferred schema here.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with charts to look at.")
    ] = None,
    _language: SpokenOption = None,
    _memory: MemoryOption = None,
    json: JsonFlag = False,
) -> None:
    """Profile raw data, infer its schema, and show how little knowledge singles a person out."""
    from tokumei.data import OWNER_ONLY, Schema, write_text
    from tokumei.profiles import (
        describe_data,
        hints,
        identifier_suspects,
        proposal_message,
        proposals,
        subject_document,
    )

    words = spoken_words()
    _check_targets(output, html, data, schema)
    refuse_both(schema, subject)
    with progress_bars():
        described = describe_data(data, None if schema is None else Schema.read(schema), subject=subject)
        history, found, risk = described.sample, described.profile, described.risk
        suspects = identifier_suspects(history)
        messages = [*history.notes, *hints(history)]
        messages += [Message("hint.identifier", {"what": suspect.message()}) for suspect in suspects]
        messages += described.sampled()
        noted = list(map(str, messages))
        page = None
        if html is not None:
            from tokumei.cli.describe_page import describe_page

            page = describe_page(history, found, risk, messages, name=data.name, language=words.language)
    if output is not None:
        write_text(output, history.schema.to_toml())
    if html is not None and page is not None:
        # The page shows figures of raw data: it is as confidential as they are.
        write_text(html, page, mode=OWNER_ONLY)
    if not json:
        for path in (output, html):
            if path is not None:
                tell(words("cli.written", file=path))

    def show(console: Console) -> None:
        _show_profile(console, found, risk, {spec.name: spec.column for spec in history.schema.fields})
        _show_risk(console, risk)
        _show_subject(console, described.subject)
        for hint in messages:
            console.print(visible(f"! {words.say(hint)}"))
        console.print(visible(words.say(proposal_message(history.schema))), markup=False)
        if output is None:
            console.print(words("cli.schema"), style="bold")
            console.print(history.schema.to_toml(), markup=False)

    document = {
        **found.as_dict(),
        "risk": risk.as_dict(),
        "hints": noted,
        "identifiers": {suspect.column: str(suspect.why) for suspect in suspects},
        "schema": history.schema.to_toml(),
        "grids": proposals(history.schema),
        "subject": subject_document(history.schema, described.subject),
        "sampled_subjects": len(history.subjects) if described.large else None,
    }
    finish(document, json=json, show=show)


def _check_targets(output: Path | None, html: Path | None, data: Path, schema: Path | None) -> None:
    """Raise an error if what is to be written would lie over an input, over each other, or cannot be written."""
    if output is not None and html is not None and output.resolve() == html.resolve():
        message = f"-o and --html both name {output}; give the schema and the page a file each"
        raise ParameterError(message, code="usage")
    check_targets((output, html), data, schema)


def _show_profile(console: Console, found: Profile, risk: RawRisk, column_of: Mapping[str, str]) -> None:
    """Print sizes and columns; both coordinates of a place show what the place tells."""
    words = spoken_words()
    size = "cli.records-of-one" if found.subjects == 1 else "cli.records-of"
    console.print(words(size, records=found.records, subjects=found.subjects), style="bold")
    spreads = {words("cli.records"): found.records_per_subject}
    spreads |= {words("cli.days-of", column=name): days for name, days in found.days_per_subject.items()}
    rows = [[name, *(amount(value) for value in spread.values())] for name, spread in spreads.items() if spread]
    if rows and found.records > found.subjects:
        quantiles = [words.table.get(f"quantile.{name}", name) for name in found.records_per_subject]
        show_table(console, [*heads("per-subject"), *quantiles], rows)
    told = {one.columns[0]: one.share for one in risk.columns}
    shares = [told[column_of[one.name]] for one in found.columns]
    columns = [
        [one.name, words(f"kind.{one.kind}"), one.distinct, one.missing, one.lowest, one.highest, percent(share)]
        for one, share in zip(found.columns, shares, strict=True)
    ]
    names = heads("column", "kind", "distinct", "missing", "lowest", "highest", "singles-out")
    show_table(console, names, columns)


def _show_subject(console: Console, proposal: Proposal | None) -> None:
    """Print who the records were taken for, and what else they may be of."""
    if proposal is None:
        return
    rows = [
        [
            one.column,
            one.distinct,
            amount(one.per_value),
            one.empty,
            "x" if one.named else "",
            "x" if one.row_numbers else "",
            "*" if one.column == proposal.subject else "",
        ]
        for one in proposal.candidates
    ]
    names = heads("candidate", "distinct", "records-each", "empty", "named-so", "row-numbers", "taken")
    show_table(console, names, rows)
    words = spoken_words()
    console.print(visible(words("cli.subject", subject=proposal.subject, why=words.say(proposal.why))))
    if proposal.doubt is not None:
        console.print(visible(f"! {words('cli.doubt', doubt=words.say(proposal.doubt))}"))


def fact_words(what: str, words: Words) -> str:
    """Return what is known of a whole history: how many records it has, a total, or all of these."""
    column = what.removeprefix("total of ")
    if column != what:
        return words("describe.total", column=column)
    return words("describe.count" if what == "number of records" else "describe.count_and_totals")


def risk_rows(risk: RawRisk, words: Words) -> list[tuple[str, float, str]]:
    """Return what somebody may know, the share of subjects it singles out, and how sure the share is."""
    rows: list[tuple[str, float, str]] = []
    for number, share in risk.known.items():
        what = words("describe.one_record" if number == 1 else "describe.records", count=number)
        rows.append((what, share.value, _certainty(share, words)))
    exact = words("describe.exact")
    rows.append((words("describe.most_telling"), risk.most_telling_record, exact))
    rows += [(fact_words(what, words), share, exact) for what, share in risk.facts.items()]
    return rows


def _certainty(share: Share, words: Words) -> str:
    if share.interval is None:
        return words("describe.exact")
    return words("word.interval", low=percent(share.interval.low), high=percent(share.interval.high))


def _show_risk(console: Console, risk: RawRisk) -> None:
    words = spoken_words()
    rows = [[what, percent(share), bar(share, width=12), sure] for what, share, sure in risk_rows(risk, words)]
    show_table(console, heads("who-knows", "singles-out", "", "how-sure"), rows)
    draws = max((share.draws for share in risk.known.values()), default=0)
    if draws:
        console.print(words("cli.draws", draws=draws))
    pairs: list[ColumnRisk] = [one for one in risk.pairs[:SHOWN_PAIRS] if one.share > 0]
    if pairs:
        show_table(
            console,
            heads("two-values", "single-out", ""),
            [[words("describe.and").join(one.columns), percent(one.share), bar(one.share, width=12)] for one in pairs],
        )
