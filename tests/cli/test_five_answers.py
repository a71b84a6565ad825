"""The five answers of an audit on the command line, in JSON and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokumei
from tests.conftest import Run

QUESTIONS = ["naming", "contents", "attributes", "membership", "releases"]


@pytest.fixture
def released(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the arguments of an audit of a release of twelve purchasers."""
    monkeypatch.chdir(tmp_path)
    assert run("synth", "purchases", "--subjects", "12", "--seed", "4", "-o", "p.csv").status == 0
    assert run("anonymize", "p.csv", "--k", "3", "-o", "r").status == 0
    return ["--original", "p.csv", "--release", "r", "--secret", "r.secret", "--quick"]


@pytest.mark.half_second
def test_without_a_recipient_names_decide_and_the_rest_is_measured(run: Run, released: list[str]) -> None:
    audited = run("audit", *released)
    first, *lines = audited.out.splitlines()
    assert (audited.status, first) == (0, "names: safe at k = 3, proven")
    assert [line.partition(":")[0] for line in lines[:5]] == [
        "Names",
        "Contents",
        "Attributes",
        "Membership",
        "Several releases",
    ]
    assert lines[0] == "Names: safe: the owner who is known best 33.3 % (without the release 8.3 %)"
    assert lines[1].startswith("Contents: measured: who knows 3 records: other values of '")
    assert lines[2].startswith("Attributes: no column is marked sensitive in the schema")
    assert lines[4].startswith("Several releases: no earlier release of the same people was named")
    assert "handed out" not in audited.out
    # Without the Secret nobody knows that two pseudonyms are not one person's.
    alone = run("audit", *released[:4], "--quick")
    assert alone.out.splitlines()[0] == "names: safe at k = 3, proven if every pseudonym has an owner of its own"


@pytest.mark.half_second
def test_a_recipient_lets_all_five_decide(run: Run, tmp_path: Path, released: list[str]) -> None:
    public = run("audit", *released, "--recipient", "public", "--json")
    assert public.status == 1
    document = public.json
    assert (document["recipient"], document["verdict"]) == ("public", "unsafe")
    assert list(document["questions"]) == QUESTIONS
    naming = document["questions"]["naming"]
    assert (naming["outcome"], naming["limit"]) == ("unsafe", 0.09)
    assert naming["figure"]["value"] == pytest.approx(1 / 3)
    assert "names: an owner is known with 33.3 %, and public allows 9.0 %" in document["reasons"][0]["sentence"]
    assert document["questions"]["membership"]["outcome"] == "measured"

    (tmp_path / "lenient.toml").write_text("[friends]\nnaming = 0.4\ncontents = 1.0\n")
    friends = run("audit", *released, "--recipient", "friends", "--limits", "lenient.toml")
    assert friends.status == 0
    assert friends.out.startswith("can be handed out to 'friends': all five questions keep to its limits\n")


def test_limits_need_a_recipient(run: Run, released: list[str]) -> None:
    refused = run("audit", *released, "--limits", "lenient.toml")
    assert refused.status == 2
    assert "--limits goes with --recipient, which names the table of limits that applies" in refused.err
    unknown = run("audit", *released, "--recipient", "friends")
    assert unknown.status == 2
    assert "the list of recipients has no recipient 'friends'; known: public, partner, internal" in unknown.err


@pytest.mark.half_second
def test_python_and_report_give_the_same_answers(run: Run, tmp_path: Path, released: list[str]) -> None:
    told = run("audit", *released, "--recipient", "partner", "--json").json["questions"]
    audit = tokumei.audit(
        tmp_path / "p.csv", tmp_path / "r", secret=tmp_path / "r.secret", recipient="partner", quick=True
    )
    assert json.loads(json.dumps(audit.as_dict()["questions"], default=float)) == told
