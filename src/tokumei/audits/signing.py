"""Signatures with Ed25519 (RFC 8032), by the package ``cryptography`` (extra ``sign``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokumei.errors import ParameterError, UnreadableError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def _library() -> tuple[Any, Any]:
    """Return the modules that sign and that read keys; ParameterError says how to get them."""
    try:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - only who signs needs it
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError:
        message = "signatures need the package cryptography; install it with: pip install 'tokumei[sign]'"
        raise ParameterError(message, code="missing-extra") from None
    return ed25519, serialization


@dataclass(frozen=True, repr=False, slots=True)
class SigningKey:
    """A private key; its repr says nothing."""

    private: Ed25519PrivateKey

    def __repr__(self) -> str:
        """Return a fixed text."""
        return "SigningKey(…)"

    @classmethod
    def generate(cls) -> SigningKey:
        """Return a new key of the operating system's entropy."""
        return cls(_library()[0].Ed25519PrivateKey.generate())

    @classmethod
    def of_pem(cls, text: bytes, *, file: str) -> SigningKey:
        """Return the key of a PEM file without password, as ``tokumei keygen`` or openssl writes it."""
        ed25519, serialization = _library()
        try:
            key = serialization.load_pem_private_key(text, password=None)
        # Whatever the library finds wrong says the same: this is another file.
        except Exception:
            key = None
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            message = f"{file}: this is no private Ed25519 key without password; make one with 'tokumei keygen'"
            raise UnreadableError(message, file=file)
        return cls(key)

    def to_pem(self) -> bytes:
        """Return the private key as PEM text."""
        serialization = _library()[1]
        return bytes(
            self.private.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )

    def public_pem(self) -> bytes:
        """Return the public key as PEM text."""
        serialization = _library()[1]
        return bytes(
            self.private.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )

    @property
    def public(self) -> str:
        """The public key as 64 hexadecimal digits."""
        return self.private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        """Return the signature as 128 hexadecimal digits."""
        return self.private.sign(message).hex()


def public_key_of_pem(text: bytes, *, file: str) -> str:
    """Return the public key of a PEM file as 64 hexadecimal digits."""
    ed25519, serialization = _library()
    try:
        key = serialization.load_pem_public_key(text)
    # Whatever the library finds wrong says the same: this is another file.
    except Exception:
        key = None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        message = f"{file}: this is no public Ed25519 key; ask the publisher for the file that 'tokumei keygen' wrote"
        raise UnreadableError(message, file=file)
    return str(key.public_bytes_raw().hex())


def signature_holds(public_key: str, signature: str, message: bytes) -> bool:
    """Return whether the signature of a message is that of the key; both in hexadecimal digits."""
    ed25519, _ = _library()
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), message)
    # A key or signature of the wrong length or letters is as wrong as one that does not fit.
    except Exception:
        return False
    return True
