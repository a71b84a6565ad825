"""The audit: what the strongest attacker gets out of a release.

The attacker knows the original data, the release, the algorithm and its parameters; not the random choices, not the
Secret. "At least k candidates" is necessary, not sufficient: the audit adds posteriors over all hypotheses, the same
over the cheapest ones, clues outside the content, and the joint risk of many guesses. With the Secret every attack is
checked against the truth; without it figures are what the attacker believes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.attacks import (
    FULL_EFFORT,
    Bipartite,
    Effort,
    Matches,
    MatchView,
    NoPerfectMatchingError,
    Posterior,
    find_matches,
    nearest_owners,
    posterior,
    sample_matchings,
    with_blanks,
)
from tokumei.audits.contradiction import contradiction, not_of_original, unfit_figures
from tokumei.audits.equal_histories import MOST_LINKS, MOST_LOOKED_FOR, audit_equal_histories
from tokumei.audits.evidence import pseudonym_table
from tokumei.audits.group_sizes import audit_groups
from tokumei.audits.laid_out import LaidOut
from tokumei.audits.named import Examiner, attack_figures, pseudonym_pattern
from tokumei.audits.reasons import MARGIN, Figures, decide, worse, worse_figures
from tokumei.audits.rerun import Rerun
from tokumei.audits.result import AuditResult, rerun_attack
from tokumei.audits.seeds import Replay, with_seed
from tokumei.audits.shape import SURE, certainty_figures, contest_risk, graph_shape, hub_of
from tokumei.audits.split import split_findings
from tokumei.audits.truth import owners_by_class
from tokumei.audits.written import as_written
from tokumei.data import Evidence, History, Reason, Release, Secret, Verdict
from tokumei.errors import InputError, ParameterError

RANDOMIZED_DESIGNS = frozenset({"uniform-concealment"})
CHEAP_EFFORT = Effort(steps=2_000_000)
# Equal histories of k owners prove 1/k, whatever the posteriors say: those are evidence, and cost no more than that.
PROVEN_EFFORT = Effort(steps=4_000_000, transitions=100_000, enough=0.025)


def audit_release(
    history: History,
    release: Release,
    secret: Secret | None = None,
    *,
    k: int | None = None,
    method: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    published: Mapping[str, pl.Series] | None = None,
    draws: npt.ArrayLike | None = None,
    guess_seeds: int = 0,
    replay: Replay | None = None,
    rerun: Callable[[int], Rerun | None] | None = None,
    thorough: bool = True,
    quick: bool = False,
    truthful: bool = False,
) -> AuditResult:
    """Audit a release of a history.

    ``k`` is what the release must hold (default: what it seems to aim at). ``published`` gives the text of columns as
    written, so that the order of set elements is examined too. ``draws`` certifies a randomized design: many draws of
    its sampler, a row each, with the subject number of every pseudonym (names in sorted order). ``guess_seeds`` tries
    that many small seeds, beyond the model of an attacker who does not know the random choices: of numpy's generators
    on numbered pseudonyms, and of the method itself if ``replay`` makes the release again from a seed. ``rerun``
    runs the method many times (`rerun_figures`), given the k that is judged; unless identical histories prove that k,
    it is asked and takes the place of the belief that all hypotheses are equally likely.
    The Secret, where it is given, only lowers the verdict: what an attacker sees without it decides too.
    The cells of a ``truthful`` method hold the values of the original: a release that contradicts it is one of others,
    whatever its bytes prove. Without ``thorough`` only candidates, identical histories and posteriors are computed (of
    very many pseudonyms identical histories alone, where they prove k), and no reason pairs a pseudonym with its owner:
    that is the audit of every release that is made, whose words are logged. A ``quick`` audit leaves candidates out
    where very many pairs fit and identical histories prove k.
    """
    if k is not None and k < 2:
        message = f"k must be at least 2 for an audit, got {k}"
        raise ParameterError(message)
    if len(release) == 0 or len(history) == 0:
        message = "there is nothing to audit: the original or the release has no records"
        raise InputError(message, code="empty")

    def proven() -> AuditResult | None:
        return (
            None
            if k is None or secret is None
            else audit_equal_histories(history, release, secret, k=k, rules=thorough)
        )

    equal = proven() if not thorough and _very_many(release) else None
    if equal is not None:
        return equal
    deadline = None if time_limit is None else time.monotonic() + time_limit
    audit = _Audit(history, release, secret, k=k, method=method or release.method, deadline=deadline, seed=seed)
    audit.guess_seeds, audit.rerun, audit.truthful = guess_seeds, rerun, truthful
    if rerun is None and thorough:
        audit.skipped.append(Reason(code="not-rerun"))
    equal = proven() if quick and len(audit.consistency.graph) > MOST_LINKS else None
    if equal is not None:
        return equal
    audit.written = as_written(history, release, published)
    result = audit.judged(None if draws is None else np.asarray(draws, dtype=np.int64), thorough=thorough)
    if guess_seeds == 0:
        return result
    return with_seed(result, history, audit.release, guess_seeds, replay, deadline=audit.deadline)


def _very_many(release: Release) -> bool:
    """Whether a release has so many pseudonyms that a quick audit looks for candidates only if it must."""
    if release.people is not None or len(release) <= MOST_LOOKED_FOR:
        return False
    return release.pseudonyms.n_unique() > MOST_LOOKED_FOR


class _Audit(LaidOut):
    """One audit: the data laid out, and the ways to judge it."""

    def judged(self, draws: Ints | None, *, thorough: bool) -> AuditResult:
        """Judge the release in the way that fits it.

        Identical histories of distinct owners come first: pseudonyms are drawn without looking at the labels, so that
        the owners of equal histories are exchangeable, whatever the histories say and whether they fit anybody or not.
        """
        error = None
        matches = None
        if (self.consistency.graph.degrees() > 0).all():
            if not self.one_each:
                return self.split()
            try:
                matches = find_matches(with_blanks(self.consistency.graph))
            except NoPerfectMatchingError as contradicted:
                error = contradicted
        if matches is None:
            if self.k_anonymity >= self._level(0) and not self._repeated:
                return self.exchangeable(error, thorough=thorough)
            return self.inconsistent(error, discreet=not thorough)
        return self.whole(matches, thorough=thorough) if draws is None else self.design(draws)

    def _figures(self, candidates: Bipartite, k: int) -> Figures:
        """Return what the verdict is made from, as far as candidates tell it."""
        names = len(self.consistency.histories.names)
        degrees = candidates.degrees()[:names]
        return Figures(
            k=k,
            k_asked=self.k is not None,
            kept=tuple(sorted({field.column for field in self.history.schema.kept})),
            k_anonymity=self.k_anonymity,
            strict=False,
            with_secret=self.owner is not None,
            pseudonyms=names,
            subjects=len(self.history.subjects),
            min_candidates=int(degrees.min()),
            single=int((degrees == 1).sum()),
            below_k=int((degrees < k).sum()),
            randomized=self.method in RANDOMIZED_DESIGNS,
            seeded=self.secret is not None and self.secret.seed is not None,
            rerun=self._rerun(k),
            skipped=tuple(self.skipped),
        )

    def _result(self, figures: Figures, verdict: Verdict, **more: Any) -> AuditResult:
        """Return the result with its verdict."""
        return AuditResult(
            k=figures.k,
            subjects=figures.subjects,
            pseudonyms=figures.pseudonyms,
            k_anonymity=self.k_anonymity,
            verdict=verdict,
            with_secret=figures.with_secret,
            reidentified={**figures.attacks, **rerun_attack(figures.rerun)},
            rerun=figures.rerun,
            joint=figures.joint,
            min_candidates=figures.min_candidates,
            **more,
        )

    def _rerun(self, k: int) -> Rerun | None:
        """Return what re-running the method names; identical histories of k owners need no such attack."""
        if self.rerun is None or self.k_anonymity >= k:
            return None
        begin = time.monotonic()
        found = self.rerun(k)
        if self.deadline is not None:
            # Runs of the method do not count as time of the audit.
            self.deadline += time.monotonic() - begin
        if found is None:
            self._skip("not-rerun")
        return found

    def inconsistent(self, error: NoPerfectMatchingError | None, *, discreet: bool) -> AuditResult:
        """Return what can be said when no hypothesis explains the release."""
        k = self._level(0)
        view = self._view()
        attacks, rerun = unfit_figures(view, self.owner), self._rerun(k)
        verdict = contradiction(view, self.owner, error, attacks=attacks, rerun=rerun, k=k, discreet=discreet)
        return AuditResult(
            k=k,
            subjects=len(self.history.subjects),
            pseudonyms=len(self.consistency.histories.names),
            k_anonymity=self.k_anonymity,
            verdict=not_of_original(verdict) if self.truthful else verdict,
            with_secret=self.owner is not None,
            reidentified=attacks | rerun_attack(rerun),
            rerun=rerun,
        )

    def exchangeable(self, error: NoPerfectMatchingError | None, *, thorough: bool) -> AuditResult:
        """Judge a release that fits nobody, but in which k distinct owners published every history.

        With the Secret its groups are known, and attacks beside the content are tried on them; without it the nearest
        people are taken for their members.
        """
        view = self._view()
        unfit = contradiction(view, self.owner, error, discreet=True).reasons[-1:]
        # Of people of another original the nearest are nobody's members.
        guessed = thorough and not self.truthful
        owner = nearest_owners(view) if self.owner is None and guessed else self.owner
        if owner is not None:
            if self.owner is None:
                self._skip("nearest-candidates")
            classes = owners_by_class(self.consistency.histories, owner, len(self.history.subjects))
            result = self.whole(classes, thorough=thorough)
        else:
            self.skipped += [Reason(code="no-candidates"), *([] if thorough else [Reason(code="cheap-part")])]
            result = audit_groups(
                k=self.k,
                level=self.k_anonymity,
                pseudonyms=len(self.consistency.histories.names),
                subjects=len(self.history.subjects),
                skipped=self.skipped,
                untested=guessed,
            )
        verdict = replace(result.verdict, reasons=(*result.verdict.reasons, *unfit))
        return replace(result, verdict=not_of_original(verdict) if self.truthful else verdict)

    def split(self) -> AuditResult:
        """Judge a release in which subjects may have several pseudonyms."""
        found = split_findings(self._view(), self.owner)
        self._skip("split-pseudonyms")
        degrees, certainty = found.pruned.degrees(), found.certainty()
        figures = self._figures(found.pruned, self._level(int(degrees.min())))
        figures = replace(figures, attacks={"record-counts": found.figure})
        return self._result(
            figures,
            decide(figures),
            k_concealment=int(found.pruned.subject_degrees().min()),
            mean_candidates=float(degrees.mean()),
            max_posterior=float(certainty.max()),
            share_posterior_over_95=float((certainty > SURE).mean()),
            expected_hits=float(certainty.sum()),
            evidence=self._evidence(found.pruned, certainty),
        )

    def design(self, draws: Ints) -> AuditResult:
        """Judge a randomized design by draws of its sampler instead of by this one release."""
        names, subjects = len(self.consistency.histories.names), len(self.history.subjects)
        if draws.ndim != 2 or draws.shape[1] != names or draws.min() < 0 or draws.max() >= subjects:
            message = f"the draws of the design must name a subject for each of the {names} pseudonyms in every row"
            raise InputError(message, code="certificate")
        wanted = np.arange(names) * subjects + draws
        links, count = np.unique(wanted, return_counts=True)
        graph = with_blanks(Bipartite.of_edges(subjects, names, links % subjects, links // subjects))
        drawn = find_matches(graph)
        largest = np.zeros(names)
        np.maximum.at(largest, links // subjects, count / len(draws))
        figures = self._figures(drawn.graph, self._level(int(graph.degrees().min())))
        # A frequency from finite draws exceeds its probability by chance; three standard errors are allowed for.
        error = 3 * np.sqrt(largest * (1 - largest) / len(draws))
        figures = replace(
            figures,
            randomized=False,
            over_k=float((largest - error > 1 / figures.k + MARGIN).mean()),
            over_95=float((largest - error > SURE).mean()),
            largest_posterior=float(largest.max()),
            joint=contest_risk(drawn, names, rng=self.rng, draws=draws),
        )
        more = {**graph_shape(drawn, names), **certainty_figures(largest, largest)}
        return self._result(figures, decide(figures), evidence=self._evidence(drawn.graph, largest), **more)

    def whole(self, matches: Matches, *, thorough: bool) -> AuditResult:
        """Judge a release in which every pseudonym has one owner, and every subject at most one pseudonym."""
        names = len(self.consistency.histories.names)
        shape = graph_shape(matches, names)
        k = self._level(int(shape["k_concealment"]))
        strict = self.k_anonymity >= k
        effort = CHEAP_EFFORT if not thorough else PROVEN_EFFORT if strict else FULL_EFFORT
        # Equal histories of k owners prove more than any posterior: the quick audit leaves it at that.
        proven = not thorough and self.k_anonymity >= self._level(0)
        if proven:
            found = posterior(matches, rng=self.rng, exact_size=1, deadline=0.0)
        else:
            kind = self.consistency.histories.kind
            found = posterior(matches, rng=self.rng, kind=kind, effort=effort, deadline=self.deadline)
        if found.apart:
            self._skip("chains-differ", difference=found.apart)
        if found.skipped and not proven:
            self._skip("not-sampled", count=found.skipped)
        common = replace(
            self._figures(matches.graph, k),
            strict=strict,
            hub=hub_of(matches.graph, self.consistency),
            joint=contest_risk(matches, names, rng=self.rng, wide=found.wide)
            if thorough and found.computed.all()
            else {},
        )
        if thorough:
            common = replace(common, pattern=pseudonym_pattern(self.consistency.histories, self.rng))
        view = self._view(matches, found, effort)
        figures, certain = self._named(view, matches, found, common, owner=None, thorough=thorough)
        verdict = decide(figures)
        if self.owner is not None:
            # What is believed without the Secret counts too: the Secret may show a release worse, never better.
            believed, suspected = verdict, figures.attacks
            figures, certain = self._named(view, matches, found, common, owner=self.owner, thorough=thorough)
            figures = replace(figures, attacks=worse_figures(figures.attacks, suspected))
            verdict = worse(decide(figures), believed)
        # Where histories are equal nobody is surer than 1/k, whatever the chains say.
        known = bool(found.computed[: len(certain)].all()) or common.strict
        more = {**shape, **(certainty_figures(certain, found.largest()[: len(certain)]) if known else {})}
        more["evidence"] = self._evidence(matches.graph, certain)
        return self._result(figures, verdict, chain_difference=found.difference, **more)

    def _named(
        self,
        view: MatchView,
        matches: Matches,
        found: Posterior,
        figures: Figures,
        *,
        owner: Ints | None,
        thorough: bool,
    ) -> tuple[Figures, Floats]:
        """Return the figures with what every attack names, by the truth or as believed, and how sure owners are."""
        names = len(self.consistency.histories.names)
        largest = found.largest()[:names]
        certain = largest if owner is None else found.of_pairs(np.arange(names), owner)
        samples = sample_matchings(matches, found, rng=self.rng) if owner is not None and thorough else {}
        examiner = Examiner(view=view, matches=matches, posterior=found, owner=owner, samples=samples)
        attacks, skipped = attack_figures(examiner, thorough=thorough, seeds=self.guess_seeds)
        named = replace(
            figures,
            with_secret=owner is not None,
            seeded=figures.seeded and owner is not None,
            over_95=float((certain > SURE).mean()),
            over_k=float((certain > 1 / figures.k + MARGIN + found.difference).mean()),
            largest_posterior=float(certain.max()),
            attacks=attacks,
            skipped=(*self.skipped, *skipped),
        )
        return named, certain

    def _evidence(self, candidates: Bipartite, certainty: Floats) -> Evidence:
        """Return the tables behind the figures."""
        degrees = candidates.degrees()[: len(self.consistency.histories.names)]
        return Evidence({"pseudonyms": pseudonym_table(self.consistency.histories, degrees, certainty)})
