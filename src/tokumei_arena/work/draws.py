"""What a round draws, fixed before anybody takes part: a secret, whose hash is public from the beginning.

Aliases, their order, test rows and cohorts follow from the secret of the round alone. Once the results are out it is
told, so that everybody can hash it, and draw again what the referees drew: nobody chose anything afterwards.
"""

from __future__ import annotations

import hashlib
import hmac

from django.utils.translation import gettext as _

from tokumei.contests import assign_cohorts, commitment, find_contest
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Phase, Round, Team


def _secret(round_: Round) -> str:
    """Return the secret of a round; that of another round does not follow from it, and an archive keeps it."""
    return hmac.new(round_.contest.seed.encode(), f"round:{round_.kind}".encode(), hashlib.sha256).hexdigest()


def secret_number(round_: Round, text: str) -> str:
    """Return a number (hex) that nobody can foresee or connect between rounds; it orders and seeds things."""
    return hmac.new(_secret(round_).encode(), text.encode(), hashlib.sha256).hexdigest()


def draw_commitment(round_: Round) -> str:
    """Return the SHA-256 of the secret, which everybody may know from the beginning."""
    return commitment(_secret(round_))


def revealed_secret(round_: Round) -> str:
    """Return the secret once the results are out; nothing before."""
    return _secret(round_) if round_.has_begun(Phase.Kind.PUBLISHED) else ""


def cohort_of(round_: Round, team: Team) -> int | None:
    """Return which of the rules' cohorts a team gets: by the hash of its name, in order of registration.

    Teams count whether they are approved or not, so that an approval moves nobody else. None if there are no cohorts.
    """
    cohorts = find_contest(round_.contest.rule_set).cohorts
    if cohorts is None:
        return None
    teams = list(round_.contest.teams.order_by("number").values_list("pk", "name"))
    if len(teams) > cohorts:
        message = _("there are %(teams)d teams, but only %(cohorts)d cohorts; upload data for each team instead")
        raise RefusedError(message % {"teams": len(teams), "cohorts": cohorts}, code="too-many-teams")
    given = assign_cohorts([name for _pk, name in teams], _secret(round_), cohorts=cohorts)
    return given[[pk for pk, _name in teams].index(team.pk)]
