"""Whatever a file holds, a command ends with a result or with one sentence: never with an internal error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cli.refusal import one_sentence
from tests.conftest import run_main
from tests.effort import examples

CELLS = st.one_of(
    st.sampled_from(["", "0", "1", "12", "1.50", "1e9", "1e400", "-0", "nan", "inf", "00012", "9" * 19, "9" * 30]),
    st.sampled_from(["2011/1/5", "2011-02-03", "2011-02-30", "0000-01-01", "99999-01-01", "2011-02-03 24:00:00"]),
    st.sampled_from(
        ["*", "{a;b}", "{a", "[1;2]", "[2;1]", "a;b", "%3B", '"', '"a"', "a\nb", "\r", "\t", "緑茶", "\u3000"]
    ),
    st.text(max_size=5),
)
NAMES = st.sampled_from(["customer", "date", "price", "lat", "lon", "row", "position", "pseudonym", "^.*$", "", "品"])


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\r\n') else cell


@st.composite
def _tables(draw: st.DrawFn) -> bytes:
    """Return CSV text of a few columns, most of them alike from row to row, now and then damaged."""
    width = draw(st.integers(1, 4))
    header = draw(st.one_of(st.none(), st.lists(NAMES, min_size=width, max_size=width)))
    values = st.one_of(st.lists(CELLS, min_size=3, max_size=3), CELLS.map(lambda cell: [cell] * 3))
    columns = [draw(values) for _ in range(width)]
    rows = [*([header] if header else []), *zip(*columns, strict=True)]
    lines = [",".join(_quoted(cell) for cell in row) for row in rows]
    raw = draw(st.sampled_from(["\n", "\r\n"])).join(lines).encode("utf-8", "replace")
    if draw(st.integers(0, 9)) == 0:
        position = draw(st.integers(0, len(raw)))
        raw = raw[:position] + draw(st.binary(max_size=3)) + raw[position + 1 :]
    return raw


@contextmanager
def _captured() -> Iterator[tuple[StringIO, StringIO]]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        yield out, err


def _run(*words: object) -> tuple[int, str, str]:
    """Run a command without fixtures, which hypothesis would share between its examples."""
    with _captured() as (out, err), pytest.raises(SystemExit) as ended:
        run_main(*words)
    assert isinstance(ended.value.code, int)
    return ended.value.code, out.getvalue(), err.getvalue()


def _check(path: Path, folder: Path) -> None:
    status, out, err = _run("describe", path, "--json")
    assert status in (0, 2)
    document: dict[str, Any] = json.loads(out)
    if status == 2:
        assert document["error"]["code"] not in ("internal", "system", "memory")
        assert err == ""
    status, out, err = _run("anonymize", path, "--method", "pseudonymize", "--skip-audit", "-o", folder / "release")
    assert status in (0, 2)
    if status == 2:
        one_sentence(err)
        assert not (folder / "release").exists()
        return
    status, out, err = _run("judge", "--original", path, "--release", folder / "release", "--json")
    assert (status, err) == (0, "")
    scores = {score["name"]: score["value"] for score in json.loads(out)["scores"]}
    assert scores["cell-error"] == 0.0


@pytest.mark.half_second
@settings(max_examples=examples(15))
@given(_tables())
@example(b"\n0\n0\n0")
@example(b"\n0\n2011/1/5\n2011-02-03")
@example(b"^.*$,date\n,\n,\n0,")
def test_any_table_is_described_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    path = folder / "data.csv"
    path.write_bytes(raw)
    _check(path, folder)


PARQUET: dict[str, pl.Series] = {
    "boolean": pl.Series([True, False, None]),
    "unsigned": pl.Series([2**64 - 1, 0, None], dtype=pl.UInt64),
    "integer": pl.Series([-(2**63), 2**63 - 1, None]),
    "long integer": pl.Series([2**100, 1, None], dtype=pl.Int128),
    "float": pl.Series([1.5, float("nan"), None], dtype=pl.Float32),
    "infinite": pl.Series([float("inf"), -1e308, None]),
    "tiny": pl.Series([1e-300, 1e-12, None]),
    "decimal": pl.Series([Decimal("1.23"), None, Decimal("-99999999999999999999.99")]),
    "date": pl.Series([date(1, 1, 1), date(9999, 12, 31), None]),
    "far date": pl.Series([2**31 - 1, 0, None], dtype=pl.Int32).cast(pl.Date),
    "moment": pl.Series([datetime(2262, 1, 1), None, datetime(1970, 1, 1)]).cast(pl.Datetime("ns")),
    "moment somewhere": pl.Series([datetime(2020, 1, 1), None, None]).dt.replace_time_zone("Asia/Tokyo"),
    "time": pl.Series([time(1), None, time(2)]),
    "duration": pl.Series([timedelta(1), None, None]),
    "categorical": pl.Series(["a", "b", None], dtype=pl.Categorical),
    "enumerated": pl.Series(["a", "b", None], dtype=pl.Enum(["a", "b"])),
    "nothing": pl.Series([None, None, None]),
    "list": pl.Series([[1], [2], None]),
    "array": pl.Series([[1, 2], [2, 3], None], dtype=pl.Array(pl.Int64, 2)),
    "struct": pl.Series([{"a": 1}, {"a": 2}, None]),
    "binary": pl.Series([b"\x00", b"b", None]),
    "control": pl.Series(["\x00", "\x01", "\x1b[0m"]),
}


@pytest.mark.half_second
@pytest.mark.parametrize("name", PARQUET)
def test_any_type_of_a_parquet_column_is_described_or_refused(tmp_path: Path, name: str) -> None:
    path, schema = tmp_path / "data.parquet", tmp_path / "s.toml"
    pl.DataFrame({"customer": ["x", "y", "y"], name: PARQUET[name]}).write_parquet(path)
    _check(path, tmp_path)
    for subject, column in (("customer", name), (name, "customer")):
        for kind in ("date", "datetime", "number", "category"):
            text = f'subject = "{subject}"\n[columns]\n"{column}" = {{ kind = "{kind}" }}\n'
            schema.write_text(text, encoding="utf-8")
            status, out, _ = _run("describe", path, "--schema", schema, "--json")
            assert status in (0, 2)
            assert status == 0 or json.loads(out)["error"]["code"] in ("bad-value", "missing-subject", "schema")
