"""What a team downloads in one piece: the starter kit of a round, and all targets."""

from __future__ import annotations

from typing import Any

from django.core.files.base import File

from tokumei.contests import file_name
from tokumei_arena import access
from tokumei_arena.models import Person, Round
from tokumei_arena.records import ZipWriter
from tokumei_arena.rules import parameters_of, rules_of
from tokumei_arena.teams import spend
from tokumei_arena.work import short_alias

# Packing takes the server time; nobody needs a zip more often.
BUNDLES_PER_MINUTE = 10


def _slow_down(viewer: access.Viewer) -> None:
    if isinstance(viewer, Person):
        spend("bundle", viewer.pk, limit=BUNDLES_PER_MINUTE)


def kit_of(viewer: access.Viewer, round_: Round) -> File[Any]:
    """Return the starter kit of a round, with the data as far as this viewer may have it."""
    from tokumei.contests import starter_kit  # noqa: PLC0415

    _slow_down(viewer)
    parameters = {name: value for name, value in parameters_of(round_).items() if name != "round"}
    writer, folder = ZipWriter(), f"{round_.contest.slug}-{round_.kind}-kit"
    for name, data in starter_kit(rules_of(round_.contest), kind=round_.sort, parameters=parameters).items():
        writer.add_bytes(f"{folder}/{name}", data)
    files = access.data_files(viewer, round_).select_related("blob").order_by("name")
    # Referees see the files of all teams; a kit is that of one team.
    for file in files.filter(team=None) if access.sees_all(viewer, round_.contest) else files:
        writer.add_blob(f"{folder}/data/{file_name(file.name)}", file.blob)
    return writer.close(f"{folder}.zip")


def all_targets(viewer: access.Viewer, round_: Round) -> File[Any] | None:
    """Return the published files of all targets, a folder for each, as the starter kit wants them; None without any."""
    files = access.files_of_targets(viewer, round_).select_related("blob", "target", "team")
    listed = list(files.order_by("target__alias", "name", "team__number"))
    if not listed:
        return None
    _slow_down(viewer)
    writer, sees_all = ZipWriter(), access.sees_all(viewer, round_.contest)
    for file in listed:
        # Referees have the files of every attacker; those of one must not overwrite those of another.
        apart = f"team{file.team.number}/" if file.team is not None and sees_all else ""
        writer.add_blob(f"targets/{short_alias(file.target)}/{apart}{file_name(file.name)}", file.blob)
    return writer.close(f"{round_.contest.slug}-{round_.kind}-targets.zip")
