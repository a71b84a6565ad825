"""The guide is true: it builds without a warning, its commands exist and run, and both languages say the same."""

from __future__ import annotations

import importlib
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import numpy as np
import pytest
from click import Context

import tokumei.errors
from tests.conftest import Run
from tests.program import program
from tests.sample_histories import sample
from tests.tours import SIZES, follow, run_python
from tokumei.errors import ParameterError
from tokumei.parts import Method

PROJECT = Path(__file__).resolve().parent.parent
DOCS = PROJECT / "docs"
LANGUAGES = {"en": DOCS, "ja": DOCS / "ja"}
PAGES = sorted(file.name for file in DOCS.glob("*.md"))
DOCUMENTS = sorted(
    file for file in [*PROJECT.glob("*.md"), *DOCS.rglob("*.md")] if not {"generated", "_build"} & set(file.parts)
)
FENCED = re.compile(r"^```([\w{}-]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# One process for both languages: half of what it does is to load the program and to read its messages. How words are
# found by searching is not looked at: to divide Japanese text and to find the stems of English words takes a third. The
# menu, which leads to the same pages everywhere and takes another, is made for one page of every folder.
BUILDING = """
import sys
import furo
from sphinx.cmd.build import main
from sphinx.search.en import SearchEnglish

menu, made = furo._compute_navigation_tree, set()

def once(context):
    folder = context["language"], context["current_page_name"].rpartition("/")[0]
    return "" if folder in made else made.add(folder) or menu(context)

furo._compute_navigation_tree = once
SearchEnglish.stem = lambda _, word: word
sys.exit(max(main(words) for words in {builds!r}))
"""
MOST_BYTES = {"terminal-": 60_000, "report-": 100_000}


def blocks(file: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page in this language."""
    return [body for kind, body in FENCED.findall(file.read_text(encoding="utf-8")) if kind == language]


def command_lines(file: Path) -> list[str]:
    """Return the command lines that a page shows on lines of their own, without their comments."""
    text = file.read_text(encoding="utf-8")
    lines = [line for body in blocks(file, "sh") for line in body.splitlines()]
    lines += [line for body in blocks(file, "console") for line in body.splitlines() if line.startswith("$ ")]
    lines += re.findall(r"^ {4}(\S.*)$", FENCED.sub("", text), re.MULTILINE)
    return [re.sub(r"\s+#.*", "", line.removeprefix("$ ")) for line in lines]


def commands(file: Path) -> list[str]:
    """Return every ``tokumei ...`` that a page mentions, in the text or on a line of its own."""
    inline = re.findall(r"`(tokumei [a-z][^`]*)`", FENCED.sub("", file.read_text(encoding="utf-8")))
    return [line for line in [*command_lines(file), *inline] if line.startswith("tokumei ")]


def parse(command: str, app: Any) -> None:
    """Raise click's error if a command, an option or the number of arguments does not exist."""
    words = [word for word in shlex.split(re.sub(r"[\[\]]", "", command))[1:] if word != "..."]
    context = Context(app, info_name="tokumei")
    while hasattr(app, "commands") and words:
        assert words[0] in app.commands, f"'{command}': there is no command {words[0]}"
        app = app.commands[words.pop(0)]
        context = Context(app, info_name=app.name, parent=context, **app.context_settings)
    if words and words[-1].startswith("--") and takes_value(app, words[-1]):
        # The text names an option without giving a value.
        words.append("VALUE")
    _values, rest, _order = app.make_parser(context).parse_args(words)
    assert not rest or context.allow_extra_args, f"'{command}': too many arguments: {rest}"


def takes_value(command: Any, option: str) -> bool:
    return any(option in one.opts and not one.is_flag for one in command.params if one.param_type_name == "option")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the programs that make parts of the guide."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module


def test_both_languages_have_the_same_pages() -> None:
    assert PAGES
    for folder in (".", "reference"):
        english, japanese = ({file.name for file in (root / folder).glob("*.md")} for root in LANGUAGES.values())
        assert english == japanese


def test_both_languages_show_the_same_commands_and_code() -> None:
    for page in PAGES:
        english, japanese = (root / page for root in LANGUAGES.values())
        assert command_lines(english) == command_lines(japanese), page
        for language in ("python", "sh", "text"):
            assert blocks(english, language) == blocks(japanese, language), page
        assert set(commands(english)) == set(commands(japanese)), page


def test_both_languages_give_the_same_figures() -> None:
    for page in PAGES:
        english, japanese = (
            set(re.findall(r"\d*\.\d+", FENCED.sub("", (root / page).read_text(encoding="utf-8"))))
            for root in LANGUAGES.values()
        )
        assert english == japanese, page


@pytest.mark.half_second
def test_commands_that_are_mentioned_exist() -> None:
    """Every command is one of the program's, with options and as many arguments as it takes.

    Those of the example contest exist where its package is installed: tests/contests/test_outside.py runs them there.
    """
    for file in DOCUMENTS:
        for command in commands(file):
            if "hide-ages" not in command:
                parse(command, program())


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("tokumei anonimize my.csv", "there is no command anonimize"),
        ("tokumei anonymize my.csv --kk 3", "No such option"),
        ("tokumei describe my.csv other.csv", "too many arguments"),
    ],
)
def test_the_check_of_commands_finds_faults(command: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        parse(command, program())


@pytest.mark.slow
@pytest.mark.parametrize("subjects", SIZES)
def test_quick_start_runs_from_an_empty_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subjects: int
) -> None:
    """The commands end well one after another, the files of the table lie where it says, and then the Python runs."""
    monkeypatch.chdir(tmp_path)
    page = DOCS / "quick-start.md"
    (tour,) = blocks(page, "sh")
    follow(tour, run, subjects=subjects)
    rows = re.findall(r"^\| `(release[^`]*)` \|.*\| (yes|\*\*never\*\*) \|$", page.read_text(), re.MULTILINE)
    assert {name for name, answer in rows if answer == "yes"} == {
        f"release/{file.name}" for file in (tmp_path / "release").iterdir()
    }
    kept = {name for name, answer in rows if answer == "**never**"}
    assert kept == {file.name for file in tmp_path.glob("release.*")}
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in kept}
    assert modes == {name: 0o700 if (tmp_path / name).is_dir() else 0o600 for name in kept}
    assert (tmp_path / "report.html").stat().st_size > 50_000
    assert (tmp_path / "comparison" / "comparison.svg").exists()
    (example,) = blocks(page, "python")
    said = run_python(example)
    assert said[0].startswith("one known record singles out ")
    assert said[1].endswith("%, safe")
    assert said[2] == "safe"
    assert (tmp_path / "release-from-python" / "data.csv").exists()


def test_schemas_of_the_quick_start_can_be_read() -> None:
    for root in LANGUAGES.values():
        found = [tokumei.Schema.from_toml(text) for text in blocks(root / "quick-start.md", "toml")]
        assert [schema.subject for schema in found] == ["customer", "customer"]
        assert {column.kind.value for column in found[1].columns} == {"date", "datetime", "number", "category", "place"}
        assert [column.name for column in found[1].columns if column.drop] == ["name"]


def test_the_example_of_a_new_part_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = blocks(DOCS / "adding-parts.md", "python")
    (tmp_path / "guide_example.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    part = importlib.import_module("guide_example").FirstRecords
    assert issubclass(part, Method)
    history = sample("mixed")
    release, secret = part(records=1).anonymize(history, rng=np.random.default_rng(1))
    assert len(release) == release.pseudonyms.n_unique() == len(history.subjects)
    assert len(secret.rows) == len(release)
    with pytest.raises(ParameterError, match="'records' of 'first-records' must be a whole number of at least 1"):
        part(records=0)


def test_pictures_are_what_their_programs_draw(programs: Any, tmp_path: Path) -> None:
    for name, text in programs("pictures").draw_all().items():
        assert (DOCS / "images" / name).read_text(encoding="utf-8") == text, f"run python docs/pictures.py for {name}"


@pytest.mark.slow
def test_the_terminal_is_what_describe_prints(programs: Any, tmp_path: Path) -> None:
    terminal = programs("terminal_pictures")
    terminal.run(terminal.DATA, tmp_path)
    name = "terminal-describe.svg"
    drawn = terminal.draw(terminal.SHOWN[name], terminal.run(terminal.SHOWN[name], tmp_path), name.removesuffix(".svg"))
    assert (DOCS / "images" / name).read_text(encoding="utf-8") == drawn, "run python docs/terminal_pictures.py"


def test_pictures_are_small_and_load_nothing() -> None:
    for start, most in MOST_BYTES.items():
        files = sorted((DOCS / "images").glob(f"{start}*"))
        assert files
        assert [file.name for file in files if file.stat().st_size > most] == []
    for file in (DOCS / "images").glob("*.svg"):
        # The names of the two languages of a picture are no addresses to load from.
        text = re.sub(r'xmlns(:xlink)?="http://www\.w3\.org/[^"]+"', "", file.read_text(encoding="utf-8"))
        assert not re.search(r"https?:|<script|@import", text), file.name


def registered_commands(command: Any, words: tuple[str, ...] = ("tokumei",)) -> Iterator[str]:
    if not hasattr(command, "commands"):
        yield " ".join(words)
        return
    for name, child in command.commands.items():
        if not child.hidden:
            yield from registered_commands(child, (*words, name))


@pytest.mark.half_second
def test_reference_names_every_command_part_and_error(programs: Any) -> None:
    pages = programs("reference_pages")
    headings = set(pages.commands_page())
    assert {f"## `{words}`" for words in registered_commands(program())} <= headings
    parts = set(pages.parts_page())
    for group in ("methods", "attacks", "metrics", "contests"):
        names = {entry.name for entry in entry_points(group=f"tokumei.{group}")}
        assert names
        assert {f"### `{name}`" for name in names} <= parts
    errors = pages.errors_page()
    classes = {name for name in tokumei.errors.__all__ if name.endswith("Error")}
    assert {f"## `{name}`" for name in classes} <= set(errors)


@pytest.mark.half_second
def test_reference_shows_messages_with_their_codes(programs: Any) -> None:
    """A sentence put together from parts is found, with a mark where the case decides."""
    text = "\n".join(programs("error_pages").errors_page())
    assert "- k-anonymity with k = … needs at least … subjects" in text
    assert "· `duplicate-name` ·" in text
    assert "the record has no subject; delete it or fill in whose it is · `missing-subject` ·" in text


class _Page(HTMLParser):
    """The links and the anchors of a page, and what it loads at once."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a tag says."""
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value and not value.startswith("data:"):
                (self.links if tag == "a" else self.loaded).append(value)


@pytest.mark.slow
def test_guide_builds_without_warnings_and_its_links_resolve(tmp_path: Path) -> None:
    """Every link leads to a file of the guide, and to a place in it; nothing is loaded from elsewhere."""
    options = ["-q", "-W", "--keep-going", "-b", "html", "-c", str(DOCS), "-D", "html_search_language=en"]
    builds = [
        [*options, "-d", str(tmp_path / "trees" / language), "-D", f"language={language}", str(source), str(output)]
        for language, source in LANGUAGES.items()
        for output in [tmp_path / "guide" / language]
    ]
    done = subprocess.run(
        [sys.executable, "-c", BUILDING.format(builds=builds)], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    for language in LANGUAGES:
        _check_links(tmp_path / "guide" / language)


def _check_links(output: Path) -> None:
    pages = {file: _Page(file.read_text(encoding="utf-8")) for file in output.rglob("*.html")}
    assert {f"{name.removesuffix('.md')}.html" for name in PAGES} <= {file.name for file in output.glob("*.html")}
    faults = [f"{file.relative_to(output)}: {link}" for file in pages for link in bad_links(file, pages, output)]
    assert faults == []


def bad_links(file: Path, pages: dict[Path, _Page], output: Path) -> Iterator[str]:
    here, other = output.resolve(), output.resolve().parent / ("en" if output.name == "ja" else "ja")
    yield from (link for link in pages[file].loaded if "://" in link or link.startswith("//"))
    for link in [*pages[file].links, *pages[file].loaded]:
        address, anchor = urldefrag(unquote(link))
        if ":" in address:
            continue
        target = (file.parent / address.split("?")[0]).resolve() if address else file
        if target.is_relative_to(other):
            # The other language lies beside this one and has the same pages.
            target = here / target.relative_to(other)
        if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
            yield link
