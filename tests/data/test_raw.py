"""Files as they come from people: wrapping is forgiven, what cannot be text is refused with one sentence."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.data.raw import Source, lines_of, read_bytes, read_lines, split_joined, to_utf8
from tokumei.errors import ContentError, UnreadableError

LINE = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), max_size=8)


def write(folder: Path, content: bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_plain_and_gzip_are_read_alike_whatever_the_name(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n", mtime=0)
    assert read_bytes(write(tmp_path, b"a,b\n")) == b"a,b\n"
    assert read_bytes(write(tmp_path, packed, "t.csv.gz")) == b"a,b\n"
    assert read_bytes(write(tmp_path, packed, "t.csv")) == b"a,b\n"


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "absent.csv"
    with pytest.raises(UnreadableError, match=r"absent\.csv: there is no such file; check the path$") as caught:
        read_bytes(path)
    assert caught.value.file == str(path)


def test_directory_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="this is a directory; name a file in it"):
        read_bytes(tmp_path)


def test_permission_denied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", denied)
    with pytest.raises(UnreadableError, match="reading this file is not permitted"):
        read_bytes(tmp_path / "t.csv")


def test_other_faults_of_the_system_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", broken)
    with pytest.raises(UnreadableError, match=r"t\.csv: the file cannot be read: Input/output error"):
        read_bytes(tmp_path / "t.csv")
    monkeypatch.undo()
    with pytest.raises(UnreadableError, match="the file cannot be read: embedded null byte"):
        read_bytes("a\0b")


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0)])
def test_empty_file(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, content)
    with pytest.raises(UnreadableError, match="the file is empty; give one with data in it"):
        read_bytes(path)
    assert read_bytes(path, allow_empty=True) == b""


@pytest.mark.parametrize("content", [gzip.compress(b"a,b\n" * 99, mtime=0)[:-9], b"\x1f\x8bgarbage", b"a,b\n"])
def test_damaged_gzip(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableError, match="the gzip data is damaged or cut off"):
        read_bytes(write(tmp_path, content, "t.csv.gz"))


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        (b"a,b", "a,b", "utf-8"),
        ("日付".encode(), "日付", "utf-8"),
        ("日付".encode("utf-8-sig"), "日付", "utf-8-sig"),
        ("日付,顧客①".encode("cp932"), "日付,顧客①", "cp932"),
        (b"", "", "utf-8"),
    ],
)
def test_encodings(raw: bytes, text: str, encoding: str) -> None:
    assert to_utf8(raw, "f") == (text.encode(), encoding)


@pytest.mark.parametrize(
    ("raw", "line", "message"),
    [
        (b"a\nb\x00c\n", 2, "f, line 2: a NUL byte makes this binary data"),
        (b"a\n\n\x03", 3, "the control byte 0x03 makes this binary data"),
        ("あ\n".encode() * 3 + b"\xff\n", 4, "f, line 4: the byte 0xff is not UTF-8 or CP932 text; save the file"),
        ("日付\n顧客\n".encode("cp932") + b"\xff\n", 3, "f, line 3: the byte 0xff"),
        (b"\xef\xbb\xbfa\n\xff", 2, "the byte 0xff is not UTF-8 text"),
        (b"\xff\xfea\x00", None, "f: this is UTF-16 text; save it as UTF-8"),
        (b"PK\x03\x04rest", None, "this is a zip archive or an Excel workbook"),
        (b"PAR1", None, "this is a Parquet file"),
        (b"SQLite format 3\x00", None, "this is a SQLite database; name a table of it: sqlite:///FILE#TABLE"),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(raw: bytes, line: int | None, message: str) -> None:
    with pytest.raises(UnreadableError, match=message) as caught:
        to_utf8(raw, "f")
    assert (caught.value.file, caught.value.line, caught.value.code) == ("f", line, "unreadable")


@pytest.mark.parametrize("content", [b"a\nb", b"a\nb\n", b"a\r\nb\r\n", b"\xef\xbb\xbfa\nb\n"])
def test_lines_do_not_depend_on_their_ends(tmp_path: Path, content: bytes) -> None:
    assert read_lines(write(tmp_path, content)).to_list() == ["a", "b"]


def test_blank_lines_quotes_and_lone_returns_stay(tmp_path: Path) -> None:
    path = write(tmp_path, b'\n"a\n\nb"c\rd\n\n')
    assert read_lines(path).to_list() == ["", '"a', "", 'b"c\rd', ""]
    assert read_lines(write(tmp_path, b""), allow_empty=True).to_list() == []


def test_a_line_of_ten_megabytes_is_read(tmp_path: Path) -> None:
    lines = read_lines(write(tmp_path, b"a\n" + b"x" * 10_000_000 + b"\nb"))
    assert lines.str.len_bytes().to_list() == [1, 10_000_000, 1]


@settings(max_examples=examples(40))
@given(st.lists(LINE, min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["with", "without"]))
def test_lines_round_trip(lines: list[str], end: str, last: str) -> None:
    text = end.join(lines) + (end if last == "with" or lines[-1] == "" else "")
    assert lines_of(text.encode()).to_list() == lines


def test_joined_tables_are_split(tmp_path: Path) -> None:
    lines = pl.Series(["2", "a,b", "c,d", "0", "1", "7"])
    assert [table.to_list() for table in split_joined(lines)] == [["a,b", "c,d"], [], ["7"]]


@settings(max_examples=examples(40))
@given(st.lists(st.lists(LINE, max_size=4), max_size=4))
def test_joined_tables_round_trip(tables: list[list[str]]) -> None:
    lines = [line for table in tables for line in (str(len(table)), *table)]
    assert [table.to_list() for table in split_joined(pl.Series(lines, dtype=pl.String))] == tables


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (["a,b"], 1, "'a,b' is not the number of rows of table 1"),
        (["1", "x", "-1"], 3, "'-1' is not the number of rows of table 2"),
        (["3", "x", "y"], 1, "table 1 should have 3 rows, but only 2 lines follow"),
        (["x" * 99], 1, r"'x{37}\.\.\.' is not the number"),
    ],
)
def test_wrong_counts_of_joined_tables(lines: list[str], line: int, message: str) -> None:
    with pytest.raises(ContentError, match=message) as caught:
        split_joined(pl.Series(lines), file="J")
    assert (caught.value.file, caught.value.line, caught.value.code) == ("J", line, "bad-count")


def test_a_device_is_refused_before_it_is_read() -> None:
    with pytest.raises(UnreadableError, match="^/dev/zero: this is a device, not a file; name a file$"):
        Source.read("/dev/zero")
