"""Commands made from the official programs of a contest: every public function of its module ``official`` is one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.output import (
    JsonFlag,
    LanguageOption,
    SettingsOption,
    StrictFlag,
    check_language,
    check_targets,
    finish,
    show_findings,
    show_table,
)
from tokumei.contests.findings import Findings
from tokumei.contests.official import Answer, StoppedError

if TYPE_CHECKING:
    from rich.console import Console

PLACE = ("file", "line", "column", "code")


def official_app(home: str, group: str, arguments: Mapping[str, str]) -> typer.Typer:
    """Return the commands of a contest's own; ``arguments`` tells what their arguments are."""
    app = typer.Typer(no_args_is_help=True)
    module = import_module(f"{home}.official")
    for name, program in _programs(module):
        about = {key: text for key, text in arguments.items() if " " not in key}
        about |= {key.split(" ")[1]: text for key, text in arguments.items() if key.startswith(f"{name} ")}
        app.command(name, help=program.__doc__)(_command(program, about))
    add_examples(app, home, group)
    return app


def _programs(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, found in vars(module).items():
        if inspect.isfunction(found) and found.__module__ == module.__name__ and not name.startswith("_"):
            yield name.replace("_", "-"), found


def _command(program: Callable[..., Any], about: Mapping[str, str]) -> Callable[..., None]:
    """Return a program as a command of typer: its parameters, and ``--json`` (with ``--language`` for a checker)."""
    hints = get_type_hints(program, include_extras=True)
    checks = inspect.isclass(hints["return"]) and issubclass(hints["return"], Findings)
    written = [name for name, hint in hints.items() if _marker(hint) == "file"]
    parameters = []
    for name, given in inspect.signature(program).parameters.items():
        option = given.kind is inspect.Parameter.KEYWORD_ONLY
        kind = _kind(name, hints[name], about.get(name, ""), option=option)
        parameters.append(inspect.Parameter(name, given.KEYWORD_ONLY, annotation=kind, default=given.default))
    added: dict[str, Any] = {"language": (LanguageOption, "en")} if checks else {}
    for name, (kind, default) in {**added, "json": (JsonFlag, False)}.items():
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default))

    def command(*, json: bool, language: str = "en", **values: Any) -> None:
        words = check_language(language)
        check_targets([values[name] for name in written], *_paths(values, written))
        try:
            found = program(**values)
        except StoppedError as error:
            found = error.answer
        if isinstance(found, Findings):
            _tell_findings(found, words, json=json)
        _tell(found if isinstance(found, Answer) else Answer(document=found), json=json)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _paths(values: Mapping[str, Any], written: Sequence[str]) -> list[Any]:
    """Return the files that a program reads."""
    listed = [value if isinstance(value, list) else [value] for name, value in values.items() if name not in written]
    return [path for paths in listed for path in paths if isinstance(path, Path)]


def _marker(hint: Any) -> Any:
    """Return what stands beside a type, None if nothing does."""
    return get_args(hint)[1] if get_origin(hint) is Annotated else None


def _kind(name: str, hint: Any, about: str, *, option: bool) -> Any:
    """Return the type of a parameter with what typer needs to know about it."""
    if name == "strict":
        return StrictFlag
    inner = [one for one in get_args(hint) if _marker(one) is not None]
    marker = _marker(inner[0]) if inner else _marker(hint)
    if marker == "settings":
        return SettingsOption
    if marker is not None:
        hint = get_args(inner[0])[0] | None if inner else get_args(hint)[0]
    bounds: dict[str, Any] = {"min": marker} if isinstance(marker, int) else {}
    if not option:
        return Annotated[hint, typer.Argument(metavar=_metavar(name, hint), help=about, **bounds)]
    flags = ("--output", "-o") if name == "output" else (f"--{name.replace('_', '-')}",)
    return Annotated[hint, typer.Option(*flags, help=about, **bounds)]


def _metavar(name: str, hint: Any) -> str:
    return f"{name.upper()}..." if get_origin(hint) is list else name.upper()


def _tell_findings(found: Findings, language: str, *, json: bool) -> None:
    document = found.as_dict(language)

    def show(console: Console) -> None:
        if found.figures:
            show_table(console, ["measure", "value"], Answer(document=found.figures).plain_rows())
        show_findings(console, document, PLACE)
        said = document["official"]
        for message in _messages(said) if isinstance(said, Mapping) else ():
            console.print(f"official program: {message}")

    finish(document, json=json, show=show, status=1 - document["valid"])


def _messages(said: Mapping[str, Any]) -> list[str]:
    """Return what the official program says about a file in its own words."""
    told = [said.get("message"), *said.get("messages", ()), said.get("error")]
    return [message for message in told if isinstance(message, str)]


def _tell(answer: Answer, *, json: bool) -> None:
    told = partial(finish, answer.document, json=json, status=1 - answer.good)
    if answer.text:
        told(text=answer.text)
    told(table=answer.table or (["measure", "value"], answer.plain_rows()))
