"""The steps: what is taken, what is refused in one sentence, and that nothing is left of what was refused."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

import tokumei
from tests.studio.conftest import Browser, purchases, said, upload
from tokumei.data import Kind
from tokumei_studio.jobs import Job, Step
from tokumei_studio.project import Project


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[Step], dict[str, object]]]:
    """Take note of jobs instead of starting them."""
    jobs: list[tuple[str, list[Step], dict[str, object]]] = []

    def note(_folder: Path, kind: str, steps: list[Step], about: dict[str, object]) -> None:
        jobs.append((kind, steps, about))

    for view in ("data", "risk", "protect", "verdict", "handout"):
        monkeypatch.setattr(f"tokumei_studio.views.{view}.start", note)
    return jobs


def refused(response: object) -> str:
    """Return the sentence of a refusal."""
    import re

    assert response.status_code == 422  # type: ignore[attr-defined]
    page = response.content.decode()  # type: ignore[attr-defined]
    found = re.search(r'role="alert"><strong>[^<]*</strong><p[^>]*>(.*?)</p>', page, re.DOTALL)
    assert found is not None
    import html

    return html.unescape(found.group(1))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "data/empty.csv: the file is empty"),
        ("image.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x02", "data/image.csv"),
        ("broken.parquet", b"PAR1 no", "data/broken.parquet: this is not a Parquet file, or it is damaged"),
        ("twice.csv", b"a,a\n1,2\n3,4\n", "data/twice.csv, line 1"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence_and_not_kept(
    browser: Browser, project: Project, name: str, content: bytes, sentence: str
) -> None:
    told = refused(upload(browser, name, content))
    assert told.startswith(sentence)
    assert str(project.folder) not in told
    assert "Traceback" not in told
    assert list((project.folder / "data").iterdir()) == list(project.scratch.iterdir()) == []
    assert project.plan is None


def test_a_file_is_kept_for_its_owner_and_shown(browser: Browser, project: Project) -> None:
    assert upload(browser, "../purchases.csv", purchases())["Location"] == "/data/"
    kept = project.folder / "data" / "purchases.csv"
    assert kept.read_text() == purchases()
    assert kept.stat().st_mode & 0o777 == 0o600
    shown = said(browser.get("/data/"))
    assert "data/purchases.csv copied into the project 24 records · 5 columns" in shown
    assert refused(upload(browser, "purchases.csv", "other")) == (
        "purchases.csv is in the project already; rename the file, or go on with the one that is there"
    )
    assert kept.read_text() == purchases()


def test_a_path_is_taken_where_it_lies(browser: Browser, project: Project, tmp_path: Path) -> None:
    there = tmp_path / "mine.csv"
    there.write_text(purchases())
    for given, sentence in (
        ("", "write the path of a file first"),
        ("mine.csv", "mine.csv: write the whole path, from / on"),
        (str(tmp_path / "none.csv"), f"{tmp_path / 'none.csv'}: this cannot be read (No such file or directory)"),
        (__file__, f"{__file__}"),
    ):
        assert refused(browser.post("/data/", {"what": "path", "path": given})).startswith(sentence)
    assert browser.post("/data/", {"what": "path", "path": str(there)}).status_code == 302
    plan = project.plan
    assert plan is not None
    assert plan.input == str(there)
    assert list((project.folder / "data").iterdir()) == []
    assert "stays where it is" in said(browser.get("/data/"))
    there.unlink()
    assert "cannot be read any more" in said(browser.get("/data/"))


def test_a_device_or_a_pipe_is_no_data(browser: Browser, project: Project, tmp_path: Path) -> None:
    """/dev/zero filled the memory until the studio was killed, and a pipe would have been waited for."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in ("/dev/zero", str(pipe)):
        told = refused(browser.post("/data/", {"what": "path", "path": path}))
        assert told == f"{path}: this is neither a file nor a folder; name one"
    assert project.plan is None


def test_a_sheet_of_a_workbook_is_named_behind_its_path(browser: Browser, project: Project, tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    pl.DataFrame({"customer": ["a", "b", "a"], "goods": ["x", "y", "y"]}).write_excel(book, worksheet="sales")
    assert browser.post("/data/", {"what": "path", "path": f"{book}#sales"}).status_code == 302
    assert project.plan is not None
    assert project.plan.input == f"{book}#sales"
    assert "customer" in said(browser.get("/data/"))
    assert browser.get("/columns/").status_code == 200
    told = refused(browser.post("/data/", {"what": "path", "path": f"{book}#labs"}))
    assert told == f"{book}#labs: the workbook has no sheet 'labs'; it has sales"


def test_generated_data_is_taken_when_it_is_there(browser: Browser, project: Project) -> None:
    """It was generated, and the page asked again what data to take."""
    job = Job(folder=project.folder / "jobs" / "1", kind="synth", steps=[])
    job.folder.mkdir()
    job.write()
    (job.folder / "ended.json").write_text('{"status": 0, "seconds": 1}')
    (project.folder / "data" / "purchases.csv").write_text(purchases())
    assert "data/purchases.csv copied into the project" in said(browser.get("/data/"))
    assert project.plan is not None
    upload(browser, "other.csv", purchases())
    assert "data/other.csv" in said(browser.get("/data/"))


def test_who_comes_too_early_is_sent_to_the_next_step(browser: Browser) -> None:
    for page in ("/", "/columns/", "/risk/", "/protect/", "/verdict/", "/handout/"):
        assert browser.get(page)["Location"] == "/data/"
    upload(browser, "p.csv", purchases())
    for page in ("/", "/risk/", "/verdict/"):
        assert browser.get(page)["Location"] == "/columns/"


def columns(browser: Browser, **changed: str) -> dict[str, str]:
    """Return what the form of the columns would send, with some fields changed."""
    import re

    page = browser.get("/columns/").content.decode()
    form = page[page.index('<div class="column-list">') :]
    given = dict(re.findall(r'type="hidden" name="(c\d+-name)" value="([^"]*)"', form))
    given |= dict(re.findall(r'name="(c\d+-\w+)" type="text" value="([^"]*)"', form))
    for name, options in re.findall(r'<select id="[^"]*" name="(c\d+-\w+)"[^>]*>(.*?)</select>', form):
        chosen = re.search(r'value="([^"]*)" selected', options)
        assert chosen is not None
        given[name] = chosen.group(1)
    return {"subject": "customer", **given, **changed}


def test_columns_are_proposed_and_confirmed(with_data: Browser, project: Project) -> None:
    page = said(with_data.get("/columns/"))
    assert "Seems to name people" in page
    form = columns(with_data)
    assert [form[f"c{number}-name"] for number in range(4)] == ["date", "goods", "price", "email"]
    assert [form[f"c{number}-role"] for number in range(4)] == ["protect", "protect", "protect", "drop"]
    taken = with_data.post("/columns/", {**form, "c1-role": "sensitive"})
    assert taken["Location"] == "/risk/"
    schema = project.schema
    assert schema is not None
    date, goods, price, email = schema.columns
    assert (schema.subject, date.kind, goods.sensitive, price.kind, price.step, email.drop) == (
        "customer",
        Kind.DATE,
        True,
        Kind.NUMBER,
        0.1,
        True,
    )
    assert 'subject = "customer"' in (project.folder / "schema.toml").read_text()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"c2-step": "-1"}, "schema: column 'price': step must be a number from"),
        ({"c2-step": "half"}, "'step' cannot be 'half'; write a value such as 0.5, or leave it empty"),
        ({"c1-kind": "number"}, "data/purchases.csv"),
        ({"c1-kind": "colour"}, "schema: column 'goods': kind must be one of date"),
        ({"c0-format": "%d"}, "schema: column 'date': the format '%d' does not tell year, month and day"),
        ({"c1-role": "weight"}, "schema: column 'goods': a weight is a number that is not published"),
    ],
)
def test_a_mistake_in_a_column_is_told_and_nothing_is_kept(
    with_data: Browser, project: Project, changed: dict[str, str], sentence: str
) -> None:
    told = refused(with_data.post("/columns/", columns(with_data, **changed)))
    assert told.startswith(sentence)
    assert project.schema is None


def test_another_subject_keeps_what_was_said_of_the_other_columns(with_data: Browser, project: Project) -> None:
    with_data.post("/columns/", columns(with_data, **{"c1-role": "keep"}))
    page = with_data.post("/columns/subject/", {"subject": "email"}).content.decode()
    assert 'value="email" selected' in page
    assert 'class="card column role-keep"><legend class="mono">goods' in page
    assert '<legend class="mono">customer' in page
    told = refused(with_data.post("/columns/subject/", {"subject": "nobody"}))
    assert told.startswith("there is no column 'nobody'")


def test_the_schema_can_be_written_by_hand(with_data: Browser, project: Project) -> None:
    text = 'subject = "customer"\n[columns]\n"date" = { kind = "date" }\n'
    assert with_data.post("/columns/text/", {"schema": text})["Location"] == "/columns/"
    schema = project.schema
    assert schema is not None
    assert [column.name for column in schema.columns] == ["date"]
    for wrong, sentence in (
        ("subject = ", "schema: this is not valid TOML"),
        (text.replace('"date" =', '"day" ='), "purchases.csv: the schema names the column 'day'"),
    ):
        assert refused(with_data.post("/columns/text/", {"schema": wrong})).startswith(sentence)


def test_the_risk_is_measured_once_for_every_schema(
    with_data: Browser, started: list[tuple[str, list[Step], dict[str, object]]]
) -> None:
    with_data.post("/columns/", columns(with_data))
    with_data.get("/risk/")
    kind, (step,), about = started[0]
    assert (kind, step.command) == ("describe", "tokumei describe data/purchases.csv --schema schema.toml")
    assert about.keys() == {"what"}


def test_a_release_is_made_after_the_plan_that_is_shown(
    with_data: Browser, project: Project, started: list[tuple[str, list[Step], dict[str, object]]]
) -> None:
    with_data.post("/columns/", columns(with_data))
    form = {"method": "k-anonymity", "set-k": "2", "set-effort": "fast", "format": "csv", "recipient": "partner"}
    shown = said(with_data.post("/protect/preview/", form))
    assert 'method = "k-anonymity"' in shown
    assert "tokumei anonymize --plan plans/k-anonymity-k2-1.toml -o releases/k-anonymity-k2-1" in shown
    assert with_data.post("/protect/", form)["Location"] == "/protect/?made=k-anonymity-k2-1"
    made = "releases/k-anonymity-k2-1"
    kind, steps, about = started[-1]
    assert (kind, about["release"], about["recipient"]) == ("release", "k-anonymity-k2-1", "partner")
    assert [step.command for step in steps] == [
        "tokumei anonymize --plan plans/k-anonymity-k2-1.toml -o releases/k-anonymity-k2-1",
        f"tokumei audit --original data/purchases.csv --release {made} --secret {made}.secret --recipient partner",
    ]
    plan = project.plan
    assert plan is not None
    assert plan.parameters == {"k": 2, "effort": "fast"}
    assert project.state["recipient"] == "partner"


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"method": "magic"}, "there is no method 'magic' here; choose one of the list"),
        (
            {"method": "k-anonymity", "set-k": "1"},
            "parameter 'k' of 'k-anonymity' must be a whole number of at least 2",
        ),
        ({"method": "k-anonymity", "set-k": "two"}, "parameter 'k' of 'k-anonymity' must be a whole number"),
        ({"method": "k-anonymity", "format": "xml"}, "the format must be one of csv"),
        ({"method": "k-anonymity", "recipient": "aunt"}, "the list of recipients has no recipient 'aunt'"),
    ],
)
def test_a_wrong_choice_is_told_and_nothing_runs(
    with_data: Browser,
    project: Project,
    started: list[tuple[str, list[Step], dict[str, object]]],
    form: dict[str, str],
    sentence: str,
) -> None:
    with_data.post("/columns/", columns(with_data))
    before = project.plan
    assert refused(with_data.post("/protect/", form)).startswith(sentence)
    assert "This cannot run yet: " + sentence in said(with_data.post("/protect/preview/", form))
    assert (project.plan, started) == (before, [])


def test_every_parameter_of_a_method_has_a_field(with_data: Browser) -> None:
    from tokumei.parts import HOW_IT_RAN
    from tokumei_studio.methods import offered

    with_data.post("/columns/", columns(with_data))
    assert next(iter(offered())) == "k-anonymity"
    for name in ("k-anonymity", "microaggregation"):
        page = with_data.get("/protect/settings/", {"method": name, "k": "5"}).content.decode()
        for info in offered()[name].parameters():
            assert (f'name="set-{info.name}"' in page) == (info.name not in HOW_IT_RAN)
        assert 'name="set-k" type="number" value="5"' in page


def test_candidates_are_tried_on_some_people(
    with_data: Browser, started: list[tuple[str, list[Step], dict[str, object]]]
) -> None:
    with_data.post("/columns/", columns(with_data))
    given = {"methods": ["k-anonymity", "pseudonymize", "magic"], "levels": ["2", "3"], "people": "50"}
    assert with_data.post("/protect/candidates/", given)["Location"] == "/protect/"
    _, (step,), _ = started[-1]
    assert step.command == (
        "tokumei compare data/purchases.csv --schema schema.toml --methods k-anonymity,pseudonymize --people 50 "
        "--quick --set k-anonymity.effort=fast --k 2,3"
    )
    assert refused(with_data.post("/protect/candidates/", {"people": "50"})) == "tick at least one method to try"
    few = {"methods": ["k-anonymity"], "people": "x"}
    assert refused(with_data.post("/protect/candidates/", few)) == (
        "'people' must be a whole number of at least 10, got 'x'"
    )


def test_a_plan_is_opened_on_the_data_that_is_there(browser: Browser, project: Project) -> None:
    plan = 'method = "k-anonymity"\ninput = "elsewhere.csv"\n[parameters]\nk = 7\n[schema]\nsubject = "customer"\n'
    plan += '[schema.columns]\n"date" = { kind = "date" }\n'
    assert refused(upload(browser, "plan.toml", plan, what="plan")) == (
        "the plan was made for elsewhere.csv, which is not here; choose the data first, then open the plan again"
    )
    upload(browser, "p.csv", purchases())
    assert upload(browser, "plan.toml", plan, what="plan").status_code == 302
    opened = project.plan
    assert opened is not None
    assert (opened.input, opened.parameters) == ("data/p.csv", {"k": 7})
    assert 'name="set-k" type="number" value="7"' in browser.get("/protect/").content.decode()
    for text, sentence in (
        ("method = ", "plan.toml: this is not valid TOML"),
        (plan.replace('"date" =', '"day" ='), "p.csv: the schema names the column 'day'"),
        (plan.replace("k = 7", "k = 0"), "parameter 'k' of 'k-anonymity' must be"),
    ):
        assert refused(upload(browser, "plan.toml", text, what="plan")).startswith(sentence)
    assert list(project.scratch.iterdir()) == []


def test_a_dossier_is_written_in_the_frame_that_was_chosen(
    with_data: Browser, project: Project, started: list[tuple[str, list[Step], dict[str, object]]]
) -> None:
    made = project.folder / "releases" / "r-1"
    made.mkdir()
    plan = 'method = "k-anonymity"\ninput = "data/purchases.csv"\n'
    made.with_name("r-1.plan.toml").write_text(plan)
    page = said(with_data.get("/handout/r-1/"))
    assert "Nobody has looked at what attackers get out of this release." in page
    assert "ISO/IEC 27559" in page
    form = {"language": "ja", "frame": "ppc", "kind": "html", "author": "A. Yamada"}
    assert with_data.post("/handout/r-1/", form)["Location"] == "/handout/r-1/"
    _, (step,), about = started[-1]
    assert step.command == (
        "tokumei report --original data/purchases.csv --release releases/r-1 --secret releases/r-1.secret "
        "--language ja -o reports/r-1-ppc.ja.html --frame ppc --author 'A. Yamada'"
    )
    assert about["file"] == "r-1-ppc.ja.html"
    for wrong in ({"frame": "../x"}, {"language": "fr"}, {"kind": "exe"}):
        told = refused(with_data.post("/handout/r-1/", {**form, **wrong}))
        assert told == "choose a language, a frame and a kind of file of the lists"


def test_both_languages_have_the_same_texts_with_the_same_values() -> None:
    import re

    from tokumei.words import texts

    english, japanese = (texts(language, "tokumei_studio") for language in ("en", "ja"))
    assert english.keys() == japanese.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{(\w+)", text)) == set(re.findall(r"\{(\w+)", japanese[key])), key


def test_fields_of_columns_and_usual_methods_are_told_in_both_languages() -> None:
    from tokumei.parts import HOW_IT_RAN
    from tokumei.words import texts
    from tokumei_studio.controls import column_controls
    from tokumei_studio.methods import FIRST, offered

    for language in ("en", "ja"):
        known = texts(language, "tokumei_studio")
        shown = [f"column.{control.name.removeprefix('c1-')}" for control in column_controls(1, {}, {})]
        shown += [
            f"setting.{name}_{info.name}"
            for name in FIRST
            for info in offered()[name].parameters()
            if info.name not in HOW_IT_RAN
        ]
        assert [key for key in shown if key not in known] == []


@pytest.fixture
def made(with_data: Browser, project: Project) -> Job:
    """Return the job of a release of the purchases, which lies in its folder."""
    with_data.post("/columns/", columns(with_data))
    data = project.folder / "data" / "purchases.csv"
    release = tokumei.anonymize(data, schema=project.schema, method="k-anonymity", k=2, threads=1, audit=False)
    release.write(project.folder / "releases" / "r-1")
    job = Job(folder=project.folder / "jobs" / "1", kind="release", steps=[], about={"release": "r-1"})
    job.folder.mkdir()
    job.write()
    return job


def test_the_verdict_says_what_an_analyst_gets(with_data: Browser, project: Project, made: Job) -> None:
    from tokumei_studio.jobs.record import write_json
    from tokumei_studio.telling import audited

    folder, data = project.folder / "releases" / "r-1", project.folder / "data" / "purchases.csv"
    document = audited({"original": str(data), "release": str(folder), "secret": f"{folder}.secret"})
    write_json(made.folder / "audit.json", document)
    page = said(with_data.get("/verdict/r-1/"))
    assert "Names: safe at k = 2, proven" in page
    worth = page[page.index("What the data is still worth") :]
    assert "correlations change: 'd" in worth
    assert "What an analyst would get, the worst change first" in worth
    cells = [{"name": "date", "exact": 0.0, "generalized": 1.0, "suppressed": 0.0, "typical": "62 days"}]
    summary = {"utility": {"value": 0.4, "parts": {"date": 0.4}}, "cells": cells, "records_deleted": 0}
    write_json(made.folder / "anonymize.json", summary)
    assert "62 days" in said(with_data.get("/verdict/r-1/"))
    with_data.cookies["tokumei_studio_language"] = "ja"
    japanese = said(with_data.get("/verdict/r-1/"))
    assert "分析者が得る結果（変化の大きい順）" in japanese
    assert "62 日" in japanese
    assert "days" not in japanese


def test_what_only_a_contest_asks_is_no_advice() -> None:
    from tokumei.audits import Answer, Question
    from tokumei.data import Reason
    from tokumei.words import Words
    from tokumei_studio.telling import _answer

    joint = Reason(code="joint-risk", values={"attempts": 13})
    near = Reason(code="near-limit-naming", values={"recipient": "public", "limit": 0.09})
    told = _answer(Answer(question=Question.NAMING, reasons=(near, joint)), Words("en"))
    assert [reason["sentence"] for reason in told["reasons"]] == [
        "names: nobody was shown to be known with more than public allows (9.0 %), but that is not proven"
    ]


def test_the_first_look_is_shown_while_the_audit_runs(with_data: Browser, project: Project, made: Job) -> None:
    import fcntl

    (made.folder / "anonymize.json").write_text('{"audit": {"verdict": "safe", "k": 2}}')
    with (made.folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shown = with_data.get(f"/jobs/{made.number}/")
    assert "The first look, before all attacks were tried: names: safe at k = 2, proven" in said(shown)
    assert 'href="/verdict/r-1/"' in shown.content.decode()
