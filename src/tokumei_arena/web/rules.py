"""The rules of a contest in plain words: what is handed out, handed in, shown and guessed, and who wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokumei.contests import FileSpec, find_contest
from tokumei_arena.contests import figures_of
from tokumei_arena.models import Contest, Feedback, Round
from tokumei_arena.rules import rules_of
from tokumei_arena.templatetags.arena import headings
from tokumei_arena.wording import in_language
from tokumei_arena.work import draw_commitment, revealed_secret


@dataclass(frozen=True)
class RuleLine:
    """One step of a contest: what happens, and with which files."""

    text: str
    files: Sequence[tuple[str, str]]


def _files(specs: Sequence[FileSpec]) -> list[tuple[str, str]]:
    return [(spec.filename, in_language(spec.about)) for spec in specs]


def contest_rules(contest: Contest, rounds: Sequence[Round]) -> dict[str, Any]:
    """Return the steps of a contest, and what is special about each round."""
    rules = find_contest(contest.rule_set)
    steps = [
        RuleLine(_("Every team downloads the data:"), _files([spec for spec in rules.data_files if not spec.secret])),
        RuleLine(_("It anonymizes the data and hands in:"), _files(rules.release_files)),
        RuleLine(
            _("When anonymization ends, the other teams see this of it, under an alias instead of the team's name:"),
            _files(rules.published_files),
        ),
        RuleLine(_("They guess who is who, and hand in for each target:"), _files(rules.guess_files)),
    ]
    return {"steps": steps, "rounds": [(one, round_rules(one)) for one in rounds]}


def round_rules(round_: Round) -> list[str]:
    """Return the limits of a round, a sentence each."""
    found = []
    if round_.release_limit is None:
        found.append(_("A team may hand in as often as it likes; invalid files never count."))
    else:
        found.append(
            ngettext(
                "A team may hand in %(count)d valid file; invalid ones never count.",
                "A team may hand in %(count)d valid files; invalid ones never count.",
                round_.release_limit,
            )
            % {"count": round_.release_limit}
        )
    found.append(
        ngettext(
            "It has %(count)d attempt at each target; invalid guesses never count.",
            "It has %(count)d attempts at each target; invalid guesses never count.",
            round_.attack_limit,
        )
        % {"count": round_.attack_limit}
    )
    told = {"release": Feedback(round_.release_feedback).label, "attack": Feedback(round_.attack_feedback).label}
    found.append(_("What a team is told of its utility while the phase is on: %(release)s.") % told)
    found.append(_("What it is told of its attacks: %(attack)s.") % told)
    found.append(
        _("Until the results are out no figure on the board stands beside the name of another team.")
        if round_.blind
        else _("The board shows names and figures of all teams from the beginning.")
    )
    if round_.freeze_minutes:
        found.append(
            ngettext(
                "The board is frozen for the last %(count)d minute of anonymization.",
                "The board is frozen for the last %(count)d minutes of anonymization.",
                round_.freeze_minutes,
            )
            % {"count": round_.freeze_minutes}
        )
    if round_.private_data:
        found.append(_("Every team gets data of its own."))
    secret = revealed_secret(round_)
    drawn = {"hash": draw_commitment(round_), "secret": secret}
    found.append(
        _("Everything was drawn from the secret %(secret)s; its SHA-256 was published before: %(hash)s.") % drawn
        if secret
        else _("Everything is drawn from a secret that is told with the results; its SHA-256 is %(hash)s.") % drawn
    )
    return found


def figure_groups(contest: Contest) -> list[dict[str, Any]]:
    """Return the groups of figures with their titles; each figure has its head and what it means."""
    titles = {"release": _("Of a release"), "guesses": _("Of guesses"), "ranking": _("Of the rankings")}
    return [
        {"title": titles[group], "lines": [(headings([column])[0], in_language(meaning)) for column, meaning in found]}
        for group, found in figures_of(contest)
    ]


def ranking_rules(contest: Contest) -> dict[str, str]:
    """Return how anonymizers and attackers are ranked, ties included."""
    table = rules_of(contest).rank_round((), ())
    return {"anonymizers": in_language(table.anonymizer_rule), "attackers": in_language(table.attacker_rule)}


def rules_text(contest: Contest) -> str:
    """Return a draft of a rules page in Markdown, in the reader's language, from what the contest knows of itself."""
    rounds = list(contest.rounds.all())
    told, ranking = contest_rules(contest, rounds), ranking_rules(contest)
    lines = [contest.about, ""] if contest.about else []
    lines += [f"## {_('How it goes')}", ""]
    for number, step in enumerate(told["steps"], 1):
        files = ", ".join(f"`{name}` ({about})" for name, about in step.files)
        lines.append(f"{number}. {step.text} {files}")
    lines += ["", f"## {_('Who wins')}", ""]
    lines += [f"- **{_('Anonymizers')}**: {ranking['anonymizers']}", f"- **{_('Attackers')}**: {ranking['attackers']}"]
    for round_, sentences in told["rounds"]:
        name = round_.get_kind_display()
        lines += ["", f"## {name[:1].upper()}{name[1:]}", "", *(f"- {sentence}" for sentence in sentences)]
    if contest.terms:
        lines += ["", f"## {_('Terms of participation')}", "", contest.terms]
    return "\n".join(lines) + "\n"


def questions_text(contest: Contest) -> str:
    """Return a draft of a page of frequent questions: those that were answered for everybody."""
    answered = contest.clarifications.filter(for_everybody=True, answered_at__isnull=False).order_by("answered_at")
    blocks = [f"## {' '.join(one.question.split())}\n\n{one.answer}\n" for one in answered]
    return "\n".join(blocks) or f"## {_('A question')}\n\n{_('Its answer.')}\n"
