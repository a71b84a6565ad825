"""The house as a picture: rooms by storey, arrows to what they import, the ground under all of them."""

from __future__ import annotations

from itertools import pairwise

from house import GROUND, House, rounded, storeys

__all__ = ["draw_house"]

INK, SOFT, ARROW, UPWARDS, ROOM, EARTH = "#1f2933", "#52606d", "#2563a8", "#b42318", "#eef4fb", "#f1ece2"
BOX_WIDTH, BOX_HEIGHT, LANE_WIDTH, GAP, STOREY = 150, 46, 18, 34, 92
MARGIN = 24
SWEEPS = 24
Point = tuple[float, float]
# A room, or the place where an arrow that is longer than a storey crosses one: (from, to, storey).
Place = str | tuple[str, str, int]


def draw_house(house: House, words: dict[str, str]) -> str:
    """Return the picture as SVG; ``words`` has its texts (title, size, size of one)."""
    rows, drawn, upwards = storeys(house)
    height = {name: storey for storey, row in enumerate(rows) for name in row}
    chains = [_chain(room, other, height) for room, other in drawn]
    columns = _ordered([list(row) for row in rows], chains)
    width = max(sum(_width(place) + GAP for place in row) - GAP for row in columns) + 2 * MARGIN
    at = _positions(columns, width)
    routes = [_route([at[place] for place in chain], house.arrows[chain[0], chain[-1]]) for chain in chains]
    routes += [_way_up(at[room], at[other], house.arrows[room, other], width) for room, other in upwards]
    # Figures stand over all arrows.
    parts = [arrow for arrow, _ in routes] + [figure for _, figure in routes]
    parts += [_box(at[name], name, _size(house, name, words)) for name in height]
    bottom = MARGIN + len(rows) * STOREY
    names, size = ", ".join(house.ground), _size(house, GROUND, words)
    parts.append(_box((width / 2, bottom), names, size, fill=EARTH, width=width - 2 * MARGIN))
    return _svg(width, bottom + BOX_HEIGHT + MARGIN, words["title"], parts)


def _chain(room: str, other: str, height: dict[str, int]) -> list[Place]:
    between = range(height[room] - 1, height[other], -1)
    return [room, *((room, other, storey) for storey in between), other]


def _width(place: Place) -> int:
    return BOX_WIDTH if isinstance(place, str) else LANE_WIDTH


def _ordered(rows: list[list[str]], chains: list[list[Place]]) -> list[list[Place]]:
    """Return every storey from left to right so that few arrows cross: each place moves towards its neighbours."""
    columns: list[list[Place]] = [list(row) for row in rows]
    near: dict[Place, list[Place]] = {}
    for chain in chains:
        for place in chain[1:-1]:
            columns[place[2]].append(place)  # type: ignore[arg-type, index]
        for upper, lower in pairwise(chain):
            near.setdefault(upper, []).append(lower)
            near.setdefault(lower, []).append(upper)
    for sweep in range(SWEEPS):
        for row in columns if sweep % 2 else columns[::-1]:
            share = {place: (i + 0.5) / len(line) for line in columns for i, place in enumerate(line)}
            middle = {
                place: sum(share[other] for other in near.get(place, [place])) / len(near.get(place, [place]))
                for place in row
            }
            row.sort(key=lambda place: (middle[place], str(place)))
    return columns


def _positions(columns: list[list[Place]], width: float) -> dict[Place, Point]:
    at: dict[Place, Point] = {}
    for storey, row in enumerate(columns):
        free = width - 2 * MARGIN - sum(_width(place) for place in row)
        gap = free / (len(row) + 1)
        x = MARGIN + gap
        for place in row:
            at[place] = (x + _width(place) / 2, MARGIN + (len(columns) - 1 - storey) * STOREY)
            x += _width(place) + gap
    return at


def _size(house: House, name: str, words: dict[str, str]) -> str:
    room = house.rooms[name]
    return words["size" if room.modules > 1 else "size of one"].format(modules=room.modules, lines=rounded(room.lines))


def _route(points: list[Point], count: int) -> tuple[str, str]:
    """Return an arrow through these points, and its figure."""
    (x, y), *rest = points
    path = f"M{x:.0f} {y + BOX_HEIGHT:.0f}"
    x0, y0 = x, y + BOX_HEIGHT
    for i, (x1, y1) in enumerate(rest):
        bend = (y1 - y0) / 2
        path += f"C{x0:.0f} {y0 + bend:.0f} {x1:.0f} {y1 - bend:.0f} {x1:.0f} {y1:.0f}"
        y0, x0 = y1, x1
        if i < len(rest) - 1:
            y0 = y1 + BOX_HEIGHT
            path += f"L{x1:.0f} {y0:.0f}"
    (x1, y1) = rest[0]
    figure = _figure((x + x1) / 2, (y + BOX_HEIGHT + y1) / 2, count, ARROW)
    return f'<path d="{path}" stroke="{ARROW}" stroke-width="1.5" fill="none" marker-end="url(#tip)"/>', figure


def _way_up(start: Point, end: Point, count: int, width: float) -> tuple[str, str]:
    """Return a dashed arrow round the right side of the rooms, and its figure."""
    (x0, y0), (x1, y1) = ((x + BOX_WIDTH / 2, y + BOX_HEIGHT / 2) for x, y in (start, end))
    side = min(max(x0, x1) + 60, width - MARGIN / 2)
    path = f"M{x0:.0f} {y0:.0f}C{side:.0f} {y0:.0f} {side:.0f} {y1:.0f} {x1:.0f} {y1:.0f}"
    style = f'stroke="{UPWARDS}" stroke-width="1.5" stroke-dasharray="5 4" fill="none" marker-end="url(#up)"'
    return f'<path d="{path}" {style}/>', _figure((x0 + x1) / 8 + side * 0.75, (y0 + y1) / 2, count, UPWARDS)


def _figure(x: float, y: float, count: int, color: str) -> str:
    half = 5 + 4 * len(str(count))
    return (
        f'<rect x="{x - half:.0f}" y="{y - 9:.0f}" width="{2 * half}" height="18" rx="9" fill="#ffffff"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}" fill="{color}" text-anchor="middle" font-size="12">{count}</text>'
    )


def _box(at: Point, name: str, size: str, *, fill: str = ROOM, width: float = BOX_WIDTH) -> str:
    x, y = at
    return (
        f'<rect x="{x - width / 2:.0f}" y="{y:.0f}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="6" '
        f'fill="{fill}" stroke="{SOFT}"/>'
        f'<text x="{x:.0f}" y="{y + 20:.0f}" fill="{INK}" text-anchor="middle" font-size="15" font-weight="bold">'
        f"{name}</text>"
        f'<text x="{x:.0f}" y="{y + 37:.0f}" fill="{SOFT}" text-anchor="middle" font-size="11">{size}</text>'
    )


def _svg(width: float, height: float, title: str, parts: list[str]) -> str:
    tips = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{color}"/></marker>'
        for name, color in (("tip", ARROW), ("up", UPWARDS))
    )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'font-family="sans-serif">\n<title>{title}</title>\n<defs>{tips}</defs>\n'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )
