"""Columns that name people are found by their values, their name, their spread or the subject id; others are not."""

from __future__ import annotations

import base64
import hashlib
import uuid
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tokumei.api import anonymize, audit, compare, describe
from tokumei.errors import LeakError, ParameterError
from tokumei.profiles.identifier_forms import luhn, my_number
from tokumei.profiles.identifiers import identifier_suspects
from tokumei.profiles.reading import read_history
from tokumei.words import texts

PEOPLE = 40
DRAWN = np.random.default_rng(11)
NUMBERS = [int(number) for number in DRAWN.choice(900_000, PEOPLE, replace=False) + 100_000]
IDS = [f"c{number}" for number in NUMBERS]
SURNAMES = ("Sato", "Hara", "Ito", "Mori", "Ono", "Abe", "Kato", "Gupta", "Weiß", "O'Neil")
GIVEN = ("Aiko", "Ben", "Carla", "Dai", "Emi", "Hugo", "Jun", "Mei")


def _names(number: int) -> str:
    return f"{GIVEN[number % 8]} {SURNAMES[number * 7 % 10]}"


def _checked(digits: int, check: Callable[[str], bool]) -> list[str]:
    """Return numbers of so many digits whose last digit is right."""
    heads = [str(10 ** (digits - 2) * 4 + 7919 * number) for number in range(PEOPLE)]
    return [next(head + str(last) for last in range(10) if check(head + str(last))) for head in heads]


def _digest(name: str) -> list[str]:
    return [hashlib.new(name, subject.encode()).hexdigest() for subject in IDS]


# Values of forty people under a name that tells nothing, and why they are refused.
BY_VALUE: dict[str, tuple[list[str], str]] = {
    "names": ([_names(n) for n in range(PEOPLE)], "person"),
    "Japanese names": ([f"山田 {'太次三四五六七八'[n % 8]}郎" + "子" * (n // 8) for n in range(PEOPLE)], "person"),
    "e-mail": ([f"u{n % 9}@example.org" for n in range(PEOPLE)], "form-email"),
    "mobile phones": ([f"090-{1000 + n}-{2000 + n}" for n in range(PEOPLE)], "form-phone"),
    "phones without hyphens": ([f"080{12345678 + n}" for n in range(PEOPLE)], "form-phone"),
    "international phones": ([f"+81 90 {1000 + n} {2000 + n}" for n in range(PEOPLE)], "form-phone"),
    "American phones": ([f"(555) 123-{1000 + n}" for n in range(PEOPLE)], "form-phone"),
    "cards": (_checked(16, luhn), "form-card"),
    "Individual Numbers": (_checked(12, my_number), "form-my-number"),
    "accounts": (["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"] * (PEOPLE // 2), "form-iban"),
    "network addresses": ([f"192.168.{n}.7" for n in range(PEOPLE)], "form-ip"),
    "devices": ([f"00:1B:44:11:3A:{n:02X}" for n in range(PEOPLE)], "form-device"),
    "web addresses": ([f"https://example.org/{n % 5}" for n in range(PEOPLE)], "form-url"),
    "postal codes": ([f"〒{100 + n}-{1000 + n}" for n in range(PEOPLE)], "form-postal-code"),
    "British postal codes": ([f"SW{n % 9 + 1}A {n % 9}AA" for n in range(PEOPLE)], "form-postal-code"),
    "Japanese addresses": ([f"東京都千代田区丸の内{n % 9}丁目" for n in range(PEOPLE)], "form-address"),
    "addresses": ([f"{n + 1} Baker Street" for n in range(PEOPLE)], "form-address"),
    "social security": ([f"123-45-{1000 + n}" for n in range(PEOPLE)], "form-social-security"),
    "a word for everybody": ([f"w{n}" for n in range(PEOPLE)], "own-value"),
    "a word for most": ([f"w{min(n, 24)}" for n in range(PEOPLE)], "own-value"),
    "free text": ([f"she came on day {n} and paid" for n in range(PEOPLE)], "text"),
    "the id": (IDS, "image-copy"),
    "the id in capitals": ([subject.upper() for subject in IDS], "image-copy"),
    "the id backwards": ([subject[::-1] for subject in IDS], "image-reversed"),
    "the id in a longer text": ([f"x-{subject}-y" for subject in IDS], "image-part"),
    "the number of the id": ([str(number) for number in NUMBERS], "image-part"),
    "MD5 of the id": (_digest("md5"), "image-digest"),
    "the begin of SHA-256 of the id": ([digest[:10] for digest in _digest("sha256")], "image-digest"),
    "CRC32 of the id": ([str(zlib.crc32(subject.encode())) for subject in IDS], "image-digest"),
    "base 64 of the id": ([base64.b64encode(subject.encode()).decode() for subject in IDS], "image-digest"),
    "a linear function of the id": ([str(7 * number + 13) for number in NUMBERS], "image-linear"),
    "UUID of the id": ([uuid.uuid5(uuid.NAMESPACE_DNS, subject).hex for subject in IDS], "image-digest"),
    "a falling function of the id": ([str(5_000_000 - 3 * number) for number in NUMBERS], "image-linear"),
}
# Names of columns with values that tell nothing by themselves (twenty values, each of two people).
BY_NAME = [
    "forename",
    "surname",
    "FirstName",
    "customer_name",
    "氏名",
    "電話番号",
    "ご住所",
    "e-mail",
    "mail",
    "phone",
    "口座番号",
]
# What forty people have and no gate should mind.
HARMLESS: dict[str, list[str]] = {
    "city": ["Osaka", "Kobe", "Kyoto", "Nara"] * 10,
    "phone_service": ["yes", "no"] * 20,
    "card_type": ["visa", "jcb"] * 20,
    "country": ["United Kingdom", "New Zealand", "South Korea", "Costa Rica"] * 10,
    "salary": [str(int(pay)) for pay in DRAWN.integers(1_000_000, 9_999_999, PEOPLE)],
    "weight": [f"{kilos:.1f}" for kilos in DRAWN.uniform(40, 100, PEOPLE)],
    "birthday": [f"19{50 + n}-0{n % 9 + 1}-1{n % 10}" for n in range(PEOPLE)],
    "age": [str(20 + n) for n in range(PEOPLE // 2)] * 2,
}


def _table(name: str, values: list[str]) -> pl.DataFrame:
    """Return two records of everybody."""
    frame = pl.DataFrame({"customer": IDS, name: values, "price": [str(n % 7) for n in range(PEOPLE)]})
    return pl.concat([frame, frame])


@pytest.mark.half_second
def test_values_that_name_people_are_found() -> None:
    found = {}
    for what, (values, _) in BY_VALUE.items():
        suspects = identifier_suspects(read_history(_table("x", values), subject="customer"))
        found[what] = [(suspect.column, suspect.why.code.removeprefix("identifier.")) for suspect in suspects]
    assert found == {what: [("x", code)] for what, (_, code) in BY_VALUE.items()}


def test_names_of_columns_are_found() -> None:
    values = [f"v{n // 2}" for n in range(PEOPLE)]
    found = [name for name in BY_NAME if identifier_suspects(read_history(_table(name, values), subject="customer"))]
    assert found == BY_NAME


def test_a_name_that_may_mean_people_counts_where_many_have_a_value_of_their_own() -> None:
    rare = [f"v{min(n, 8)}" for n in range(PEOPLE)]
    for name, values, expected in (("emp_title", rare, 1), ("emp_title", HARMLESS["city"], 0), ("goods", rare, 0)):
        assert len(identifier_suspects(read_history(_table(name, values), subject="customer"))) == expected


def test_measures_kinds_and_times_are_left_alone() -> None:
    found = {
        name: identifier_suspects(read_history(_table(name, values), subject="customer"))
        for name, values in HARMLESS.items()
    }
    assert {name: suspects for name, suspects in found.items() if suspects} == {}


def test_numbers_of_people_are_found_in_a_table_of_rows() -> None:
    """Whole numbers without gaps number people; amounts have gaps, however few people share one."""
    frame = pl.DataFrame({"nr": range(500, 500 + PEOPLE), "pay": DRAWN.integers(10**6, 10**7, PEOPLE)})
    suspects = identifier_suspects(read_history(frame, subject="row"))
    assert [(suspect.column, suspect.why.code) for suspect in suspects] == [("nr", "identifier.own-value")]


def test_goods_of_many_people_are_no_free_text() -> None:
    goods = [f"white hanging heart holder {n % 3}" for n in range(PEOPLE)]
    assert identifier_suspects(read_history(_table("goods", goods), subject="customer")) == ()


NAMED = """name,phone,age,city
Aiko Hara,090-1111-2222,31,Osaka
Carla Gupta,090-1111-2223,32,Kobe
Hugo Ito,090-1111-2224,33,Osaka
Ben Mori,090-1111-2225,34,Kobe
Dai Ono,090-1111-2226,35,Osaka
Emi Abe,090-1111-2227,36,Kobe
"""


@pytest.mark.half_second
def test_names_and_phones_are_not_published(run: Run, tmp_path: Path) -> None:
    """The table of the issue: it was published as {Aiko Hara;Carla Gupta;Hugo Ito} and called safe."""
    file = tmp_path / "named.csv"
    file.write_text(NAMED, encoding="utf-8")
    asked = ["anonymize", file, "--subject", "row", "--k", "3", "-o", tmp_path / "release", "--json"]
    refused = run(*asked)
    assert refused.status == 2
    assert refused.json["error"]["code"] == "identifier-column"
    assert refused.json["error"]["message"] == (
        "the column 'name' seems to name people: its name says so, and its values do not say otherwise; drop it in "
        'the schema ("name" = { drop = true }) or, if it must be published, allow it by name (--allow name)'
    )
    assert not (tmp_path / "release").exists()
    again = run(*asked, "--allow", "name")
    assert "the column 'phone' seems to name people: its values are phone numbers" in again.json["error"]["message"]
    described = run("describe", file, "--subject", "row", "--json").json["identifiers"]
    assert described["phone"] == "its values are phone numbers"
    assert list(described) == ["name", "phone"]
    allowed = run(*asked, "--allow", "name", "--allow", "phone")
    assert allowed.status == 0
    assert [reason["code"] for reason in allowed.json["audit"]["reasons"]].count("identifier-allowed") == 2
    assert 'allow = ["name", "phone"]' in (tmp_path / "release.plan.toml").read_text(encoding="utf-8")
    judged = ["audit", "--original", file, "--release", tmp_path / "release", "--json"]
    unsafe = run(*judged)
    assert (unsafe.status, unsafe.json["verdict"]) == (1, "unsafe")
    assert [reason["code"] for reason in unsafe.json["reasons"]][:2] == ["identifier-column"] * 2
    assert run(*judged, "--allow", "name", "--allow", "phone").json["verdict"] == "safe"


@pytest.mark.half_second
def test_python_passes_the_same_gate() -> None:
    frame = _table("x", BY_VALUE["mobile phones"][0])
    with pytest.raises(LeakError, match="the column 'x' seems to name people: its values are phone numbers") as caught:
        anonymize(frame, k=2, subject="customer")
    assert caught.value.code == "identifier-column"
    with pytest.raises(LeakError, match="the column 'x' seems to name people"):
        compare(frame, ["pseudonymize"], subject="customer")
    with pytest.raises(ParameterError, match="--allow names the column 'y', which the data does not publish"):
        anonymize(frame, k=2, subject="customer", allow=["y"])
    made = anonymize(frame, subject="customer", allow=["x"], method="pseudonymize")
    assert "identifier-allowed" in [reason.code for reason in audit(frame, made).verdict.reasons]
    assert describe(frame, subject="customer").identifiers == {"x": "its values are phone numbers"}


@pytest.mark.half_second
def test_the_data_at_hand_passes_without_a_word(real_data: Path) -> None:
    """No column of real tables, nor of the generators (tested with the demo), is taken for an identifier."""
    rows = ("adult.parquet", "cmc.csv", "microaggregation_census.csv", "microaggregation_tarragona.csv")
    histories = [read_history(real_data / name, subject="row") for name in rows]
    histories += [read_history(real_data / name) for name in ("people_flow_tokyo.parquet", "pwscup2018_T.csv")]
    retail = pl.read_parquet(real_data / "online_retail.parquet")
    customer = next(name for name in retail.columns if "customer" in name.lower())
    histories.append(read_history(retail.filter(pl.col(customer).is_not_null()).head(100_000), subject=customer))
    assert [identifier_suspects(history) for history in histories] == [()] * len(histories)


def test_every_reason_has_words() -> None:
    codes = {code for _, code in BY_VALUE.values()} | {"name", "column"}
    assert {f"identifier.{code}" for code in codes} <= set(texts("en")) & set(texts("ja"))
