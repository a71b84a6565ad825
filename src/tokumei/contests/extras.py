"""Libraries that only some contests need: the extra ``contests``."""

from __future__ import annotations

from importlib.util import find_spec

from tokumei.errors import InfeasibleError


def need_libraries(*modules: str) -> None:
    """Raise a sentence if a library of the extra ``contests`` is not installed."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        message = f"this contest's rules name {', '.join(missing)}, not installed; run pip install 'tokumei[contests]'"
        raise InfeasibleError(message, code="extra-missing")
