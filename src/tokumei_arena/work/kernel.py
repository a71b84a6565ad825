"""System calls of Linux that Python has no function for, by their numbers."""

from __future__ import annotations

import ctypes
import os
import platform

PR_SET_NO_NEW_PRIVS = 38
# The architectures whose numbers we know, as audit events call them (linux/audit.h).
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINE = platform.machine()

_library: ctypes.CDLL | None = None


def library() -> ctypes.CDLL:
    """Return the C library of this process."""
    global _library  # noqa: PLW0603 - loaded once
    if _library is None:
        _library = ctypes.CDLL(None, use_errno=True)
    return _library


def checked(found: int, what: str) -> int:
    """Return the answer of a system call; raise OSError if it is a refusal."""
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return found


def system_call(number: int, *arguments: object) -> int:
    """Return what a system call answers, -1 for a refusal."""
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return int(library().syscall(ctypes.c_long(number), *words))


def no_new_privileges() -> None:
    """Give up for good what a program with special rights could give this process."""
    checked(library().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
