"""Certificates: true of one release, checked without its Secret, refused when any byte of either is another."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.audits.leaky_folders import CSV_VARIANTS
from tests.audits.test_published_bytes import SCHEMA, shopping
from tests.conftest import Run
from tests.effort import examples
from tokumei.audits.certificate import certificate_text, verify_certificate
from tokumei.audits.published_groups import history_groups
from tokumei.audits.signing import SigningKey, public_key_of_pem
from tokumei.data.columns import Column
from tokumei.data.history import History, Release
from tokumei.data.release_folder import ReleaseFolder
from tokumei.data.schema import Schema
from tokumei.data.secret_file import read_secret
from tokumei.errors import TokumeiError, UnreadableError
from tokumei.flow.auditing import audit
from tokumei.flow.making import release
from tokumei.flow.opening import Opened, open_release
from tokumei.flow.plan import plan_of

KEY = SigningKey.generate()


@dataclass(frozen=True)
class Certified:
    """A release with two certificates."""

    place: Path
    plain: bytes
    signed: bytes

    @property
    def folder(self) -> Path:
        """The release."""
        return self.place / "release"


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    place = tmp_path_factory.mktemp("certified")
    shopping().write_csv(place / "original.csv")
    release(History.from_frame(shopping(), SCHEMA), plan_of("k-anonymity", k=3), threads=1).write(place / "release")
    opened = open_release(place / "original.csv", place / "release", secret=place / "release.secret")
    result, folder = audit(opened), ReleaseFolder.open(place / "release")
    return Certified(
        place, certificate_text(folder, result).encode(), certificate_text(folder, result, key=KEY).encode()
    )


@pytest.mark.half_second
def test_a_certificate_says_what_everybody_may_know(certified: Certified) -> None:
    stated = json.loads(certified.plain)
    folder = ReleaseFolder.open(certified.folder)
    assert stated["verdict"] == "safe"
    assert (stated["k"], stated["shared_by"], stated["method"]) == (3, 3, "k-anonymity")
    assert stated["groups"] == history_groups(folder.release())
    assert sum(stated["groups"].values()) == stated["pseudonyms"] == 12
    assert sorted(stated["files"]) == ["data.csv", "manifest.json", "schema.toml", "summary.md"]
    assert "k-anonymous" in stated["reasons"]
    naming = stated["questions"]["naming"]
    assert (naming["value"], naming["outcome"]) == (0.33, "safe")
    text = certified.plain.decode()
    owners = read_secret(certified.place / "release.secret").owners
    assert not [name for name in (*owners["subject"], *owners["pseudonym"]) if name in text]


@pytest.mark.half_second
def test_a_true_certificate_is_accepted(certified: Certified) -> None:
    folder = ReleaseFolder.open(certified.folder)
    plain = verify_certificate(folder, certified.plain)
    assert (plain.findings, plain.signed, plain.shared_by) == ((), False, 3)
    signed = verify_certificate(folder, certified.signed, public_key=KEY.public)
    assert (signed.findings, signed.signed, signed.public_key) == ((), True, KEY.public)


def _codes(folder: Path, text: bytes, **known: str) -> list[str]:
    try:
        return [finding.code for finding in verify_certificate(ReleaseFolder.open(folder), text, **known).findings]
    except TokumeiError as error:
        return [error.code]


@settings(max_examples=examples(80), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_other_byte_is_refused(certified: Certified, tmp_path: Path, data: st.DataObject) -> None:
    names = ["plain", "signed", *sorted(path.name for path in certified.folder.iterdir())]
    name = data.draw(st.sampled_from(names))
    content = getattr(certified, name) if name in ("plain", "signed") else (certified.folder / name).read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    bits = data.draw(st.integers(1, 255))
    changed = content[:place] + bytes([content[place] ^ bits]) + content[place + 1 :]
    if name in ("plain", "signed"):
        assert _codes(certified.folder, changed) != []
        return
    folder = tmp_path / "release"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(certified.folder, folder)
    (folder / name).write_bytes(changed)
    assert _codes(folder, certified.signed) != []


def _forged(certificate: bytes, **values: object) -> bytes:
    """Return a certificate with other values and the hash that belongs to them."""
    stated = {**json.loads(certificate), **values}
    body = {key: value for key, value in stated.items() if key not in ("sha256", "signature")}
    raw = (json.dumps(body, indent=2, ensure_ascii=False) + "\n").encode()
    stated["sha256"] = hashlib.sha256(raw).hexdigest()
    return (json.dumps(stated, indent=2, ensure_ascii=False) + "\n").encode()


def test_who_changes_a_certificate_and_its_hash_fails_by_the_signature(certified: Certified) -> None:
    assert _codes(certified.folder, _forged(certified.signed, k=12)) == ["certificate-signature"]
    assert _codes(certified.folder, certified.plain, public_key=KEY.public) == ["certificate-key"]
    other = SigningKey.generate()
    assert _codes(certified.folder, certified.signed, public_key=other.public) == ["certificate-key"]


def test_an_unsigned_certificate_cannot_claim_what_the_release_does_not_show(certified: Certified) -> None:
    """Everybody can make one, hashes included: what can be counted is counted again."""
    for key, value, code in (
        ("k", 4, "certificate-k"),
        ("records", 7, "certificate-count"),
        ("groups", {}, "certificate-count"),
    ):
        assert _codes(certified.folder, _forged(certified.plain, **{key: value})) == [code]


def test_added_files_are_seen(certified: Certified, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shutil.copytree(certified.folder, folder)
    (folder / "owners.csv").write_text("1,s001\n", encoding="utf-8")
    assert _codes(folder, certified.plain) == ["certificate-file"]


@pytest.mark.half_second
def test_the_commands_from_the_key_to_the_check(certified: Certified, tmp_path: Path, run: Run) -> None:
    made = run("keygen", tmp_path / "my.key", "--json")
    assert made.status == 0
    assert stat.S_IMODE((tmp_path / "my.key").stat().st_mode) == 0o600
    assert public_key_of_pem((tmp_path / "my.key.pub").read_bytes(), file="x") == made.json["public_key"]
    assert "a key cannot be made again" in run("keygen", tmp_path / "my.key").err
    asked = ["--original", certified.place / "original.csv", "--release", certified.folder, "--certificate"]
    written = run("audit", *asked, tmp_path / "c.json", "--sign", tmp_path / "my.key", "--json")
    assert (written.status, written.json["verdict"]) == (0, "safe")
    checked = run("verify", certified.folder, tmp_path / "c.json", "--public-key", tmp_path / "my.key.pub", "--json")
    assert checked.status == 0
    assert (checked.json["valid"], checked.json["signed"], checked.json["shared_by"]) == (True, True, 3)
    assert "The certificate is true of these files" in run("verify", certified.folder, tmp_path / "c.json").out
    (tmp_path / "c.json").write_bytes((tmp_path / "c.json").read_bytes().replace(b'"k": 3', b'"k": 4'))
    refused = run("verify", certified.folder, tmp_path / "c.json")
    assert refused.status == 1
    assert "was changed after it was made" in refused.out
    (tmp_path / "c.json").write_text("{}", encoding="utf-8")
    assert run("verify", certified.folder, tmp_path / "c.json").status == 2
    assert "--sign goes with --certificate" in run("audit", *asked[:4], "--sign", tmp_path / "my.key").err


def test_another_key_file_is_named() -> None:
    with pytest.raises(UnreadableError, match="key.pem: this is no private Ed25519 key without password"):
        SigningKey.of_pem(b"-----BEGIN", file="key.pem")
    with pytest.raises(UnreadableError, match="key.pub: this is no public Ed25519 key"):
        public_key_of_pem(b"", file="key.pub")
    assert repr(KEY) == "SigningKey(…)"


@pytest.mark.half_second
def test_a_release_issued_again_is_canonical_under_fresh_names(certified: Certified, tmp_path: Path, run: Run) -> None:
    """Extra columns, set orders and words stay behind; cells, people and the new Secret are the same."""
    old = tmp_path / "old"
    for change in ("extra column with the id", "the Secret in the summary", "another order in a set"):
        shutil.rmtree(old, ignore_errors=True)
        shutil.copytree(certified.folder, old)
        CSV_VARIANTS[change][0](old)
        shutil.rmtree(tmp_path / "new", ignore_errors=True)
        (tmp_path / "new.secret").unlink(missing_ok=True)
        original = ["--original", certified.place / "original.csv"] if change.startswith("the Secret") else []
        asked = ["reissue", old, "--secret", certified.place / "release.secret", *original, "-o", tmp_path / "new"]
        done = run(*asked, "--json")
        assert (done.status, done.json["pseudonyms"]) == (0, 12)
        assert done.json["audit"] == ("safe" if original else None)
    before, after = (
        open_release(certified.place / "original.csv", folder, secret=folder.with_name(f"{folder.name}.secret"))
        for folder in (certified.folder, tmp_path / "new")
    )
    assert set(before.release.pseudonyms).isdisjoint(after.release.pseudonyms)
    assert audit(after).verdict.outcome.value == "safe"
    assert _rows(before) == _rows(after)


def _rows(opened: Opened) -> list[tuple[object, ...]]:
    """Return the true owner and the cells of every record, sorted."""
    assert opened.secret is not None
    owners = dict(opened.secret.owners.select("pseudonym", "subject").iter_rows())
    rows = zip(opened.secret.rows.tolist(), opened.release.text().rows(), strict=True)
    return sorted((row, owners[cells[0]], *cells[1:]) for row, cells in rows)


def test_a_foreign_secret_issues_nothing(certified: Certified, tmp_path: Path, run: Run) -> None:
    other = release(History.from_frame(shopping(9), SCHEMA), plan_of("k-anonymity", k=3), threads=1)
    other.write(tmp_path / "other")
    refused = run("reissue", certified.folder, "--secret", tmp_path / "other.secret", "-o", tmp_path / "new", "--json")
    assert (refused.status, refused.json["error"]["code"]) == (2, "foreign-secret")
    assert not (tmp_path / "new").exists()


def test_cells_with_the_bytes_between_cells_are_not_taken_for_others() -> None:
    """Control characters above the tab are text like any other: two histories must not have one digest for them."""
    schema = Schema("who", (Column(name="a"), Column(name="b")))
    frame = pl.DataFrame({"who": ["1", "2"], "a": ["x\x1fy", "x"], "b": ["z", "y\x1fz"]})
    ends = pl.DataFrame({"who": ["1", "2", "2"], "a": ["w", "w", "x"], "b": ["z\x1ex\x1fy", "z", "y"]})
    for table in (frame, ends, ends.with_columns(pl.col("b").str.replace("\x1e", "\x1c\x1e", literal=True))):
        history = History.from_frame(table, schema)
        cells = {name: history.cells(name) for name in ("a", "b")}
        assert len(history_groups(Release(schema, table["who"], cells))) == 2
