"""Names of columns that libraries would take for something else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tokumei.errors import SchemaError


def refuse_patterns(names: Iterable[str]) -> None:
    """Raise SchemaError if polars, which takes ``^...$`` for a pattern, would not find a column by its name."""
    for name in names:
        if not (name.startswith("^") and name.endswith("$")):
            continue
        try:
            found = re.search(name, name) is not None
        except re.error:
            found = False
        if not found:
            message = f"the column '{name}' has a name that reads as a search pattern; rename it"
            raise SchemaError(message)
