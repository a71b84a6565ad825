"""PWS Cup 2016 put together: checkers, utility, sample anonymizers, attacks, evaluation (spec A).

Files: M master, T transactions, M' (M1) and T' (T1) anonymized, P the secret rows of M behind those of M', Q an
attacker's estimate of P. Attacks are imported where they are used: they need numba, which `utility` should not wait
for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Floats32, Ints
from tokumei.contests.check_result import CheckResult
from tokumei.contests.pws2016.checker import (
    FilesCheck,
    check_master,
    check_rows,
    check_transactions,
    unreadable_lines,
)
from tokumei.contests.pws2016.messages import HOME
from tokumei.contests.pws2016.metrics.cross_tabulation import CELLS, ORPHANS, cmae, cmae2
from tokumei.contests.pws2016.metrics.master_hamming import master_hamming
from tokumei.contests.pws2016.metrics.rfm_error import rfm_error
from tokumei.contests.pws2016.metrics.row_guesses import RowGuesses, judge_rows
from tokumei.contests.pws2016.metrics.top_items import top_items
from tokumei.contests.pws2016.shop import MasterAnonymizer, MasterAttack, MasterRelease, Shop
from tokumei.contests.reading import contest_file, read_contest
from tokumei.data import OWNER_ONLY, Outcome, Score, atomic_folder, read_bytes
from tokumei.errors import ContentError, ParameterError, UnknownPartError, UnreadableError, did_you_mean
from tokumei.parts import RuleSet, make_part, parameter, parse_settings
from tokumei.progress import stage
from tokumei.words import Message

__all__ = ["Files", "Pws2016", "Submission", "anonymizers", "attacks", "write_shop"]

SAMPLES = ("ano-ya", "ano-tya", "ano-sampling", "ano-shuffle", "ano-divt")


def anonymizers() -> dict[str, type[MasterAnonymizer]]:
    """Return the anonymizers of a master with its transactions by name."""
    from tokumei.contests.pws2016.methods.divided_transactions import DividedTransactions
    from tokumei.contests.pws2016.methods.master_sampling import MasterSampling
    from tokumei.contests.pws2016.methods.master_shuffle import MasterShuffle
    from tokumei.contests.pws2016.methods.pseudonym_control import PseudonymControl
    from tokumei.contests.pws2016.methods.yamaoka import ShiftedYamaoka, Yamaoka

    parts = (Yamaoka, ShiftedYamaoka, MasterSampling, MasterShuffle, DividedTransactions, PseudonymControl)
    return {part.name: part for part in parts}


def attacks() -> dict[str, type[MasterAttack]]:
    """Return the attacks on a master with its transactions by name: three samples of the contest, three of ours."""
    from tokumei.contests.pws2016.attacks.all_features import AllFeatures
    from tokumei.contests.pws2016.attacks.goods_overlap import GoodsOverlap
    from tokumei.contests.pws2016.attacks.master_order import CountOrder, MasterOrder
    from tokumei.contests.pws2016.attacks.rfm_vectors import RfmVectors
    from tokumei.contests.pws2016.attacks.total_price import TotalPrice

    parts = (MasterOrder, CountOrder, TotalPrice, RfmVectors, GoodsOverlap, AllFeatures)
    return {part.name: part for part in parts}


def _find(kind: str, name: str, known: Mapping[str, type[Any]]) -> type[Any]:
    if name not in known:
        message = f"pws2016 has no {kind} named '{name}'{did_you_mean(name, known)}; it has {', '.join(known)}"
        raise UnknownPartError(message)
    return known[name]


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
    """The content of the files of one submission: the original, the published shop, P and Q as far as given."""

    original: Shop
    published: Shop
    p: Ints | None = None
    q: Ints | None = None
    warnings: tuple[Message, ...] = ()

    @property
    def release(self) -> MasterRelease:
        """What was published, with its P."""
        if self.p is None:
            message = "the file P is needed here; name it after T1"
            raise ParameterError(message)
        return MasterRelease(self.published, self.p)

    @property
    def orphans(self) -> int:
        """The number of transactions of T' without a row in M'."""
        return int((self.published.owner < 0).sum())


@dataclass(frozen=True, kw_only=True)
class Pws2016(RuleSet):
    """The rule set of PWS Cup 2016, with the choices that the paper leaves open (spec F-A)."""

    name: ClassVar[str] = "pws2016"
    summary: ClassVar[str] = "a customer master with purchase histories, released under pseudonyms"
    source: ClassVar[str] = "PWS Cup 2016 paper (spec A)"

    cells: str = parameter("sex-country", "attributes that make the cells of cmae and cmae2", choices=tuple(CELLS))
    orphans: str = parameter(
        "strict", "transactions without a master row: left out, or looked up in M", choices=ORPHANS
    )
    threshold: int | None = parameter(None, "rows that make a top item (none: those of the 100th of T)", low=1)
    complement: bool = parameter(False, "ham as share of equal instead of differing cells")

    def check(self, files: Files, *, ids: str = "warning", orphans: str = "error") -> FilesCheck:
        """Check the files against each other; ``ids`` left in M' or T' and ``orphans`` of T' warn or are errors.

        Faults in M or T, the files everything is compared with, raise a ContentError.
        """
        return self._checked(files, ids=ids, orphans=orphans)[1]

    def read(self, files: Files) -> Submission:
        """Read and check the files; broken rules are refused, orphans of T' and ids left in place become warnings."""
        frames, checked = self._checked(files, ids="warning", orphans="warning")
        checked.refuse({name: str(path) for name, path in files.paths().items()})
        original = Shop(frames["M"], frames["T"])
        published = Shop(frames["M'"], frames["T'"]) if "T'" in frames else original
        p, q = (frames[name]["row"].cast(pl.Int64).to_numpy() if name in frames else None for name in ("P", "Q"))
        return Submission(original, published, p, q, checked.warnings)

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

    def utility(self, original: Shop, release: MasterRelease) -> dict[str, Score]:
        """Return cmae, cmae2, rfm, ham and topitem."""
        options = {"cells": self.cells, "orphans": self.orphans}
        scores = (
            cmae(original, release, **options),
            cmae2(original, release, **options),
            rfm_error(original, release),
            master_hamming(original, release, complement=self.complement),
            top_items(original, release, threshold=self.threshold),
        )
        return {score.name: score for score in scores}

    def make_anonymizer(self, name: str, settings: Sequence[str] = ()) -> MasterAnonymizer:
        """Return an anonymizer with ``name=value`` settings."""
        part: type[MasterAnonymizer] = _find("anonymizer", name, anonymizers())
        return make_part(part, parse_settings(part, settings))

    def make_attack(self, name: str, settings: Sequence[str] = ()) -> MasterAttack:
        """Return an attack with ``name=value`` settings."""
        part: type[MasterAttack] = _find("attack", name, attacks())
        return make_part(part, parse_settings(part, settings))

    def anonymize(
        self, method: MasterAnonymizer, original: Shop, folder: Path, *, rng: np.random.Generator
    ) -> dict[str, Any]:
        """Write M1.csv, T1.csv and, for its owner only, P.csv into a new folder; return what they hold."""
        with stage(f"anonymize: {method.name}"):
            release = method.anonymize(original, rng=rng)
        write_shop(release, folder)
        counts, orphans = release.pseudonym_counts, int((release.shop.owner < 0).sum())
        warnings = []
        if orphans:
            warnings.append(Message("warning.renewed", {"count": orphans}, HOME))
        return {
            "customers": release.shop.customers,
            "transactions": len(release.shop),
            "pseudonyms_per_customer": {"mean": float(counts.mean()), "max": int(counts.max())},
            "orphans": orphans,
            "warnings": warnings,
        }

    def run_attacks(
        self, original: Shop, published: Shop, *, rng: np.random.Generator, likeness: Floats32
    ) -> dict[str, Ints]:
        """Return the Q of every attack; ``likeness`` of all pairs is shared by who needs it."""
        from tokumei.contests.pws2016.attacks.all_features import AllFeatures

        guesses = {}
        for name, part in attacks().items():
            with stage(f"attack: {name}"):
                attack = part()
                if isinstance(attack, AllFeatures):
                    guesses[name] = attack.guess_from(likeness, original, published)
                else:
                    guesses[name] = attack.guess(original, published, rng=rng)
        return guesses

    def evaluate(self, original: Shop, release: MasterRelease, *, rng: np.random.Generator) -> dict[str, Any]:
        """Measure all utilities, run all attacks, test P, and give a verdict."""
        from tokumei.contests.pws2016.attacks.likeness import combined_likeness
        from tokumei.contests.pws2016.consistency import judge_consistency
        from tokumei.contests.pws2016.verdict import combined_scores, judge_release

        with stage("utility"):
            utility = self.utility(original, release)
        with stage("compare all customers"):
            likeness = combined_likeness(original, release.shop)
        guesses = self.run_attacks(original, release.shop, rng=rng, likeness=likeness)
        safety = {name: judge_rows(release.rows, q, originals=original.customers) for name, q in guesses.items()}
        consistency = judge_consistency(original, release, likeness=likeness)
        verdict = judge_release(safety, consistency, originals=original.customers)
        reid_max = max(result.rate for result in safety.values())
        return {
            "utility": {name: score.value for name, score in utility.items()},
            "attacks": {name: result.rate for name, result in safety.items()},
            "hits": {name: result.hits for name, result in safety.items()},
            "n": release.shop.customers,
            "reid_max": reid_max,
            "baseline": 1 / original.customers,
            "controls": {name: result.control for name, result in safety.items()},
            "consistent": consistency.consistent,
            "consistency": consistency.as_dict(),
            "combined": combined_scores(utility, reid_max),
            "verdict": verdict.outcome.value,
            "unsafe": verdict.outcome is Outcome.UNSAFE,
            "reasons": [reason.as_dict() for reason in verdict.reasons],
        }

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

    def sample_table(self, original: Shop, *, seed: int) -> list[dict[str, Any]]:
        """Return the evaluation of the five sample anonymizers, one after the other, each from the same seed."""
        rows = []
        for name in SAMPLES:
            with stage(name):
                release = self.make_anonymizer(name).anonymize(original, rng=np.random.default_rng(seed))
                rows.append({"anonymizer": name, **self.evaluate(original, release, rng=np.random.default_rng(seed))})
        return rows


def write_shop(release: MasterRelease, folder: Path) -> None:
    """Write M1.csv, T1.csv and P.csv into a new folder that appears whole or not at all; P is for its owner only."""
    with atomic_folder(folder) as temporary:
        secret = temporary / "P.csv"
        secret.touch(mode=OWNER_ONLY)
        secret.chmod(OWNER_ONLY)
        pl.DataFrame({"row": release.rows}).write_csv(secret, include_header=False)
        for name, frame in (("M1.csv", release.shop.master), ("T1.csv", release.shop.transactions)):
            frame.write_csv(temporary / name, include_header=False, quote_style="never")


def _read(path: Path, name: str, *, empty: bool) -> pl.DataFrame:
    """Return a file as text columns; one without any bytes is an empty table if that is for a checker to say."""
    try:
        return read_contest(path, "pws2016", name)
    except UnreadableError:
        if not empty or read_bytes(path, allow_empty=True):
            raise
        return pl.DataFrame(schema=dict.fromkeys(contest_file("pws2016", name).columns, pl.String))


def _years(transactions: pl.DataFrame) -> tuple[int, int]:
    """Return the first and the last year of the original transactions (2010 and 2011 in the contest)."""
    years = transactions["date"].unique().str.head(4).cast(pl.Int64)
    return int(years.min()), int(years.max())  # type: ignore[arg-type]


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
