"""Documents: one self-contained HTML file, no script, no request, readable in print, in the dark and by screen readers.

A document is sections of blocks, and blocks hold values: a number with its term and its form, a text whose numbers
lead to the definition of a term. They become HTML only here, all at once. Everything is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import ClassVar

import jinja2
from markupsafe import Markup, escape

from tokumei.words import is_written_number, plain

DASH = "–"
# Terms that begin so lead to what an attack does.
ATTACK_PREFIX = "attack-"
_NUMBER = re.compile(r"(?<![\w'「.,−-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?: ?%)?(?![\w'」])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Number:
    """A figure that leads to the definition of its term; ``form`` writes it, a dash stands where there is none."""

    value: float | None
    term: str
    form: Callable[[float], str] = plain


@dataclass(frozen=True, slots=True)
class Linked:
    """A text whose numbers lead to the definition of a term; ``whole``: all of it does, as a figure."""

    text: str
    term: str
    whole: bool = False


Text = str | Linked | tuple[str | Linked, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph; ``tone`` may be 'soft' or 'warning'."""

    text: Text
    tone: str = ""
    kind: ClassVar[str] = "prose"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section."""

    text: str
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: Sequence[Text]
    kind: ClassVar[str] = "bullets"


@dataclass(frozen=True, slots=True)
class Table:
    """A small table of plain values; ``caption`` says what it holds."""

    headers: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""
    kind: ClassVar[str] = "table"

    def numeric(self) -> list[bool]:
        """Return which columns hold numbers (as values or written out): they stand on the right.

        What a row is about stands on the left, digits or not.
        """
        columns = [[row[column] for row in self.rows] for column in range(len(self.headers))]
        told = [[value for value in column if value not in ("", DASH)] for column in columns]
        return [
            bool(values) and all(_is_number(value, written=column > 0) for value in values)
            for column, values in enumerate(told)
        ]


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart (SVG) with its title and a note; ``description`` tells those who cannot see it what it shows.

    A ``themed`` chart has no background and takes the colours of the page.
    """

    svg: str
    title: str
    description: str = ""
    note: Text = ""
    themed: bool = True
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True, slots=True)
class Definitions:
    """Terms with their anchors: key, name, text; ``prefix`` begins the anchor."""

    terms: Sequence[tuple[str, str, str]]
    prefix: str = "term"
    kind: ClassVar[str] = "definitions"


@dataclass(frozen=True, slots=True)
class Facts:
    """Short pairs of a name and what it is, such as file, date and hash; ``lines`` are left to be filled in by hand."""

    pairs: Sequence[tuple[str, str]]
    lines: bool = False
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks behind a title: closed on a screen until they are asked for, always open in a PDF."""

    title: str
    blocks: Sequence[Block]
    kind: ClassVar[str] = "fold"


_ANCHORS = re.compile(r'href="#([^"]+)"')
_ROLES = re.compile(r'\s(?:role|aria-[a-z]+)="[^"]*"')
Block = Prose | Heading | Bullets | Table | Figure | Definitions | Facts | Fold


@dataclass(frozen=True, slots=True)
class Banner:
    """The answer of a document, before everything else; ``outcome`` chooses its colour."""

    outcome: str
    title: Text
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a document: blocks in order, then (for plain documents) paragraphs, tables and charts.

    A ``folded`` section shows its title alone until it is opened.
    """

    title: str
    anchor: str = ""
    folded: bool = False
    blocks: Sequence[Block] = ()
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    charts: Mapping[str, str] = field(default_factory=dict)

    def all_blocks(self) -> list[Block]:
        """Return everything as blocks."""
        plain = [Figure(svg, caption, themed=False) for caption, svg in self.charts.items()]
        return [*self.blocks, *(Prose(text) for text in self.paragraphs), *self.tables, *plain]


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tokumei.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("document.html")


def _link(text: object, term: str) -> Markup:
    # What an attack does is told apart from what a figure means.
    if term.startswith(ATTACK_PREFIX):
        return Markup('<a class="n name" href="#{}">{}</a>').format(term, text)
    return Markup('<a class="n" href="#term-{}">{}</a>').format(term, text)


def with_links(text: str, term: str) -> Markup:
    """Return a sentence whose numbers link to a term; quoted names keep their digits to themselves."""
    parts, place = [Markup()], 0
    for match in _NUMBER.finditer(text):
        parts += [escape(text[place : match.start()]), _link(match.group(), term)]
        place = match.end()
    return Markup().join([*parts, escape(text[place:])])


def _inline(text: Text) -> str:
    """Return a text as HTML, or as it is where it has no links."""
    if isinstance(text, tuple):
        return Markup().join([_inline(part) for part in text])
    if isinstance(text, Linked):
        return _link(text.text, text.term) if text.whole else with_links(text.text, text.term)
    return text


def _cell(value: object, written: Mapping[Number, str]) -> str:
    if isinstance(value, Number):
        return DASH if value.value is None else _link(written[value], value.term)
    if isinstance(value, Linked):
        return _inline(value)
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _is_number(value: object, *, written: bool) -> bool:
    if isinstance(value, Linked):
        return value.whole and not value.term.startswith(ATTACK_PREFIX)
    if isinstance(value, str):
        return written and is_written_number(value)
    return isinstance(value, (int, float, Number)) and not isinstance(value, bool)


def _named_svg(figure: Figure, number: int) -> Markup:
    """Return the chart with ids of its own, and with its title and description for screen readers."""
    prefix = f"f{number}-"
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', figure.svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", svg)
    svg = re.sub(r'((?:xlink:)?href)="#([^"]+)"', rf'\1="#{prefix}\2"', svg)
    labels = f"{prefix}title {prefix}desc" if figure.description else f"{prefix}title"
    described = f'<desc id="{prefix}desc">{escape(figure.description)}</desc>' if figure.description else ""
    named = f'<title id="{prefix}title">{escape(figure.title)}</title>{described}'
    look = "themed" if figure.themed else "plain"
    # Roles of the chart library speak English and of parts; the chart as a whole is one image with a description.
    svg = re.sub(r"<[a-zA-Z][^>]*>", lambda tag: _ROLES.sub("", tag.group()), svg)
    opening, _, rest = svg.partition(">")
    opening = re.sub(r'\sclass="[^"]*"', "", opening)
    # The text was made by the chart library from escaped values and contains no script (a test reads every element).
    return Markup(f'{opening} class="{look}" role="img" aria-labelledby="{labels}">{named}{rest}')  # noqa: S704


def _drawn(blocks: Sequence[Block], written: Mapping[Number, str], numbers: Iterator[int]) -> list[dict[str, object]]:
    """Return blocks with everything in them as HTML, for the template."""
    entries: list[dict[str, object]] = []
    for block in blocks:
        entry: dict[str, object] = {"block": block}
        if isinstance(block, Figure):
            entry |= {"svg": _named_svg(block, next(numbers)), "note": _inline(block.note)}
        elif isinstance(block, Table):
            shown = [[_cell(value, written) for value in row] for row in block.rows]
            entry |= {"numeric": block.numeric(), "rows": shown}
        elif isinstance(block, Prose):
            entry["text"] = _inline(block.text)
        elif isinstance(block, Bullets):
            entry["texts"] = [_inline(item) for item in block.items]
        elif isinstance(block, Fold):
            entry["blocks"] = _drawn(block.blocks, written, numbers)
        entries.append(entry)
    return entries


def _flat(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks and those that are folded in them."""
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from _flat(block.blocks)


def _written(sections: Sequence[Section]) -> dict[Number, str]:
    """Return every number of every table as it is written, each once."""
    tables = [block for section in sections for block in _flat(section.all_blocks()) if isinstance(block, Table)]
    cells = {cell for table in tables for row in table.rows for cell in row if isinstance(cell, Number)}
    return {cell: cell.form(cell.value) for cell in cells if cell.value is not None}


def render(
    title: str,
    lead: Text,
    sections: Sequence[Section],
    *,
    language: str = "en",
    banner: Banner | None = None,
    notes: Sequence[Prose] = (),
    facts: Sequence[tuple[str, str]] = (),
    contents: str = "",
    footer: str = "",
    page_name: str = "",
) -> str:
    """Return the document as HTML text; ``contents`` is the heading of a table of contents, if one is wanted.

    ``facts`` stand on top: which file, which day, which bytes. ``page_name`` stands at the foot of every printed page.
    """
    written, numbers = _written(sections), count(1)
    values = {
        "title": title,
        "lead": _inline(lead),
        "sections": [
            {"section": section, "blocks": _drawn(section.all_blocks(), written, numbers)} for section in sections
        ],
        "language": language,
        "banner": banner and {"outcome": banner.outcome, "title": _inline(banner.title), "text": _inline(banner.text)},
        "notes": notes,
        "facts": facts,
        "contents": contents,
        "footer": footer,
        "page_name": _css_text(page_name),
    }
    # A definition is shown only if something leads to it: what leads where is known when all is written.
    whole = _template().render(**values, used=None)
    return _template().render(**values, used=set(_ANCHORS.findall(whole)))


def _css_text(text: str) -> Markup:
    """Return a text as a string of a style sheet, which nothing in it can end."""
    # Every character is written by its number.
    return Markup('"{}"').format(Markup("".join(f"\\{ord(letter):06x}" for letter in text)))  # noqa: S704
