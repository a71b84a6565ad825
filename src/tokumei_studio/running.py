"""The studio that this process runs, as every view finds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from tokumei_studio.access import Keys
    from tokumei_studio.project import Project


@dataclass(frozen=True, kw_only=True)
class Studio:
    """One project, the keys to it, and the port under which this machine, and no other, reaches it."""

    project: Project
    keys: Keys
    port: int
    hosts: frozenset[str] = field(init=False)
    origins: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Name the addresses of the studio: the only values of Host and Origin that it takes."""
        hosts = frozenset({f"127.0.0.1:{self.port}", f"localhost:{self.port}"})
        object.__setattr__(self, "hosts", hosts)
        object.__setattr__(self, "origins", frozenset(f"http://{host}" for host in hosts))

    @property
    def cookie(self) -> str:
        """The name of the session's cookie; browsers share cookies between the ports of a machine."""
        return f"tokumei_studio_{self.port}"

    @property
    def address(self) -> str:
        """Where the studio is, without a key."""
        return f"http://127.0.0.1:{self.port}"


def current() -> Studio:
    """Return the studio of this process."""
    configured: Any = settings
    studio: Studio = configured.STUDIO
    return studio
