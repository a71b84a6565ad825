"""``tokumei anonymize --dry-run``: the plan, how long and how much, before anything is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tokumei.cli.language import heads, spoken_time, spoken_words
from tokumei.cli.output import finish, show_table, tell
from tokumei.words import Words

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.flow import Estimate, Plan, Size


def finish_dry_run(
    size: Size, plan: Plan, expected: Estimate, where: str, save: Path | None, *, audit: bool, json: bool
) -> NoReturn:
    """Show what would be done, and end the command; write the plan if a file for it is named."""
    from tokumei.data import write_text
    from tokumei.flow import told_contents

    words = spoken_words()
    if save is not None:
        write_text(save, plan.to_toml(secret=False))
        if not json:
            tell(words("cli.plan-written", file=save))
    schema = plan.schema
    assert schema is not None

    def steps(words: Words) -> list[tuple[str, str]]:
        read = words("cli.records-of", records=size.records, subjects=len(size.lengths))
        return [
            ("read", f"{plan.input}: {read}"),
            ("anonymize", how_made(plan, words)),
            ("audit", words("cli.quick-audit" if audit else "cli.left-out")),
            ("publish", where),
        ]

    def show(console: Console) -> None:
        console.print(words("cli.plan"), style="bold")
        rows = [
            [words(f"cli.step-{step}"), what, spoken_time(expected.stages.get(step), words)]
            for step, what in steps(words)
        ]
        show_table(console, heads("step", "what", "about"), rows)
        treated = [
            [
                column.name,
                words(_treatment(column.drop, column.keep)),
                "" if column.drop else words(f"kind.{column.kind}"),
            ]
            for column in schema.columns
        ]
        show_table(
            console, heads("column", "becomes", "kind"), [[schema.subject, words("cli.pseudonym"), ""], *treated]
        )
        for message in told_contents(plan):
            console.print(words.say(message), markup=False)
        console.print(foreseen(expected, words))

    document = {
        "dry_run": True,
        "method": plan.method,
        "why": plan.why,
        "parameters": plan.deciding,
        "content": plan.content,
        "contents": [str(message) for message in told_contents(plan)],
        "records": size.records,
        "subjects": len(size.lengths),
        "steps": dict(steps(Words("en"))),
        "estimate": expected.as_dict(),
        "plan": plan.to_toml(secret=False),
    }
    finish(document, json=json, show=show)


def foreseen(expected: Estimate, words: Words) -> str:
    """Return the estimate in words, with how far it may be off."""
    gigabytes = max(expected.megabytes / 1000, 0.1)
    if expected.seconds is None:
        return words("cli.estimate-memory", gigabytes=gigabytes)
    times = {name: spoken_time(getattr(expected, name), words) for name in ("seconds", "shortest", "longest")}
    return words("cli.estimate", gigabytes=gigabytes, **times)


def how_made(plan: Plan, words: Words) -> str:
    """Return the method with its settings, and how it was chosen."""
    why = "" if plan.why is None else words.say(plan.why)
    return f"{plan.method} ({_settings(plan)}): {why}"


def _settings(plan: Plan) -> str:
    return ", ".join([f"{name}={value}" for name, value in plan.deciding.items() if value != ""])


def where_to(output: Path | None, data_name: str) -> str:
    """Return what would be written where."""
    from tokumei.flow import places_of

    if output is None:
        return spoken_words()("cli.to-name")
    places = places_of(output)
    beside = ", ".join(path.name for path in (places.secret, places.plan, places.audit))
    return spoken_words()("cli.to-folder", folder=output, data=data_name, beside=beside)


def _treatment(drop: bool, keep: bool) -> str:
    """Return the key of what becomes of a column."""
    if drop:
        return "cli.dropped"
    return "cli.kept" if keep else "cli.generalized-to"
