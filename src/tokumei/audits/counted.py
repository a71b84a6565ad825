"""What anybody can count of a release folder who has nothing else: part by part where its data is in parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from tokumei.audits.manifest import states_groups
from tokumei.audits.published_bytes import byte_findings
from tokumei.audits.published_groups import group_sizes_of, history_digests
from tokumei.audits.published_parts import PartedBytes
from tokumei.data import Reason, Release, ReleaseFolder


@dataclass(frozen=True, eq=False)
class CountedFolder:
    """Records, pseudonyms and equal histories of a folder, and what of its bytes is not what they should be."""

    folder: ReleaseFolder

    @cached_property
    def _release(self) -> Release:
        return self.folder.release()

    @cached_property
    def _looked(self) -> tuple[PartedBytes, pl.DataFrame]:
        """What one pass over the parts finds: their bytes, and the digest of the history of every pseudonym."""
        looked, digests = PartedBytes(self.folder), []
        for number in range(len(self.folder.parts)):
            part = self.folder.part(number)
            text = part.text()
            looked.look(number, part, text)
            digests.append(history_digests(part, text))
        return looked, pl.concat(digests)

    @property
    def records(self) -> int:
        """The number of published records."""
        facts = self._looked[0].facts if self.folder.parts else None
        return len(self._release) if facts is None else facts.records

    @cached_property
    def groups(self) -> dict[str, int]:
        """The SHA-256 of every distinct published history, and how many pseudonyms have it."""
        return group_sizes_of(self._looked[1] if self.folder.parts else history_digests(self._release))

    @property
    def pseudonyms(self) -> int:
        """The number of pseudonyms."""
        facts = self._looked[0].facts if self.folder.parts else None
        return self._release.pseudonyms.n_unique() if facts is None else facts.pseudonyms

    @property
    def shared_by(self) -> int:
        """How many pseudonyms share every published history at least.

        Where values are published apart, those of one group of their tables: whoever joins them sees the smaller group.
        """
        apart = None if self.folder.parts else self._release.apart
        if apart is None:
            return min(self.groups.values(), default=0)
        told = history_digests(self._release).join(apart.groups, on="pseudonym", how="left")
        sizes = told.group_by("digest", "group").agg(pl.col("pseudonym").n_unique().alias("size"))["size"]
        return min(sizes.to_list(), default=0)

    def findings(self) -> tuple[Reason, ...]:
        """Return what of the folder is not what its content makes of it (`tokumei.audits.byte_findings`)."""
        if not self.folder.parts:
            return byte_findings(self.folder, self._release)
        return self._looked[0].all_findings(self.shared_by if states_groups(self.folder) else None)
