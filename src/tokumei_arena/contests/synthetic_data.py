"""Data for a round without any real person in it: made by the generator of its contest.

The seeds come from the secret seed of the contest, so that nobody can generate the same table.
"""

from __future__ import annotations

import hashlib
import hmac
import tempfile
from pathlib import Path

from django.utils.translation import gettext as _

from tokumei.contests import file_name, find_contest
from tokumei_arena import access
from tokumei_arena.contests.round_data import DataReport, put_folder, teams_without_data
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import DataFile, Person, Round, Team
from tokumei_arena.records import copy_to
from tokumei_arena.rules import rules_of
from tokumei_arena.work import cohort_of


def can_generate(round_: Round) -> bool:
    """Return whether this round's data can be generated."""
    rules = find_contest(round_.contest.rule_set)
    return rules.sizes is not None and (rules.draws_private_data or not round_.private_data)


def _seed(round_: Round, text: str) -> int:
    secret = round_.contest.seed.encode()
    return int.from_bytes(hmac.new(secret, f"data:{round_.pk}:{text}".encode(), hashlib.sha256).digest()[:7], "big")


def _write_common(round_: Round, data: Path, subjects: int) -> None:
    rules_of(round_.contest).generate(data, size=subjects, seed=_seed(round_, "common"))


def _checked_subjects(round_: Round, subjects: int | None) -> int:
    sizes = find_contest(round_.contest.rule_set).sizes
    if sizes is None or not can_generate(round_):
        raise RefusedError(_("data of this rule set and round cannot be generated; upload it"), code="cannot-generate")
    wanted = sizes.default if subjects is None else subjects
    if not sizes.low <= wanted <= sizes.high:
        message = _("choose between %(low)d and %(high)d persons") % {"low": sizes.low, "high": sizes.high}
        raise RefusedError(message, code="subjects")
    return wanted


def generate_common(round_: Round, *, by: Person, subjects: int | None = None) -> DataReport:
    """Make data for all teams of a round."""
    access.need_referee(by, round_.contest)
    wanted = _checked_subjects(round_, subjects)
    with tempfile.TemporaryDirectory(prefix="arena-data-") as temporary:
        folder = Path(temporary)
        (folder / "data").mkdir()
        _write_common(round_, folder / "data", wanted)
        return put_folder(round_, folder, by=by, origin="synthetic")


def generate_private(round_: Round, *, by: Person, subjects: int | None = None) -> list[Team]:
    """Make data of its own for every approved team that has none; return those teams.

    It is alike the common data of another round of the contest, or alike generated data. Where the rules have cohorts,
    the secret of the round, which was committed to, and the names of the teams decide who gets which.
    """
    access.need_referee(by, round_.contest)
    wanted = _checked_subjects(round_, subjects)
    teams, rules = teams_without_data(round_), rules_of(round_.contest)
    with tempfile.TemporaryDirectory(prefix="arena-data-") as temporary:
        base = Path(temporary) / "data"
        base.mkdir()
        if not _copy_common(round_, base):
            _write_common(round_, base, wanted)
        for team in teams:
            folder = Path(temporary) / str(team.pk)
            (folder / "data").mkdir(parents=True)
            cohort = cohort_of(round_, team)
            seed = _seed(round_, f"team:{team.pk}" if cohort is None else f"cohort:{cohort}")
            rules.generate_private(base, folder / "data", size=None if subjects is None else wanted, seed=seed)
            put_folder(round_, folder, by=by, team=team, origin="synthesizer", cohort=cohort)
    return teams


def _copy_common(round_: Round, folder: Path) -> bool:
    """Put the common data of the latest round that has some into a folder; return whether there is any."""
    common = DataFile.objects.filter(round__contest=round_.contest, team=None).order_by("-round__position")
    files = list(common.select_related("blob"))
    for file in files:
        if file.round_id == files[0].round_id:
            copy_to(file.blob, folder / file_name(file.name))
    return bool(files)
