"""What the experiment of the paper on k-concealment gave, as figures 8 to 12 and a report, in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tokumei.array_types import Floats
from tokumei.experiments import concealment_charts as charts
from tokumei.reports import Section, Table, render
from tokumei.words import Words

# Where the texts of the experiments stand.
HOME = "tokumei.experiments"
# The paper's two methods have figures of their own; the others stand beside them.
PAPER_MAPS = {"pairs": "figure-11", "neighbours": "figure-12"}


@dataclass(eq=False, slots=True)
class Measured:
    """What the samples gave; histograms and maps are those of the first sample of their size, by construction."""

    errors: list[dict[str, Any]]
    audits: list[dict[str, Any]]
    samples: list[dict[str, Any]]
    histograms: list[tuple[str, Floats]]
    distances: Floats
    maps: dict[str, tuple[Floats, Floats, Floats]]


def draw_figures(found: Measured, words: Words) -> dict[str, str]:
    """Return the figures by the names of their files."""
    named = {name: words(f"construction.{key}") for name, key in _keys().items()}
    rows = [{**row, "method": named[row["method"]]} for row in found.errors]
    histograms = [(named[name], errors) for name, errors in found.histograms]
    return {
        "figure-8": charts.distance_histogram(found.distances, words),
        "figure-9": charts.error_curves(rows, "uniform", words("axis.error"), words),
        "figure-9-ratio": charts.error_curves(rows, "ratio", words("axis.ratio"), words),
        "figure-10": charts.error_histograms(histograms, words),
        **{_map_file(name): charts.box_map(*drawn, words) for name, drawn in found.maps.items()},
    }


def _keys() -> dict[str, str]:
    """Return the key of every construction by its English name."""
    return {name: key for key, name in Words("en", HOME).group("construction").items()}


def _map_file(name: str) -> str:
    """Return the file of a map: figures 11 and 12 are the paper's two methods, the others are named after theirs."""
    return PAPER_MAPS.get(_keys()[name], "map-" + name.partition(", ")[2].replace(" ", "-"))


def report_page(people: int, found: Measured, figures: dict[str, str], words: Words) -> str:
    """Return the report as a page of HTML."""
    shown = words.each("report", "figure_9", "figure_9_ratio", "figure_10")
    curves = dict(zip(shown, (figures[name] for name in ("figure-9", "figure-9-ratio", "figure-10")), strict=True))
    maps = {}
    for name, key in _keys().items():
        title = PAPER_MAPS.get(key, "map").replace("-", "_")
        maps[words(f"report.{title}", method=words(f"construction.{key}"))] = figures[_map_file(name)]
    errors = _table(found.errors, words, "people samples method uniform centre ratio ratio_centre")
    audits = "people method verdict candidates largest_component max_posterior named_by_best_attack"
    sections = [
        _section("error", words, errors, curves),
        _section("safety", words, _table(found.audits, words, audits), {}),
        _section(
            "data",
            words,
            _table(found.samples, words, "people records interpolated"),
            {words("report.figure_8"): figures["figure-8"], **maps},
        ),
    ]
    lead = words("report.lead", people=people, ways=len(maps))
    return render(words("report.title"), lead, sections, language=words.language)


def _section(name: str, words: Words, table: Table, drawn: dict[str, str]) -> Section:
    paragraphs = [words(f"report.{name}_text")]
    return Section(title=words(f"report.{name}"), paragraphs=paragraphs, tables=[table], charts=drawn)


def _table(rows: list[dict[str, Any]], words: Words, columns: str) -> Table:
    """Return a table of some columns; a method and a verdict stand in words, what was not measured as a dash."""
    keys = _keys()

    def cell(name: str, value: Any) -> Any:
        if name == "method":
            return words(f"construction.{keys[value]}")
        if name == "verdict":
            return words(f"word.{value}")
        return "-" if value is None else value

    names = columns.split()
    return Table(words.each("head", *names), [[cell(name, row[name]) for name in names] for row in rows])
