"""Name everybody at once by how likely the published values are: for methods that change values in a known way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.choices import Basis, Choice, MatchAttack, MatchView
from tokumei.attacks.matching.likelihoods import likelihood_rows
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.one_assignment import assigned_by_blocks
from tokumei.data import Channel, History, Release
from tokumei.errors import TokumeiError
from tokumei.parts import Method, find_part, make_part


@dataclass(frozen=True, kw_only=True)
class LikelihoodMatching(MatchAttack):
    """Weigh every subject by the probability of the published records, then give each pseudonym a subject of its own.

    The method and its parameters stand in the manifest, and with them how values were changed (`tokumei.data.Channel`):
    noise, random answers, swapping, rounding, limits, sampling. Without them values are taken as unchanged.
    """

    name: ClassVar[str] = "likelihood-matching"
    summary: ClassVar[str] = "one assignment of everybody by the probability of the published values under the method"
    source: ClassVar[str] = "Fellegi and Sunter, A theory for record linkage (1969), with the channel of the method"

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield the likeliest assignment; none where the method does not say how it changes values."""
        channel = channel_of(view.knowledge, view.release)
        histories, subjects = view.consistency.histories, len(view.knowledge.subjects)
        if channel is None or len(histories.names) == 0:
            return
        blocks = likelihood_rows(view.knowledge, view.release, histories, channel)
        subject = assigned_by_blocks(blocks, len(histories.names), subjects)
        pseudonym = np.arange(len(subject))
        graph = Bipartite(subjects, len(subject), subject, pseudonym)
        yield Choice(basis=Basis.BELIEF, graph=graph, weight=np.ones(len(subject)))


def channel_of(history: History, release: Release) -> Channel | None:
    """Return how the method of a release changes values; None where it does not say so, or is not known."""
    settings = {name: value for name, value in release.parameters.items() if value is not None}
    try:
        method: Method = make_part(find_part("anonymizer", release.method), settings)
        channel = method.channel(history)
    except TokumeiError:
        return None
    if channel is None:
        return None
    kept = {field.name for field in history.schema.kept}
    columns = {name: change for name, change in channel.columns.items() if name not in kept}
    return Channel(columns=columns, kept=channel.kept)
