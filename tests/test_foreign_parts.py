"""Parts of other packages: how they are read, and that a broken one stops nobody else."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.foreign_parts import ForeignMethod
from tests.sample_histories import SCHEMA, mixed_frame
from tokumei import errors, parts
from tokumei.data import History
from tokumei.errors import ContentError, Finding, ParameterError, TokumeiError, UnknownPartError
from tokumei.parts import find_part, make_part, parse_settings

FOREIGN = {
    "anonymizer": {"foreign-method": "tests.foreign_parts:ForeignMethod"},
    "metric": {"broken-metric": "tests.foreign_parts:BrokenMetric", "list-metric": "tests.foreign_parts:ListMetric"},
}


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the foreign parts as the entry points of an installed package would."""

    def found(*, group: str) -> list[EntryPoint]:
        kind = {group: kind for kind, group in parts._GROUPS.items()}[group]
        own = [EntryPoint(name, value, group) for name, value in FOREIGN.get(kind, {}).items()]
        return [*entry_points(group=group), *own]

    monkeypatch.setattr(parts, "entry_points", found)
    parts._entry_points.cache_clear()
    yield
    parts._entry_points.cache_clear()


def test_a_part_without_postponed_annotations_is_read_like_any_other() -> None:
    part = find_part("anonymizer", "foreign-method")
    assert part is ForeignMethod
    assert [(info.name, info.type) for info in part.parameters()] == [
        ("most", "int"),
        ("least", "int"),
        ("share", "float"),
        ("loud", "bool"),
        ("word", "str"),
    ]
    settings = parse_settings(part, ["most=3", "least=none", "share=0.25", "loud=yes", "word=b"])
    assert settings == {"most": 3, "least": None, "share": 0.25, "loud": True, "word": "b"}
    assert make_part(part, settings) == ForeignMethod(most=3, share=0.25, loud=True, word="b")
    with pytest.raises(ParameterError, match="parameter 'least' of 'foreign-method' must be a whole number of at"):
        make_part(part, {"least": 0})


def test_a_parameter_of_another_type_is_told_when_the_part_is_looked_up() -> None:
    with pytest.raises(UnknownPartError, match=r"'sizes' of 'list-metric' must be declared as int, float, bool or str"):
        find_part("metric", "list-metric")


def _release(run: Run, folder: Path) -> None:
    History.from_frame(mixed_frame(), SCHEMA).text().write_csv(folder / "data.csv")
    (folder / "schema.toml").write_text(SCHEMA.to_toml())
    words = ["anonymize", folder / "data.csv", "--schema", folder / "schema.toml", "-o", folder / "release"]
    assert run(*words, "--method", "foreign-method", "--skip-audit").status == 0


@pytest.mark.half_second
def test_a_broken_metric_is_told_and_the_others_are_shown(run: Run, tmp_path: Path) -> None:
    _release(run, tmp_path)
    given = ["--original", tmp_path / "data.csv", "--release", tmp_path / "release"]
    judged = run("judge", *given, "--json")
    assert judged.status == 0
    assert {"cell-error", "records-kept"} <= {score["name"] for score in judged.json["scores"]}
    reason = "the metric 'broken-metric' fails (ValueError in foreign_parts.py, line "
    assert [text for text in judged.json["skipped"] if text.startswith(reason)]
    assert f"warning: {reason}" in judged.err
    assert "list-metric" in judged.err
    assert "QZX" not in judged.err + judged.out
    reported = run("report", *given, "-o", tmp_path / "report.html")
    assert f"warning: {reason}" in reported.err
    assert reported.status == 1
    assert "Records kept" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_broken_metric_that_was_asked_for_is_an_error(run: Run, tmp_path: Path) -> None:
    _release(run, tmp_path)
    given = ["--original", tmp_path / "data.csv", "--release", tmp_path / "release"]
    answer = run("judge", *given, "--metric", "broken-metric", "--json")
    assert answer.status == 2
    assert answer.json["error"]["code"] == "broken-part"
    assert "repair or remove the package that registers it" in answer.json["error"]["message"]


def _tree() -> list[TokumeiError]:
    """Return one error of every class, with all that it can carry."""
    kinds = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
    plain = [
        kind("what is wrong", code="a-code", file="f.csv", line=3, column=2) for kind in kinds if kind != ContentError
    ]
    findings = [Finding("a", "first", 2, 1, "date", "x"), Finding("b", "second", 4)]
    return [*plain, ContentError("f.csv", findings, total=12)]


@pytest.mark.parametrize("error", _tree(), ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling_with_all_that_it_carries(error: TokumeiError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - made a line above
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.args == error.args
    assert vars(again) == vars(error)
    assert again.as_dict() == error.as_dict()
