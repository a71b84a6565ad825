"""The battery that every registered anonymizer, attack and metric passes; whoever adds a part adds nothing here."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.effort import EFFORT
from tests.sample_histories import fitting_samples, sample
from tokumei.data.history import History, Release, Secret
from tokumei.data.release_folder import read_release, write_release
from tokumei.data.results import Goal, Guesses, Score
from tokumei.data.secret_file import read_secret, write_secret
from tokumei.errors import InfeasibleError, LeakError, ParameterError, SchemaError, TokumeiError, UnknownPartError
from tokumei.flow.gate import refuse_foreign_secret, refuse_leaks
from tokumei.flow.making import anonymized
from tokumei.parts import Attack, Method, Metric, Part, find_part, make_part, parse_settings, part_names

CONTRACTS = {"anonymizer": Method, "attack": Attack, "metric": Metric}
REGISTERED = [(kind, name) for kind in CONTRACTS for name in part_names(kind)]
# These show their subjects' ids on purpose: contest samples that publishing must refuse.
KEEPS_IDS = {"ano-del-lc"}
FORMATS = ("csv", "parquet")
REPEATED = ("mixed", "missing values", "a shop", "a table")
# These are for one kind of data and refuse others with this reason.
CHOOSY = {
    "kl-divergence": ("occur nowhere in the release",),
    "concordance": ("needs a column of times",),
    "cox-overlap": ("needs a column of times",),
    "survival-curve": ("has no value on one side",),
    "tail-shift": ("no ordered column varies",),
    "model-accuracy": ("too few records are published", "no category of at most"),
    "sse-sst": ("no ordered column varies",),
    "k-concealment-static": ("is for one record per subject",),
    "place-error": ("needs a place",),
    "recoding": ("is for one record per subject",),
    "record-interpolation": ("records without a time", "one record per subject and slot would keep"),
}


def _loadable(kind: str) -> list[str]:
    names = []
    for name in part_names(kind):
        try:
            find_part(kind, name)
        except UnknownPartError:
            continue
        names.append(name)
    return names


ANONYMIZERS, ATTACKS, METRICS = (_loadable(kind) for kind in CONTRACTS)
# What attacks and metrics are tried on: releases by methods for data of the same kind.
TRIED = {
    ("records",): ("pseudonymize", "ano-random"),
    ("records", "people"): ("ano-shuffle", "ano-divt"),
    ("rows",): ("rr", "top"),
}


def _usual(kind: str, name: str) -> History:
    """Return data as a part expects it, with missing values where they may be."""
    known = fitting_samples(find_part(kind, name))
    return sample("missing values" if "missing values" in known else known[0])


def _samples(kind: str, names: list[str]) -> list[tuple[str, str]]:
    return [(name, data) for name in names for data in fitting_samples(find_part(kind, name))]


def _methods(kind: str, names: list[str]) -> list[tuple[str, str]]:
    return [(name, method) for name in names for method in TRIED[find_part(kind, name).needs]]


def _part(kind: str, name: str) -> Any:
    return make_part(find_part(kind, name))


def _released(name: str, history: History, *, seed: int = 1) -> tuple[Release, Secret] | None:
    """Run a method; what the data cannot give must be refused by an InfeasibleError, which gives None."""
    try:
        return anonymized(history, _part("anonymizer", name), seed=seed)
    except InfeasibleError as error:
        _check_refusal(error, history, name)
        return None


@cache
def _history(data: str) -> History:
    return sample(data)


@cache
def _made(name: str, data: str) -> tuple[Release, Secret] | None:
    return _released(name, _history(data))


def _surely(name: str, history: History, *, seed: int = 1) -> tuple[Release, Secret]:
    """Run a method on data that it must be able to handle, unless it is for other data or keeps to limits."""
    made = _released(name, history, seed=seed)
    if made is None:
        pytest.skip(f"{name} does not give a release of this data")
    return made


def _check_refusal(error: TokumeiError, history: History, name: str) -> None:
    """Check that a refusal is one sentence without data, and that usual data is never refused.

    Only a method that promises to keep limits on utility may say of any data that it cannot.
    """
    message = str(error)
    chosen = any(reason in message for reason in CHOOSY.get(name, ())) or error.code == "utility"
    assert chosen or len(history.subjects) < 5 or len(history.schema.columns) < 2 or len(history) == 0, message
    assert message
    assert "\n" not in message
    assert "QZX" not in message
    assert not message.endswith(".")


@pytest.mark.parametrize(("kind", "name"), REGISTERED)
def test_a_part_loads_under_its_name_and_says_what_it_is(kind: str, name: str) -> None:
    part = find_part(kind, name)
    assert issubclass(part, CONTRACTS[kind])
    assert part.name == name
    assert part.summary
    assert part.source
    assert (part.__doc__ or "").strip()
    assert part.needs in TRIED
    part()


@pytest.mark.half_second
@pytest.mark.parametrize(("kind", "name"), [pair for pair in REGISTERED if find_part(*pair).needs != ("records",)])
def test_a_part_says_in_one_sentence_what_the_data_lacks(kind: str, name: str) -> None:
    lacking = f"'{name}' needs a (table of people beside|static table) .*, which this data does not have; the lists of"
    with pytest.raises(InfeasibleError, match=lacking) as raised:
        _part(kind, name).require(sample("mixed"))
    assert raised.value.code == "needs"
    _part(kind, name).require(_usual(kind, name))


@pytest.mark.parametrize(("kind", "name"), REGISTERED)
def test_every_parameter_is_declared_with_limits_that_hold(kind: str, name: str) -> None:
    """One form of message for all: which parameter of which part must be what, and what it was."""
    part = find_part(kind, name)
    for info in part.parameters():
        assert info.type in ("int", "float", "bool", "str")
        assert info.doc
        wrong: list[Any] = [object(), [1]]
        if info.type in ("int", "float"):
            wrong += ["three", math.nan, math.inf, True, 10**400]
            wrong += [] if info.low is None else [math.ceil(info.low) - 1]
            wrong += [] if info.high is None else [math.floor(info.high) + 1]
        elif info.choices:
            wrong += ["no such choice", 1]
        else:
            wrong += [1.5]
        for value in wrong:
            with pytest.raises(ParameterError) as raised:
                part(**{info.name: value})
            form = rf"parameter '{info.name}' of '{re.escape(name)}' must be .+, got .+"
            assert re.fullmatch(form, str(raised.value)), str(raised.value)
            assert len(str(raised.value)) < 300
    with pytest.raises(ParameterError, match=f"'{name}' has no parameter 'no_such_thing'"):
        parse_settings(part, ["no_such_thing=1"])


@pytest.mark.parametrize(("kind", "name"), REGISTERED)
def test_parts_with_equal_settings_are_equal_and_frozen(kind: str, name: str) -> None:
    part: Part = _part(kind, name)
    assert part == _part(kind, name)
    assert hash(part) == hash(_part(kind, name))
    with pytest.raises((AttributeError, TypeError)):
        part.anything = 1  # type: ignore[attr-defined]


def _state(history: History) -> list[bytes]:
    own = [history.subject.tobytes(), *(codes.tobytes() for codes in history.codes.values())]
    return own if history.people is None else own + _state(history.people)


@pytest.mark.half_second
@pytest.mark.effort
@pytest.mark.parametrize("name", ANONYMIZERS)
def test_a_release_of_any_data_fits_its_secret_and_its_schema_and_survives_its_files(tmp_path: Path, name: str) -> None:
    """The two formats take turns over data and methods: each data is in both."""
    for number, data in enumerate(fitting_samples(find_part("anonymizer", name))):
        _check_release(name, data)
        made = _made(name, data)
        if made is not None:
            turn = number + ANONYMIZERS.index(name)
            for data_format in FORMATS if EFFORT == "campaign" else FORMATS[turn % 2 :][:1]:
                _check_files(tmp_path / f"{number}-{data_format}", name, _history(data), *made, data_format=data_format)


def _check_release(name: str, data: str) -> None:
    history = _history(data)
    before = _state(history)
    made = _made(name, data)
    if made is None:
        return
    release, secret = made
    assert _state(history) == before
    assert release.method == name
    assert release.schema == history.schema
    assert list(release.cells) == [field.name for field in history.schema.fields]
    assert {len(column) for column in release.cells.values()} <= {len(release)}
    assert len(secret.rows) == len(release)
    assert release.pseudonyms.null_count() == 0
    assert secret.rows.dtype == np.int64
    assert int(secret.rows.min(initial=0)) >= -1
    assert int(secret.rows.max(initial=-1)) < len(history)
    refuse_foreign_secret(history, release, secret)
    real = np.flatnonzero(secret.rows >= 0)
    pairs = pl.DataFrame(
        {
            "pseudonym": release.pseudonyms.gather(real).cast(pl.String),
            "subject": history.subjects.gather(history.subject[secret.rows[real]]).cast(pl.String),
        }
    )
    assert pairs.join(secret.owners, on=["pseudonym", "subject"], how="anti").height == 0
    assert repr(secret) == "Secret(…)"
    if release.people is not None:
        assert history.people is not None
        assert secret.people is not None
        assert len(secret.people) == len(release.people) <= len(history.people)
        assert len(set(secret.people.tolist())) == len(secret.people)
        assert release.people.schema == history.people.schema
        assert release.people.pseudonyms.is_unique().all()


@pytest.mark.half_second
@pytest.mark.parametrize(("name", "data"), [(n, d) for n, d in _samples("anonymizer", ANONYMIZERS) if d in REPEATED])
def test_a_seed_repeats_a_release(name: str, data: str) -> None:
    first, first_secret = _surely(name, sample(data), seed=7)
    again, again_secret = _surely(name, sample(data), seed=7)
    assert first.text().equals(again.text())
    assert np.array_equal(first_secret.rows, again_secret.rows)
    assert first_secret.owners.equals(again_secret.owners)


def _shuffled(history: History) -> History:
    return history.take(np.random.default_rng(4).permutation(len(history)))


@pytest.mark.half_second
@pytest.mark.parametrize("name", ANONYMIZERS)
def test_a_release_does_not_depend_on_the_order_of_the_rows(name: str) -> None:
    history = _usual("anonymizer", name)
    first, _ = _surely(name, history, seed=7)
    other, _ = _surely(name, _shuffled(history), seed=7)
    assert first.text().equals(other.text())


def _check_equal_cells(release: Release, again: Release) -> None:
    for column, cells in release.cells.items():
        keys = zip(cells.sort_keys(), again.cells[column].sort_keys(), strict=True)
        assert all(np.array_equal(one, other) for one, other in keys)


def _check_files(
    place: Path, name: str, history: History, release: Release, secret: Secret, *, data_format: str
) -> None:
    place.mkdir()
    folder, kept = place / "release", place / "secret"
    write_release(release, folder, data_format=data_format)
    write_secret(secret, kept)
    again, known = read_release(folder, history), read_secret(kept)
    assert again.text().equals(release.text())
    assert again.method == name
    _check_equal_cells(release, again)
    assert (release.people is None) == (again.people is None)
    if release.people is not None and again.people is not None:
        _check_equal_cells(release.people, again.people)
        assert known.people is not None
        assert secret.people is not None
        assert np.array_equal(known.people, secret.people)
    assert np.array_equal(known.rows, secret.rows)
    assert known.owners.equals(secret.owners.select("pseudonym", "subject"))
    if name not in KEEPS_IDS:
        refuse_leaks(history, release, secret)
        everything = b"".join(path.read_bytes() for path in folder.iterdir())
        assert b"QZX" not in everything


@pytest.mark.parametrize("name", sorted(KEEPS_IDS & set(ANONYMIZERS)))
def test_a_method_that_keeps_ids_cannot_be_published(name: str) -> None:
    history = sample("mixed")
    release, secret = _surely(name, history)
    with pytest.raises(LeakError, match="pseudonyms of the release are subject ids of the original; give every"):
        refuse_leaks(history, release, secret)


def _guessed(name: str, history: History, release: Release, *, seed: int = 1) -> Guesses | None:
    try:
        found: Guesses = _part("attack", name).guess(history, release, rng=np.random.default_rng(seed))
    except InfeasibleError as error:
        _check_refusal(error, history, name)
        return None
    return found


@pytest.mark.half_second
@pytest.mark.parametrize(("name", "method"), _methods("attack", ATTACKS))
def test_guesses_name_pseudonyms_and_subjects_that_exist(name: str, method: str) -> None:
    for data in fitting_samples(find_part("attack", name)):
        made = _made(method, data)
        if made is not None:
            _check_guesses(name, _history(data), *made)


def _check_guesses(name: str, history: History, release: Release, secret: Secret) -> None:
    before = _state(history)
    guesses = _guessed(name, history, release)
    assert _state(history) == before
    if guesses is None:
        return
    assert guesses.frame.schema == {"target": pl.String, "rank": pl.Int64, "candidate": pl.String}
    assert guesses.frame["target"].null_count() == 0
    pairs = guesses.pairs()
    names = release.pseudonyms if release.people is None else release.people.pseudonyms
    assert pairs["pseudonym"].is_in(names.implode()).all()
    assert pairs["subject"].is_in(history.subjects.implode()).all()
    assert 0 <= guesses.hits(secret.owners) <= len(guesses)
    assert guesses.attack == name


@pytest.mark.half_second
@pytest.mark.parametrize(("name", "method"), _methods("attack", ATTACKS))
def test_a_seed_repeats_guesses_also_on_what_was_read_from_files(tmp_path: Path, name: str, method: str) -> None:
    history = _usual("attack", name)
    release, _ = _surely(method, history)
    write_release(release, tmp_path / "release")
    first = _guessed(name, history, release, seed=5)
    again = _guessed(name, history, read_release(tmp_path / "release", history), seed=5)
    assert first is not None
    assert again is not None
    assert first.frame.equals(again.frame)


def _measured(name: str, history: History, release: Release, secret: Secret) -> Score | None:
    try:
        score: Score = _part("metric", name).measure(history, release, secret)
    except (InfeasibleError, SchemaError) as error:
        _check_refusal(error, history, name)
        return None
    return score


@pytest.mark.half_second
@pytest.mark.parametrize(("name", "method"), _methods("metric", METRICS))
def test_a_score_is_a_number_within_its_bounds(name: str, method: str) -> None:
    for data in fitting_samples(find_part("metric", name)):
        made = _made(method, data)
        if made is not None:
            _check_score(name, _history(data), *made)


def _check_score(name: str, history: History, release: Release, secret: Secret) -> None:
    before = _state(history)
    score = _measured(name, history, release, secret)
    assert _state(history) == before
    if score is None:
        return
    assert score.name == name
    assert score.goal in Goal
    assert math.isfinite(score.value)
    assert score.lowest <= score.value <= score.highest
    assert all(math.isfinite(value) for value in score.parts.values())
    assert score == _measured(name, history, release, secret)


@pytest.mark.half_second
@pytest.mark.parametrize(("name", "method"), _methods("metric", METRICS))
def test_a_score_does_not_depend_on_files_or_the_order_of_the_rows(tmp_path: Path, name: str, method: str) -> None:
    history = _usual("metric", name)
    other = _shuffled(history)
    release, secret = _surely(method, history)
    score = _measured(name, history, release, secret)
    write_release(release, tmp_path / "release")
    write_secret(secret, tmp_path / "secret")
    read = _measured(name, history, read_release(tmp_path / "release", history), read_secret(tmp_path / "secret"))
    assert read == score
    moved = _measured(name, other, *_surely(method, other))
    if score is None and name in CHOOSY:
        pytest.skip(f"{name} must be told the columns it is about")
    assert score is not None
    assert moved is not None
    assert moved.value == pytest.approx(score.value, rel=1e-12)
