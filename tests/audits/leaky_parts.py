"""Releases in parts that say the same cells and yet tell whose they are; manifest and hashes are set right again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from tokumei.data import part_bytes, part_name

Change = Callable[[Path], None]
Parts = Sequence[tuple[str, pl.DataFrame]]


def relisted(folder: Path, parts: Sequence[str], **more: object) -> None:
    """Let the manifest list these parts as they are, as somebody would who hides a change."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    listed = []
    for name in parts:
        names = pl.read_parquet(folder / name, glob=False)["pseudonym"]
        ends = {"first": str(names[0]), "last": str(names[-1])} if len(names) else {"first": "", "last": ""}
        listed.append({"name": name, "rows": len(names), **ends, **more})
    texts = [name for name in manifest["files"] if not name.startswith("data/") and (folder / name).is_file()]
    manifest["files"] = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sorted({*texts, *parts})
    }
    manifest["parts"] = listed
    file.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def present(folder: Path) -> list[str]:
    return [one["name"] for one in json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["parts"]]


def recut(change: Callable[[pl.DataFrame], Parts]) -> Change:
    """Return the release with all its rows in other parts."""

    def apply(folder: Path) -> None:
        whole = pl.concat([pl.read_parquet(folder / name, glob=False) for name in present(folder)])
        for name in present(folder):
            (folder / name).unlink()
        parts = change(whole)
        for name, frame in parts:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(part_bytes(frame))
        relisted(folder, [name for name, _ in parts])

    return apply


def one_part(change: Callable[[Path], object]) -> Change:
    """Return a change of the file of the second part."""

    def apply(folder: Path) -> None:
        change(folder / present(folder)[1])
        relisted(folder, present(folder))

    return apply


def table(change: Callable[[pl.DataFrame, Path], object]) -> Change:
    """Return another way to write the second part."""
    return one_part(lambda file: change(pl.read_parquet(file, glob=False), file))


def _numbered(frames: Sequence[pl.DataFrame], first: int = 0) -> Parts:
    return [(f"data/{part_name(number)}", frame) for number, frame in enumerate(frames, start=first)]


def _by_pseudonyms(*counts: int) -> Callable[[pl.DataFrame], list[pl.DataFrame]]:
    """Return parts of so many pseudonyms each, and a last one with the rest."""

    def cut(whole: pl.DataFrame) -> list[pl.DataFrame]:
        names, begin, parts = whole["pseudonym"].unique().sort(), 0, []
        for count in (*counts, len(names)):
            parts.append(whole.filter(pl.col("pseudonym").is_in(names[begin : begin + count].implode())))
            begin += count
        return parts

    return cut


def _listed(**more: object) -> Change:
    return lambda folder: relisted(folder, present(folder), **more)


def _renamed(names: Callable[[int], str]) -> Change:
    """Return the release with other names of its parts."""

    def apply(folder: Path) -> None:
        before = present(folder)
        after = [names(number) for number in range(len(before))]
        for old, new in zip(before, after, strict=True):
            (folder / old).rename(folder / f"{new}.moved")
        for new in after:
            (folder / f"{new}.moved").rename(folder / new)
        relisted(folder, after)

    return apply


def _outside(folder: Path) -> None:
    """Put the last part beside the folder."""
    names = present(folder)
    target = folder.parent / f"{folder.name}-outside.parquet"
    (folder / names[-1]).rename(target)
    relisted(folder, [*names[:-1], f"../{target.name}"])


def _linked(folder: Path) -> None:
    target = folder.parent / f"{folder.name}-linked.parquet"
    (folder / present(folder)[1]).rename(target)
    (folder / present(folder)[1]).symlink_to(target)


def _beside(name: str, content: bytes = b"1,s001\n") -> Change:
    def apply(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)

    return apply


def _other_form(whole: pl.DataFrame) -> Parts:
    """Write the pseudonyms of the last part in another form, which sorts behind all numbers."""
    *parts, last = _by_pseudonyms(4, 4)(whole)
    digest = pl.lit("f") + pl.col("pseudonym").str.zfill(15)
    return _numbered([*parts, last.with_columns(pseudonym=digest).sort(last.columns)])


def _torn(whole: pl.DataFrame) -> Parts:
    return _numbered([whole[:13], whole[13:]])


PART_VARIANTS: dict[str, tuple[Change, str]] = {
    "parts of other sizes": (recut(lambda f: _numbered(_by_pseudonyms(3, 4)(f))), "part-cut"),
    "a part for one pseudonym": (recut(lambda f: _numbered(_by_pseudonyms(4, 1, 3)(f))), "part-cut"),
    "all in one part": (recut(lambda f: _numbered([f])), "part-cut"),
    "an empty part first": (recut(lambda f: _numbered([f[:0], *_by_pseudonyms(4, 4)(f)])), "part-cut"),
    "an empty part last": (recut(lambda f: _numbered([*_by_pseudonyms(4, 4)(f), f[:0]])), "part-cut"),
    "a pseudonym torn in two": (recut(_torn), "row-order"),
    "parts in another order": (recut(lambda f: _numbered(_by_pseudonyms(4, 4)(f)[::-1])), "row-order"),
    "a part named after somebody": (_renamed(lambda n: f"data/s{n:03d}.parquet"), "part-name"),
    "numbers with a gap": (_renamed(lambda n: f"data/{part_name(2 * n)}"), "part-name"),
    "numbers with more zeros": (_renamed(lambda n: f"data/part-{n:06d}.parquet"), "part-name"),
    "another order of the names": (_renamed(lambda n: f"data/{part_name(2 - n)}"), "part-name"),
    "a part outside of the folder": (_outside, "unreadable"),
    "a part that is a link": (_linked, "unknown-file"),
    "a file among the parts": (_beside("data/owners.csv"), "unknown-file"),
    "a hidden file among the parts": (_beside("data/.owners"), "unknown-file"),
    "a folder among the parts": (_beside("data/more/owners.csv"), "unknown-file"),
    "data.csv beside the parts": (_beside("data.csv"), "unknown-file"),
    "a table of people beside the parts": (_beside("people.csv"), "unknown-file"),
    "a word at every part of the manifest": (_listed(note="s001"), "file-text"),
    "rows as a fraction": (_listed(rows=12.0), "file-text"),
    "another first pseudonym in the manifest": (_listed(first="1"), "file-text"),
    "metadata of one part": (table(lambda f, p: f.write_parquet(p, metadata={"owner": "s001"})), "parquet-bytes"),
    "groups of rows of one part": (table(lambda f, p: f.write_parquet(p, row_group_size=7)), "parquet-bytes"),
    "compression of one part": (table(lambda f, p: f.write_parquet(p, compression="snappy")), "parquet-bytes"),
    "level of compression of one part": (
        table(lambda f, p: f.write_parquet(p, row_group_size=262_144, compression_level=9)),
        "parquet-bytes",
    ),
    "no statistics of one part": (table(lambda f, p: f.write_parquet(p, statistics=False)), "parquet-bytes"),
    "dictionary in the order of owners": (
        table(
            lambda f, p: f.with_columns(pl.col("item").cast(pl.Enum(f["item"].unique().sort(descending=True))))
            .write_parquet(p, row_group_size=262_144)
        ),
        "parquet-bytes",
    ),
    "types of one part": (
        table(lambda f, p: f.with_columns(pl.col("pseudonym").cast(pl.Int64)).write_parquet(p)),
        "parquet-bytes",
    ),
    "columns of one part in another order": (
        table(lambda f, p: f.select(sorted(f.columns)).write_parquet(p, row_group_size=262_144)),
        "parts-differ",
    ),
    "a column more in one part": (
        table(lambda f, p: f.with_columns(owner=pl.lit("s001")).write_parquet(p)),
        "parts-differ",
    ),
    "pseudonyms of another form in one part": (recut(_other_form), "pseudonym-text"),
    "rows within a pseudonym backwards": (
        table(lambda f, p: p.write_bytes(part_bytes(f.sort("pseudonym", "day", descending=[False, True])))),
        "row-order",
    ),
}  # fmt: skip
