r"""The checker of a PWS Cup 2018 file F' of guesses, given T and A' (spec B.4, RULES.md "F1").

Each line is ``pseudonym,customer``. The official program stops at its first error; this one lists the first error of
every wrong line, in the same order of tests: format, unknown pseudonym, unknown customer, repeated pseudonym. A line
with an unknown customer still uses up its pseudonym, since correcting the customer leaves the repetition in the file.

>>> check_guesses(pl.Series(["7", "8"]), pl.Series(["1", "2"]), b"1,7\n1,8\n2,9\n").places()
[(2, 1, 'DUPLICATE_PSEUDONYM'), (3, 2, 'UNKNOWN_CUSTOMER')]
"""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.contests.check_result import CheckResult
from tokumei.contests.pws2018.messages import GuessExplainer

GUESS_CODES = ("", "invalid-format", "unknown-pseudonym", "unknown-customer", "duplicate-pseudonym")
# Which cell each code is about; 0 is the whole line.
_CELL_OF_CODE = np.array([0, 0, 1, 2, 1])


def check_guesses(customers: pl.Series, pseudonyms: pl.Series, raw: bytes) -> CheckResult:
    """Check the bytes of F' (already decompressed) against the customers of T and the pseudonyms of A', all text."""
    lines = _lines(raw)
    formed = lines.str.contains("^[0-9]+,[0-9]+$")
    parts = (
        pl.DataFrame({"line": lines})
        .select(pl.col("line").str.split_exact(",", 1).struct.rename_fields(["pseudonym", "customer"]))["line"]
        .struct.unnest()
    )
    known = _is_in(parts["pseudonym"], pseudonyms)
    place = np.arange(len(lines)) + 1
    counted = parts.select("pseudonym", line=pl.lit(pl.Series(place))).filter(formed & known)
    first = counted.unique("pseudonym", keep="first", maintain_order=True)
    repeated = np.setdiff1d(counted["line"].to_numpy(), first["line"].to_numpy(), assume_unique=True)
    codes = np.zeros(len(lines), dtype=np.int64)
    codes[repeated - 1] = GUESS_CODES.index("duplicate-pseudonym")
    codes[~_is_in(parts["customer"], customers).to_numpy()] = GUESS_CODES.index("unknown-customer")
    codes[~known.to_numpy()] = GUESS_CODES.index("unknown-pseudonym")
    codes[~formed.to_numpy()] = GUESS_CODES.index("invalid-format")
    wrong = np.flatnonzero(codes)
    first_lines = dict(zip(first["pseudonym"].to_list(), first["line"].to_list(), strict=True))
    explainer = GuessExplainer(lines, first_lines)
    return CheckResult(wrong + 1, _CELL_OF_CODE[codes[wrong]], codes[wrong], GUESS_CODES, explainer, official=True)


def _lines(raw: bytes) -> pl.Series:
    """Return the lines of the file; CR, LF and CRLF all end one, a missing last newline is no matter."""
    text = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").decode("utf-8", "replace")
    if not text:
        return pl.Series("line", [], dtype=pl.String)
    return pl.Series("line", [text.removesuffix("\n")]).str.split("\n").explode()


def _is_in(texts: pl.Series, known: pl.Series) -> pl.Series:
    """Return which texts are among the known ones, as text; a missing text is not."""
    return texts.is_in(known.cast(pl.String).drop_nulls().unique().implode()).fill_null(value=False)
