"""Numbers as people read them: one format in the terminal, in reports, in summaries and in what an audit says."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WRITTEN = re.compile(r"[<>]?[\d,]+(\.\d+)?( %)?", re.ASCII)
# Above this a number of three digits would be written with an exponent.
THOUSAND = 1000


def percent(share: float) -> str:
    """Return a share with one decimal; what is nearly nothing or nearly all is not rounded to it.

    >>> percent(0.0954), percent(0.0), percent(0.0001), percent(0.9999), percent(1.0)
    ('9.5 %', '0.0 %', '<0.1 %', '>99.9 %', '100.0 %')
    """
    if 0 < share < 0.0005:
        return "<0.1 %"
    # Sums of shares miss 1 by a rounding error.
    if 0.9995 <= share < 1 - 1e-9:
        return ">99.9 %"
    return f"{share * 100:.1f} %"


def amount(value: float) -> str:
    """Return a number with at most one decimal, its thousands separated.

    >>> amount(4289), amount(92.25), amount(0.4028)
    ('4,289', '92.2', '0.4')
    """
    return f"{value:,.1f}".removesuffix(".0")


def plain(value: float) -> str:
    """Return a number: thousands separated, up to three decimals below a hundred and one above.

    >>> plain(12345), plain(0.12345), plain(1234.5), plain(6.2)
    ('12,345', '0.123', '1,234.5', '6.2')
    """
    text = f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}"
    return text.rstrip("0").rstrip(".")


def signed(value: float) -> str:
    """Return a number with its sign and two decimals.

    >>> signed(0.123), signed(-0.5), signed(-0.001)
    ('+0.12', '-0.50', '+0.00')
    """
    return f"{value:+.2f}".replace("-0.00", "+0.00")


def three_digits(value: float) -> str:
    """Return a number rounded to three digits, never with an exponent above 1.

    >>> three_digits(30512.5), three_digits(3.5), three_digits(0.012345), three_digits(999.9)
    ('30,500', '3.5', '0.0123', '1,000')
    """
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= THOUSAND else f"{rounded:g}"


def are_written_numbers(texts: Iterable[str]) -> list[bool]:
    """Return of every text whether it is a number or a percentage, as `is_written_number` does of one."""
    return [_WRITTEN.fullmatch(text) is not None for text in texts]


def is_written_number(text: str) -> bool:
    """Return whether a text is a number or a percentage, which stands on the right in a table.

    >>> is_written_number("4,289"), is_written_number(">99.9 %"), is_written_number("exact")
    (True, True, False)
    """
    return _WRITTEN.fullmatch(text) is not None
