"""Uploads go to a temporary file while they arrive; one that is too long is cut off, not stored."""

from __future__ import annotations

import tempfile
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload


class LimitedUpload(FileUploadHandler):
    """Takes files up to the limit; beyond it the request is marked and the rest is thrown away.

    The temporary files have no names: whatever kills the process, nothing of them stays.
    """

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self._received = 0
        self._file: UploadedFile[Any] | None = None

    def new_file(self, *arguments: Any, **options: Any) -> None:
        """Begin a file."""
        super().new_file(*arguments, **options)
        self._file = UploadedFile(
            tempfile.TemporaryFile(),  # noqa: SIM115 - Django closes it with the request
            self.file_name,
            self.content_type,
            0,
            self.charset,
            self.content_type_extra,
        )

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:  # noqa: ARG002
        """Write a piece, or stop."""
        self._received += len(raw_data)
        if self._received > settings.ARENA_LIMITS["upload_bytes"]:
            if self.request is not None:
                self.request.META["arena.upload_cut"] = True
            # Django forgets the half file of a stopped upload; it would stay open until somebody collects garbage.
            self.upload_interrupted()
            raise StopUpload(connection_reset=False)
        assert self._file is not None
        self._file.write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile[Any] | None:
        """Return the file that has come in."""
        file = self._file
        assert file is not None
        file.seek(0)
        file.size = file_size
        return file

    def upload_interrupted(self) -> None:
        """Forget what came of a file."""
        if self._file is not None:
            self._file.close()


def was_cut(request: Any) -> bool:
    """Return whether an upload of this request was longer than allowed."""
    return bool(request.META.get("arena.upload_cut"))
