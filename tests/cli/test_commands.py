"""What holds for every command alike: a help text, ``--json``, suggestions for what was mistyped, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.refusal import refused
from tests.conftest import Run
from tests.program import program
from tokumei.errors import UnknownPartError
from tokumei.parts import find_part, part_names

GIVEN = ["--original", "{data}", "--release", "{release}"]


def _walk(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, inner in getattr(command, "commands", {}).items():
        yield (*words, name), inner
        yield from _walk(inner, (*words, name))


# Django's own commands take Django's own options.
PASSED_ON = ("arena", "manage")


def every() -> dict[tuple[str, ...], Any]:
    """Return all groups and commands by their words."""
    return dict(_walk(program()))


def leaves() -> dict[tuple[str, ...], Any]:
    """Return all commands of ours."""
    return {words: one for words, one in every().items() if not getattr(one, "commands", None) and words != PASSED_ON}


def test_the_walk_finds_the_commands() -> None:
    assert {("describe",), ("synth", "purchases"), ("pws2018", "check"), ("audit",)} <= set(leaves())


def test_every_command_and_option_says_what_it_is_for() -> None:
    ours = leaves()
    for words, command in every().items():
        assert (command.help or "").strip(), words
        if words in ours:
            unsaid = [option.name for option in command.params if not (getattr(option, "help", None) or "").strip()]
            assert unsaid == [], words


def test_every_command_takes_json() -> None:
    for words, command in leaves().items():
        options = {option: parameter for parameter in command.params for option in parameter.opts}
        assert options["--json"].help == "Print one JSON document instead of text.", words


@pytest.mark.half_second
def test_every_command_refuses_an_unknown_option_as_json_too(run: Run, tmp_path: Path) -> None:
    for words in leaves():
        error = refused(run, tmp_path, *words, "--no-such-thing")
        assert error["code"] == "usage", words
        assert error["message"].startswith("there is no option --no-such-thing"), words
        assert error["message"].endswith("(see --help)"), words


@pytest.mark.half_second
def test_help_answers(run: Run) -> None:
    for words in [(), *every()]:
        asked = run(*words, "--help")
        assert (asked.status, asked.err) == (0, ""), words
        assert ("Usage: tokumei" if words != PASSED_ON else "tokumei arena manage help") in asked.out, words


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["descibe"], "there is no command 'descibe' (did you mean 'describe'?) (see --help)"),
        (["describe", "--scema", "x"], "there is no option --scema (did you mean '--schema'?) (see --help)"),
        (["describe"], "missing argument 'INPUT' (see --help)"),
        (
            ["anonymize", "x", "-o", "r", "--seed", "-1"],
            "invalid value for '--seed': it must be greater than or equal to 0 (see --help)",
        ),
        (
            ["anonymize", "x", "-o", "r", "--k", "many"],
            "invalid value for '--k': it must be a valid integer (see --help)",
        ),
        (["anonymize", "x", "-o", "r", "--format", "xlsx"], "--format must be csv or parquet, got 'xlsx'"),
        (
            ["anonymize", "x", "-o", "r", "--method", "pseudonymise"],
            "there is no anonymizer named 'pseudonymise' (did you mean 'pseudonymize'?); registered are ",
        ),
        (
            ["anonymize", "x", "-o", "r", "--method", "pseudonymize", "--set", "lenght=20"],
            "'pseudonymize' has no parameter 'lenght' (did you mean 'length'?); it has style, length, period",
        ),
        (
            ["anonymize", "x", "-o", "r", "--method", "pseudonymize", "--set", "length=7"],
            "parameter 'length' of 'pseudonymize' must be a whole number from 8 to 64, got 7",
        ),
        (
            ["anonymize", "x", "-o", "r", "--method", "pseudonymize", "--set", "length=" + "9" * 400],
            "must be a whole number from 8 to 64, got 9999999999999999999999999999999999999...",
        ),
        (
            ["anonymize", "x", "-o", "r", "--method", "pseudonymize", "--set", "period=weak"],
            "must be one of never, day, week, month, year, got 'weak' (did you mean 'week'?)",
        ),
        (
            ["anonymize", "x", "-o", "r", "--method", "pseudonymize", "--set", "count=1", "--set", "count=2"],
            "parameter 'count' of 'pseudonymize' is given twice; give it once",
        ),
        (
            ["anonymize", "x", "-o", "r", "--method", "pseudonymize", "--set", "count"],
            "'pseudonymize': write settings as name=value, got 'count'",
        ),
        (
            ["anonymize", "x", "-o", "r", "--method", "pseudonymize", "--k", "3"],
            "the method 'pseudonymize' has no k; leave --k out",
        ),
        (
            ["attack", "re-unique", "--original", "x", "--release", "r", "-o", "g"],
            "there is no attack named 're-unique' (did you mean 're-uniq'?)",
        ),
        (
            ["judge", "--original", "x", "--release", "r", "--metric", "cell-eror"],
            "there is no metric named 'cell-eror' (did you mean 'cell-error'?)",
        ),
        (["pws2018", "anonymize", "ano-randon", "T", "-o", "A"], "(did you mean 'ano-random'?)"),
        (["pws2018", "utility", "T"], "missing argument: give T, A, or --join with the tables on standard input"),
        (["pws2018", "publish", "A"], "name the file to write with -o"),
        (["pws2018", "threshold", "--max-n", "9", "--p", "third"], "--p"),
        (["synth", "purchases", "-o", "x.txt"], "the file name must end in .csv, .csv.gz, .parquet"),
        (["pws2018", "utility", "--join"], "--join and --json each want standard output for themselves"),
    ],
)
def test_a_mistyped_command_line_is_explained(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "--join" in words:
        answer = run(*words, "--json")
        assert answer.status == 2
        assert message in answer.json["error"]["message"]
        return
    assert message in refused(run, tmp_path, *words)["message"]


def test_no_command_shows_the_help(run: Run) -> None:
    asked = run()
    assert asked.status == 2
    assert "Usage: tokumei" in asked.out
    assert asked.err == ""


def test_the_version_is_told(run: Run) -> None:
    asked = run("--version")
    assert asked.status == 0
    assert asked.out.startswith("tokumei ")


@pytest.mark.parametrize(("command", "kind"), [("methods", "anonymizer"), ("attacks", "attack"), ("metrics", "metric")])
def test_what_is_registered_is_listed_with_parameters_and_source(run: Run, command: str, kind: str) -> None:
    answer = run(command, "--json")
    assert answer.status == 0
    listed = answer.json[command]
    loadable = []
    for name in part_names(kind):
        try:
            find_part(kind, name)
        except UnknownPartError:
            continue
        loadable.append(name)
    assert [part["name"] for part in listed] == loadable
    for part in listed:
        assert part["summary"]
        assert part["source"]
        assert set(part["needs"]) <= {"records", "people", "rows"}
        for parameter in part["parameters"]:
            assert list(parameter) == ["name", "type", "default", "allowed", "doc"]
            assert parameter["doc"]
    shown = run(command)
    assert shown.status == 0
    assert loadable[0] in shown.out


def test_a_part_that_cannot_be_loaded_is_named_and_hides_no_other(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    import tokumei.parts

    broken = EntryPoint("broken", "no_such_package:Method", "tokumei.methods")
    known = {**tokumei.parts._entry_points("anonymizer"), "broken": broken}
    monkeypatch.setattr(tokumei.parts, "_entry_points", lambda _: known)
    told = run("methods")
    assert told.status == 0
    assert "pseudonymize" in told.out
    assert (
        "warning: the anonymizer 'broken' cannot be loaded from no_such_package:Method (ModuleNotFoundError" in told.err
    )
    asked = run("anonymize", "x", "--method", "broken", "-o", "r", "--json")
    assert asked.status == 2
    assert asked.json["error"]["code"] == "broken-part"


def test_a_fault_of_ours_is_no_traceback(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What an unforeseen error says may hold data; only its kind is shown."""

    def fails(*_: object, **__: object) -> None:
        message = "customer 4711"
        raise ZeroDivisionError(message)

    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    monkeypatch.setattr("tokumei.profiles.describe_data", fails)
    monkeypatch.delenv("TOKUMEI_DEBUG", raising=False)
    told = run("describe", path)
    assert (told.status, told.out) == (2, "")
    assert told.err == (
        "tokumei: internal error (ZeroDivisionError); set TOKUMEI_DEBUG=1 to see where, and please report it\n"
    )
    assert run("describe", path, "--json").json["error"]["code"] == "internal"


def test_too_little_memory_is_told(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails(*_: object, **__: object) -> None:
        raise MemoryError

    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    monkeypatch.setattr("tokumei.profiles.describe_data", fails)
    assert refused(run, tmp_path, "describe", path)["code"] == "memory"


def test_names_are_not_taken_for_markup(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("customer,[bold]x,:smile:\n1,[red]a,b\n2,[/red],c\n1,[red]a,c\n", encoding="utf-8")
    told = run("describe", path)
    assert told.status == 0
    for name in ("[bold]x", ":smile:"):
        assert name in told.out


def _asked(words: str, count: int) -> dict[str, str]:
    """Return the variables with which a shell asks for completions."""
    return {"_TOKUMEI_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(count)}


@pytest.mark.half_second
def test_the_installed_program_completes_for_the_shell() -> None:
    script = str(Path(sys.executable).parent / "tokumei")
    environment = {**os.environ, **_asked("tokumei des", 1)}
    done = subprocess.run([script], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["describe"], "")


@pytest.fixture
def _stdout_is_read_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typer ends the program with a completion; then nothing is written any more, but the tests have to read it."""
    monkeypatch.setattr("tokumei.cli.main.forget_stdout", lambda: None)


@pytest.mark.half_second
@pytest.mark.usefixtures("_stdout_is_read_afterwards")
def test_the_shell_completes_commands_options_and_names(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def completed(words: str, count: int) -> list[str]:
        for name, value in _asked(words, count).items():
            monkeypatch.setenv(name, value)
        told = run()
        assert told.err == ""
        return told.out.split()

    assert completed("tokumei des", 1) == ["describe"]
    assert completed("tokumei pws2018 che", 2) == ["check", "check-guesses"]
    assert "--schema" in completed("tokumei describe --", 2)
    assert completed("tokumei anonymize x --method pseudo", 4) == ["pseudonymize"]
    assert completed("tokumei attack re-u", 2) == ["re-uniq"]


@pytest.mark.usefixtures("_stdout_is_read_afterwards")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_shown(shell: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    told = run("--show-completion", shell)
    assert told.status == 0, told
    assert "_TOKUMEI_COMPLETE" in told.out


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("words", "need"),
    [
        (["anonymize", "{data}", "--method", "ano-shuffle", "-o", "{out}"], "'ano-shuffle' needs a table of people"),
        (["anonymize", "{data}", "--method", "rr", "-o", "{out}"], "'rr' needs a static table"),
        (["attack", "rlink", *GIVEN, "-o", "{out}"], "'rlink' needs a static table"),
        (["attack", "re-sort", *GIVEN, "-o", "{out}"], "'re-sort' needs a table of people"),
        (["judge", *GIVEN, "--metric", "ham"], "'ham' needs a table of people"),
    ],
)
def test_a_part_for_other_data_says_what_it_needs(run: Run, tmp_path: Path, words: list[str], need: str) -> None:
    data, made = tmp_path / "p.csv", tmp_path / "made"
    run("synth", "purchases", "--subjects", "6", "--seed", "1", "-o", data)
    run("anonymize", data, "--method", "pseudonymize", "--skip-audit", "-o", made)
    places = {"data": str(data), "release": str(made), "out": str(tmp_path / "out")}
    answer = run(*(word.format(**places) for word in words), "--json")
    assert answer.status == 2
    assert answer.json["error"]["code"] == "needs"
    assert answer.json["error"]["message"].startswith(need)
    assert not (tmp_path / "out").exists()


@pytest.mark.half_second
def test_judging_asks_only_the_metrics_that_fit_the_data(run: Run, tmp_path: Path) -> None:
    run("synth", "health", "--subjects", "40", "--seed", "1", "-o", tmp_path / "h.csv")
    made = ["--subject", "row", "--method", "pseudonymize", "--skip-audit", "-o", tmp_path / "made"]
    assert run("anonymize", tmp_path / "h.csv", *made).status == 0
    judged = run("judge", "--original", tmp_path / "h.csv", "--release", tmp_path / "made", "--json")
    assert {score["name"] for score in judged.json["scores"]}.isdisjoint({"cmae", "ham", "uniqrt", "iloss", "umark"})
    assert not [text for text in judged.json["skipped"] if "people" in text or "static" in text]
