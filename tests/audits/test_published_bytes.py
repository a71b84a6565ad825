"""The audit judges the published bytes: whatever a folder says beside its cells makes it not safe."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.audits.leaky_folders import CSV_VARIANTS, PARQUET_VARIANTS, Change, manifest, rehash
from tests.conftest import Run
from tests.effort import examples
from tests.sample_histories import sample
from tokumei.audits import AuditSettings
from tokumei.audits.published_bytes import byte_findings
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.release_folder import ReleaseFolder, write_release
from tokumei.data.schema import Schema
from tokumei.errors import TokumeiError
from tokumei.flow import audit
from tokumei.flow.making import Made, release
from tokumei.flow.opening import open_release
from tokumei.flow.plan import plan_of
from tokumei.parts import find_part, part_names
from tokumei.words import Words

SCHEMA = Schema(
    "who",
    (
        Column(name="day", kind=Kind.NUMBER),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="paid", kind=Kind.NUMBER, step=0.01),
        Column(name="units", kind=Kind.NUMBER),
    ),
)
ITEMS = ("i café", "i cake", "i jam", "i 100 %2A tea")


def shopping(people: int = 12) -> pl.DataFrame:
    """Return three purchases of everybody; nobody buys more than one piece."""
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "who": [f"s{number:03d}" for number in range(people) for _ in range(3)],
            "day": rng.integers(100, 999, size=3 * people),
            "item": [ITEMS[number] for number in rng.integers(0, 4, size=3 * people)],
            "paid": rng.integers(100, 5000, size=3 * people) / 100,
            "units": rng.integers(0, 2, size=3 * people) * 0,
        }
    )


# Parquet with cells as text is what was written before it had types: it is judged as it was.
FORMATS = ("csv", "parquet", "parquet-text")


@dataclass(frozen=True)
class World:
    """An original, and a strict release of it in every format."""

    original: Path
    schema: Path
    folders: dict[str, Path]
    made: Made


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    place = tmp_path_factory.mktemp("bytes")
    shopping().write_csv(place / "original.csv")
    (place / "schema.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    history = History.from_frame(shopping(), SCHEMA)
    for data_format in FORMATS:
        made = release(history, plan_of("k-anonymity", k=3, data_format=data_format), threads=1)
        made.write(place / data_format)
    return World(place / "original.csv", place / "schema.toml", {name: place / name for name in FORMATS}, made)


def judged(folder: Path, history: History | None) -> list[str]:
    """Return the codes of all findings, or that of the error that refuses the folder."""
    try:
        opened = ReleaseFolder.open(folder)
        return [reason.code for reason in byte_findings(opened, opened.release(history))]
    except TokumeiError as error:
        return [error.code]


def test_a_zero_before_a_number_is_no_digest(tmp_path: Path) -> None:
    """The number is then as long as the others, which all have nine digits."""
    history = History.from_frame(shopping(), SCHEMA)
    names = ["12345678", *(str(100_000_001 + 7 * number) for number in range(11))]
    made = release(history, plan_of("k-anonymity", k=3), threads=1, audit=False)
    drawn = made.release.pseudonyms.unique().sort()
    named = made.release.pseudonyms.replace_strict(drawn, names)
    for first, codes in (("12345678", []), ("012345678", ["pseudonym-text"])):
        text = named.replace("12345678", first)
        write_release(replace(made.release, pseudonyms=text), tmp_path / first, parameters=made.parameters)
        assert [code for code in judged(tmp_path / first, history) if code == "pseudonym-text"] == codes


@pytest.mark.half_second
@pytest.mark.parametrize("data_format", FORMATS)
def test_what_the_writer_writes_is_canonical(world: World, data_format: str) -> None:
    folder = world.folders[data_format]
    assert judged(folder, world.made.history) == []
    assert judged(folder, None) == []


@pytest.mark.half_second
@pytest.mark.parametrize("data_format", ["csv", "parquet-text"])
def test_every_leaking_variant_of_a_strict_release_is_found(world: World, tmp_path: Path, data_format: str) -> None:
    variants: dict[str, tuple[Change, str]] = CSV_VARIANTS if data_format == "csv" else PARQUET_VARIANTS
    missed = {}
    for number, (name, (change, code)) in enumerate(variants.items()):
        folder = tmp_path / str(number)
        shutil.copytree(world.folders[data_format], folder)
        change(folder)
        codes = judged(folder, world.made.history)
        if code not in codes:
            missed[name] = codes
    assert missed == {}
    assert len(CSV_VARIANTS) + len(PARQUET_VARIANTS) > 60


TYPED_VARIANTS: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    # Of the first range: which rows are withheld altogether is drawn anew in every run.
    "one end withheld": lambda f: f.with_columns(
        paid_low=pl.when(pl.col("paid_low").is_not_null().cum_sum() > 1).then("paid_low")
    ),
    "a finer number": lambda f: f.with_columns(paid_low=pl.col("paid_low") - 0.001),
    "another type": lambda f: f.with_columns(pl.col("paid_low").cast(pl.Float32)),
    "a column more": lambda f: f.with_columns(more=pl.lit(1)),
    "a set in another order": lambda f: f.with_columns(pl.col("item").list.reverse()),
    "a value twice": lambda f: f.with_columns(item=pl.col("item").list.concat(pl.col("item"))),
    "rows in another order": lambda f: f.reverse(),
    "a single value as text": lambda f: f.with_columns(pl.col("item").list.join(";")),
}


@pytest.mark.half_second
def test_every_leaking_variant_of_a_typed_release_is_found(world: World, tmp_path: Path) -> None:
    missed = []
    for number, (name, change) in enumerate(TYPED_VARIANTS.items()):
        folder = tmp_path / str(number)
        shutil.copytree(world.folders["parquet"], folder)
        change(pl.read_parquet(folder / "data.parquet")).write_parquet(folder / "data.parquet", row_group_size=262_144)
        missed += [] if judged(folder, world.made.history) else [name]
    assert missed == []


@pytest.mark.slow
@pytest.mark.effort
@pytest.mark.parametrize("data_format", ["csv", "parquet-text"])
def test_no_leaking_variant_is_safe_in_an_audit_with_or_without_the_secret(
    world: World, tmp_path: Path, data_format: str, record_property: Callable[[str, object], None]
) -> None:
    """A campaign tries all of them, everyday a few from all families."""
    variants: dict[str, tuple[Change, str]] = CSV_VARIANTS if data_format == "csv" else PARQUET_VARIANTS
    secret = world.folders[data_format].with_suffix(".secret")
    outcomes: Counter[str] = Counter()
    safe = []
    tried = list(variants.items())[:: max(1, len(variants) // examples(5))]
    for number, (name, (change, _)) in enumerate(tried):
        folder = tmp_path / str(number)
        shutil.copytree(world.folders[data_format], folder)
        change(folder)
        for known in (None, secret):
            try:
                opened = open_release(world.original, folder, schema=SCHEMA, secret=known)
                outcome = audit(opened, AuditSettings(quick=True)).verdict.outcome.value
            except TokumeiError as error:
                outcome = error.code
            outcomes[outcome] += 1
            safe += [(name, known is not None)] if outcome == "safe" else []
    assert safe == []
    assert outcomes["unsafe"] > len(tried)
    record_property("figure", f"{len(tried)} variants ({data_format}), none safe: {dict(outcomes)}")
    unchanged = open_release(world.original, world.folders[data_format], schema=SCHEMA, secret=secret)
    assert audit(unchanged, AuditSettings(quick=True)).verdict.outcome.value == "safe"


MESSAGES: list[tuple[str, dict[str, object]]] = [
    ("kanony", {"columns": "1 is s001"}),
    ("top", {"thresholds": "1_is_s001"}),
    ("bottom", {"columns": "2 is s002"}),
    ("dp", {"epsilons": "1,2,3,4,5"}),
    ("rr", {"p": 0.1002003004}),
    ("generalize", {"hierarchy": "apple>1 is s001"}),
    ("generalize", {"hierarchy": "@1-is-s001"}),
    ("generalize", {"largest": 1002003004}),
    ("top-bottom-coding", {"columns": "paid=1 is s001"}),
]
TOLD: list[tuple[str, dict[str, object]]] = [
    ("kanony", {"k": 3}),
    ("top", {"columns": "1", "thresholds": "75"}),
    ("rr", {"p": 0.25, "columns": "item"}),
    ("generalize", {"columns": "day=month,item=-1,paid=10", "largest": 50}),
    ("laplace-noise", {"epsilon": 0.5, "columns": "paid=2.5"}),
    ("top-bottom-coding", {"columns": "paid=..99%"}),
]


def _stated_as(world: World, folder: Path, method: str, changed: dict[str, object]) -> None:
    """Make the folder that states another method beside the same equal histories."""
    shutil.copytree(world.folders["csv"], folder)
    (folder / "summary.md").unlink()
    part = find_part("anonymizer", method)(**changed)
    stated = {name: getattr(part, name) for name in part.stated_parameters}
    manifest(method=method, parameters=stated)(folder)
    rehash(folder)


@pytest.mark.half_second
def test_a_text_among_the_parameters_that_nobody_can_check_is_never_proven(world: World, tmp_path: Path) -> None:
    """Equal histories prove names; what stands beside them may be what the method took, or who is who."""
    for number, (method, changed) in enumerate([*MESSAGES, *TOLD]):
        folder = tmp_path / str(number)
        _stated_as(world, folder, method, changed)
        codes = judged(folder, None)
        assert codes == (["unchecked-parameter"] if number < len(MESSAGES) else []), (method, changed)
        if method in ("kanony", "rr"):
            opened = open_release(world.original, folder, schema=SCHEMA)
            verdict = audit(opened, AuditSettings(quick=True, k=3)).verdict
            assert verdict.outcome.value == ("not-shown-unsafe" if codes else "safe"), (method, changed)
            assert [reason.code for reason in verdict.reasons].count("k-anonymous") == (not codes)
    first = ReleaseFolder.open(tmp_path / "0")
    (finding,) = byte_findings(first, first.release())
    assert "for 'columns' of the method kanony" in finding.sentence
    assert "names of columns" in finding.remedy
    assert "kanony" in finding.message(Words("ja"), "reason")
    assert "s001" not in finding.sentence + finding.message(Words("ja"), "reason")


@pytest.mark.half_second
def test_the_audit_refuses_what_is_not_canonical_with_and_without_the_secret(
    world: World, tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "release"
    shutil.copytree(world.folders["csv"], folder)
    asked = ["--original", str(world.original), "--schema", str(world.schema), "--release", str(folder)]
    secret = ["--secret", str(world.folders["csv"].with_suffix(".secret"))]
    for more in ([], secret):
        safe = run("audit", *asked, *more, "--json")
        assert (safe.status, safe.json["verdict"]) == (0, "safe")
        assert safe.json["sha256"] == ReleaseFolder.open(folder).digests
    CSV_VARIANTS["a range of one value"][0](folder)
    for more in ([], secret):
        unsafe = run("audit", *asked, *more, "--json")
        assert (unsafe.status, unsafe.json["verdict"]) == (1, "unsafe")
        reasons = unsafe.json["reasons"]
        assert reasons[0]["code"] == "cell-text"
        assert reasons[0]["sentence"].startswith("data.csv, line 2, column 'units': this cell can be written in one")
        assert "tokumei reissue" in reasons[0]["remedy"]
        assert "k-anonymous" not in [reason["code"] for reason in reasons]


def test_findings_speak_both_languages(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shutil.copytree(world.folders["csv"], folder)
    CSV_VARIANTS["extra column with the id"][0](folder)
    opened = ReleaseFolder.open(folder)
    (finding,) = byte_findings(opened, opened.release())
    assert finding.sentence == (
        "data.csv has the column 'owner', which its schema does not name: what it tells was not judged"
    )
    assert finding.message(Words("ja"), "reason").startswith("data.csv にスキーマにない列「owner」があります")


def test_the_published_step_shows_nobodys_decimals(tmp_path: Path) -> None:
    """One person's value has three decimals; no published end has, and neither has the schema."""
    frame = shopping().with_columns(pl.col("paid").round(1))
    frame[4, "paid"] = 20.125
    schema = Schema("who", (*SCHEMA.columns[:2], Column(name="paid", kind=Kind.NUMBER, step=0.001)))
    made = release(History.from_frame(frame, schema), plan_of("rounding", {"columns": "paid=10"}), threads=1)
    made.write(tmp_path / "release")
    assert ReleaseFolder.open(tmp_path / "release").schema.field("paid").step == 1.0
    frame.write_csv(tmp_path / "original.csv")
    opened = open_release(tmp_path / "original.csv", tmp_path / "release")
    assert opened.history.schema.field("paid").step == 0.001
    assert opened.release.text().equals(made.release.text())
    assert judged(tmp_path / "release", opened.history) == []


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "data_format"), [("mixed", "parquet"), ("missing values", "csv")])
def test_every_method_writes_canonical_releases(tmp_path: Path, kind: str, data_format: str) -> None:
    """Whatever a method makes of a table with all kinds of columns, missing values included, has one text."""
    found = {}
    for name in part_names("anonymizer"):
        try:
            release(sample(kind), plan_of(name, data_format=data_format), threads=1, audit=False).write(tmp_path / name)
        except TokumeiError:
            continue
        found[name] = judged(tmp_path / name, sample(kind)) + judged(tmp_path / name, None)
    assert {name: codes for name, codes in found.items() if codes} == {}
    assert len(found) > 10


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["purchases", "trajectories", "health"])
def test_strict_releases_of_generated_data_are_still_proven_safe(run: Run, tmp_path: Path, generator: str) -> None:
    data, folder = tmp_path / "data.csv", tmp_path / "release"
    people = {"purchases": 12, "trajectories": 12, "health": 30}[generator]
    assert run("synth", generator, "--subjects", str(people), "--seed", "4", "-o", data).status == 0
    rows = ["--subject", "row"] if generator == "health" else []
    assert run("anonymize", data, *rows, "--k", "3", "-o", folder, "--json").status == 0
    asked = ["audit", "--original", data, "--release", folder, "--quick", "--json"]
    for more in ([], ["--secret", tmp_path / "release.secret"]):
        audited = run(*asked, *more)
        assert (audited.status, audited.json["verdict"]) == (0, "safe")
