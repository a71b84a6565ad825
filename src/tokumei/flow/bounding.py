"""How far a release is from the best that there can be: what its groups lose, and what any others lose at least."""

from __future__ import annotations

import polars as pl

from tokumei.audits import history_digests
from tokumei.data import History, coarse_columns, coarsened
from tokumei.errors import InfeasibleError
from tokumei.flow.making import Made
from tokumei.methods import Gap, Groups, KAnonymity, loss_gap, read_weights, require_floor
from tokumei.parts import Method
from tokumei.progress import stage

_WHOLE_HISTORIES = ("delete", "dummy")


def refuse_unproven(history: History, method: Method) -> None:
    """Raise InfeasibleError if nothing can be proven of what a method would lose, before the long work is done."""
    strict = isinstance(method, KAnonymity)
    if not isinstance(method, KAnonymity) or method.split is not None or method.surplus not in _WHOLE_HISTORIES:
        what = "k-anonymity of whole histories" if strict else f"k-anonymity, not for '{method.name}'"
        message = f"a floor is proven for {what} (surplus delete or dummy, no split); leave --bound out"
        raise InfeasibleError(message, code="no-floor")
    if method.suppress > 0 or history.schema.kept or history.schema.demands or history.schema.household:
        message = (
            "a floor is proven for releases that leave nobody out and keep no column, without households and without "
            "demands of sensitive columns; leave --bound out, or these"
        )
        raise InfeasibleError(message, code="no-floor")
    require_floor(_seen(history), method.fitted(history).loss)


def release_gap(made: Made, *, threads: int = 1) -> Gap:
    """Return what a release of k-anonymity loses by its loss, beside the proven floor; grids count as the data."""
    method, history = made.method, _seen(made.history)
    assert isinstance(method, KAnonymity)
    fitted = method.fitted(made.history)
    with stage("proving a floor"):
        owners = made.secret.owners.cast(pl.String)
        subjects = pl.DataFrame({"subject": history.subjects.cast(pl.String)}).with_row_index("unit")
        alike = history_digests(made.release).join(owners, on="pseudonym").join(subjects, on="subject")
        members = alike.group_by("digest").agg("unit").sort("digest")["unit"].to_list()
        weights = read_weights(method.weights, history)
        return loss_gap(history, Groups.of(members), method.k, loss=fitted.loss, weights=weights, threads=threads)


def _seen(history: History) -> History:
    """Return the history as the method sees it: in the grids of the schema."""
    return coarsened(history).history if coarse_columns(history.schema) else history
