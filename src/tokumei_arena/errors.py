"""What the arena refuses, each with a code for programs, a sentence for people and the status of the answer."""

from __future__ import annotations


class ArenaError(Exception):
    """Base of all refusals; never raised itself. The message is translated where it is raised."""

    status = 400

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class RefusedError(ArenaError):
    """What was sent cannot be used."""


class NotAllowedError(ArenaError):
    """This person may not do that."""

    status = 403


class NotNowError(ArenaError):
    """The phase does not allow it."""

    status = 409


class TooManyError(ArenaError):
    """A limit is used up."""

    status = 429
