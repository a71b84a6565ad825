"""Where the random choices of a run come from: a cryptographic generator, or a seed for experiments.

Whoever sees pseudonyms drawn by a statistical generator such as PCG64 may compute its state, and with it every other
choice: who of a group got which pseudonym, which matching was drawn, in which order records were written. A run
without a seed therefore draws all of it, the search for groups included, from ChaCha20 (D. J. Bernstein, "ChaCha, a
variant of Salsa20", 2008; RFC 8439, section 2.3) under a key of the operating system's entropy. From what it gave
nothing of the rest can be computed. A run with a seed draws from `numpy.random.default_rng`, so that it can be made
again, by everybody who guesses the seed.

>>> first, second = (key_generator(bytes(32)).integers(0, 1000, 3).tolist() for _ in range(2))
>>> first == second
True
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
from numba import carray, cfunc, njit  # type: ignore[attr-defined]

KEY_BYTES = 32
# The four words "expand 32-byte k" that begin every block (RFC 8439, section 2.3).
_CONSTANTS = np.frombuffer(b"expand 32-byte k", dtype="<u4")
# The state: 16 words of input, the 16 words of the current block, and how many of these were used.
_COUNTER, _OUTPUT, _USED, _WORDS = 12, 16, 32, 33
_SIGNATURE = "{}(voidptr)"

Words = npt.NDArray[np.uint32]
Address = ctypes.c_void_p


@njit("void(uint32[::1], int64, int64, int64, int64)", cache=True)
def _quarter(block: Words, a: int, b: int, c: int, d: int) -> None:
    """Mix four words of the block (RFC 8439, section 2.1)."""
    block[a] += block[b]
    block[d] ^= block[a]
    block[d] = (block[d] << np.uint32(16)) | (block[d] >> np.uint32(16))
    block[c] += block[d]
    block[b] ^= block[c]
    block[b] = (block[b] << np.uint32(12)) | (block[b] >> np.uint32(20))
    block[a] += block[b]
    block[d] ^= block[a]
    block[d] = (block[d] << np.uint32(8)) | (block[d] >> np.uint32(24))
    block[c] += block[d]
    block[b] ^= block[c]
    block[b] = (block[b] << np.uint32(7)) | (block[b] >> np.uint32(25))


@njit("void(uint32[::1])", cache=True)
def next_block(state: Words) -> None:
    """Fill the output of a state with its next block of 16 words: ten double rounds, then count on."""
    block = state[_OUTPUT:_USED]
    block[:] = state[:_OUTPUT]
    for _ in range(10):
        for column in range(4):
            _quarter(block, column, 4 + column, 8 + column, 12 + column)
        for column in range(4):
            _quarter(block, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4)
    block += state[:_OUTPUT]
    state[_COUNTER] += np.uint32(1)
    if state[_COUNTER] == 0:
        state[_COUNTER + 1] += np.uint32(1)
    state[_USED] = 0


@njit("uint32(voidptr)", cache=True)
def _word(address: Address) -> np.uint32:
    state = carray(address, (_WORDS,), np.uint32)
    if state[_USED] >= _OUTPUT:
        next_block(state)
    word = state[_OUTPUT + state[_USED]]
    state[_USED] += np.uint32(1)
    return word


@cfunc(_SIGNATURE.format("uint32"), cache=True)
def _next_uint32(address: Address) -> np.uint32:
    return _word(address)


@cfunc(_SIGNATURE.format("uint64"), cache=True)
def _next_uint64(address: Address) -> np.uint64:
    low = np.uint64(_word(address))
    return low | (np.uint64(_word(address)) << np.uint64(32))


@cfunc(_SIGNATURE.format("double"), cache=True)
def _next_double(address: Address) -> float:
    low = np.uint64(_word(address))
    whole = low | (np.uint64(_word(address)) << np.uint64(32))
    return (whole >> np.uint64(11)) * (1.0 / 9007199254740992.0)


class _Functions(ctypes.Structure):
    """The ``bitgen_t`` of numpy's C interface (numpy/random/bitgen.h): a state, and what draws from it."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("next_uint64", ctypes.c_void_p),
        ("next_uint32", ctypes.c_void_p),
        ("next_double", ctypes.c_void_p),
        ("next_raw", ctypes.c_void_p),
    )


class _Interface(NamedTuple):
    """What numba reads of a bit generator, as those of numpy offer it."""

    state_address: int
    state: ctypes.c_void_p
    next_uint64: object
    next_uint32: object
    next_double: object
    bit_generator: ctypes.c_void_p


class ChaCha:
    """A bit generator for `numpy.random.Generator` whose output is the ChaCha20 stream of a key.

    ``capsule``, ``lock`` and ``ctypes`` are what numpy and numba ask of a bit generator.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            message = f"a key has {KEY_BYTES} bytes, got {len(key)}"
            raise ValueError(message)
        self._key = key
        self._children = 0
        self._state = np.zeros(_WORDS, dtype=np.uint32)
        self._state[:4] = _CONSTANTS
        self._state[4:_COUNTER] = np.frombuffer(key, dtype="<u4")
        self._state[_USED] = _OUTPUT
        address = self._state.ctypes.data
        self._functions = _Functions(
            address, _next_uint64.address, _next_uint32.address, _next_double.address, _next_uint64.address
        )
        self.lock = threading.Lock()
        self.capsule = _capsule(ctypes.addressof(self._functions))
        self.ctypes = _Interface(
            address,
            ctypes.c_void_p(address),
            _next_uint64.ctypes,
            _next_uint32.ctypes,
            _next_double.ctypes,
            ctypes.c_void_p(ctypes.addressof(self._functions)),
        )

    def spawn(self, n_children: int) -> list[ChaCha]:
        """Return generators of their own, with keys that follow from this one and tell nothing of it."""
        first, self._children = self._children, self._children + n_children
        return [
            ChaCha(hashlib.blake2b(number.to_bytes(8, "little"), key=self._key, digest_size=KEY_BYTES).digest())
            for number in range(first, first + n_children)
        ]

    def __reduce__(self) -> NoReturn:
        """Refuse to be written down: the state is a secret."""
        message = "the state of a cryptographic generator is a secret and is not written"
        raise TypeError(message)


def _capsule(address: int) -> object:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(address, b"BitGenerator", None)


def key_generator(key: bytes) -> np.random.Generator:
    """Return the cryptographic generator of a key; the same key gives the same choices."""
    # numpy asks for no more than these attributes (numpy/random/_generator.pyx); its stub names the base class.
    return np.random.Generator(ChaCha(key))  # type: ignore[arg-type]
