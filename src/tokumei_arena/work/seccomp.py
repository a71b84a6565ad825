"""Which system calls this process may make from now on: a filter of the kernel (seccomp, classic BPF).

Calls are refused with "not permitted" that reach for the network, for other processes or for the kernel itself. New
threads are allowed, new processes and programs are not.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from tokumei_arena.work.kernel import ARCHITECTURES, MACHINE, checked, library, no_new_privileges

PR_SET_SECCOMP, MODE_FILTER = 22, 2
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
# Instructions of classic BPF (linux/bpf_common.h): load a word; jump if equal, if at least, if bits are set; return.
LOAD, EQUAL, AT_LEAST, BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# Where struct seccomp_data holds the number of the call, the architecture, and the lower half of the first argument.
NUMBER, ARCHITECTURE, FIRST = 0, 4, 16
CLONE_THREAD = 0x00010000
# Calls of the other ABI of x86_64 have this bit.
X32 = 0x40000000

# Name: (number on x86_64, number on aarch64); None: the call does not exist there.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "tkill": (200, 130),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "fanotify_init": (300, 262),
}
# Signals to this process itself end it in order; threads of it are its own.
ONLY_SELF = {"kill": (62, 129), "tgkill": (234, 131), "rt_tgsigqueueinfo": (297, 240)}
CLONE, CLONE3 = (56, 220), (435, 435)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def is_known() -> bool:
    """Return whether the numbers of this machine's system calls are known here."""
    return MACHINE in ARCHITECTURES


def program(process: int) -> bytes:
    """Return the filter for the process with this number."""
    column = list(ARCHITECTURES).index(MACHINE)
    no = _instruction(RETURN, REFUSE | errno.EPERM)
    lines = [
        _instruction(LOAD, ARCHITECTURE),
        _instruction(EQUAL, ARCHITECTURES[MACHINE], if_true=1),
        _instruction(RETURN, KILL),
        _instruction(LOAD, NUMBER),
    ]
    if MACHINE == "x86_64":
        lines += [_instruction(AT_LEAST, X32, if_false=1), no]
    for numbers in REFUSED.values():
        if numbers[column] is not None:
            lines += [_instruction(EQUAL, int(numbers[column] or 0), if_false=1), no]
    # Nobody sees into the arguments of clone3; libraries fall back to clone when it does not exist.
    lines += [_instruction(EQUAL, CLONE3[column], if_false=1), _instruction(RETURN, REFUSE | errno.ENOSYS)]
    for numbers in ONLY_SELF.values():
        lines += [
            _instruction(EQUAL, numbers[column], if_false=4),
            _instruction(LOAD, FIRST),
            _instruction(EQUAL, process, if_false=1),
            _instruction(RETURN, ALLOW),
            no,
        ]
    lines += [
        _instruction(EQUAL, CLONE[column], if_false=4),
        _instruction(LOAD, FIRST),
        _instruction(BITS, CLONE_THREAD, if_false=1),
        _instruction(RETURN, ALLOW),
        no,
    ]
    return b"".join([*lines, _instruction(RETURN, ALLOW)])


def restrict() -> None:
    """Put the filter on; it cannot be taken off."""
    if not is_known():
        raise OSError(f"system calls of {MACHINE} are not known here")
    code = program(os.getpid())
    filled = _Program(len(code) // 8, code)
    no_new_privileges()
    checked(library().prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(filled), 0, 0), "seccomp")
