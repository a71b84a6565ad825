"""Data for a round without any real person in it: made by the seeded generators of tokumei.

The seeds come from the secret seed of the contest, so that nobody can generate the same table; a private table B(i) of
2021 is drawn by the synthesizer from a common B (spec D.7), one secret seed per team.
"""

from __future__ import annotations

import hashlib
import hmac
import tempfile
from pathlib import Path

from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.contests.round_data import DataReport, put_folder, teams_without_data
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import DataFile, Person, Round, Team
from tokumei_arena.records import copy_to

__all__ = ["DEFAULT_SUBJECTS", "LIMITS", "can_generate", "generate_common", "generate_private"]

# The sizes of the contests; the smallest that the checkers and the test rows of 2021 can work with.
DEFAULT_SUBJECTS = {"pws2016": 400, "pws2018": 500, "pws2021": 4190}
LIMITS = {"pws2016": (20, 10_000), "pws2018": (20, 10_000), "pws2021": (500, 20_000)}
PRIVATE = ("pws2021",)


def can_generate(round_: Round) -> bool:
    """Return whether this round's data can be generated."""
    rule_set = round_.contest.rule_set
    return rule_set in (PRIVATE if round_.private_data else tuple(DEFAULT_SUBJECTS))


def _seed(round_: Round, text: str) -> int:
    secret = round_.contest.seed.encode()
    return int.from_bytes(hmac.new(secret, f"data:{round_.pk}:{text}".encode(), hashlib.sha256).digest()[:7], "big")


def _write_common(round_: Round, data: Path, subjects: int) -> None:
    """Write the common files of a rule set as contest files."""
    # Imported here: web processes start without the generators and what they need.
    from tokumei.synth import write_synthetic  # noqa: PLC0415

    rule_set, seed = round_.contest.rule_set, _seed(round_, "common")
    if rule_set == "pws2016":
        write_synthetic(
            "master", data / "T.csv", master_path=data / "M.csv", subjects=subjects, seed=seed, header=False
        )
    elif rule_set == "pws2018":
        write_synthetic("purchases", data / "T.csv", subjects=subjects, seed=seed, header=False)
    else:
        write_synthetic("health", data / "B.csv", subjects=subjects, seed=seed, header=False)


def _checked_subjects(round_: Round, subjects: int | None) -> int:
    low, high = LIMITS[round_.contest.rule_set]
    wanted = DEFAULT_SUBJECTS[round_.contest.rule_set] if subjects is None else subjects
    if not low <= wanted <= high:
        message = _("choose between %(low)d and %(high)d persons") % {"low": low, "high": high}
        raise RefusedError(message, code="subjects")
    return wanted


def _refuse_impossible(round_: Round) -> None:
    if not can_generate(round_):
        message = _("data of this rule set and round cannot be generated; upload it")
        raise RefusedError(message, code="cannot-generate")


def generate_common(round_: Round, *, by: Person, subjects: int | None = None) -> DataReport:
    """Make data for all teams of a round."""
    access.need_referee(by)
    _refuse_impossible(round_)
    wanted = _checked_subjects(round_, subjects)
    with tempfile.TemporaryDirectory(prefix="arena-data-") as temporary:
        folder = Path(temporary)
        (folder / "data").mkdir()
        _write_common(round_, folder / "data", wanted)
        return put_folder(round_, folder, by=by, origin="synthetic")


def generate_private(round_: Round, *, by: Person, subjects: int | None = None) -> list[Team]:
    """Make a table of its own for every approved team that has none; return those teams.

    The synthesizer learns from the common B of another round of the contest, or from a generated one.
    """
    access.need_referee(by)
    _refuse_impossible(round_)
    wanted = None if subjects is None else _checked_subjects(round_, subjects)
    teams = teams_without_data(round_)
    with tempfile.TemporaryDirectory(prefix="arena-data-") as temporary:
        base = Path(temporary) / "data"
        base.mkdir()
        _base(round_, base, wanted)
        for team in teams:
            folder = Path(temporary) / str(team.pk)
            (folder / "data").mkdir(parents=True)
            _draw(base / "B.csv", folder / "data/B.csv", wanted, _seed(round_, f"team:{team.pk}"))
            put_folder(round_, folder, by=by, team=team, origin="synthesizer")
    return teams


def _base(round_: Round, folder: Path, subjects: int | None) -> None:
    """Put the table from which private ones are drawn into a folder."""
    common = DataFile.objects.filter(round__contest=round_.contest, team=None, name="B").order_by("-round__position")
    found = common.select_related("blob").first()
    if found is None:
        _write_common(round_, folder, _checked_subjects(round_, subjects))
    else:
        copy_to(found.blob, folder / "B.csv")


def _draw(base: Path, target: Path, rows: int | None, seed: int) -> None:
    import numpy as np  # noqa: PLC0415

    from tokumei.contests.pws2021.rules import HealthFile  # noqa: PLC0415
    from tokumei.contests.pws2021.synthesizer import HealthSynthesizer  # noqa: PLC0415

    table = HealthFile.read(base, "B").table
    drawn = HealthSynthesizer.of(table).draw(rows or table.height, rng=np.random.default_rng(seed))
    target.write_text("".join(f"{line}\n" for line in drawn.lines()), encoding="ascii")
