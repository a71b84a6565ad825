"""A release that was made in memory, written in parts as one that was made out of core."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.data import (
    DATA_FOLDER,
    OWNERS_FOLDER,
    ROWS_FOLDER,
    Release,
    ReleaseFacts,
    Secret,
    cut_parts,
    folder_texts,
    part_bytes,
    part_name,
    public_summary,
    write_private,
    write_secret_index,
)
from tokumei.flow import Made


def write_parted(made: Made, folder: Path) -> Path:
    """Write the release into ``folder`` in parts, its secret beside it; return the place of the secret."""
    secret_folder = folder.with_name(folder.name + ".secret")
    (folder / DATA_FOLDER).mkdir(parents=True)
    hashes, listed, names = {}, [], []
    for number, rows in enumerate(_cut(made.release)):
        part, hidden = made.release.take(rows), made.secret.take(rows)
        content = part_bytes(part.text())
        name = f"{DATA_FOLDER}/{part_name(number)}"
        (folder / name).write_bytes(content)
        hashes[name] = hashlib.sha256(content).hexdigest()
        first, last = (str(part.pseudonyms[place]) for place in (0, -1))
        listed.append({"name": name, "rows": len(part), "first": first, "last": last})
        names.append(part_name(number))
        _write_secret_part(hidden, part, secret_folder, names[-1])
    write_secret_index(secret_folder, names, made.secret.seed)
    facts = ReleaseFacts.of(made.release)
    summary = public_summary(facts, parameters=made.parameters, about=made.method.summary)
    texts, _ = folder_texts(facts, hashes, parts=listed, parameters=made.parameters, summary=summary)
    for name, content in texts.items():
        (folder / name).write_bytes(content)
    return secret_folder


def _cut(release: Release) -> list[np.ndarray]:
    """Return the rows of every part."""
    names = release.pseudonyms.unique().sort()
    owner = names.search_sorted(release.pseudonyms).to_numpy()
    part = cut_parts(np.bincount(owner))[owner]
    return [np.flatnonzero(part == number) for number in range(int(part.max()) + 1)]


def _write_secret_part(hidden: Secret, part: Release, folder: Path, name: str) -> None:
    owners = hidden.owners.filter(pl.col("pseudonym").is_in(part.pseudonyms.unique().implode()))
    for sub, frame in ((OWNERS_FOLDER, owners), (ROWS_FOLDER, pl.DataFrame({"row": hidden.rows}))):
        write_private(folder / sub / name, part_bytes(frame))


def changed_manifest(folder: Path, **values: object) -> None:
    """Write other values into the manifest of a release."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, **values}, indent=2, ensure_ascii=False) + "\n")
