"""``tokumei pws2021 odds-errors``, ``candidates`` and ``penalties``: the tables of the winning team's poster."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tokumei.cli.output import JsonFlag, SettingsOption, finish, progress_bars, with_settings
from tokumei.contests.pws2021.run_commands import CT, B, D, X


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("odds-errors")(odds_errors)
    app.command()(candidates)
    app.command()(penalties)


def _finish(name: str, rows: list[dict[str, Any]], *, json: bool) -> None:
    headers = list(rows[0]) if rows else []
    shown = [["-" if value is None else value for value in row.values()] for row in rows]
    finish({name: rows}, json=json, table=(headers, shown))


def odds_errors(b: B, d: D, json: JsonFlag = False) -> None:
    """List the error of the odds ratio of every label, the largest first, beside those of the poster."""
    from tokumei.contests.pws2021.poster import odds_errors as errors
    from tokumei.contests.pws2021.rules import HealthFile

    _finish("odds_errors", errors(HealthFile.read(b, "B").table, HealthFile.read(d, "D").table), json=json)


def candidates(ct: CT, d: D, settings: SettingsOption = None, json: JsonFlag = False) -> None:
    """Count for every test row the rows of D within reach (4), in the band (3 to 4) and near (below 0.5)."""
    from tokumei.contests.pws2021.attacks.loss_band import LossBand
    from tokumei.contests.pws2021.poster import candidate_counts
    from tokumei.contests.pws2021.rules import HealthFile

    attack = with_settings(LossBand, settings)
    rows = candidate_counts(HealthFile.read(ct, "CT").table, HealthFile.read(d, "D").table, attack)
    _finish("candidates", rows, json=json)


def penalties(
    b: B,
    d: D,
    x: X,
    draws: Annotated[int, typer.Option("--draws", min=2, help="How many sets of test rows to draw.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the first draw.")] = 0,
    json: JsonFlag = False,
) -> None:
    """Measure what a penalty on edu and mar finds, for both readings of 'they differ', beside the poster's table."""
    from tokumei.contests.pws2021.poster import penalty_rows
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    rules, original = Rules2021(), HealthFile.read(b, "B")
    with progress_bars():
        rows = penalty_rows(lambda part: rules.risk(part, original, d, x, draws=draws, seed=seed)[1])
    _finish("penalties", rows, json=json)
