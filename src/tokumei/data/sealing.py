"""Files that only who has the passphrase or the key can read, in the age format (age-encryption.org/v1).

Any program that knows the format opens them (``age -d``). The passphrase never stands on a command line: it comes from
the file that TOKUMEI_PASSPHRASE_FILE names, from TOKUMEI_PASSPHRASE, or from a prompt; a key comes from the file that
TOKUMEI_KEY_FILE names. A key file holds lines ``AGE-SECRET-KEY-1...`` (they open and seal) or ``age1...`` (they only
seal). pyrage (the extra ``encrypt``) does the cryptography.
"""

from __future__ import annotations

import getpass
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokumei.data.files import OWNER_ONLY, write_bytes
from tokumei.data.raw import Source
from tokumei.errors import InputError, ParameterError, UnreadableError

PASSPHRASE_FILE, PASSPHRASE, KEY_FILE = "TOKUMEI_PASSPHRASE_FILE", "TOKUMEI_PASSPHRASE", "TOKUMEI_KEY_FILE"
_HEAD = b"age-encryption.org/v1\n"
_PRIVATE, _PUBLIC = "AGE-SECRET-KEY-1", "age1"
# A person at a terminal gives one passphrase for all files of a command.
_given: list[str] = []


def _ask(question: str) -> str:
    """Ask the person at the terminal, who does not see what is typed."""
    return getpass.getpass(question)


def is_sealed(data: bytes) -> bool:
    """Return whether these are the bytes of an encrypted file."""
    return data.startswith(_HEAD)


def _pyrage() -> Any:
    try:
        import pyrage  # noqa: PLC0415 - an extra
    except ImportError:
        message = "encryption needs the library pyrage; install it: pip install 'tokumei[encrypt]'"
        raise ParameterError(message, code="missing-extra") from None
    return pyrage


@dataclass(frozen=True, repr=False, slots=True, kw_only=True)
class Lock:
    """What seals and opens files: a passphrase, or keys of age (private ones, public ones)."""

    passphrase: str = ""
    private: tuple[str, ...] = ()
    public: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return a fixed text."""
        return "Lock(…)"

    @classmethod
    def generate(cls) -> Lock:
        """Return a lock with a new key."""
        return cls(private=(str(_pyrage().x25519.Identity.generate()),))

    @classmethod
    def of_key_file(cls, path: Path) -> Lock:
        """Read a key file as ``age-keygen`` writes it; lines with # are comments."""
        text = Source.read(path).raw.decode("utf-8", "replace")
        return cls.of_key_text(text, file=str(path))

    @classmethod
    def of_key_text(cls, text: str, *, file: str) -> Lock:
        """Read the lines of a key file."""
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        private = tuple(line for line in lines if line.startswith(_PRIVATE))
        public = tuple(line for line in lines if line.startswith(_PUBLIC))
        pyrage = _pyrage()
        try:
            if len(private) + len(public) != len(lines) or not lines:
                raise ValueError
            for line in private:
                pyrage.x25519.Identity.from_str(line)
            for line in public:
                pyrage.x25519.Recipient.from_str(line)
        except (ValueError, pyrage.IdentityError, pyrage.RecipientError):
            message = f"{file}: this is no key file of age (lines AGE-SECRET-KEY-1... or age1...); make one: age-keygen"
            raise UnreadableError(message, code="no-key-file", file=file) from None
        return cls(private=private, public=public)

    @classmethod
    def of_passphrase_file(cls, path: Path) -> Lock:
        """Read a passphrase: the first line of a file."""
        lines = Source.read(path).raw.decode("utf-8", "replace").splitlines()
        return cls._of_passphrase(lines[0] if lines else "", f"{path}: the first line, the passphrase, is empty")

    @classmethod
    def of_surroundings(cls, file: str, *, new: bool = False) -> Lock:
        """Return the lock that the environment names, else ask a person; ``new`` says that ``file`` shall be sealed."""
        if path := os.environ.get(KEY_FILE):
            return cls.of_key_file(Path(path))
        if path := os.environ.get(PASSPHRASE_FILE):
            return cls.of_passphrase_file(Path(path))
        if passphrase := os.environ.get(PASSPHRASE):
            return cls(passphrase=passphrase)
        if _given and not new:
            return cls(passphrase=_given[-1])
        if not sys.stdin.isatty():
            what = "shall be encrypted" if new else "is encrypted"
            message = (
                f"{file} {what}: name a file with the passphrase ({PASSPHRASE_FILE}) or the key file ({KEY_FILE}) in "
                "the environment, or run the command at a terminal, where it asks"
            )
            raise InputError(message, code="encrypted", file=file)
        passphrase = _ask(f"Passphrase of {file}: ")
        if new and _ask("The same again: ") != passphrase:
            message = "the two passphrases differ; nothing was written"
            raise InputError(message, code="passphrase")
        lock = cls._of_passphrase(passphrase, "the passphrase is empty; nothing was done")
        _given.append(passphrase)
        return lock

    @classmethod
    def _of_passphrase(cls, passphrase: str, refusal: str) -> Lock:
        if not passphrase:
            raise InputError(refusal, code="passphrase")
        return cls(passphrase=passphrase)

    def key_text(self) -> str:
        """Return the private keys as a key file has them."""
        return "\n".join(self.private) + "\n"

    def seal(self, data: bytes) -> bytes:
        """Return the bytes of an encrypted file."""
        pyrage = _pyrage()
        if self.passphrase:
            return bytes(pyrage.passphrase.encrypt(data, self.passphrase))
        own = [pyrage.x25519.Identity.from_str(line).to_public() for line in self.private]
        others = [pyrage.x25519.Recipient.from_str(line) for line in self.public]
        return bytes(pyrage.encrypt(data, [*own, *others]))

    def open(self, data: bytes, *, file: str) -> bytes:
        """Return what an encrypted file holds."""
        pyrage = _pyrage()
        try:
            if self.passphrase:
                return bytes(pyrage.passphrase.decrypt(data, self.passphrase))
            return bytes(pyrage.decrypt(data, [pyrage.x25519.Identity.from_str(line) for line in self.private]))
        except (pyrage.DecryptError, ValueError):
            given = "passphrase" if self.passphrase else "key"
            message = f"{file} does not open with this {given}, or it is damaged; give the one it was encrypted with"
            raise InputError(message, code="wrong-key", file=file) from None


@dataclass(frozen=True, repr=False, slots=True)
class Opened:
    """What a file held, and the lock that opened it, None if it was not encrypted."""

    data: bytes
    lock: Lock | None


def open_sealed(path: Path, lock: Lock | None = None) -> Opened:
    """Read a file that may be encrypted; OSErrors pass. Without a lock the surroundings are asked for one."""
    data = path.read_bytes()
    if not is_sealed(data):
        return Opened(data, None)
    key = lock or Lock.of_surroundings(str(path))
    return Opened(key.open(data, file=str(path)), key)


def write_sealed(path: Path, data: bytes, lock: Lock | None, *, new: bool = False) -> None:
    """Write a file for its owner alone, encrypted if there is a lock; a ``new`` one replaces nothing."""
    write_bytes(path, data if lock is None else lock.seal(data), mode=OWNER_ONLY, new=new)
