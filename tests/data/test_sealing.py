"""Encrypted Secrets and ledgers: opened by the right key alone, and read by every command."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tests.ledgers.shops import growing_shop
from tests.ledgers.test_releases import SETTINGS
from tokumei import anonymize
from tokumei.data import KEY_FILE, PASSPHRASE_FILE, Lock, Secret, is_sealed, read_secret, write_secret
from tokumei.errors import InputError, UnreadableError
from tokumei.ledgers import Ledger

SECRET = Secret(pl.DataFrame({"pseudonym": ["7"], "subject": ["ann"]}), np.array([0]))


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a new key file that the environment names."""
    file = tmp_path / "key.txt"
    file.write_text("# created: today\n" + Lock.generate().key_text())
    monkeypatch.setenv(KEY_FILE, str(file))
    return file


def test_a_secret_opens_with_its_key_alone(tmp_path: Path, key_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_secret(SECRET, tmp_path / "s", lock=Lock.of_key_file(key_file))
    sealed = (tmp_path / "s").read_bytes()
    assert (is_sealed(sealed), b"ann" in sealed) == (True, False)
    assert read_secret(tmp_path / "s").owners["subject"].to_list() == ["ann"]
    with pytest.raises(InputError, match="does not open with this key, or it is damaged") as caught:
        read_secret(tmp_path / "s", lock=Lock.generate())
    assert caught.value.code == "wrong-key"
    monkeypatch.delenv(KEY_FILE)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    with pytest.raises(InputError, match="is encrypted: name a file with the passphrase"):
        read_secret(tmp_path / "s")
    (tmp_path / "s").write_bytes(sealed[:-3])
    with pytest.raises(InputError, match="does not open with this key, or it is damaged"):
        read_secret(tmp_path / "s", lock=Lock.of_key_file(key_file))


@pytest.mark.slow
def test_a_passphrase_comes_from_a_file_or_a_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pass.txt").write_text("correct horse\n")
    write_secret(SECRET, tmp_path / "s", lock=Lock.of_passphrase_file(tmp_path / "pass.txt"))
    monkeypatch.setenv(PASSPHRASE_FILE, str(tmp_path / "pass.txt"))
    assert read_secret(tmp_path / "s").rows.tolist() == [0]
    monkeypatch.delenv(PASSPHRASE_FILE)
    answers = ["correct horse", "correct pony", ""]
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(getpass, "getpass", lambda _: answers.pop(0))
    with pytest.raises(InputError, match="the two passphrases differ; nothing was written"):
        Lock.of_surroundings("s", new=True)
    with pytest.raises(InputError, match="the passphrase is empty"):
        Lock.of_surroundings("s")


def test_what_is_no_key_file(tmp_path: Path) -> None:
    for text in ("", "hello", "AGE-SECRET-KEY-1NONSENSE", "age1nonsense"):
        (tmp_path / "key").write_text(text)
        with pytest.raises(UnreadableError, match="this is no key file of age"):
            Lock.of_key_file(tmp_path / "key")
    (tmp_path / "pass").write_text("\n")
    with pytest.raises(InputError, match="the first line, the passphrase, is empty"):
        Lock.of_passphrase_file(tmp_path / "pass")


def test_commands_read_and_check_encrypted_secrets(
    tmp_path: Path, run: Run, key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing_shop()[0].write_csv(tmp_path / "shop.csv")
    words = ("anonymize", tmp_path / "shop.csv", "--subject", "who", "--set", "effort=fast", "--skip-audit")
    made = run(*words, "-o", tmp_path / "r", "--ledger", tmp_path / "ledger", "--encrypt")
    assert made.status == 0
    kept = [tmp_path / "r.secret", tmp_path / "r.plan.toml", *(tmp_path / "ledger").glob("*.*")]
    assert all(is_sealed(path.read_bytes()) for path in kept if path.name != ".lock")
    assert len(Ledger.existing(tmp_path / "ledger").entries) == 1
    again = run("anonymize", "--plan", tmp_path / "r.plan.toml", "--dry-run")
    assert again.status == 0

    verify = ("secret", "verify", tmp_path / "r.secret", "--release", tmp_path / "r")
    (tmp_path / "copy").write_bytes((tmp_path / "r.secret").read_bytes())
    assert run("secret", "decrypt", tmp_path / "copy").status == 0
    assert not is_sealed((tmp_path / "copy").read_bytes())
    ran = run(*verify, "--original", tmp_path / "shop.csv", "--backup", tmp_path / "copy", "--json")
    assert (ran.status, ran.json["sound"], ran.json["encrypted"], ran.json["findings"]) == (0, True, True, [])
    write_secret(SECRET, tmp_path / "other")
    wrong = run(*verify[:2], tmp_path / "other", *verify[3:], "--backup", tmp_path / "copy")
    assert wrong.status == 1
    assert "the secret has 1 records and the release" in wrong.out
    assert "copy does not hold the same" in wrong.out

    assert "is encrypted already" in run("secret", "encrypt", tmp_path / "r.secret").err
    assert "is not encrypted; there is nothing to decrypt" in run("secret", "decrypt", tmp_path / "copy").err
    assert "there is no such file" in run("secret", "encrypt", tmp_path / "nothing").err
    assert run("secret", "decrypt", tmp_path / "ledger", "--key-file", key_file).status == 0
    monkeypatch.delenv(KEY_FILE)
    assert len(Ledger.existing(tmp_path / "ledger").entries) == 1
    assert not any(is_sealed(path.read_bytes()) for path in (tmp_path / "ledger").iterdir())
    assert run("secret", "encrypt", tmp_path / "ledger", "--key-file", key_file).status == 0
    assert is_sealed((tmp_path / "ledger" / "ledger.json").read_bytes())


def test_python_encrypts_too(tmp_path: Path, key_file: Path) -> None:
    made = anonymize(growing_shop()[0], seed=1, **SETTINGS)
    made.write(tmp_path / "r", lock=Lock.of_key_file(key_file))
    assert is_sealed((tmp_path / "r.secret").read_bytes())
    assert read_secret(tmp_path / "r.secret").owners.height == 21


def test_a_release_issued_again_keeps_its_secret_encrypted(run: Run, tmp_path: Path, key_file: Path) -> None:
    assert key_file.exists()
    growing_shop()[0].write_csv(tmp_path / "shop.csv")
    words = ("--subject", "who", "--set", "effort=fast", "--skip-audit", "--encrypt")
    assert run("anonymize", tmp_path / "shop.csv", *words, "-o", tmp_path / "r").status == 0
    assert run("reissue", tmp_path / "r", "--secret", tmp_path / "r.secret", "-o", tmp_path / "again").status == 0
    assert is_sealed((tmp_path / "r.secret").read_bytes())
    assert is_sealed((tmp_path / "again.secret").read_bytes())
