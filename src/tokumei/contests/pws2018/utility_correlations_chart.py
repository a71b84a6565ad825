"""U against the use cases as a chart: one point a release, its method by colour (report, section 6.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tokumei.reports import Spec, to_svg
from tokumei.words import Words

# One use case of every kind: what goes together, what customers are worth, what is bought alike.
SHOWN = ("itemset_error", "rfm_error", "similarity_retail")


def correlations_chart(figures: Sequence[Mapping[str, Any]], words: Words) -> str:
    """Return three panels side by side, each with a scale of its own; releases without a figure are left out."""
    titles = dict(zip(SHOWN, words.each("chart", *SHOWN), strict=True))
    values = [
        {"U": row["U"], "error": row[name], "method": row["method"], "use case": title}
        for row in figures
        for name, title in titles.items()
        if not math.isnan(row[name])
    ]
    panel: Spec = {
        "width": 210,
        "height": 190,
        "mark": {"type": "point", "filled": True, "size": 18, "opacity": 0.75, "aria": False},
        "encoding": {
            "x": {"field": "U", "type": "quantitative", "title": "U"},
            "y": {"field": "error", "type": "quantitative", "title": words("chart.error")},
            "color": {"field": "method", "type": "nominal", "title": words("chart.method")},
        },
    }
    facet = {"field": "use case", "type": "nominal", "title": None, "sort": list(titles.values())}
    whole = {"data": {"values": values}, "facet": facet, "columns": len(SHOWN), "spec": panel}
    return to_svg({**whole, "resolve": {"scale": {"y": "independent"}}})
