"""The files that the recorded command lines begin with: links, small parts of real data, files that are wrong."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import polars as pl

__all__ = ["SHARED", "prepare"]

# As in benchmarks.inputs, which this does not import: it must run while the library is being moved.
SHARED = Path(os.environ.get("TOKUMEI_SHARED", Path(__file__).resolve().parent.parent.parent / "shared"))

HEADER = "customer,date,goods,price\n"
GOOD = HEADER + "".join(f"c{n % 6},2011-01-{n % 28 + 1:02},{'ABC'[n % 3]},{n % 5}.50\n" for n in range(36))
BYTES = {
    "empty.csv": b"",
    "header.csv": HEADER.encode(),
    "nul.csv": GOOD.encode() + b"c1,2011-01-01,\0,1\n",
    "quote.csv": GOOD.encode() + b'c1,2011-01-01,"A,1.5\n',
    "many.csv": GOOD.encode() + b"c1,2011-01-01,A,1,5\nc1,2011-01-01\n",
    "twice.csv": GOOD.replace("price", "goods").encode(),
    "nobody.csv": GOOD.encode() + b",2011-01-01,A,1.5\n",
    "semicolon.csv": GOOD.replace(",", ";").encode(),
    "cp932.csv": GOOD.replace("A", "茶").encode("cp932"),
    "bom.csv": b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode(),
    "dates.csv": GOOD.replace("2011-01-07", "7/1/2011").encode(),
    "other.csv": GOOD.encode(),
    # An id that stands in a second column is published under every method that keeps that column.
    "copied.csv": "".join(f"{line},{line.split(',')[0]}\n" for line in GOOD.splitlines())
    .replace("price,customer", "price,member")
    .encode(),
    "P4.csv": b"1\n2\n3\n4\n",
    "F1.txt": b"37454,17681\n2372,15263\n",
    "wrong.toml": b'subject = "customer"\n[columns]\ngods = { kind = "category" }\n',
    "broken.toml": b'subject = "customer\n',
}


def prepare(folder: Path, shared: Path) -> None:
    """Fill a new folder: links to the shared files, small parts of real data, files that are wrong in some way."""
    (folder / "golden").symlink_to(shared / "golden")
    (folder / "data").symlink_to(shared / "data")
    for name, content in BYTES.items():
        (folder / name).write_bytes(content)
    data = shared / "data"
    adult = pl.read_parquet(data / "adult.parquet").drop("fnlwgt")
    adult.head(200).select("age", "education", "sex", "hours_per_week").write_parquet(folder / "adult.parquet")
    adult.head(2000).write_parquet(folder / "adult2000.parquet")
    people = pl.read_parquet(data / "people_flow_tokyo.parquet")
    few = people["user"].unique(maintain_order=True).head(40)
    people.filter(pl.col("user").is_in(few.implode())).write_parquet(folder / "people.parquet")
    retail = pl.read_parquet(data / "online_retail.parquet")
    retail.head(6000).write_parquet(folder / "retail.parquet")
    mixed, first = shared / "golden/pws2018/a03_mixed", shared / "golden/pws2017/w01_identity"
    for name, files in {
        "TA": [mixed / "T.csv", mixed / "A.csv"],
        "A": [mixed / "A.csv"],
        "TA1": [mixed / "T.csv", mixed / "A1.csv"],
        "RTAF1": [shared / "golden/pws2018/R.csv", mixed / "T.csv", mixed / "A.csv", folder / "F1.txt"],
        "MTAT": [first / "M.csv", first / "T.csv", first / "AT.csv"],
    }.items():
        tables = [file.read_text().splitlines() for file in files]
        text = "".join("\n".join([str(len(table)), *table]) + "\n" for table in tables)
        (folder / f"join_{name}.txt").write_text(text)
    (folder / "T.csv.gz").write_bytes(gzip.compress((mixed / "T.csv").read_bytes(), mtime=0))
