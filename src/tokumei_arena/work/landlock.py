"""Which files this process may touch from now on, by Landlock (Documentation/userspace-api/landlock.rst of Linux).

Everything that is not named can neither be read nor written, whatever its owner and mode are; from version 4 on no TCP
connection can be made, from version 6 on no process outside can be sent a signal.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from tokumei_arena.work.kernel import checked, no_new_privileges, system_call

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
GET_VERSION, RULE_PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE, DEVICE_IOCTL = 1 << 14, 1 << 15
# Version 1 knows 13 rights, version 2 linking across folders, 3 truncating, 5 commands to devices.
RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
TCP_SINCE, TCP_RIGHTS = 4, 0b11
# Abstract UNIX sockets and signals.
SCOPES_SINCE, SCOPES = 6, 0b11
READING = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_IOCTL


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Return the version of Landlock that this machine has; 0: none."""
    return max(0, system_call(CREATE_RULESET, None, 0, GET_VERSION))


def restrict(*, read: Iterable[Path], write: Iterable[Path]) -> None:
    """Let this process read some paths and read and write others; the rest is closed for good."""
    found = version()
    if not found:
        raise OSError("this machine has no Landlock")
    rights = max(mask for since, mask in RIGHTS.items() if since <= found)
    rules = _Ruleset(rights, TCP_RIGHTS if found >= TCP_SINCE else 0, SCOPES if found >= SCOPES_SINCE else 0)
    # Earlier versions refuse a structure that is longer than the one they know, unless the rest is zero.
    made = checked(system_call(CREATE_RULESET, ctypes.byref(rules), ctypes.sizeof(rules), 0), "landlock")
    try:
        for path in read:
            _allow(made, path, READING & rights)
        for path in write:
            _allow(made, path, rights & ~EXECUTE)
        no_new_privileges()
        checked(system_call(RESTRICT_SELF, made, 0), "landlock")
    finally:
        os.close(made)


def restrict_reading(allowed: Iterable[Path]) -> None:
    """Let this process read files only at these paths and below them; everything else stays as it is."""
    rules = _Ruleset(READ_FILE, 0, 0)
    made = checked(system_call(CREATE_RULESET, ctypes.byref(rules), ctypes.sizeof(rules), 0), "landlock")
    try:
        for path in allowed:
            _allow(made, path, READ_FILE)
        no_new_privileges()
        checked(system_call(RESTRICT_SELF, made, 0), "landlock")
    finally:
        os.close(made)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    """Allow something at a path and below it; what is not there needs no rule."""
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(folder).st_mode):
            rights &= OF_FILES
        rule = _PathBeneath(rights, folder)
        checked(system_call(ADD_RULE, ruleset, RULE_PATH_BENEATH, ctypes.byref(rule), 0), f"landlock: {path}")
    finally:
        os.close(folder)
