"""Files in an S3-compatible object store."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage

from tokumei_arena.errors import RefusedError


class BucketStorage(S3Storage):
    """A folder of a bucket; keys are random, so that nothing is ever overwritten and no listing is needed."""

    def exists(self, name: str) -> bool:  # noqa: ARG002
        """Return False without asking: a random key is new."""
        return False

    def make_bucket(self) -> None:
        """Make the bucket unless it is there."""
        client = self.bucket.meta.client
        try:
            client.head_bucket(Bucket=self.bucket.name)
        except ClientError as error:
            if error.response["Error"]["Code"] not in ("404", "NoSuchBucket"):
                # It is there, and somebody may not look at it: what matters is tried when files are stored.
                return
            client.create_bucket(Bucket=self.bucket.name)
        except BotoCoreError as error:
            message = f"the object store does not answer ({error}); check STORAGE_URL and that it is running"
            raise RefusedError(message, code="storage") from error
