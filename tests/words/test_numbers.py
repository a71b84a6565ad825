"""Numbers as people read them: nothing that is not nothing is shown as nothing, and no exponent ever appears."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tokumei.words.numbers import amount, is_written_number, percent, three_digits

SOURCE = Path(__file__).resolve().parents[2] / "src" / "tokumei"


@given(st.floats(0, 1))
def test_a_percentage_says_all_or_nothing_only_of_all_or_nothing(share: float) -> None:
    told = percent(share)
    assert is_written_number(told)
    assert (told == "0.0 %") == (share == 0)
    assert told != "100.0 %" or share > 1 - 1e-8
    if told[0] not in "<>":
        assert abs(float(told.removesuffix(" %")) - 100 * share) <= 0.05 + 1e-9


@given(st.floats(0.001, 1e12))
def test_numbers_are_written_out(value: float) -> None:
    for told in (amount(value), three_digits(value)):
        assert is_written_number(told)
    assert abs(float(three_digits(value).replace(",", "")) - value) <= 0.00501 * value


def test_every_percentage_is_written_by_one_function() -> None:
    """No module formats a share by itself: 33.3%, 33.30 % and 33.3 % would stand beside each other."""
    own = re.compile(r":\.\d%\}|\* 100:|\{100 \* ")
    found = [str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*.py") if own.search(file.read_text("utf-8"))]
    assert found == ["words/numbers.py"]
