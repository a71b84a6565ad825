"""The battery that every registered contest passes; whoever adds a contest adds nothing here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from tests.conftest import Run
from tests.effort import EFFORT
from tokumei.contests import Checked, Contest, Entry, FileSpec, Pair, RoundTable, file_name, find_contest, make_contest
from tokumei.errors import ParameterError
from tokumei.parts import part_names

NAMES = part_names("contest")
PLAYED = [name for name in NAMES if find_contest(name).has_attack_task]
SEED = 5
GARBAGE = (b"", b"\n", b"\x00\xff\xfe", b"a,b\n1\n", '茶,"x\n'.encode("cp932"), b"1," * 200 + b"\n", b"-1\n" * 3)
TEAMS = ("alpha", "beta")
TITLES = ("title", "about")
KEPT = TemporaryDirectory(prefix="tokumei-battery-")


@dataclass(frozen=True)
class Played:
    """A small contest: its data, a release of its first player, what was published, and guesses of all players."""

    contest: Contest
    folder: Path

    def place(self, *names: str) -> Path:
        """Return a folder of the contest."""
        return self.folder.joinpath(*names)

    @property
    def data(self) -> Path:
        """The original files."""
        return self.place("data")

    @property
    def release(self) -> Path:
        """What the first player handed in."""
        return self.place("release")


def battery_size(contest: Contest) -> int:
    """Return a third of the size of a demonstration, unless that needs the full size; a campaign takes it whole."""
    sizes = contest.sizes
    assert sizes is not None
    return sizes.demo if EFFORT == "campaign" or sizes.demo == sizes.default else max(sizes.low, sizes.demo // 3)


@cache
def generated(name: str) -> Path:
    """Return the data of a contest; no test may change it."""
    contest, folder = make_contest(name), Path(KEPT.name) / name / "data"
    folder.mkdir(parents=True)
    contest.generate(folder, size=battery_size(contest), seed=SEED)
    return folder


@cache
def played(name: str) -> Played:
    """Return the contest played by its first player and attacked by two; no test may change it."""
    contest, data = make_contest(name), generated(name)
    found = Played(contest, data.parent)
    for place in ("release", "published", "truth"):
        found.place(place).mkdir()
    player = contest.players[0]
    contest.anonymize(player.method, data, found.release, settings=player.settings, rng=np.random.default_rng(SEED))
    made = contest.publish(data, found.release, attackers=TEAMS, seed="s")
    put(found.place("published"), made.common)
    put(found.place("truth"), made.truth)
    for team, attacker in zip(TEAMS, contest.players, strict=False):
        guesses = found.place("guesses", team)
        put(guesses / "published", made.per_attacker.get(team, {}))
        put(guesses / "truth", made.truth_per_attacker.get(team, {}))
        seen = found.place("seen", team)
        put(seen, {**made.common, **made.per_attacker.get(team, {})})
        contest.attack(attacker.attack, data, seen, guesses, settings={}, rng=np.random.default_rng(SEED))
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def put(folder: Path, files: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / file_name(name)).write_bytes(data)


def scored(found: Played, guesses: list[Path]) -> list[Checked]:
    return found.contest.score_guesses(
        found.data, found.release, published=found.place("published"), truth=found.place("truth"), guesses=guesses
    )


def told(checked: Checked) -> Checked:
    """Check that a verdict is complete: figures for JSON if valid, else sentences in both languages."""
    json.dumps(dict(checked.figures), allow_nan=False)
    assert checked.valid or checked.notes
    assert checked.note_count >= len(checked.notes)
    for note in checked.notes:
        assert note.code
        assert set(note.message) == {"en", "ja"}
        assert all(note.message.values())
        json.dumps(note.as_dict())
    return checked


@pytest.mark.parametrize("name", NAMES)
def test_a_contest_says_what_it_is(name: str) -> None:
    contest = find_contest(name)
    files = (*contest.data_files, *contest.release_files, *contest.published_files, *contest.guess_files)
    columns = (*contest.release_columns, *contest.guess_columns)
    texts = [getattr(contest, title) for title in TITLES]
    texts += [file.about for file in files] + [column.title for column in columns]
    texts += [words for _, words in contest.referee_parameters()]
    assert all(set(text) == {"en", "ja"} and all(text.values()) for text in texts)
    assert all(words["ja"] != words["en"] for _, words in contest.referee_parameters())
    assert contest.source
    assert contest.summary == contest.about["en"]
    assert contest.version().startswith(f"{name}-{contest.revision} tokumei-")
    assert set(contest.rounds) <= {"practice", "preliminary", "final"}
    assert contest.set_by_round <= {info.name for info in contest.parameters()}
    assert contest.utility_figure in {column.key for column in contest.release_columns}
    if contest.has_attack_task:
        assert contest.matrix_figure in {column.key for column in contest.guess_columns}
        assert all((contest.published_files, contest.guess_files, contest.methods, contest.attacks, contest.players))


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_declared_and_checked(name: str) -> None:
    with pytest.raises(ParameterError, match=f"'{name}' has no parameter 'nonsense'"):
        make_contest(name, {"nonsense": 1})
    for info in find_contest(name).parameters():
        if info.type != "str" or info.choices:
            with pytest.raises(ParameterError, match=f"parameter '{info.name}' of '{name}' must be"):
                make_contest(name, {info.name: "no such value"})
        make_contest(name, {info.name: info.default})
    for kind in find_contest(name).rounds:
        assert type(make_contest(name).for_round(kind)) is find_contest(name)


@pytest.mark.parametrize("name", NAMES)
def test_generated_data_is_usable_and_repeatable(name: str, tmp_path: Path) -> None:
    contest = make_contest(name)
    assert contest.sizes is not None
    assert contest.sizes.low <= contest.sizes.demo <= contest.sizes.high
    for number, seed in enumerate((1, 1, 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        contest.generate(folder, size=contest.sizes.low, seed=seed)
        assert told(contest.check_data(folder)).valid
    first, again, other = (contents(tmp_path / str(number)) for number in range(3))
    assert {file.filename for file in contest.data_files if not file.optional} <= set(first)
    assert first == again != other
    if contest.draws_private_data:
        own = tmp_path / "own"
        own.mkdir()
        contest.generate_private(tmp_path / "0", own, size=None, seed=1)
        assert told(contest.check_data(own)).valid
        assert (own / contest.data_files[0].filename).read_bytes() not in first.values()


@pytest.mark.half_second
@pytest.mark.parametrize("name", PLAYED)
def test_every_player_hands_in_what_the_contest_takes(name: str, tmp_path: Path) -> None:
    contest, data = make_contest(name), generated(name)
    # Players with other parameters of the same method are a campaign's.
    methods = {player.method: player for player in reversed(contest.players)}
    players = contest.players if EFFORT == "campaign" else tuple(reversed(methods.values()))
    for number, player in enumerate(players):
        folder = tmp_path / str(number)
        folder.mkdir()
        result = contest.anonymize(
            player.method, data, folder, settings=player.settings, rng=np.random.default_rng(SEED)
        )
        json.dumps(result)
        made = contents(folder)
        assert set(made) == {file.filename for file in contest.release_files}
        # The release that is attacked in other tests was made with the same seed.
        assert player != contest.players[0] or made == contents(played(name).release)
        checked = told(contest.check_release(data, folder))
        assert checked.valid, (player, checked.notes[:2])
        assert contest.release_order(checked.figures) == contest.release_order(checked.figures)
        assert {column.key for column in contest.release_columns} <= set(checked.figures)


@pytest.mark.half_second
@pytest.mark.parametrize("name", PLAYED)
def test_publishing_is_repeatable_and_the_same_for_an_attacker_whoever_else_attacks(name: str) -> None:
    found = played(name)
    publish = found.contest.publish
    both = publish(found.data, found.release, attackers=TEAMS, seed="s")
    one = publish(found.data, found.release, attackers=TEAMS[1:], seed="s")
    assert both == publish(found.data, found.release, attackers=TEAMS, seed="s")
    assert (one.common, one.truth) == (both.common, both.truth)
    assert one.per_attacker.get("beta") == both.per_attacker.get("beta")
    assert {*both.common, *both.per_attacker.get("alpha", {})} == {file.name for file in found.contest.published_files}
    secret = {file.name for file in found.contest.release_files if file.secret}
    assert not secret & set(both.common)


@pytest.mark.half_second
@pytest.mark.parametrize("name", PLAYED)
def test_guesses_of_the_sample_attacks_are_scored(name: str) -> None:
    found = played(name)
    results = scored(found, [found.place("guesses", team) for team in TEAMS])
    for checked in results:
        assert told(checked).valid, checked.notes[:2]
        assert {column.key for column in found.contest.guess_columns} <= set(checked.figures)
        assert isinstance(found.contest.shows_unsafe(checked.figures), bool)
        assert found.contest.guess_order(checked.figures)
    assert scored(found, [found.place("guesses", "beta")]) == results[1:]


def copied(source: Path, target: Path, files: tuple[FileSpec, ...]) -> Path:
    target.mkdir(parents=True)
    for file in files:
        if (source / file.filename).exists():
            (target / file.filename).write_bytes((source / file.filename).read_bytes())
    return target


@pytest.mark.parametrize("name", NAMES)
def test_damaged_data_is_refused_in_both_languages(name: str, tmp_path: Path) -> None:
    contest, data = make_contest(name), generated(name)
    for number, garbage in enumerate(GARBAGE):
        for file in contest.data_files:
            folder = copied(data, tmp_path / f"{number}{file.name}", contest.data_files)
            (folder / file.filename).write_bytes(garbage)
            assert not told(contest.check_data(folder)).valid


@pytest.mark.half_second
@pytest.mark.parametrize("name", PLAYED)
def test_damaged_submissions_are_refused_in_both_languages(name: str, tmp_path: Path) -> None:
    found = played(name)
    contest = found.contest

    def refused(kind: str, files: tuple[FileSpec, ...], source: Path, judge: Callable[[Path], Checked]) -> None:
        for number, garbage in enumerate(GARBAGE):
            for file in files:
                folder = copied(source, tmp_path / f"{kind}{number}{file.name}", files)
                for area in ("published", "truth"):
                    if (source / area).is_dir():
                        (folder / area).symlink_to(source / area)
                (folder / file.filename).write_bytes(garbage)
                # Whether nothing at all can be handed in is for the contest to say.
                assert not told(judge(folder)).valid or not garbage.strip(), (file.name, garbage[:20])

    refused("release", contest.release_files, found.release, lambda place: contest.check_release(found.data, place))
    refused("guess", contest.guess_files, found.place("guesses", "alpha"), lambda place: scored(found, [place])[0])


def ranked(name: str) -> tuple[Contest, RoundTable]:
    """Return the table of three teams: two handed in the same, the third nothing."""
    found = played(name)
    release = found.contest.check_release(found.data, found.release).figures
    guess = scored(found, [found.place("guesses", "alpha")])[0].figures
    moment = datetime(2026, 8, 1, tzinfo=UTC)
    entries = [Entry("a", release, moment), Entry("b", release, moment), Entry("c", None, None)]
    entries.append(Entry("out", release, moment, disqualified=True))
    pairs = [Pair("a", "b", guess), Pair("b", "a", guess), Pair("out", "a", guess)]
    return found.contest, found.contest.rank_round(entries, pairs)


@pytest.mark.half_second
@pytest.mark.parametrize("name", PLAYED)
def test_equal_teams_share_a_rank_and_the_rule_says_so(name: str) -> None:
    contest, table = ranked(name)
    overall = contest.rank_overall([(0.1, table), (0.9, table)])
    for found in (table, overall):
        for rows, columns, rule in (
            (found.anonymizers, found.anonymizer_columns, found.anonymizer_rule),
            (found.attackers, found.attacker_columns, found.attacker_rule),
        ):
            ranks = {row.team: row.rank for row in rows}
            assert ranks["a"] == ranks["b"]
            assert ranks["out"] is None
            assert {row.team for row in rows} == {"a", "b", "c", "out"}
            assert set(rule) == {"en", "ja"}
            assert all(set(column.title) == {"en", "ja"} for column in columns)
            json.dumps([dict(row.figures) for row in rows], allow_nan=False)
    empty = contest.rank_round((), ())
    assert (empty.anonymizers, empty.attackers) == ((), ())


@pytest.mark.half_second
@pytest.mark.parametrize("name", NAMES)
def test_standard_commands_agree_with_the_contract(name: str, run: Run, tmp_path: Path) -> None:
    from tokumei.cli.contest_commands import contest_app

    contest = make_contest(name)
    standard = {
        command.name
        for command in contest_app(type(contest)).registered_commands
        if getattr(command.callback, "__qualname__", "").startswith("_Commands.")
    }
    if "check" in standard:
        assert run(name, "check", generated(name), "--json").json == {"valid": True, "error_count": 0, "errors": []}
    if not contest.has_attack_task:
        return
    found = played(name)
    data, release, guesses = found.data, found.release, found.place("guesses", "alpha")
    figures = dict(contest.check_release(data, release).figures)
    scores = dict(scored(found, [guesses])[0].figures)
    if "utility" in standard:
        assert run(name, "utility", data, release, "--json").json == figures
    if "publish" in standard:
        words = ("--team", "alpha", "--seed", "s", "--truth", tmp_path / "truth")
        assert run(name, "publish", data, release, "-o", tmp_path / "published", *words).status == 0
        seen = [path for path in found.place("published").iterdir() if path.is_file()]
        assert all((tmp_path / "published" / path.name).read_bytes() == path.read_bytes() for path in seen)
    if "safety" in standard:
        told = run(name, "safety", data, release, guesses, "--seed", "s", "--json")
        assert (told.json, told.status) == (scores, int(contest.shows_unsafe(scores)))
    if "evaluate" in standard:
        told = run(name, "evaluate", data, release, guesses, "--seed", "s", "--json")
        assert (told.json["figures"], told.json["guesses"][0]["figures"]) == (figures, scores)
    entries = [{"team": team, "figures": figures, "received_at": "2026-08-01T00:00:00+00:00"} for team in "ab"]
    pairs = [{"attacker": "a", "owner": "b", "figures": scores}]
    (tmp_path / "results.json").write_text(json.dumps({"entries": entries, "pairs": pairs}))
    document = run(name, "rank", tmp_path / "results.json", "--json").json
    moment = datetime(2026, 8, 1, tzinfo=UTC)
    table = contest.rank_round([Entry(team, figures, moment) for team in "ab"], [Pair("a", "b", scores)])
    assert [row["rank"] for row in document["anonymizers"]["rows"]] == [row.rank for row in table.anonymizers]
    assert document["attackers"]["rule"] == table.attacker_rule["en"]
    wrong = run(name, "rank", generated(name) / contest.data_files[0].filename)
    assert (wrong.status, "does not hold entries and pairs" in wrong.err) == (2, True)
