"""One example or more for the help text of every command, and usage errors with what was meant."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from tokumei.errors import ParameterError, did_you_mean

EXAMPLES: dict[str, Sequence[str]] = {
    "describe": ("describe purchases.csv", "describe purchases.csv -o schema.toml --html purchases.html"),
    "anonymize": (
        "anonymize purchases.csv --dry-run",
        "anonymize purchases.csv --k 3 -o release",
        "anonymize --plan release.plan.toml -o again",
    ),
    "attack": ("attack re-item --original purchases.csv --release release --secret release.secret -o guesses.csv",),
    "judge": ("judge --original purchases.csv --release release",),
    "audit": ("audit --original purchases.csv --release release --secret release.secret",),
    "reissue": ("reissue release --secret release.secret -o again",),
    "verify": ("verify release certificate.json --public-key publisher.key.pub",),
    "keygen": ("keygen publisher.key",),
    "report": ("report --original purchases.csv --release release --secret release.secret -o report.html",),
    "compare": ("compare purchases.csv --methods k-anonymity,microaggregation --k 2,3,5",),
    "demo": ("demo", "demo my-demo --subjects 500"),
    "methods": ("methods", "methods --json"),
    "attacks": ("attacks",),
    "metrics": ("metrics",),
    "synth purchases": ("synth purchases --subjects 200 --seed 1 -o purchases.csv",),
    "synth trajectories": ("synth trajectories --subjects 200 --seed 1 -o trajectories.csv",),
    "synth health": ("synth health --subjects 2000 --seed 1 -o health.csv",),
    "synth master": ("synth master --subjects 400 --seed 1 -o T.csv",),
    "experiment concealment": ("experiment concealment adult.parquet -o results",),
}


def add_examples(app: typer.Typer, prefix: str = "", examples: Mapping[str, Sequence[str]] = EXAMPLES) -> None:
    """Put the examples under the help texts of the commands that have none of their own.

    Packages that add commands give theirs with the name of their group as prefix.
    """
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "").replace("_", "-")
        lines = examples.get(prefix + name, ())
        if lines and not command.epilog:
            title = "Example" if len(lines) == 1 else "Examples"
            command.epilog = "\n\n".join([f"{title}:", *(f"tokumei {line}" for line in lines)])
    for group in app.registered_groups:
        if group.typer_instance is not None and isinstance(group.name, str):
            add_examples(group.typer_instance, f"{prefix}{group.name} ", examples)


def readable_help(words: Sequence[str]) -> None:
    """Before a help text is shown, replace the colours of Typer that nobody can read on a light background."""
    if not {"-h", "--help"} & set(words):
        return
    from typer import rich_utils

    rich_utils.STYLE_TYPES = "bold magenta"
    rich_utils.STYLE_USAGE = "bold"
    rich_utils.STYLE_OPTION = rich_utils.STYLE_SWITCH = rich_utils.STYLE_COMMANDS_TABLE_FIRST_COLUMN = "bold"
    rich_utils.STYLE_HELPTEXT = ""


def usage_error(error: Any) -> ParameterError:
    """Return what is wrong with the words of a call as one sentence, with the nearest word that is known.

    ``error`` is a usage error of Typer.
    """
    reason = re.sub(r", unable to parse .*", "", error.format_message().rstrip("."))
    reason = reason.replace("Input should be", "it must be")
    known = getattr(error, "possibilities", None)
    wrong = getattr(error, "option_name", None)
    if wrong:
        reason = f"there is no option {wrong}{did_you_mean(wrong, known or ())}"
    reason = re.sub(r"\. Did you mean (.*)\?$", r" (did you mean \1?)", reason)
    reason = re.sub(r"^No such command", "there is no command", reason)
    reason = re.sub(r"^Got unexpected extra argument\S* \((.*)\)$", r"too many words: \1 cannot be used", reason)
    return ParameterError(f"{reason[:1].lower()}{reason[1:]} (see --help)", code="usage")
