"""Release folders that say the same cells and yet tell whose they are: one change of bytes each, hashes corrected."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from tokumei.data import made_by

Change = Callable[[Path], None]


def rehash(folder: Path) -> None:
    """Let the manifest state the hashes of the files as they are, as somebody would who hides a change."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["files"] = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in sorted(manifest["files"])
        if (folder / name).is_file()
    }
    file.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def data(change: Callable[[bytes], bytes]) -> Change:
    """Return a change of the bytes of data.csv."""

    def apply(folder: Path) -> None:
        file = folder / "data.csv"
        before = file.read_bytes()
        after = change(before)
        assert after != before
        file.write_bytes(after)
        rehash(folder)

    return apply


def cell(column: int, write: Callable[[str], str], *, fits: Callable[[str], bool] = bool) -> Change:
    """Return a change of the first cell of a column that fits."""

    def change(content: bytes) -> bytes:
        lines = content.decode().split("\n")
        for number, line in enumerate(lines[1:], start=1):
            cells = line.split(",")
            if len(cells) > column and fits(cells[column]):
                cells[column] = write(cells[column])
                lines[number] = ",".join(cells)
                return "\n".join(lines).encode()
        raise AssertionError

    return data(change)


def text(name: str, change: Callable[[str], str], *, hashes: bool = True) -> Change:
    """Return a change of one of the small files."""

    def apply(folder: Path) -> None:
        file = folder / name
        before = file.read_text(encoding="utf-8")
        after = change(before)
        assert after != before
        file.write_text(after, encoding="utf-8", newline="")
        if hashes:
            rehash(folder)

    return apply


def manifest(**values: object) -> Change:
    """Return a change of entries of the manifest."""

    def change(content: str) -> str:
        return json.dumps({**json.loads(content), **values}, indent=2, ensure_ascii=False) + "\n"

    return text("manifest.json", change, hashes=False)


def parameters(**values: object) -> Change:
    """Return a change of the parameters that the manifest states."""

    def apply(folder: Path) -> None:
        stated = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["parameters"]
        manifest(parameters={**stated, **values})(folder)

    return apply


def extra(name: str, content: str = "1,s001\n") -> Change:
    """Return the addition of a file."""

    def apply(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")

    return apply


def linked(folder: Path) -> None:
    """Put the schema outside and a link in its place."""
    outside = folder.parent / f"{folder.name}-schema.toml"
    (folder / "schema.toml").rename(outside)
    (folder / "schema.toml").symlink_to(outside)


def _in_range(cell: str) -> bool:
    return cell.startswith("[")


def _in_set(cell: str) -> bool:
    return cell.startswith("{")


def _plain(cell: str) -> bool:
    return cell[:1].isdigit()


def _swapped_rows(content: bytes) -> bytes:
    lines = content.split(b"\n")
    place = next(n for n in range(1, len(lines) - 2) if lines[n] != lines[n + 1] and lines[n][:4] == lines[n + 1][:4])
    lines[place], lines[place + 1] = lines[place + 1], lines[place]
    return b"\n".join(lines)


def _with_column(content: bytes) -> bytes:
    lines = content.rstrip(b"\n").split(b"\n")
    return b"\n".join([lines[0] + b",owner", *(line + b",s%03d" % n for n, line in enumerate(lines[1:]))]) + b"\n"


def _renamed(write: Callable[[str], str]) -> Change:
    """Return the release with its first pseudonym in another form, sorted again."""

    def change(content: bytes) -> bytes:
        frame = pl.read_csv(content, infer_schema=False)
        first = frame["pseudonym"][0]
        renamed = pl.when(pl.col("pseudonym") == first).then(pl.lit(write(first))).otherwise("pseudonym")
        return frame.with_columns(renamed.alias("pseudonym")).sort(frame.columns).write_csv().encode()

    return data(change)


def _digests(folder: Path) -> None:
    """Give every pseudonym the form of a digest, sorted again."""

    def change(content: bytes) -> bytes:
        frame = pl.read_csv(content, infer_schema=False)
        names = frame["pseudonym"].unique().sort()
        digests = [hashlib.sha256(f"s{number:03d}".encode()).hexdigest() for number in range(len(names))]
        renamed = frame["pseudonym"].replace_strict(names, digests)
        return frame.with_columns(renamed).sort(frame.columns).write_csv().encode()

    data(change)(folder)


def _full_width(text: str) -> str:
    return text.translate({ord(digit): ord(digit) - 48 + 0xFF10 for digit in "0123456789"})


# Columns of the release: pseudonym, day, item, paid. Each change with the code of the finding or of the refusal.
CSV_VARIANTS: dict[str, tuple[Change, str]] = {
    "extra column with the id": (data(_with_column), "unknown-column"),
    "owners.csv beside the data": (extra("owners.csv"), "unknown-file"),
    "hidden file": (extra(".owners"), "unknown-file"),
    "sub-folder": (extra("more/owners.csv"), "unknown-file"),
    "the data a second time as Parquet": (extra("data.parquet"), "unknown-file"),
    "symbolic link": (linked, "unknown-file"),
    "a number with a zero more": (cell(1, lambda c: c.replace(";", ".0;"), fits=_in_range), "cell-text"),
    "a number with a leading zero": (cell(1, lambda c: "[0" + c[1:], fits=_in_range), "cell-text"),
    "a number with a plus": (cell(1, lambda c: "[+" + c[1:], fits=_in_range), "cell-text"),
    "a number with an exponent": (cell(3, lambda c: c.replace(";", "e0;"), fits=_in_range), "cell-text"),
    "minus zero": (
        cell(4, lambda c: "-0" if c == "0" else f"[-0;{c[3:]}", fits=lambda c: c[:3] in ("0", "[0;")),
        "cell-text",
    ),
    "a range of one value": (cell(4, lambda c: f"[{c};{c}]", fits=_plain), "cell-text"),
    "a set with a repeated element": (
        cell(2, lambda c: c[:-1] + ";" + c[1:-1].split(";")[-1] + "}", fits=_in_set),
        "cell-text",
    ),
    "a set of one element": (cell(2, lambda c: "{" + c + "}", fits=lambda c: not _in_set(c)), "cell-text"),
    "another order in a set": (
        cell(2, lambda c: "{" + ";".join(c[1:-1].split(";")[::-1]) + "}", fits=_in_set),
        "cell-text",
    ),
    "a needless escape in a set": (
        cell(2, lambda c: c.replace("%", "%25", 1), fits=lambda c: "%2" in c),
        "unknown-category",
    ),
    "needless quotation marks": (cell(2, lambda c: f'"{c}"'), "line-text"),
    "needless quotation marks at the pseudonym": (cell(0, lambda c: f'"{c}"'), "line-text"),
    "zero-width space in a category": (cell(2, lambda c: c.replace(";", "\u200b;"), fits=_in_set), "unknown-category"),
    "decomposed letter": (cell(2, lambda c: c.replace("é", "e\u0301"), fits=lambda c: "é" in c), "unknown-category"),
    "another case": (cell(2, lambda c: c.replace("i", "I", 1), fits=_in_set), "unknown-category"),
    "full-width digits": (cell(4, _full_width, fits=_plain), "unparsable"),
    "a blank after a number": (cell(4, lambda c: c + " ", fits=_plain), "unparsable"),
    "a blank in a range": (cell(3, lambda c: c.replace(";", "; "), fits=_in_range), "unparsable"),
    "a pseudonym with a leading zero": (_renamed(lambda name: "0" + name), "pseudonym-text"),
    "a pseudonym with a blank": (_renamed(lambda name: name + " "), "pseudonym-text"),
    "a pseudonym in capitals": (_renamed(lambda name: f"{int(name):08X}A"), "pseudonym-text"),
    "a pseudonym with a letter": (_renamed(lambda name: name + "x"), "pseudonym-text"),
    "byte order mark": (data(lambda c: b"\xef\xbb\xbf" + c), "line-text"),
    "CRLF at every line": (data(lambda c: c.replace(b"\n", b"\r\n")), "line-text"),
    "CRLF at one line": (data(lambda c: c.replace(b"\n", b"\r\n", 2).replace(b"\r\n", b"\n", 1)), "line-text"),
    "no newline at the end": (data(lambda c: c[:-1]), "line-text"),
    "two newlines at the end": (data(lambda c: c + b"\n"), "line-text"),
    "a decimal more": (cell(3, lambda c: c[:-1] + "0]", fits=lambda c: "." in c.split(";")[-1]), "cell-text"),
    "an empty line": (data(lambda c: c.replace(b"\n", b"\n\n", 1)), "column-count"),
    "a comment": (data(lambda c: c + b"# s001\n"), "column-count"),
    "quoted header": (data(lambda c: c.replace(b"item", b'"item"', 1)), "line-text"),
    "header in another case": (data(lambda c: c.replace(b"item", b"Item", 1)), "unreadable"),
    "header in another order": (
        data(
            lambda c: (
                pl.read_csv(c, infer_schema=False)
                .select("pseudonym", "item", "day", "paid", "units")
                .write_csv()
                .encode()
            )
        ),
        "line-text",
    ),
    "order of rows within a pseudonym": (data(_swapped_rows), "row-order"),
    "all rows backwards": (data(lambda c: b"\n".join([c.split(b"\n")[0], *c.split(b"\n")[-2:0:-1], b""])), "row-order"),
    "gzip": (data(lambda c: gzip.compress(c, mtime=12345)), "line-text"),
    "a row twice": (data(lambda c: c + c.split(b"\n")[-2] + b"\n"), "wrong-count"),
    "schema with a comment": (text("schema.toml", lambda t: t + "# s001\n"), "file-text"),
    "schema in another order": (
        text("schema.toml", lambda t: t.replace('{ kind = "number", step = 1 }', '{ step = 1, kind = "number" }', 1)),
        "file-text",
    ),
    "schema with a finer step": (
        text("schema.toml", lambda t: t.replace("step = 1 }", "step = 1.0 }", 1)),
        "file-text",
    ),
    "schema with a dropped column": (text("schema.toml", lambda t: t + '"s001" = { drop = true }\n'), "file-text"),
    "manifest with another key": (manifest(note="s001"), "unknown-key"),
    "manifest with another order": (
        text(
            "manifest.json", lambda t: json.dumps(dict(reversed(json.loads(t).items())), indent=2) + "\n", hashes=False
        ),
        "file-text",
    ),
    "manifest with blanks": (text("manifest.json", lambda t: t.replace("{", "{ ", 1), hashes=False), "file-text"),
    "manifest with a key twice": (
        text("manifest.json", lambda t: t.replace("{", '{\n  "records": 1,', 1), hashes=False),
        "file-text",
    ),
    "version with a word": (manifest(tokumei="0.1.0+s001"), "wrong-version"),
    "version to come": (manifest(tokumei="8.17.2"), "later-version"),
    "version with a zero more": (manifest(tokumei="0.1.00"), "wrong-version"),
    "library with a word": (manifest(versions={"numpy": "s001", "polars": "1.0.0"}), "wrong-version"),
    "wrong number of records": (manifest(records=1001), "wrong-count"),
    "wrong number of pseudonyms": (manifest(pseudonyms=17), "wrong-count"),
    "a number that is true": (manifest(records=True), "wrong-count"),
    "wrong hashes": (manifest(files={"data.csv": "00"}), "wrong-hash"),
    "hash of an absent file": (
        text("manifest.json", lambda t: t.replace('"files": {', '"files": {\n    "a.csv": "s001",'), hashes=False),
        "wrong-hash",
    ),
    "unknown method": (manifest(method="s001"), "wrong-parameters"),
    "another k": (parameters(k=17), "wrong-k"),
    "a parameter more": (parameters(owner="s001"), "wrong-parameters"),
    "a number as text": (parameters(k="3"), "wrong-parameters"),
    "a choice that names a file": (parameters(effort="@1-is-s001"), "wrong-parameters"),
    "a file that no method reads": (parameters(weights="@1-is-s001"), "wrong-parameters"),
    "a text among the parameters": (parameters(weights="1 is s001"), "wrong-parameters"),
    "a weight with a message": (parameters(weights="paid:1.0010020030040051"), "wrong-parameters"),
    "a share with a message": (parameters(suppress=0.001002003004), "wrong-parameters"),
    "a version of many numbers": (manifest(tokumei="0.0.1002.3004"), "wrong-version"),
    "a version with long numbers": (
        manifest(versions={"numpy": "1.1002.3004", "polars": made_by()["polars"]}),
        "wrong-version",
    ),
    "a pseudonym in braces": (_renamed(lambda name: f"{{{name}}}"), "pseudonym-text"),
    "a pseudonym that is a digest": (_renamed(lambda name: f"f{name:0>15}"), "pseudonym-text"),
    "all pseudonyms are digests of ids": (_digests, "pseudonym-text"),
    "the Secret in the summary": (text("summary.md", lambda t: t + "\n1 is s001\n"), "summary-text"),
    "another word in the summary": (text("summary.md", lambda t: t.replace("random", "drawn", 1)), "summary-text"),
    "a blank at a line end of the summary": (text("summary.md", lambda t: t.replace("\n", " \n", 1)), "summary-text"),
    "another k in the summary": (
        text("summary.md", lambda t: t.replace("k = 3:", "k = 7:").replace("1/3", "1/7")),
        "summary-text",
    ),
}


def parquet(change: Callable[[pl.DataFrame, Path], object]) -> Change:
    """Return another way to write the same table as Parquet."""

    def apply(folder: Path) -> None:
        file = folder / "data.parquet"
        change(pl.read_parquet(file), file)
        rehash(folder)

    return apply


PARQUET_VARIANTS: dict[str, tuple[Change, str]] = {
    "metadata": (parquet(lambda f, p: f.write_parquet(p, metadata={"owner": "s001"})), "parquet-bytes"),
    "groups of rows": (parquet(lambda f, p: f.write_parquet(p, row_group_size=7)), "parquet-bytes"),
    "compression": (parquet(lambda f, p: f.write_parquet(p, compression="gzip")), "parquet-bytes"),
    "no statistics": (parquet(lambda f, p: f.write_parquet(p, statistics=False)), "parquet-bytes"),
    "types": (
        parquet(lambda f, p: f.with_columns(pl.col("pseudonym").cast(pl.Int64)).write_parquet(p)),
        "parquet-bytes",
    ),
    "categorical type": (
        parquet(lambda f, p: f.with_columns(pl.col("item").cast(pl.Categorical)).write_parquet(p)),
        "parquet-bytes",
    ),
    "order of columns": (parquet(lambda f, p: f.select(sorted(f.columns)).write_parquet(p)), "parquet-bytes"),
    "order of rows": (parquet(lambda f, p: f.reverse().write_parquet(p, row_group_size=262_144)), "row-order"),
    "a column more": (parquet(lambda f, p: f.with_columns(owner=pl.lit("s001")).write_parquet(p)), "unknown-column"),
    "bytes after the end": (parquet(lambda _, p: p.write_bytes(p.read_bytes()[:-4] + b"s001PAR1")), "unreadable"),
}
