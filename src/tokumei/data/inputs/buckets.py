"""Objects of a bucket (``s3://bucket/key``) and those below a prefix, read where they are (extra ``bucket``).

Listing, sizes and whole objects go through boto3, which knows every place where a login can be: variables of the
environment (``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL`` for other stores than Amazon's), profiles, roles of a machine.
Rows are read by polars, which takes the login from boto3. Nothing is ever written to a bucket.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from tokumei.errors import UnreadableError

_ADDRESS = re.compile(r"s3://([^/#?]+)/*([^#?]*)")
_NOT_FOUND = 404


class BucketPath(type(Path())):  # type: ignore[misc] # the path class of this system
    """An object or a prefix of a bucket, with what readers ask of a path; its text is the address."""

    def __new__(cls, text: str) -> Any:
        """Keep bucket and key beside the path; a slash at the end says nothing."""
        self = super().__new__(cls, text)
        found = _ADDRESS.fullmatch(text)
        if found is None:
            message = f"{text}: write the address of a bucket as s3://BUCKET/PREFIX"
            raise UnreadableError(message, file=text, code="bucket")
        self.bucket, self.key = found.group(1), found.group(2).rstrip("/")
        return self

    def __init__(self, text: str) -> None:
        """Fill the path where Python fills it here and not when it is made."""
        if sys.version_info >= (3, 12):
            super().__init__(text)

    def __str__(self) -> str:
        """Return the address."""
        return f"s3://{self.bucket}/{self.key}"

    __fspath__ = __str__

    def __reduce__(self) -> tuple[type[BucketPath], tuple[str]]:
        """Travel to another process as the address; the login is that of the machine there."""
        return BucketPath, (str(self),)

    def is_file(self) -> bool:
        """Return whether there is an object of this name."""
        return bool(self.key) and _told(str(self)) is not None

    def is_dir(self) -> bool:
        """Return whether there are objects below."""
        return not self.is_file() and any(self.iterdir())

    def exists(self) -> bool:  # type: ignore[override, unused-ignore] # later versions of Python ask more
        """Return whether anything is there."""
        return self.is_file() or self.is_dir()

    def stat(self) -> Sized:  # type: ignore[override, unused-ignore]
        """Return size and age of the object; raise FileNotFoundError if there is none."""
        told = _told(str(self))
        if told is None:
            raise FileNotFoundError(str(self))
        return told

    def iterdir(self) -> Iterator[BucketPath]:
        """Yield the objects directly below, in the order of their names."""
        prefix = f"{self.key}/" if self.key else ""
        for key in _keys(self.bucket, prefix):
            if key != prefix:
                yield BucketPath(f"s3://{self.bucket}/{key}")

    def open(self, mode: str = "rb") -> Any:  # type: ignore[override, unused-ignore]
        """Return the bytes of the object as a stream."""
        assert mode == "rb"
        return _asked(str(self), "get_object", {"Bucket": self.bucket, "Key": self.key})["Body"]

    def read_bytes(self) -> bytes:
        """Return the bytes of the object."""
        with self.open() as stream:
            raw: bytes = stream.read()
        return raw


@dataclass(frozen=True, slots=True)
class Sized:
    """What is known of an object without reading it; named as the system names it. No file of a disk is the same."""

    st_size: int
    st_mtime_ns: int
    st_ino: int = -1
    st_dev: int = -1


def _told(address: str) -> Sized | None:
    """Return what the store tells of an object; None if there is none."""
    path = BucketPath(address)
    found = _asked(address, "head_object", {"Bucket": path.bucket, "Key": path.key}, absent=True)
    return None if found is None else Sized(int(found["ContentLength"]), int(found["LastModified"].timestamp() * 1e9))


def _keys(bucket: str, prefix: str) -> Iterator[str]:
    """Yield the keys directly below a prefix; a store tells a thousand at a time."""
    more: dict[str, str] = {}
    while True:
        asked = {"Bucket": bucket, "Prefix": prefix, "Delimiter": "/", **more}
        told = _asked(f"s3://{bucket}/{prefix}", "list_objects_v2", asked)
        yield from (str(one["Key"]) for one in told.get("Contents", ()))
        if not told.get("IsTruncated"):
            return
        more = {"ContinuationToken": told["NextContinuationToken"]}


@lru_cache(maxsize=1)
def _client(endpoint: str | None) -> Any:
    """Return a client of the store that the environment names; making one takes longer than asking it."""
    import boto3  # noqa: PLC0415 - an extra

    return boto3.client("s3", endpoint_url=endpoint)


def _asked(address: str, what: str, words: Mapping[str, str], *, absent: bool = False) -> Any:
    """Ask the store; None with ``absent`` if it has no such object, UnreadableError in one sentence otherwise."""
    try:
        from botocore import exceptions  # noqa: PLC0415 - an extra
    except ImportError:
        _refuse(address, "buckets need the extra 'bucket': pip install 'tokumei[bucket]'", code="extra")
    try:
        return getattr(_client(os.environ.get("AWS_ENDPOINT_URL")), what)(**words)
    except exceptions.ClientError as error:
        code, status = error.response["Error"].get("Code", ""), error.response["ResponseMetadata"]["HTTPStatusCode"]
    except exceptions.BotoCoreError as error:
        # Names of classes say it (NoCredentialsError, EndpointConnectionError); texts may hold what is secret.
        reason = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
        _refuse(address, f"the store does not answer ({reason}); check login, region and AWS_ENDPOINT_URL")
    if code == "NoSuchBucket":
        _refuse(address, f"there is no bucket '{words['Bucket']}'; check the name and AWS_ENDPOINT_URL")
    if status != _NOT_FOUND:
        _refuse(address, f"the store refuses to show it ({code}); check login and permissions")
    if not absent:
        _refuse(address, "there is no such object; check the address")
    return None


def _refuse(address: str, what: str, *, code: str = "bucket") -> NoReturn:
    raise UnreadableError(f"{address}: {what}", file=address, code=code)
