"""Last stage: the records of one part of the release get their pseudonyms and are written as the world sees them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.data import DATA_FOLDER, OWNERS_FOLDER, ROWS_FOLDER, Schema, part_bytes, part_name
from tokumei.engine import UNIT, read_pile, task_output
from tokumei.methods import ROW

KINDS = (DATA_FOLDER, ROWS_FOLDER, OWNERS_FOLDER)


@dataclass(frozen=True, eq=False, slots=True)
class PublishJob:
    """Write one part: its records from a pile, the pseudonym of every unit and all subjects from files."""

    number: int
    piles: Path
    names: Path
    subjects: Path
    schema: Schema
    folder: Path

    @property
    def told(self) -> Path:
        """What the manifest says of the part."""
        return self.folder / "told" / f"{self.number:05d}.json"

    def file(self, kind: str) -> Path:
        """Return where the data, the rows or the owners of the part go."""
        return self.folder / kind / part_name(self.number)

    @property
    def outputs(self) -> tuple[Path, ...]:
        """The files that the task leaves behind."""
        return *(self.file(kind) for kind in KINDS), self.told


def publish_part(job: PublishJob) -> None:
    """Sort the records of a part by pseudonym (within one they are sorted already) and write it and its secret."""
    frame = read_pile(job.piles, job.number)
    with np.load(job.names) as stored:
        place, names = stored["place"], stored["names"]
    unit = frame[UNIT].to_numpy().astype(np.int64)
    frame = frame[np.argsort(place[unit], kind="stable")]
    unit = frame[UNIT].to_numpy().astype(np.int64)
    published = unit[np.concatenate(([True], np.diff(unit) != 0))]
    pseudonyms = pl.Series("pseudonym", names[unit]).cast(pl.String)
    fields = [frame[str(number)].alias(field.name) for number, field in enumerate(job.schema.fields)]
    data = part_bytes(pl.DataFrame([pseudonyms, *fields]))
    subjects = pl.read_parquet(job.subjects, glob=False)["value"]
    owners = pl.DataFrame({"pseudonym": pl.Series(names[published]).cast(pl.String), "subject": subjects[published]})
    for kind, content in (("data", data), ("rows", part_bytes(frame.select(ROW))), ("owners", part_bytes(owners))):
        with task_output(job.file(kind)) as partial:
            partial.write_bytes(content)
    told = {
        "rows": frame.height,
        "pseudonyms": len(published),
        "first": str(names[published[0]]),
        "last": str(names[published[-1]]),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    with task_output(job.told) as partial:
        partial.write_text(json.dumps(told), encoding="utf-8")
