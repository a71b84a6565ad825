"""Plans through their files, the choice of a method, and the estimate against the runs it was made from."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sample_histories import sample
from tokumei.cli.plans import foreseen
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.raw import Source
from tokumei.data.schema import Schema
from tokumei.errors import InputError, ParameterError
from tokumei.flow import estimating as estimate_module
from tokumei.flow.estimating import FACTOR, START_SECONDS, Size, estimate, estimate_in_memory, estimate_in_parts
from tokumei.flow.plan import Plan, complete, make_method, plan_of
from tokumei.flow.publishing import Places, places_of
from tokumei.methods.grouping import work
from tokumei.methods.k_anonymity import KAnonymity
from tokumei.methods.pseudonymize import Pseudonymize
from tokumei.profiles import Content, with_content
from tokumei.words import Message, Words

SCHEMA = Schema('a "b"', (Column(name="x|y\n", keep=True), Column(name="d", kind=Kind.DATE, format="%d.%m.%Y")))


@given(st.integers(0, 2**128), st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["csv", "parquet"]))
def test_a_plan_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, seed: int, name: str, data_format: str
) -> None:
    plan = plan_of(
        "k-anonymity",
        {"k": 4, "weights": "a:2"},
        schema=SCHEMA,
        seed=seed,
        input=name,
        input_sha256="00ff",
        data_format=data_format,
    )
    path = tmp_path_factory.mktemp("p") / "plan.toml"
    path.write_text(plan.to_toml(), encoding="utf-8")
    assert Plan.read(path) == plan
    assert plan.make_method(threads=2) == KAnonymity(k=4, weights="a:2", threads=2)


def test_a_plan_to_show_has_neither_key_nor_seed_nor_hash() -> None:
    plan = plan_of("k-anonymity", seed=77771777, key="7e" * 32, input_sha256="abcdef", input="x.csv")
    assert "77771777" not in plan.to_toml(secret=False)
    assert "7e7e" not in plan.to_toml(secret=False)
    assert "abcdef" not in plan.to_toml(secret=False)
    assert 'input = "x.csv"' in plan.to_toml(secret=False)


def test_the_input_of_a_plan_is_known_by_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"abc")
    source = Source.read(path)
    assert source.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    Plan(method="k-anonymity", input_sha256=source.sha256).check_input(source)
    Plan(method="k-anonymity").check_input(source)
    with pytest.raises(InputError, match="this is not the input that the plan was made for"):
        Plan(method="k-anonymity", input_sha256="0").check_input(source)


def test_a_pipe_has_no_hash(tmp_path: Path) -> None:
    """It can be read only once: nobody could compare."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"abc",))
    writer.start()
    source = Source.read(pipe)
    writer.join()
    assert (source.raw, source.sha256) == (b"abc", "")


def test_what_is_kept_lies_beside_the_folder() -> None:
    folder = Path("x/release.v2")
    plan, audit = Path("x/release.v2.plan.toml"), Path("x/release.v2.audit.json")
    assert places_of(folder) == Places(folder, Path("x/release.v2.secret"), plan, audit)
    assert places_of(folder, Path("kept")) == Places(folder, Path("kept"), plan, audit)


def rows(count: int) -> History:
    frame = pl.DataFrame({"age": np.arange(count) % 90})
    return History.from_frame(frame, Schema("row", (Column(name="age", kind=Kind.NUMBER),)))


def test_the_safest_method_is_chosen_and_explained() -> None:
    plan, _ = complete(sample("mixed"), Plan())
    assert (plan.method, plan.parameters["k"], plan.parameters["effort"]) == ("k-anonymity", 3, "normal")
    assert plan.parameters["loss"] == "cell-error"
    assert str(plan.why).startswith("the safest method here: every published history is the same for at least k people")
    large, _ = complete(rows(20_001), plan_of(None, k=5))
    assert (large.parameters["effort"], large.parameters["loss"]) == ("normal", "variance")
    assert complete(rows(20_001), plan_of(None, {"effort": "best"}))[0].parameters["effort"] == "best"
    assert complete(sample("mixed"), plan_of("pseudonymize"))[0].why == Message("cli.why-asked")


def test_a_complete_plan_stays_as_it_is() -> None:
    history = sample("mixed")
    plan, method = complete(history, plan_of(None, {"k": np.int64(2), "threads": 1}))
    assert complete(history, plan) == (plan, method)
    assert complete(history, plan)[0].why == plan.why
    assert plan.schema == with_content(history.schema, Content.GRID)
    # How it runs is part of the plan that runs, not of what is written.
    assert plan.parameters["threads"] == 1
    assert "threads" not in plan.deciding
    assert "k = 2\n" in plan.to_toml()
    assert "threads" not in plan.to_toml()


def test_wrong_settings_are_told_before_any_data_is_read() -> None:
    with pytest.raises(ParameterError, match="^the method 'pseudonymize' has no k; leave --k out$"):
        plan_of("pseudonymize", k=3)
    with pytest.raises(ParameterError, match="^parameter 'k' of 'k-anonymity' is given twice; give it once$"):
        plan_of("k-anonymity", {"k": 2}, k=3)
    with pytest.raises(ParameterError, match="^parameter 'k' of 'k-anonymity' must be a whole number .*, got 1.5$"):
        plan_of(None, {"k": 1.5})
    assert make_method("k-anonymity", {"k": "4"}, threads=3) == KAnonymity(k=4, threads=3)


def lengths(*counts: int, columns: int = 1) -> History:
    who = np.repeat(np.arange(len(counts)), counts)
    names = [f"x{number}" for number in range(columns)]
    frame = pl.DataFrame({"who": who.astype(str), **{name: np.arange(len(who)) % 7 for name in names}})
    return History.from_frame(frame, Schema("who", tuple(Column(name=name, kind=Kind.NUMBER) for name in names)))


RIOTS, HEALTH, LARGER, WALKS = (63, 1, 7), (2000, 1, 12), (8000, 1, 12), (300, 30, 3)
STORMS, PATIENTS, CUSTOMERS = (655, 30, 6), (312, 6, 18), (23_570, 3, 3)
# Subjects, records of each (about), columns; k; CPU seconds of the command at normal effort (START_SECONDS and those of
# the method where it was measured alone).
MEASURED = [
    (RIOTS, 2, 2.1),
    (RIOTS, 3, 2.1),
    (RIOTS, 5, 2.1),
    (HEALTH, 2, START_SECONDS + 0.23),
    (HEALTH, 3, START_SECONDS + 0.29),
    (HEALTH, 5, START_SECONDS + 0.29),
    (LARGER, 2, START_SECONDS + 0.87),
    (LARGER, 3, START_SECONDS + 1.03),
    (LARGER, 5, START_SECONDS + 0.97),
    (WALKS, 2, START_SECONDS + 0.08),
    (WALKS, 3, START_SECONDS + 2.22),
    (WALKS, 5, START_SECONDS + 1.11),
    (STORMS, 2, 2.4),
    (STORMS, 3, 7.5),
    (STORMS, 5, 11.0),
    (PATIENTS, 2, 2.4),
    (PATIENTS, 3, 4.4),
    (PATIENTS, 5, 6.0),
    (CUSTOMERS, 5, 32.0),
]
# The same of purchases, which have histories of very different lengths: (how many, records) of each kind of length.
PURCHASES = ((12, 4), (18, 12), (30, 27), (30, 62), (19, 130), (8, 280), (2, 600), (1, 1000))


@pytest.mark.parametrize(("size", "k", "seconds"), MEASURED)
def test_the_estimate_is_near_what_was_measured(size: tuple[int, int, int], k: int, seconds: float) -> None:
    subjects, records, columns = size
    told = estimate(lengths(*[records] * subjects, columns=columns), KAnonymity(k=k, effort="normal"))
    foreseen = sum(part or 0.0 for part in told.cpu.values())
    assert seconds / FACTOR <= foreseen <= seconds * FACTOR


FLOW, TRAJECTORIES, CMC, ADULT, PEOPLE = (1000, 30, 5), (500, 30, 3), (1473, 1, 10), (30_162, 1, 7), (100_000, 1, 6)
# The same of methods alone: subjects, records of each, columns; k and effort; CPU seconds.
METHODS = [
    (FLOW, 2, "normal", 1.0),
    (FLOW, 3, "normal", 6.9),
    (FLOW, 2, "fast", 0.7),
    (FLOW, 3, "fast", 3.6),
    (FLOW, 5, "fast", 4.6),
    (TRAJECTORIES, 3, "normal", 1.8),
    (CMC, 2, "fast", 0.04),
    (CMC, 3, "normal", 0.17),
    (CMC, 5, "normal", 0.17),
    (ADULT, 2, "fast", 0.53),
    (ADULT, 5, "fast", 0.59),
    (ADULT, 3, "normal", 2.78),
    (ADULT, 5, "normal", 2.84),
    (PEOPLE, 5, "fast", 2.49),
    (PEOPLE, 5, "normal", 10.8),
]


@pytest.mark.parametrize(("size", "k", "effort", "seconds"), METHODS)
def test_the_estimate_of_a_method_is_near_what_was_measured(
    size: tuple[int, int, int], k: int, effort: str, seconds: float
) -> None:
    subjects, records, columns = size
    told = estimate(lengths(*[records] * subjects, columns=columns), KAnonymity(k=k, effort=effort)).cpu["anonymize"]
    assert told is not None
    assert seconds / FACTOR <= told <= seconds * FACTOR


@pytest.mark.parametrize(("k", "seconds"), [(2, 0.32), (3, 2.5), (5, 4.4)])
def test_long_histories_are_estimated_as_well(k: int, seconds: float) -> None:
    counts = [records for many, records in PURCHASES for _ in range(many)]
    told = estimate(lengths(*counts, columns=4), KAnonymity(k=k, effort="normal"))
    foreseen, whole = sum(part or 0.0 for part in told.cpu.values()), START_SECONDS + seconds
    assert whole / FACTOR <= foreseen <= whole * FACTOR


def test_the_range_goes_from_work_that_all_threads_share_to_work_on_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    history = lengths(*[30] * 500, columns=3)
    one, four = (estimate(history, KAnonymity(threads=threads)) for threads in (1, 8))
    assert one.cpu == four.cpu
    assert one.stages == one.cpu
    assert four.threads == {"anonymize": 4}
    anonymize, rest = one.cpu["anonymize"], one.seconds
    assert anonymize is not None
    assert rest is not None
    assert four.seconds == pytest.approx(rest - anonymize + anonymize / 2.5)
    assert four.shortest == pytest.approx((rest - anonymize + anonymize / 4) / FACTOR)
    assert four.longest == one.longest == pytest.approx(rest * FACTOR)
    assert four.as_dict()["longest"] == four.longest


def test_a_run_out_of_core_is_foreseen_as_it_was_measured() -> None:
    # 1,000,000 generated customers, k = 2, two workers; the seconds were set after 50,000 customers.
    counts = np.maximum(np.exp(np.random.default_rng(1).normal(3.77, 1.15, 1_000_000)), 1).astype(np.int64)
    told = estimate_in_parts(Size(counts, 4), KAnonymity(k=2), workers=2)
    assert 2380 / FACTOR < sum(seconds or 0.0 for seconds in told.cpu.values()) < 2380 * FACTOR
    assert 2641 / FACTOR < told.megabytes < 2641 * FACTOR
    small = estimate_in_parts(Size(counts[:100], 4), KAnonymity(k=2), workers=2)
    assert small.megabytes < 320


def test_a_large_table_is_foreseen_as_it_was_measured() -> None:
    # 1,000,000 generated rows of six columns, k = 5, from file to file: 42.7 CPU seconds.
    told = estimate_in_memory(Size(np.ones(1_000_000, dtype=np.int64), 6), KAnonymity(k=5))
    assert 42.7 / FACTOR < sum(seconds or 0.0 for seconds in told.cpu.values()) < 42.7 * FACTOR


def test_an_estimate_speaks_and_admits_what_it_does_not_know() -> None:
    quick = estimate(lengths(3, 3), Pseudonymize())
    assert foreseen(quick, Words("en")) == (
        "Estimate: about 2 s (1 s to 3 s; more on a busy machine) and 0.3 GB of memory, "
        "from runs measured on other data."
    )
    unknown = estimate(lengths(3, 3), KAnonymity(effort="best"))
    assert unknown.seconds is None
    assert foreseen(unknown, Words("en")) == (
        "Estimate: about 0.3 GB of memory; how long this method takes was not measured."
    )
    assert foreseen(quick, Words("ja")).startswith("見積もり：約 2 秒（1 秒～3 秒。")
    assert estimate(lengths(3, 3), Pseudonymize(), audit=False).stages["audit"] == 0.0


def test_the_estimate_knows_the_limits_of_the_method() -> None:
    """The estimate stands below the methods and cannot ask them: its limits are theirs, or it tells the wrong time."""
    assert work.MANY_RECORDS == estimate_module.MANY_RECORDS
    assert work.MANY_RECORDS_PAIR_LIMIT == estimate_module.SHORT_PIECE
    assert work.VERY_MANY_RECORDS == estimate_module.HURRIED_RECORDS
