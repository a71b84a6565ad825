"""PWS Cup 2016 put together: checkers, utility, sample anonymizers, attacks, evaluation (spec A).

Files: M master, T transactions, M' (M1) and T' (T1) anonymized, P the secret rows of M behind those of M', Q an
attacker's estimate of P. Attacks are imported where they are used: they need numba, which `utility` should not wait
for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tokumei.array_types import Floats32, Ints
from tokumei.contests.base import find_sample
from tokumei.contests.check_result import CheckResult
from tokumei.contests.pws2016.checker import FilesCheck, check_master, check_rows, check_transactions, unreadable_lines
from tokumei.contests.pws2016.files import FILES, MASTER_COLUMNS, TRANSACTION_COLUMNS
from tokumei.contests.pws2016.messages import HOME
from tokumei.contests.pws2016.metrics.row_guesses import RowGuesses, judge_rows
from tokumei.contests.pws2016.shop import claimed_rows, shop_history, shop_of, shop_release
from tokumei.contests.reading import read_contest
from tokumei.data import (
    OWNER_ONLY,
    History,
    Outcome,
    Release,
    Schema,
    Score,
    Secret,
    atomic_folder,
    positions,
    read_bytes,
)
from tokumei.errors import ContentError, ParameterError, UnreadableError, did_you_mean
from tokumei.parts import Attack, Method, Metric, find_part, make_part
from tokumei.progress import stage
from tokumei.words import Message

if TYPE_CHECKING:
    from tokumei.audits import Answer, Question

SAMPLES = ("ano-ya", "ano-tya", "ano-sampling", "ano-shuffle", "ano-divt", "ano-groups")
METHODS = (*SAMPLES, "ano-pseudonyms")
# Three samples of the contest, three of ours.
ATTACKS = ("re-sort", "re-tnum", "re-totprice", "re-rfm", "re-goods", "re-combined")


def find_method(name: str) -> type[Method]:
    """Return the anonymizer of this name."""
    return find_sample("pws2016", "anonymizer", name, METHODS, noun="anonymizer")


def find_attack(name: str) -> type[Attack]:
    """Return the attack of this name."""
    return find_sample("pws2016", "attack", name, ATTACKS, noun="attack")


@dataclass(frozen=True, kw_only=True)
class Files:
    """Where the files of one submission are; those that are absent are not looked at."""

    m: Path
    t: Path
    m1: Path | None = None
    t1: Path | None = None
    p: Path | None = None
    q: Path | None = None

    def paths(self) -> dict[str, Path]:
        """Return the given files by the names of the specification."""
        named = {"M": self.m, "T": self.t, "M'": self.m1, "T'": self.t1, "P": self.p, "Q": self.q}
        return {name: path for name, path in named.items() if path is not None}


@dataclass(frozen=True, eq=False, repr=False)
class Submission:
    """The content of the files of one submission: the original, what was published, P and Q as far as given.

    ``texts`` are the transactions of the original as they are written.
    """

    original: History
    texts: pl.DataFrame
    published: Release | None = None
    p: Ints | None = None
    q: Ints | None = None
    warnings: tuple[Message, ...] = ()

    @property
    def release(self) -> Release:
        """M' and T'."""
        if self.published is None:
            raise ParameterError("the files M1 and T1 are needed here; name them after T")
        return self.published

    @property
    def secret(self) -> Secret:
        """What P tells: the owners of the pseudonyms, and the row of M behind every row of M'."""
        if self.p is None:
            raise ParameterError("the file P is needed here; name it after T1")
        ids = shop_of(self.original).master["customer"][self.p - 1]
        owners = pl.DataFrame({"pseudonym": shop_of(self.release).master["customer"], "subject": ids})
        return Secret(owners, np.full(len(self.release), -1, dtype=np.int64), people=self.p - 1)

    @property
    def orphans(self) -> int:
        """The number of transactions of T' without a row in M'."""
        return int((shop_of(self.release).owner < 0).sum())


@dataclass(frozen=True, kw_only=True)
class Rules2016:
    """What the rules compute on the values of the files; the contest declares the parameters (spec F-A)."""

    cells: str = "sex-country"
    orphans: str = "strict"
    threshold: int | None = None
    complement: bool = False

    def check(self, files: Files, *, ids: str = "warning", orphans: str = "error") -> FilesCheck:
        """Check the files against each other; ``ids`` left in M' or T' and ``orphans`` of T' warn or are errors.

        Faults in M or T, the files everything is compared with, raise a ContentError.
        """
        return self._checked(files, ids=ids, orphans=orphans)[1]

    def read(self, files: Files) -> Submission:
        """Read and check the files; broken rules are refused, orphans of T' and ids left in place become warnings."""
        frames, checked = self._checked(files, ids="warning", orphans="warning")
        checked.refuse({name: str(path) for name, path in files.paths().items()})
        original = shop_history(frames["M"], frames["T"])
        published = shop_release(frames["M'"], frames["T'"]) if "T'" in frames else None
        p, q = (frames[name]["row"].cast(pl.Int64).to_numpy() if name in frames else None for name in ("P", "Q"))
        return Submission(original, frames["T"], published, p, q, checked.warnings)

    def _checked(self, files: Files, *, ids: str, orphans: str) -> tuple[dict[str, pl.DataFrame], FilesCheck]:
        """Return the files that could be read, and what is wrong with M', T', P and Q."""
        frames: dict[str, pl.DataFrame] = {}
        found: dict[str, CheckResult] = {}
        for name, path in files.paths().items():
            try:
                frames[name] = _read(path, name, empty=name not in ("M", "T"))
            except ContentError as error:
                if name in ("M", "T"):
                    raise
                found[name] = unreadable_lines(error)
        self._refuse_bad_originals(frames, files)
        warnings: list[Message] = []
        master, known = frames["M"], frames["M"]["customer"]
        forbidden = known if ids == "error" else None
        if "M'" in frames:
            found["M'"] = check_master(frames["M'"], limit=master.height, originals=forbidden)
        if "T'" in frames:
            pseudonyms = frames["M'"]["customer"] if "M'" in frames else frames["T'"]["customer"]
            result = check_transactions(
                frames["T'"], pseudonyms, master="M'", years=_years(frames["T"]), originals=forbidden
            )
            found["T'"] = result if orphans == "error" else _tolerant(result, warnings)
        if forbidden is None:
            for name in [name for name in ("M'", "T'") if name in frames]:
                warnings += _ids_left(name, frames[name]["customer"], known)
        for name in ("P", "Q"):
            if name in frames:
                expected = frames["M'"].height if "M'" in frames else frames[name].height
                found[name] = check_rows(frames[name]["row"], n=master.height, expected=expected, distinct=name == "P")
        in_order = {name: found[name] for name in files.paths() if name in found}
        return frames, FilesCheck(in_order, tuple(warnings))

    def _refuse_bad_originals(self, frames: Mapping[str, pl.DataFrame], files: Files) -> None:
        results = {"M": check_master(frames["M"])}
        results["T"] = check_transactions(frames["T"], frames["M"]["customer"], master="M")
        FilesCheck(results).refuse({"M": str(files.m), "T": str(files.t)})

    def metrics(self) -> tuple[Metric, ...]:
        """Return cmae, cmae2, rfm, ham and topitem with the choices of these rules."""
        cells = {"cells": self.cells, "orphans": self.orphans}
        settings: Mapping[str, Mapping[str, Any]] = {
            "cmae": cells,
            "cmae2": cells,
            "rfm": {},
            "ham": {"complement": self.complement},
            "topitem": {"threshold": self.threshold},
        }
        return tuple(make_part(find_part("metric", name), values) for name, values in settings.items())

    def utility(self, original: History, release: Release, secret: Secret) -> dict[str, Score]:
        """Return cmae, cmae2, rfm, ham and topitem."""
        return {metric.name: metric.measure(original, release, secret) for metric in self.metrics()}

    def anonymize(
        self, method: Method, original: Submission, folder: Path, *, rng: np.random.Generator
    ) -> dict[str, Any]:
        """Write M1.csv, T1.csv and, for its owner only, P.csv into a new folder; return what they hold."""
        with stage(f"anonymize: {method.name}"):
            release, secret = method.anonymize(original.original, rng=rng)
        write_shop(release, secret, original, folder)
        shop, counts = shop_of(release), _pseudonym_counts(original.original, release, secret)
        orphans = int((shop.owner < 0).sum())
        warnings = []
        if orphans:
            warnings.append(Message("warning.renewed", {"count": orphans}, HOME))
        return {
            "customers": shop.customers,
            "transactions": len(shop),
            "pseudonyms_per_customer": {"mean": float(counts.mean()), "max": int(counts.max())},
            "orphans": orphans,
            "warnings": warnings,
        }

    def attack(self, attack: Attack, original: History, release: Release, *, rng: np.random.Generator) -> Ints:
        """Return Q: the row of M, from 1, that the attack guesses for every row of M'."""
        guesses = attack.guess(original, release, rng=rng)
        return positions(guesses.frame["candidate"], shop_of(original).master["customer"]) + 1

    def run_attacks(
        self, original: History, release: Release, *, rng: np.random.Generator, likeness: Floats32
    ) -> dict[str, Ints]:
        """Return the Q of every attack; ``likeness`` of all pairs is shared by who needs it."""
        from tokumei.contests.pws2016.attacks.all_features import AllFeatures

        guesses = {}
        for name in ATTACKS:
            with stage(f"attack: {name}"):
                attack = find_attack(name)()
                if isinstance(attack, AllFeatures):
                    guesses[name] = attack.choose_from(likeness, shop_of(original), shop_of(release)) + 1
                else:
                    guesses[name] = self.attack(attack, original, release, rng=rng)
        return guesses

    def evaluate(
        self, original: History, release: Release, secret: Secret, *, rng: np.random.Generator
    ) -> dict[str, Any]:
        """Measure all utilities, run all attacks, test P, and give a verdict."""
        from tokumei.contests.pws2016.attacks.likeness import combined_likeness
        from tokumei.contests.pws2016.consistency import combined_scores, judge_consistency, judge_release

        with stage("utility"):
            utility = self.utility(original, release, secret)
        before, after, claimed = shop_of(original), shop_of(release), claimed_rows(secret)
        with stage("compare all customers"):
            likeness = combined_likeness(before, after)
        guesses = self.run_attacks(original, release, rng=rng, likeness=likeness)
        safety = {name: judge_rows(claimed + 1, q, originals=before.customers) for name, q in guesses.items()}
        consistency = judge_consistency(before, after, claimed, likeness=likeness)
        verdict = judge_release(safety, consistency, originals=before.customers)
        reid_max = max(result.rate for result in safety.values())
        return {
            "utility": {name: score.value for name, score in utility.items()},
            "attacks": {name: result.rate for name, result in safety.items()},
            "hits": {name: result.hits for name, result in safety.items()},
            "n": after.customers,
            "reid_max": reid_max,
            "baseline": 1 / before.customers,
            "controls": {name: result.control for name, result in safety.items()},
            "consistent": consistency.consistent,
            "consistency": consistency.as_dict(),
            "combined": combined_scores(utility, reid_max),
            "verdict": verdict.outcome.value,
            "unsafe": verdict.outcome is Outcome.UNSAFE,
            "reasons": [reason.as_dict() for reason in verdict.reasons],
        }

    def audit(
        self,
        original: History,
        release: Release,
        secret: Secret,
        *,
        rng: np.random.Generator,
        sensitive: Sequence[str] = MASTER_COLUMNS[1:],
        quick: bool = False,
    ) -> dict[Question, Answer]:
        """Return what attackers learn who know little: risks 2 and 3 of the paper (section 2.1), which it left open.

        Contents are what a holder of other data learns, be it a few purchases or a row of a master (linkage);
        attributes are the columns of M (``sensitive``) that can be inferred from all the rest. Invoice numbers are
        neither known nor asked for: whoever has one finds its purchase wherever it is published.
        """
        from tokumei.audits import climb_ladder

        known = (*TRANSACTION_COLUMNS[2:], *MASTER_COLUMNS[1:])
        for name in sensitive:
            if name not in known:
                message = f"--sensitive names the column '{name}'{did_you_mean(name, known)}; it is one of "
                raise ParameterError(message + ", ".join(known), code="usage")
        kept = tuple(column for column in original.schema.columns if column.name != "invoice")
        schema = Schema(original.schema.subject, kept)
        history, shown = replace(original, schema=schema), replace(release, schema=schema)
        return climb_ladder(history, shown, secret, rng=rng, sensitive=sensitive, quick=quick)

    def safety(self, p: Path, q: Path) -> RowGuesses:
        """Return the hits of Q against P, without M: row numbers are only checked for being such."""
        frames = {name: _read(path, name, empty=False)["row"] for name, path in (("P", p), ("Q", q))}
        largest = max(int(frame.cast(pl.Int64, strict=False).max() or 1) for frame in frames.values())  # type: ignore[arg-type]
        expected = len(frames["P"])
        checks = {
            "P": check_rows(frames["P"], n=largest, expected=expected, distinct=True),
            "Q": check_rows(frames["Q"], n=largest, expected=expected, distinct=False, whole="P"),
        }
        FilesCheck(checks).refuse({"P": str(p), "Q": str(q)})
        truth, guesses = (frames[name].cast(pl.Int64).to_numpy() for name in ("P", "Q"))
        return judge_rows(truth, guesses)

    def sample_table(self, original: History, *, seed: int) -> list[dict[str, Any]]:
        """Return the evaluation of the five sample anonymizers, one after the other, each from the same seed."""
        rows = []
        for name in SAMPLES:
            with stage(name):
                made = find_method(name)().anonymize(original, rng=np.random.default_rng(seed))
                rows.append({"anonymizer": name, **self.evaluate(original, *made, rng=np.random.default_rng(seed))})
        return rows


def write_shop(release: Release, secret: Secret, original: Submission, folder: Path) -> None:
    """Write M1.csv, T1.csv and P.csv into a new folder that appears whole or not at all; P is for its owner only."""
    shop = shop_of(release)
    with atomic_folder(folder) as temporary:
        path = temporary / "P.csv"
        path.touch(mode=OWNER_ONLY)
        path.chmod(OWNER_ONLY)
        pl.DataFrame({"row": claimed_rows(secret) + 1}).write_csv(path, include_header=False)
        for name, frame in (("M1.csv", shop.master), ("T1.csv", _written(shop.history, secret, original))):
            frame.write_csv(temporary / name, include_header=False, quote_style="never")


def _written(published: History, secret: Secret, original: Submission) -> pl.DataFrame:
    """Return T'; a value that did not change is written as in T."""
    frame = published.text(literal=True)
    real, rows = secret.rows >= 0, np.maximum(secret.rows, 0)
    for name in original.original.codes:
        same = real & (original.original.codes[name][rows] == published.codes[name])
        frame = frame.with_columns(original.texts[name][rows].zip_with(pl.Series(same), frame[name]).alias(name))
    return frame


def _pseudonym_counts(original: History, release: Release, secret: Secret) -> Ints:
    """Return under how many pseudonyms each published customer appears in T'; 1 without transactions."""
    real = np.flatnonzero(secret.rows >= 0)
    owner = shop_of(original).owner[secret.rows[real]]
    pairs = pl.DataFrame({"owner": owner, "name": release.pseudonyms[real]}).unique()["owner"].to_numpy()
    counts = np.bincount(pairs, minlength=shop_of(original).customers)
    return np.maximum(counts, 1)[claimed_rows(secret)]


def _read(path: Path, name: str, *, empty: bool) -> pl.DataFrame:
    """Return a file as text columns; one without any bytes is an empty table if that is for a checker to say."""
    try:
        return read_contest(path, FILES[name])
    except UnreadableError:
        if not empty or read_bytes(path, allow_empty=True):
            raise
        return pl.DataFrame(schema=dict.fromkeys(FILES[name].columns, pl.String))


SHOP_YEARS = (2010, 2011)


def _years(transactions: pl.DataFrame) -> tuple[int, int]:
    """Return the first and the last year of the original transactions (2010 and 2011 in the contest)."""
    years = transactions["date"].unique().str.head(4).cast(pl.Int64)
    low, high = int(years.min()), int(years.max())  # type: ignore[arg-type]
    # A small T may lie in one year of the shop's two (spec A.1.2).
    return SHOP_YEARS if SHOP_YEARS[0] <= low <= high <= SHOP_YEARS[1] else (low, high)


def _tolerant(result: CheckResult, warnings: list[Message]) -> CheckResult:
    """Return the findings without the orphans, which become one warning."""
    orphan = result.codes == result.code_names.index("unknown-id")
    if not orphan.any():
        return result
    first, count = int(result.lines[orphan][0]), int(orphan.sum())
    code = "warning.unknown-ids" if count > 1 else "warning.unknown-id"
    warnings.append(Message(code, {"count": count, "first": first}, HOME))
    return result.without(["unknown-id"])


def _ids_left(name: str, ids: pl.Series, originals: pl.Series) -> list[Message]:
    """Return a warning if ids of M are left in a published file."""
    count = int(ids.is_in(originals.unique().implode()).sum())
    return [Message("warning.ids-left", {"file": name, "count": count}, HOME)] if count else []
