"""Where data is: a file, or what the address of a sheet, a table of a database or an object of a bucket names.

    book.xlsx#labs    sqlite:///a.db#labs    s3://shop/sales

What stands after ``#`` in the address of a database is the name of a table or a whole query. The address is shown
without user and password wherever it is shown; they never enter a message, a plan or a log.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from tokumei.data.inputs.buckets import BucketPath

_DATABASE = re.compile(r"(sqlite|postgres|postgresql)://")
_LOGIN = re.compile(r"//[^/@#]*@")
_PASSWORD = re.compile(r"([?&])(?:password|user|passfile|sslpassword)=[^&#]*")


class Address(type(Path())):  # type: ignore[misc] # the path class of this system
    """The address of a table in a database; as a path and as text it has no login."""

    def __new__(cls, text: str) -> Any:
        """Keep the whole address beside the path that everybody sees."""
        self = super().__new__(cls, without_login(text))
        self.url, _, self.query = text.partition("#")
        return self

    def __init__(self, text: str) -> None:
        """Fill the path where Python fills it here and not when it is made."""
        self.shown = without_login(text)
        if sys.version_info >= (3, 12):
            super().__init__(self.shown)

    def __str__(self) -> str:
        """Return the address without its login."""
        return self.shown


def without_login(text: str) -> str:
    """Return an address without user and password.

    >>> without_login("postgresql://ann:secret@host/shop#sales")
    'postgresql://host/shop#sales'
    """
    return _PASSWORD.sub(r"\1", _LOGIN.sub("//", text))


def input_path(text: str | Path) -> Path:
    """Return where data is, from what a person wrote."""
    if isinstance(text, Path):
        return text
    if text.startswith("s3://"):
        return BucketPath(text)
    return Address(text) if _DATABASE.match(text) else Path(text)


def file_and_part(path: Path) -> tuple[Path, str]:
    """Return the file of a path and what is named behind ``#`` in it, if there is no file of the whole name."""
    name, mark, part = str(path).rpartition("#")
    if mark and name and not path.exists() and Path(name).is_file():
        return Path(name), part
    return path, ""
