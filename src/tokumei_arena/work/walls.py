"""The walls that an evaluating process puts around itself before it reads what participants sent.

Which of them a machine offers differs; ``boxes`` finds out once which plan works, and the process puts up exactly that
one or does not evaluate at all.

    own-user      another user who owns nothing but the folder of the job, where the worker is root
    namespaces    no network device, no shared memory of others, no users of the machine
    landlock      no file but the folder of the job, the programs and what they need of the system
    seccomp       no sockets, no new processes or programs, no calls that reach for the kernel or for other processes

Outside of them bubblewrap may have made a system in which nothing else exists.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from tokumei_arena.work import landlock, seccomp
from tokumei_arena.work.kernel import checked, library, system_call

NEW_MOUNTS, NEW_IPC, NEW_USERS, NEW_NETWORK = 0x00020000, 0x08000000, 0x10000000, 0x40000000
BIND, PRIVATE = 0x1000, 0x40000 | 0x4000
CAPSET = {"x86_64": 126, "aarch64": 91}
CAPABILITIES_VERSION_3 = 0x20080522
# Users beyond those that anybody gives out, one for each process; a container may know 65,536 only.
FIRST_USER, NOBODY = 2_000_000_000, 65534
# Where the folder of the job can be put for a user who may not walk to where it is: over one of these.
JOB_PLACES = ("/mnt", "/media", "/srv", "/tmp")  # noqa: S108 - nothing of it is seen then
SYSTEM = ("/usr", "/lib", "/lib64")
# What libraries look at; no other process, no settings of programs, no list of users' secrets.
NEEDED = (
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/timezone", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/filesystems"),
    *("/proc/sys/vm", "/proc/sys/kernel/ngroups_max", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm"),
    *("/dev/urandom", "/dev/random", "/dev/zero"),
)
WRITTEN = ("/dev/null", "/dev/full")


class Wall(StrEnum):
    """What an evaluating process can put up by itself."""

    OWN_USER = "own-user"
    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    SECCOMP = "seccomp"


def put_up(walls: Sequence[str], folder: Path) -> Path:
    """Put up all of these walls; return where the folder of the job lies now. Whatever does not work is an OSError."""
    if Wall.OWN_USER in walls:
        folder = _become_nobody(folder)
    elif Wall.NAMESPACES in walls:
        _leave_network()
    if Wall.LANDLOCK in walls:
        landlock.restrict(read=readable(), write=[folder, *map(Path, WRITTEN)])
    if Wall.SECCOMP in walls:
        seccomp.restrict()
    return folder


def programs() -> list[Path]:
    """Return the outermost folders in which this Python and its packages lie."""
    found: list[Path] = []
    for path in sorted({Path(name).resolve() for name in (sys.prefix, sys.base_prefix, *sys.path) if name}):
        if path.is_dir() and not any(path.is_relative_to(other) for other in found):
            found.append(path)
    return found


def readable() -> list[Path]:
    """Return what evaluations read beside their folder: this Python, its packages, the system's libraries."""
    return [*programs(), *map(Path, (*SYSTEM, *NEEDED))]


def _become_nobody(folder: Path) -> Path:
    """Take a namespace without network, put the folder where a user without rights finds it, and become that user."""
    place = _free_place()
    checked(library().unshare(NEW_MOUNTS | NEW_NETWORK | NEW_IPC), "unshare")
    _mount("none", Path("/"), PRIVATE)
    _mount(str(folder), place, BIND)
    _show_programs()
    os.setgroups([])
    try:
        user = _as(FIRST_USER + os.getpid(), place)
    except OSError:
        user = _as(NOBODY, place)
    # The change of user takes all capabilities away.
    os.setresuid(user, user, user)
    os.chdir(place)
    os.environ["HOME"] = os.environ["TMPDIR"] = str(place)
    return place


def _mount(source: str, place: Path, flags: int, kind: str = "") -> None:
    words = (os.fsencode(source), os.fsencode(place), kind.encode() or None, ctypes.c_ulong(flags))
    checked(library().mount(*words, b"mode=755" if kind else None), f"mount {place}")


def _show_programs() -> None:
    """Let others walk to programs in closed folders (a Python in the home of root), and to nothing else there."""
    closed: dict[Path, list[Path]] = {}
    for program in programs():
        for folder in (*reversed(program.parents), program):
            if folder.is_dir() and not folder.stat().st_mode & stat.S_IXOTH:
                closed.setdefault(folder, []).append(program)
                break
    for folder, inside in closed.items():
        opened = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in inside]
        _mount("none", folder, 0, "tmpfs")
        for path, descriptor in opened:
            _make_way(path)
            _mount(f"/proc/self/fd/{descriptor}", path, BIND)
            os.close(descriptor)


def _make_way(path: Path) -> None:
    """Make folders that everybody may walk through, although the worker makes none."""
    before = os.umask(0o022)
    path.mkdir(parents=True, exist_ok=True)
    os.umask(before)


def _free_place() -> Path:
    """Return a folder of the system under which no program lies."""
    for place in map(Path, JOB_PLACES):
        if place.is_dir() and not any(path.is_relative_to(place) for path in programs()):
            return place
    raise OSError("there is no place for the folder of the job")


def _as(user: int, folder: Path) -> int:
    """Give the folder to a user and take the group of that user; return the user."""
    _own(folder, user)
    os.setresgid(user, user, user)
    return user


def _own(folder: Path, user: int) -> None:
    for place, folders, files in os.walk(folder):
        os.chown(place, user, user)
        for name in (*folders, *files):
            os.chown(Path(place) / name, user, user, follow_symlinks=False)


def _leave_network() -> None:
    """Go where there are no users and no network but our own, and give up the rights that one has there."""
    user, group = os.getuid(), os.getgid()
    checked(library().unshare(NEW_USERS | NEW_NETWORK | NEW_IPC), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")
    head = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    checked(system_call(CAPSET[os.uname().machine], ctypes.byref(head), ctypes.byref(none)), "capset")
