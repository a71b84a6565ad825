"""Compiled kernels that an evaluating process may use but not change.

Numba keeps what it compiled beside the source and takes a folder that cannot be written for none at all. Evaluations
must not write there: what one of them left, the next one would run. Named in NUMBA_CACHE_LOCATOR_CLASSES; loaded by
numba itself where a contest needs it. What was never compiled on this machine is compiled in the folder of the job.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import caching

# Numba has no types of its own here.
_numba: Any = caching
_save = _numba.IndexDataCacheFile.save


def _save_if_allowed(self: Any, key: Any, data: Any) -> None:
    with suppress(OSError):
        _save(self, key, data)


_numba.IndexDataCacheFile.save = _save_if_allowed


class LentKernels(_numba.InTreeCacheLocator):  # type: ignore[misc]
    """Finds kernels beside their source, if they were compiled there."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._name = f"{Path(py_file).stem}.{py_func.__qualname__}-{py_func.__code__.co_firstlineno}."

    def ensure_cache_path(self) -> None:
        """Raise OSError if there is nothing to lend."""
        if not any(name.name.startswith(self._name) for name in Path(self.get_cache_path()).iterdir()):
            raise OSError("never compiled here")
