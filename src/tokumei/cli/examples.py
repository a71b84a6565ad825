"""One example or more for the help text of every command, and usage errors with what was meant."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from tokumei.errors import ParameterError, did_you_mean

__all__ = ["EXAMPLES", "add_examples", "readable_help", "usage_error"]

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
    "pws2016 prepare": ("pws2016 prepare online_retail.parquet -o 2016",),
    "pws2016 check": ("pws2016 check M.csv T.csv M1.csv T1.csv P.csv",),
    "pws2016 utility": ("pws2016 utility M.csv T.csv M1.csv T1.csv P.csv",),
    "pws2016 anonymize": ("pws2016 anonymize ano-ya M.csv T.csv -o submission",),
    "pws2016 attack": ("pws2016 attack re-tnum M.csv T.csv M1.csv T1.csv -o Q.csv",),
    "pws2016 safety": ("pws2016 safety P.csv Q.csv",),
    "pws2016 evaluate": ("pws2016 evaluate M.csv T.csv M1.csv T1.csv P.csv",),
    "pws2016 table": ("pws2016 table online_retail.parquet",),
    "pws2017 utility": ("pws2017 utility M.csv T.csv AT.csv",),
    "pws2018 threshold": ("pws2018 threshold --max-n 1000 -o R.csv",),
    "pws2018 power": ("pws2018 power --k 2 --max-n 1000",),
    "pws2018 tables": ("pws2018 tables T_final.csv submissions.parquet",),
    "pws2018 audit": ("pws2018 audit T.csv A.csv --k 2",),
    "pws2018 check": ("pws2018 check T.csv A.csv", "pws2018 check T.csv A.csv --language ja"),
    "pws2018 check-guesses": ("pws2018 check-guesses T.csv A1.csv F1.csv",),
    "pws2018 publish": ("pws2018 publish A.csv -o A1.csv",),
    "pws2018 utility": ("pws2018 utility T.csv A.csv",),
    "pws2018 safety": ("pws2018 safety T.csv A.csv F1.csv",),
    "pws2018 anonymize": ("pws2018 anonymize k-anonymity T.csv --k 2 -o A.csv",),
    "pws2018 attack": ("pws2018 attack re-item T.csv A1.csv -o F1.csv",),
    "pws2018 use-cases": ("pws2018 use-cases T.csv A.csv --draws 10",),
    "pws2018 evaluate": ("pws2018 evaluate T.csv A.csv F1.csv",),
    "pws2021 anonymize": ("pws2021 anonymize team06 B.csv -o D.csv -x X.csv",),
    "pws2021 attack": ("pws2021 attack likelihood CT.csv D.csv -o E.csv",),
    "pws2021 risk": ("pws2021 risk B.csv D.csv X.csv --draws 20",),
    "pws2021 rlink": ("pws2021 rlink CT.csv D.csv -o E.csv",),
    "pws2021 pick": ("pws2021 pick B.csv X.csv -o CT.csv --answers EA.csv",),
    "pws2021 join": ("pws2021 join C.csv D.csv -o joined.csv",),
    "pws2021 exclude": ("pws2021 exclude B.csv X.csv -o C.csv",),
    "pws2021 synth": ("pws2021 synth B.csv -o synthetic.csv",),
    "pws2021 seed-guess": ("pws2021 seed-guess B.csv CT.csv --first 0 --last 1000",),
    "pws2021 check-dx": ("pws2021 check-dx B.csv D.csv X.csv",),
    "pws2021 check-e": ("pws2021 check-e B.csv E.csv",),
    "pws2021 uniqrt": ("pws2021 uniqrt C.csv",),
    "pws2021 iloss": ("pws2021 iloss C.csv D.csv",),
    "pws2021 umark": ("pws2021 umark B.csv D.csv",),
    "pws2021 ccount": ("pws2021 ccount B.csv",),
    "pws2021 odds": ("pws2021 odds B.csv",),
    "pws2021 cor": ("pws2021 cor B.csv",),
    "pws2021 lmark": ("pws2021 lmark EA.csv E.csv",),
    "pws2021 evaluate": ("pws2021 evaluate B.csv D.csv X.csv",),
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
