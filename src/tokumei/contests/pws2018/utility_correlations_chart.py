"""U against the use cases as a chart: one point a release, its method by colour (report, section 6.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tokumei.reports import Spec, to_svg

# One use case of every kind: what goes together, what customers are worth, what is bought alike.
SHOWN = {"itemset_error": "frequent sets", "rfm_error": "RFM table", "similarity_retail": "retail similarity"}


def correlations_chart(figures: Sequence[Mapping[str, Any]]) -> str:
    """Return three panels side by side; releases whose use case has no figure are left out."""
    values = [
        {"U": row["U"], "error": row[name], "method": row["method"], "use case": title}
        for row in figures
        for name, title in SHOWN.items()
        if not math.isnan(row[name])
    ]
    panel: Spec = {
        "width": 210,
        "height": 190,
        "mark": {"type": "point", "filled": True, "size": 18, "opacity": 0.75, "aria": False},
        "encoding": {
            "x": {"field": "U", "type": "quantitative", "title": "U"},
            "y": {"field": "error", "type": "quantitative", "title": "error"},
            "color": {"field": "method", "type": "nominal", "title": "method"},
        },
    }
    facet = {"field": "use case", "type": "nominal", "title": None, "sort": list(SHOWN.values())}
    return to_svg({"data": {"values": values}, "facet": facet, "columns": len(SHOWN), "spec": panel})
