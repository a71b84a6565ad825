"""``tokumei pws2017``: the utility of PWS Cup 2017."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.join import JoinFlag, finish_joined, inputs
from tokumei.cli.output import JsonFlag, finish, warn

app = typer.Typer(no_args_is_help=True)


@app.command()
def utility(
    m: Annotated[
        Path | None, typer.Argument(metavar="M", help="The customer master (not used by the metrics).")
    ] = None,
    t: Annotated[Path | None, typer.Argument(metavar="T", help="The original transactions.")] = None,
    at: Annotated[Path | None, typer.Argument(metavar="AT", help="The anonymized transactions.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail where the official programs fail.")] = False,
    join: JoinFlag = False,
    json: JsonFlag = False,
) -> None:
    """Measure E1 to E6: item similarity (wholesale, retail, top 100), dates, prices, deleted rows."""
    from tokumei.contests.pws2017.contest import Pws2017

    with inputs([m, t, at], "M T AT", join=join) as (m_file, t_file, at_file):
        result = Pws2017(strict=strict).utility(m_file, t_file, at_file)
    warn(*result.warnings)
    figures = result.as_dict()
    if join:
        finish_joined([f"{name},{value}" for name, value in figures.items()])
    rows = [[name, "-" if value is None else value] for name, value in figures.items()]
    document = {**figures, **_official_names(figures), "warnings": list(result.warnings)}
    finish(document, json=json, table=(["measure", "value"], rows))


def _official_names(figures: Mapping[str, float | None]) -> dict[str, Any]:
    """Return the figures by the official programs that print them; the deleted share is rounded there."""
    deleted = figures["E6"]
    return {
        "E1_itemcf_wholesale": figures["E1"],
        "E2_itemcf_retail": figures["E2"],
        "E3_topk": {"topk_list_difference": figures["E3_top"], "similarity_distance": figures["E3_similarity"]},
        "E4_date": figures["E4"],
        "E5_price": figures["E5"],
        "E6_nrow": None if deleted is None else round(deleted, 4),
    }


add_examples(app, "tokumei.contests.pws2017", "pws2017")
