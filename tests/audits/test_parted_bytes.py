"""A release in parts is judged by its bytes too: cuts, names and dress of its parts can tell nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.audits.leaky_parts import PART_VARIANTS
from tests.audits.test_published_bytes import SCHEMA, judged, shopping
from tests.effort import examples
from tests.parted_releases import write_parted
from tokumei.audits import AuditSettings
from tokumei.data import History, cut_parts, release_parts
from tokumei.errors import TokumeiError
from tokumei.flow import Made, audit, open_release, opening, plan_of, release

RECORDS = 12


@pytest.fixture(scope="module")
def made() -> Made:
    history = History.from_frame(shopping(), SCHEMA)
    return release(history, plan_of("k-anonymity", k=3, data_format="parquet"), threads=1, audit=False)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_parts, "PART_RECORDS", RECORDS)


def test_parts_are_cut_where_their_records_are_full() -> None:
    assert cut_parts(np.array([5, 7, 1, 30, 2, 4])).tolist() == [0, 0, 1, 1, 2, 2]
    assert cut_parts(np.array([], dtype=np.int64)).tolist() == []


@pytest.mark.half_second
def test_every_leaking_variant_of_a_release_in_parts_is_found(made: Made, tmp_path: Path) -> None:
    write_parted(made, tmp_path / "whole")
    assert judged(tmp_path / "whole", made.history) == []
    missed = {}
    for number, (name, (change, code)) in enumerate(PART_VARIANTS.items()):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "whole", folder)
        change(folder)
        codes = judged(folder, made.history)
        if code not in codes:
            missed[name] = codes
    assert missed == {}


@pytest.mark.slow
@pytest.mark.effort
@pytest.mark.parametrize("held", [True, False])
def test_no_leaking_variant_of_a_release_in_parts_is_safe(
    made: Made,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    monkeypatch: pytest.MonkeyPatch,
    held: bool,  # noqa: FBT001
) -> None:
    """Held in memory or counted part by part, with the Secret and without; a campaign tries all of them."""
    monkeypatch.setattr(opening, "is_large", lambda _: not held)
    shopping().write_csv(tmp_path / "original.csv")
    secret = write_parted(made, tmp_path / "whole")
    safe = []
    tried = list(PART_VARIANTS.items())[:: max(1, len(PART_VARIANTS) // examples(2))]
    for number, (name, (change, _)) in enumerate([("nothing", (lambda _: None, "")), *tried]):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "whole", folder)
        change(folder)
        for known in (None, secret):
            try:
                opened = open_release(tmp_path / "original.csv", folder, schema=SCHEMA, secret=known)
                outcome = audit(opened, AuditSettings(quick=True)).verdict.outcome.value
            except TokumeiError:
                continue
            safe += [(name, known is not None)] if outcome == "safe" else []
    record_property("figure", f"{len(tried)} variants in parts, none safe")
    # Without the Secret the pseudonyms of a release that is not held cannot be tested.
    assert safe == [*([("nothing", False)] if held else []), ("nothing", True)]
