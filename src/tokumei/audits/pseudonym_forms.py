"""The one form that the pseudonyms of a release have: letters, braces, zeros, case or length could tell whose they are.

Methods draw whole numbers of up to nine digits. Only those that write keyed digests may have these instead, all in
lower case and of the length that their parameters state; so a digest of the id has no place in any other release.
"""

from __future__ import annotations

import polars as pl

from tokumei.audits.byte_differences import finding
from tokumei.data import Reason
from tokumei.parts import Method

_NUMBER = r"^[1-9]\d{0,8}$"


class PseudonymForms:
    """Looks at the pseudonyms of a release, a file after the other, and remembers the first of another form."""

    def __init__(self, method: Method | None) -> None:
        """Begin with the method that a manifest states."""
        self._patterns = {"number": _NUMBER}
        length = digest_length(method)
        if length:
            self._patterns["digest"] = f"^[0-9a-f]{{{length}}}$"
        self._seen = dict.fromkeys(self._patterns, 0)
        self._others: dict[str, Reason] = {}
        self._count = dict.fromkeys(self._patterns, 0)

    def look(self, file: str, pseudonyms: pl.Series) -> None:
        """Look at the pseudonyms of all rows of a file."""
        names = pseudonyms.cast(pl.String).unique().sort()
        for form, pattern in self._patterns.items():
            fits = names.str.contains(pattern).fill_null(value=False)
            other = names.filter(~fits)
            self._seen[form] += int(fits.sum())
            self._count[form] += len(other)
            if len(other) and form not in self._others:
                line = int((pseudonyms.eq_missing(other[0])).arg_true()[0]) + 2
                self._others[form] = finding("pseudonym-text", file=file, line=line)

    def findings(self) -> tuple[Reason, ...]:
        """Return the first pseudonym that has another form than most, of the forms that the method writes."""
        form = max(self._patterns, key=lambda one: self._seen[one])
        if form not in self._others:
            return ()
        first = self._others[form]
        return (finding("pseudonym-text", **{**first.values, "count": self._count[form]}),)


def digest_length(method: Method | None) -> int:
    """Return how many digits the digests have that a method writes as pseudonyms, 0 if it draws numbers."""
    keyed = getattr(method, "style", "keyed") == "keyed"
    return int(getattr(method, "length", 0)) if keyed else 0
