"""Draw the pictures of the guide from computed values: ``python docs/pictures.py`` rewrites docs/images/*.svg."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tokumei.attacks import exact_marginals
from tokumei.audits import official_thresholds, sharp_thresholds

__all__ = ["draw_all"]

FOLDER = Path(__file__).resolve().parent / "images"
INK, SOFT, BLUE, RED, GREEN = "#1f2933", "#9aa5b1", "#2563a8", "#b42318", "#1f7a4d"
CERTAIN = 0.75


def _svg(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="sans-serif" font-size="13">\n<title>{title}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, text: str, *, fill: str = INK, anchor: str = "start", size: int = 13) -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}" text-anchor="{anchor}" font-size="{size}">{text}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = SOFT, width: float = 1.5) -> str:
    return f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{stroke}" stroke-width="{width:g}" fill="none"/>'


def k_anonymity() -> str:
    """Two histories become one: records matched, values widened to ranges and sets, a surplus record deleted."""
    aiko, ben = ["3 May  tea  2.10", "9 May  cup  4.00", "2 Jun  tea  2.30"], ["4 May  tea  2.00", "8 May  mug  4.50"]
    left = [("Aiko", aiko), ("Ben", ben)]
    merged = ["[3 May;4 May]  tea  [2.00;2.10]", "[8 May;9 May]  {cup;mug}  [4.00;4.50]"]
    parts: list[str] = []
    rows: dict[tuple[int, int], float] = {}
    y = 40.0
    for person, (name, records) in enumerate(left):
        parts.append(_text(20, y, name, fill=BLUE))
        for position, record in enumerate(records):
            y += 24
            rows[person, position] = y
            surplus = (person, position) == (0, 2)
            parts.append(_text(30, y, f"{record}  (deleted)" if surplus else record, fill=RED if surplus else INK))
        y += 34
    for copy, pseudonym in enumerate(("p7f3", "p1c9")):
        top = 52 + copy * 96
        parts.append(_text(330, top, pseudonym, fill=BLUE))
        parts += [_text(340, top + 24 * (i + 1), text) for i, text in enumerate(merged)]
    for person in (0, 1):
        for position in (0, 1):
            y0 = rows[person, position] - 4
            parts += [_line(150, y0, 325, 72 + position * 24 + copy * 96, width=1) for copy in (0, 1)]
    return _svg(600, 240, "Two histories published as one multiset of records under two pseudonyms", parts)


def _graph(x: float, edges: list[tuple[int, int]], size: int, title: str) -> list[str]:
    weights = np.zeros((size, size))
    for row, column in edges:
        weights[row, column] = 1.0
    marginals, _count = exact_marginals(weights)
    parts = [_text(x, 24, title)]
    for row, column in edges:
        share = float(marginals[row, column])
        colour = RED if share > CERTAIN else BLUE if share > 0 else SOFT
        parts.append(_line(x + 16, 50 + 44 * row, x + 190, 50 + 44 * column, stroke=colour, width=0.6 + 3 * share))
    for i in range(size):
        own = float(marginals[i, i])
        parts.append(f'<circle cx="{x + 10:g}" cy="{50 + 44 * i}" r="6" fill="{INK}"/>')
        parts.append(f'<circle cx="{x + 196:g}" cy="{50 + 44 * i}" r="6" fill="{GREEN}"/>')
        parts.append(_text(x + 208, 54 + 44 * i, f"{100 * own:.0f} %", fill=RED if own > CERTAIN else INK))
    return parts


def concealment() -> str:
    """Everybody has two candidates, and yet: in pairs the owner is half certain, with a hub nearly fully."""
    size = 6
    pairs = [(i, (i + step) % size) for i in range(size) for step in (0, 1)]
    hub = [(i, i) for i in range(size)] + [(i, 0) for i in range(1, size)] + [(0, i) for i in range(1, size)]
    cells = _graph(20, pairs, size, "a cycle: two candidates each, half certain")
    cells += _graph(330, hub, size, "a hub: two candidates each, nearly certain")
    cells.append(
        _text(20, 319, "left: persons, right: pseudonyms; the figure is the posterior of the true owner", fill=SOFT)
    )
    return _svg(620, 334, "Two candidates for everybody do not mean the same uncertainty", cells)


def thresholds(most: int = 200) -> str:
    """Draw the least number of hits that shows a release unsafe: official and sharp."""
    official, sharp = official_thresholds(most)[1:], sharp_thresholds(most)[1:]
    x0, y0, width, height = 60, 260, 480, 220
    scale = height / max(official)

    def path(values: list[int], colour: str) -> str:
        points = " ".join(f"{x0 + width * (n + 1) / most:.1f},{y0 - scale * r:.1f}" for n, r in enumerate(values))
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'

    parts = [_line(x0, y0, x0 + width, y0, stroke=INK), _line(x0, y0, x0, y0 - height, stroke=INK)]
    parts += [_text(x0 + width * n / most, y0 + 18, str(n), anchor="middle") for n in range(0, most + 1, 50)]
    for r in range(0, max(official) + 1, 25):
        parts += [
            _text(x0 - 8, y0 - scale * r + 4, str(r), anchor="end"),
            _line(x0, y0 - scale * r, x0 + width, y0 - scale * r, stroke="#e4e7eb", width=1),
        ]
    parts += [path(official, RED), path(sharp, BLUE)]
    parts.append(
        _text(x0 + width - 4, y0 - scale * official[-1] - 8, f"r({most}) = {official[-1]}", fill=RED, anchor="end")
    )
    parts.append(_text(x0 + width - 4, y0 - scale * sharp[-1] - 8, f"sharp: {sharp[-1]}", fill=BLUE, anchor="end"))
    parts.append(_text(x0 + width / 2, y0 + 38, "guesses n&#8217;", anchor="middle"))
    parts.append(_text(16, 24, "hits that show a release unsafe"))
    return _svg(580, 310, "Official and sharp threshold of the statistical safety test", parts)


def draw_all() -> dict[str, str]:
    """Return every picture by file name."""
    return {"k-anonymity.svg": k_anonymity(), "concealment.svg": concealment(), "thresholds.svg": thresholds()}


if __name__ == "__main__":
    for name, text in draw_all().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
