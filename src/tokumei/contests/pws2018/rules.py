"""PWS Cup 2018 put together: checkers, publishing, utility, safety, sample attacks and anonymizers, use cases.

Files: T original, A anonymized and aligned with T, A' published (A1), F' guesses (F1), R thresholds (spec B.2).
Checker and publishing work on the raw bytes of A, text-equality attacks on its text, everything else on cells.
Attacks and use cases are imported where they are used: they need numba and scipy, which `utility` should not wait for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.audits import OFFICIAL_ALPHA, OFFICIAL_P, read_threshold_table
from tokumei.contests.check_result import CheckResult
from tokumei.contests.pws2018.canonical_cells import OtherText, other_text
from tokumei.contests.pws2018.combined_evidence import combined_evidence
from tokumei.contests.pws2018.files import FILES, SCHEMA
from tokumei.contests.pws2018.guess_checker import check_guesses
from tokumei.contests.pws2018.publishing import aligned_slices, published_bytes
from tokumei.contests.pws2018.release_checker import check_release
from tokumei.contests.pws2018.statistical_safety import SafetyResult, SafetyTest, owners_of
from tokumei.contests.pws2018.written_error import UtilityMeter, written_utility
from tokumei.contests.reading import read_contest
from tokumei.data import (
    MISSING,
    OWNER_ONLY,
    Guesses,
    History,
    Release,
    Score,
    Secret,
    atomic_path,
    read_bytes,
    read_lines,
    release_from_text,
    value_text,
    write_bytes,
)
from tokumei.errors import InfeasibleError, UnreadableError
from tokumei.parts import Attack, Method

if TYPE_CHECKING:
    from tokumei.audits import AuditResult
    from tokumei.contests.pws2018.use_cases import UseCaseOptions, UseCases

NAME = "pws2018"
FIELDS = ("date", "goods", "price", "quantity")
PUBLISHED = ("pseudonym", *FIELDS)
# A is written and measured in slices: the text of all its rows would take more memory than making it.
ROWS_AT_A_TIME = 100_000


@dataclass(frozen=True, eq=False)
class Original:
    """T: its text and, when it is needed, its history."""

    path: Path
    frame: pl.DataFrame

    @classmethod
    def read(cls, path: Path) -> Original:
        """Read T."""
        return cls(path, read_contest(path, FILES["T"]))

    @cached_property
    def history(self) -> History:
        """The records, coded."""
        return History.from_frame(self.frame, SCHEMA, file=str(self.path))


@dataclass(frozen=True, eq=False)
class Anonymized:
    """A (aligned with T) or A' (published), as text."""

    path: Path
    frame: pl.DataFrame

    @classmethod
    def read(cls, path: Path, *, published: bool = False) -> Anonymized:
        """Read A, or A'; an A' in which every row was deleted is an empty file."""
        frame = read_contest(path, FILES["A'" if published else "A"])
        frame.columns = list(PUBLISHED)
        return cls(path, frame)

    def release(self, history: History) -> Release:
        """Return the rows that are not deleted, decoded."""
        kept = self.frame.with_row_index("line", offset=1).filter(~pl.col("pseudonym").str.starts_with("*"))
        lines = kept["line"].to_numpy()
        return release_from_text(
            kept.drop("line"), SCHEMA, history.categories, file=str(self.path), lines=lines, literal=True
        )


@dataclass(frozen=True, kw_only=True)
class Rules2018:
    """What the rules compute on the values of the files; ``strict`` replaces oddities of the official programs."""

    strict: bool = False

    def check(self, original: Original, a: Path) -> CheckResult:
        """Check A against T by the official rules."""
        return check_release(original.frame, read_bytes(a, allow_empty=True))

    def check_guesses(self, original: Original, published: Anonymized, f1: Path) -> CheckResult:
        """Check F' against T and A'."""
        raw = read_bytes(f1, allow_empty=True)
        return check_guesses(original.frame["customer"], published.frame["pseudonym"], raw)

    def publish(self, a: Path, output: Path) -> dict[str, Any]:
        """Write A' for A; return its number of rows and its hash."""
        data, rows = published_bytes(read_bytes(a, allow_empty=True))
        write_bytes(output, data)
        return {"rows": rows, "sha256": hashlib.sha256(data).hexdigest()}

    def utility(self, original: Original, anonymized: Anonymized) -> Score:
        """Return U with the four column means."""
        columns = {name: anonymized.frame[name] for name in FIELDS}
        return written_utility(original.history, columns, strict=self.strict, file=str(anonymized.path))

    def safety_test(
        self, table: Path | None = None, *, p: Fraction = OFFICIAL_P, alpha: Fraction = OFFICIAL_ALPHA
    ) -> SafetyTest:
        """Return the statistical test; a table R wins over the formula."""
        limits = None
        if table is not None:
            limits = tuple(read_threshold_table(read_lines(table).to_list(), file=str(table)))
        return SafetyTest(p=p, alpha=alpha, table=limits, strict=self.strict)

    def safety(
        self, original: Original, anonymized: Anonymized, f1: Path, *, test: SafetyTest | None = None
    ) -> SafetyResult:
        """Return what the guesses F' show about A."""
        owners = owners_of(original.frame["customer"], anonymized.frame["pseudonym"])
        guesses = read_contest(f1, FILES["F'"])
        pairs = Guesses.of_pairs(guesses.to_series(0), guesses.to_series(1))
        return (test or self.safety_test()).judge(owners, pairs, file=str(f1))

    def attack(self, attack: Attack, original: Original, published: Anonymized, *, rng: np.random.Generator) -> Guesses:
        """Run an attack; the official samples work on the text of the files, others on cells."""
        from tokumei.contests.pws2018.attacks.first_guess import FirstGuess, guess_first
        from tokumei.contests.pws2018.attacks.item_sets import ItemSets, match_item_sets
        from tokumei.contests.pws2018.attacks.unique_rows import UniqueRows, link_unique_rows

        t, a1 = original.frame, published.frame
        if isinstance(attack, FirstGuess):
            return guess_first(t["customer"], a1["pseudonym"])
        if isinstance(attack, UniqueRows):
            return link_unique_rows(t, a1)
        if isinstance(attack, ItemSets):
            draw = rng if attack.choice == "random" else None
            return match_item_sets(t["customer"], t["goods"], a1["pseudonym"], a1["goods"], rng=draw)
        return attack.guess(original.history, published.release(original.history), rng=rng)

    def anonymize(self, method: Method, history: History, output: Path, *, rng: np.random.Generator) -> dict[str, Any]:
        """Write A for the records of T; refuse a method, or a result, that the rules do not admit."""
        if NAME not in method.rule_sets:
            settings = " with these settings" if NAME in method.valid_under else ""
            message = (
                f"the method '{method.name}'{settings} cannot give a valid A of PWS Cup 2018 (one "
                "pseudonym per customer, rows generalized or deleted, none added); "
                "use 'tokumei anonymize' for other releases"
            )
            raise InfeasibleError(message, code="not-valid-under-pws2018")
        made = _in_content_order(method, history, rng)
        with atomic_path(output, mode=OWNER_ONLY) as temporary:
            told = self._write_aligned(temporary, history, *made)
            # The file is read back to be checked: its cells are not needed beside it.
            del made
            checked = check_release(_coded_text(history), temporary.read_bytes())
            if not checked.valid:
                first = checked.findings(1)[0]
                message = (
                    f"'{method.name}' with these settings gives an A that the 2018 rules reject ({first.sentence()}); "
                    "change the settings, or use 'tokumei anonymize'"
                )
                raise InfeasibleError(message, code="not-valid-under-pws2018")
        return told

    def _write_aligned(self, path: Path, history: History, release: Release, secret: Secret) -> dict[str, Any]:
        """Write A slice by slice, and tell what can only be told while its cells are at hand."""
        meter = UtilityMeter(history, strict=self.strict, file="A")
        with path.open("wb") as file:
            for text in aligned_slices(history, release, secret, rows=ROWS_AT_A_TIME):
                text.write_csv(file, include_header=False, quote_style="never")
                meter.add({name: text[name] for name in FIELDS})
        return {
            "rows": len(history),
            "deleted": len(history) - int((secret.rows >= 0).sum()),
            "pseudonyms": release.pseudonyms.n_unique(),
            "U": meter.score().value,
        }

    def bound(self, history: History) -> Score:
        """Return the proven lower bound of U for every strict k-anonymity, whatever its k and its groups."""
        from tokumei.methods import strict_bound

        return strict_bound(history)

    def use_cases(
        self,
        original: Original,
        anonymized: Anonymized,
        *,
        draws: int,
        rng: np.random.Generator,
        options: UseCaseOptions | None = None,
    ) -> UseCases:
        """Return the errors of the report's use cases and statistics, as means over the draws."""
        from tokumei.contests.pws2018.use_cases import judge_use_cases

        release = anonymized.release(original.history)
        return judge_use_cases(original.history, release, rng=rng, draws=draws, options=options)

    def audit(
        self,
        original: Original,
        path: Path,
        *,
        k: int | None = None,
        time_limit: float | None = None,
        seed: int = 0,
        guess_seeds: int = 0,
    ) -> AuditResult:
        """Audit A, whose rows tell the truth, or A', without it (told apart by the number of rows)."""
        from tokumei.audits import audit_release, with_findings

        anonymized = Anonymized.read(path, published=True)
        history = original.history
        release = anonymized.release(history)
        kept = (~anonymized.frame["pseudonym"].str.starts_with("*")).arg_true().to_numpy().astype(np.int64)
        secret = None
        if anonymized.frame.height == original.frame.height and _aligned(original, anonymized):
            owners = owners_of(original.frame["customer"], anonymized.frame["pseudonym"])
            secret = Secret(owners, kept)
        written = {name: anonymized.frame[name][kept] for name in FIELDS}
        # The rows of A stand in the order of T; what the world sees is A', sorted.
        order = anonymized.frame[kept].with_row_index("row").sort(*PUBLISHED)["row"].to_numpy().astype(np.int64)
        result = audit_release(
            history,
            release.take(order),
            None if secret is None else secret.take(order),
            k=k,
            time_limit=time_limit,
            seed=seed,
            guess_seeds=guess_seeds,
            published={name: column[order] for name, column in written.items()},
        )
        other = other_text(release, anonymized.frame[kept], kept + 1)
        return with_findings(result, (other.reason(str(path)),) if len(other) else ())

    def other_text(self, original: Original, a: Path) -> OtherText:
        """Return the cells of a valid A that are written in another way than their value is."""
        anonymized = Anonymized.read(a)
        kept = (~anonymized.frame["pseudonym"].str.starts_with("*")).arg_true().to_numpy().astype(np.int64)
        return other_text(anonymized.release(original.history), anonymized.frame[kept], kept + 1)

    def evaluate(
        self, original: Original, a: Path, guesses: Sequence[Path], *, test: SafetyTest | None = None
    ) -> dict[str, Any]:
        """Check A, measure it, and judge every file of guesses; an effective re-identification makes it unsafe."""
        checked = self.check(original, a)
        result: dict[str, Any] = {"valid": checked.valid, "error_count": checked.error_count}
        result["errors"] = checked.as_dict(20)["errors"]
        try:
            anonymized = Anonymized.read(a)
            score = self.utility(original, anonymized)
        except (InfeasibleError, UnreadableError) as error:
            if checked.valid:
                raise
            return {**result, "utility": None, "warnings": [str(error)], "safety": [], "unsafe": None}
        results = [self.safety(original, anonymized, path, test=test) for path in guesses]
        return {
            **result,
            "utility": {"U": score.value, **{f"il_{name}": part for name, part in score.parts.items()}},
            "warnings": list(score.warnings),
            "safety": [{"file": str(path), **found.as_dict()} for path, found in zip(guesses, results, strict=True)],
            "unsafe": any(found.unsafe for found in results),
            "sharp_unsafe": any(found.sharp_unsafe for found in results),
            "combined": combined_evidence([(found.n, found.hits) for found in results]).as_dict(),
        }


def _aligned(original: Original, anonymized: Anonymized) -> bool:
    """Return whether a file of as many rows as T can be A: the published form of an A without deletions is sorted.

    A sorted file is taken for A only if one customer stands behind every pseudonym.
    """
    frame = anonymized.frame
    if (frame["pseudonym"].str.starts_with("*")).any():
        return True
    lines = frame.select(pl.concat_str(pl.all(), separator=",")).to_series()
    if not lines.is_sorted():
        return True
    pairs = pl.DataFrame({"pseudonym": frame["pseudonym"], "customer": original.frame["customer"]}).unique()
    return pairs["pseudonym"].is_unique().all()


def _in_content_order(method: Method, history: History, rng: np.random.Generator) -> tuple[Release, Secret]:
    """Let a method see the records by subject and content: what it draws must not depend on their order in T."""
    release, secret = method.anonymize(history.take(history.order), rng=rng)
    rows = np.where(secret.rows >= 0, history.order[secret.rows], -1)
    return release, replace(secret, rows=rows)


def _coded_text(history: History) -> pl.DataFrame:
    """Return the records as dictionary-coded text, which takes a quarter of the memory of plain text."""
    columns = [_coded(history.subject, history.subjects).alias("customer")]
    for spec in history.schema.fields:
        codes = history.codes[spec.name]
        if spec.nominal:
            columns.append(_coded(codes, history.categories[spec.name]).alias(spec.name))
            continue
        distinct = pl.Series(codes).unique().sort().to_numpy()
        text = value_text(distinct[distinct != MISSING], spec)
        if len(text) < len(distinct):
            text = pl.concat([pl.Series("text", [""]), text])
        columns.append(_coded(np.searchsorted(distinct, codes), text).alias(spec.name))
    return pl.DataFrame(columns)


def _coded(codes: Ints, dictionary: pl.Series) -> pl.Series:
    return dictionary[codes].cast(pl.Enum(dictionary))
