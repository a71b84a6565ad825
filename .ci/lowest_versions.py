"""Print the lowest version of every dependency of users (not of the tools of developers), as constraints for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
TOOLS = ("dev", "docs")
# "name[extra]>=1.2,<2": the name without extras, and the lower bound.
DECLARED = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)")


def lowest(project: dict[str, Any]) -> list[str]:
    """Return ``name==version`` for every dependency of the project and of the extras that users install."""
    extras = [entries for name, entries in project["optional-dependencies"].items() if name not in TOOLS]
    declared = [*project["dependencies"], *(entry for extra in extras for entry in extra)]
    bounds = {}
    for entry in declared:
        match = DECLARED.match(entry)
        if match is None:
            message = f"pyproject.toml: '{entry}' has no lower bound; write name>=version"
            raise SystemExit(message)
        bounds[match[1]] = match[2]
    return sorted(f"{name}=={version}" for name, version in bounds.items())


if __name__ == "__main__":
    print("\n".join(lowest(tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"])))
