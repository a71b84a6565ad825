"""``tokumei CONTEST ...``: the standard commands, made from the contract of any registered contest.

They take folders, each with the files that the contest names. Commands of a contest's own (see `Contest.commands`)
replace standard ones of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.output import (
    JsonFlag,
    LanguageOption,
    SeedOption,
    SettingsOption,
    check_language,
    finish,
    progress_bars,
    show_findings,
    show_table,
    warn_of_seed,
)
from tokumei.errors import InputError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.contests import Checked, Contest, FileSpec, RoundTable

PLACE = ("file", "line", "column", "code")

DataArgument = Annotated[Path, typer.Argument(metavar="DATA", help="Folder with the original files.")]
ReleaseArgument = Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder with the files of a release.")]
PublishedArgument = Annotated[Path, typer.Argument(metavar="PUBLISHED", help="Folder with what was published.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", help="The new folder to write.")]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option("--parameter", metavar="NAME=VALUE", help="Set a parameter of the contest; may be repeated."),
]
DrawOption = Annotated[str, typer.Option("--seed", help="What test files are drawn from; a contest needs its own.")]
PublishedOption = Annotated[
    Path | None, typer.Option("--published", help="Folder of 'publish'; without it the release is published again.")
]
TruthOption = Annotated[Path | None, typer.Option("--truth", help="Folder with what only the judge may see.")]


def contest_app(contest: type[Contest]) -> typer.Typer:
    """Return all commands of a contest: its own, and the standard ones that it can have."""
    app = contest.commands() or typer.Typer(no_args_is_help=True)
    own = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    commands = _Commands(contest)
    offered: dict[Callable[..., None], str] = {
        commands.check: "data release",
        commands.utility: "data release",
        commands.evaluate: "data release",
    }
    if contest.methods:
        offered[commands.anonymize] = f"{contest.methods[0]} data -o release"
    if contest.has_attack_task:
        offered |= {
            commands.publish: "data release -o published",
            commands.safety: "data release guesses",
            commands.rank: "results.json",
        }
    if contest.has_attack_task and contest.attacks:
        offered[commands.attack] = f"{contest.attacks[0]} data published -o guesses"
    for command, words in offered.items():
        name = command.__name__
        if name not in own:
            example = f"Example:\n\ntokumei {contest.name} {name} {words}"
            app.command(name, help=f"{command.__doc__}\n\n{_files_of(contest, name)}", epilog=example)(command)
    return app


def _files_of(contest: type[Contest], command: str) -> str:
    """Return which files the folders of a command hold."""
    parts = {"DATA": contest.data_files, "RELEASE": contest.release_files}
    if command == "attack":
        parts = {"DATA": contest.data_files, "PUBLISHED": contest.published_files}
    if command in ("safety", "evaluate") and contest.has_attack_task:
        parts["GUESSES"] = contest.guess_files
    if command == "rank":
        return ""
    return "; ".join(f"{folder}: {_listed(files)}" for folder, files in parts.items()) + "."


def _listed(files: Sequence[FileSpec]) -> str:
    return ", ".join(f"{file.filename} ({file.about['en']})" for file in files)


class _Commands:
    """The standard commands of one contest."""

    def __init__(self, contest: type[Contest]) -> None:
        self._contest = contest

    def _made(self, parameters: Sequence[str] | None) -> Contest:
        from tokumei.parts import make_part

        return make_part(self._contest, _split(parameters))

    def check(
        self,
        data: DataArgument,
        release: Annotated[Path | None, typer.Argument(metavar="[RELEASE]", help="Folder of a release.")] = None,
        parameters: ParameterOption = None,
        language: LanguageOption = "en",
        json: JsonFlag = False,
    ) -> None:
        """Check the original files, or a release of them; exit status 1 if a rule is broken."""
        contest = self._made(parameters)
        checked = contest.check_data(_data(contest, data))
        if release is not None:
            _refuse_data(checked, data)
            checked = contest.check_release(data, _existing(release))
        document = _findings(checked, check_language(language))
        show = partial(show_findings, document=document, names=PLACE)
        finish(document, json=json, show=show, status=1 - checked.valid)

    def utility(
        self, data: DataArgument, release: ReleaseArgument, parameters: ParameterOption = None, json: JsonFlag = False
    ) -> None:
        """Measure a release; exit status 1 if it is invalid."""
        contest = self._made(parameters)
        checked = contest.check_release(_data(contest, data), _existing(release))
        document = {**checked.figures, **({} if checked.valid else _findings(checked, "en"))}

        def show(console: Console) -> None:
            if checked.figures:
                show_table(console, ["measure", "value"], list(checked.figures.items()))
            if not checked.valid:
                show_findings(console, document, PLACE)

        finish(document, json=json, show=show, status=1 - checked.valid)

    def anonymize(
        self,
        name: Annotated[str, typer.Argument(metavar="NAME", help="The sample method.")],
        data: DataArgument,
        output: FolderOption,
        seed: SeedOption = None,
        settings: SettingsOption = None,
        parameters: ParameterOption = None,
        json: JsonFlag = False,
    ) -> None:
        """Make a release by a sample method."""
        from tokumei.data import atomic_folder
        from tokumei.flow import seeded

        contest = self._made(parameters)
        with progress_bars(), atomic_folder(output) as folder:
            result = contest.anonymize(name, _data(contest, data), folder, settings=_split(settings), rng=seeded(seed))
        warn_of_seed(seed)
        finish(result, json=json, text=_told(output, result))

    def publish(
        self,
        data: DataArgument,
        release: ReleaseArgument,
        output: FolderOption,
        truth: TruthOption = None,
        team: Annotated[list[str] | None, typer.Option("--team", help="A team that attacks; may be repeated.")] = None,
        seed: DrawOption = "",
        parameters: ParameterOption = None,
        json: JsonFlag = False,
    ) -> None:
        """Write what attackers get of a release; files of single teams go into folders of their names."""
        from tokumei.contests import write_published, write_truth

        contest = self._made(parameters)
        made = contest.publish(_data(contest, data), _existing(release), attackers=team or [], seed=seed)
        hidden = bool(made.truth or made.truth_per_attacker)
        if hidden and truth is None:
            raise ParameterError("name the folder for what only the judge may see with --truth", code="usage")
        files = write_published(made, output)
        if hidden and truth is not None:
            write_truth(made, truth)
        finish({"files": files}, json=json, text="\n".join(files))

    def attack(
        self,
        name: Annotated[str, typer.Argument(metavar="NAME", help="The sample attack.")],
        data: DataArgument,
        published: PublishedArgument,
        output: FolderOption,
        team: Annotated[str, typer.Option("--team", help="The attacking team, if files were made for it.")] = "",
        seed: SeedOption = None,
        settings: SettingsOption = None,
        parameters: ParameterOption = None,
        json: JsonFlag = False,
    ) -> None:
        """Attack what was published by a sample attack; write the guesses."""
        import numpy as np

        from tokumei.contests import seen_by
        from tokumei.data import atomic_folder

        contest = self._made(parameters)
        with progress_bars(), seen_by(_existing(published), team) as seen, atomic_folder(output) as folder:
            rng = np.random.default_rng(seed)
            result = contest.attack(name, _existing(data), seen, folder, settings=_split(settings), rng=rng)
        finish(result, json=json, text=_told(output, result))

    def safety(
        self,
        data: DataArgument,
        release: ReleaseArgument,
        guesses: Annotated[Path, typer.Argument(metavar="GUESSES", help="Folder of guesses, named by its team.")],
        published: PublishedOption = None,
        truth: TruthOption = None,
        seed: DrawOption = "",
        parameters: ParameterOption = None,
        language: LanguageOption = "en",
        json: JsonFlag = False,
    ) -> None:
        """Score the guesses of a team about a release; exit status 1 if they are invalid or show it unsafe."""
        from tokumei.contests import scored

        contest = self._made(parameters)
        (checked,) = scored(
            contest, _data(contest, data), _existing(release), [guesses], published=published, truth=truth, seed=seed
        )
        negative = not checked.valid or contest.shows_unsafe(checked.figures)
        if checked.valid:
            table = (["measure", "value"], list(checked.figures.items()))
            finish(checked.figures, json=json, table=table, status=int(negative))
        document = {**checked.figures, **_findings(checked, check_language(language))}
        finish(document, json=json, show=partial(show_findings, document=document, names=PLACE), status=1)

    def evaluate(
        self,
        data: DataArgument,
        release: ReleaseArgument,
        guesses: Annotated[
            list[Path] | None, typer.Argument(metavar="[GUESSES]...", help="Folders of guesses, named by their teams.")
        ] = None,
        published: PublishedOption = None,
        truth: TruthOption = None,
        seed: DrawOption = "",
        parameters: ParameterOption = None,
        json: JsonFlag = False,
    ) -> None:
        """Check and measure a release and score all guesses; exit status 1 if it is invalid or shown unsafe."""
        from tokumei.contests import scored

        contest = self._made(parameters)
        with progress_bars():
            checked = contest.check_release(_data(contest, data), _existing(release))
            results = []
            if guesses and checked.valid:
                results = scored(contest, data, release, guesses, published=published, truth=truth, seed=seed)
        unsafe = any(one.valid and contest.shows_unsafe(one.figures) for one in results)
        document = {
            **_findings(checked, "en"),
            "figures": dict(checked.figures),
            "guesses": [
                {"team": folder.name, **_findings(one, "en"), "figures": dict(one.figures)}
                for folder, one in zip(guesses or [], results, strict=False)
            ],
            "unsafe": unsafe,
        }
        show = partial(_show_evaluation, document=document)
        finish(document, json=json, show=show, status=int(unsafe or not checked.valid))

    def rank(
        self,
        results: Annotated[Path, typer.Argument(metavar="RESULTS.json", help="Entries and pairs of the rounds.")],
        parameters: ParameterOption = None,
        language: LanguageOption = "en",
        json: JsonFlag = False,
    ) -> None:
        """Rank teams from their figures.

        A round is {"entries": [{"team", "figures", "received_at", "disqualified"}], "pairs": [{"attacker", "owner",
        "figures"}]}; several ones are {"rounds": [...]}, each with its "weight".
        """
        from tokumei.contests import read_rounds

        contest, words = self._made(parameters), check_language(language)
        rounds = read_rounds(results)
        tables = [(weight, contest.rank_round(entries, pairs)) for weight, entries, pairs in rounds]
        table = tables[0][1] if len(tables) == 1 else contest.rank_overall(tables)
        document = _ranking(table, words)

        def show(console: Console) -> None:
            for title, found in document.items():
                keys = {column["key"]: column["title"] for column in found["columns"]}
                rows = [
                    [row["rank"] or "-", row["team"], *(row["figures"].get(key, "") for key in keys), row["remark"]]
                    for row in found["rows"]
                ]
                show_table(console, ["rank", "team", *keys.values(), ""], rows, title=title)
                console.print(found["rule"])

        finish(document, json=json, show=show)


def _split(texts: Sequence[str] | None) -> dict[str, Any]:
    """Return settings by name; the parts read them after their declared types."""
    settings: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = (piece.strip() for piece in text.partition("="))
        if not equals or not name:
            raise ParameterError(f"write settings as name=value, got '{text}'", code="usage")
        settings[name.replace("-", "_")] = value
    return settings


def _existing(folder: Path) -> Path:
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; name the folder with the files", code="no-folder", file=str(folder))
    return folder


def _data(contest: Contest, folder: Path) -> Path:
    """Return the folder of the original files; one that lacks some cannot be used."""
    missing = [
        file.filename
        for file in contest.data_files
        if not file.optional and not (_existing(folder) / file.filename).exists()
    ]
    if missing:
        message = f"{folder} lacks {', '.join(missing)}; put the original files of the contest there"
        raise InputError(message, code="files-missing", file=str(folder))
    return folder


def _refuse_data(checked: Checked, folder: Path) -> None:
    if not checked.valid:
        message = f"{folder}: the original files cannot be used: {checked.notes[0].message['en']}"
        raise InputError(message, code=checked.notes[0].code, file=str(folder))


def _findings(checked: Checked, language: str) -> dict[str, Any]:
    errors = [{**note.as_dict(), "message": note.message[language]} for note in checked.notes]
    return {"valid": checked.valid, "error_count": checked.note_count, "errors": errors}


def _told(folder: Path, result: Mapping[str, Any]) -> str:
    return f"{folder}: {', '.join(f'{name} {value}' for name, value in result.items())}"


def _show_evaluation(console: Console, document: Mapping[str, Any]) -> None:
    show_findings(console, document, PLACE)
    if document["figures"]:
        show_table(console, ["measure", "value"], list(document["figures"].items()))
    for found in document["guesses"]:
        show_table(console, ["measure", "value"], list(found["figures"].items()), title=found["team"])
    if document["guesses"]:
        console.print("unsafe" if document["unsafe"] else "not shown unsafe")


def _ranking(table: RoundTable, language: str) -> dict[str, Any]:
    return {
        title: {
            "rule": rule[language],
            "columns": [
                {"key": column.key, "title": column.title[language], "better": column.better} for column in columns
            ],
            "rows": [
                {
                    "team": row.team,
                    "rank": row.rank,
                    "figures": dict(row.figures),
                    "remark": "" if row.remark is None else row.remark[language],
                }
                for row in rows
            ],
        }
        for title, rule, columns, rows in (
            ("anonymizers", table.anonymizer_rule, table.anonymizer_columns, table.anonymizers),
            ("attackers", table.attacker_rule, table.attacker_columns, table.attackers),
        )
    }
