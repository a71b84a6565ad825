"""PWS Cup 2018 as a contest: A is handed in, A' published, F' guessed; the lowest U among safe files wins (spec B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.base import STANDARD_ROUNDS, Contest
from tokumei.contests.notes import NO_ROWS, make_note, note_of_error, notes_of
from tokumei.contests.values import (
    Answered,
    Both,
    Checked,
    Column,
    Entry,
    Figures,
    FileSpec,
    Pair,
    Player,
    Published,
    RoundPreset,
    RoundTable,
    Sizes,
)
from tokumei.errors import TokumeiError
from tokumei.parts import parameter

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.random import Generator

    from tokumei.contests.check_result import CheckResult
    from tokumei.contests.pws2018.rules import Original, Rules2018
    from tokumei.contests.pws2018.statistical_safety import SafetyTest


@dataclass(frozen=True, kw_only=True)
class Pws2018(Contest):
    """Generalized purchase histories against an attacker who knows all original data."""

    name: ClassVar[str] = "pws2018"
    command_module: ClassVar[str] = "tokumei.contests.pws2018.commands"
    source: ClassVar[str] = "PWS Cup 2018 report"
    about: ClassVar[Both] = {
        "en": "PWS Cup 2018: check, publish, measure, attack and judge generalized histories",
        "ja": "PWS Cup 2018：一般化した購買履歴を検査、公開、測定、攻撃、判定する",
    }
    recommended: ClassVar[bool] = True
    sizes: ClassVar[Sizes | None] = Sizes(default=500, low=20, high=10_000, demo=60)
    # Table 1 of the report, from the opening of the registration on 24 August: anonymization from 6 September, attack
    # from 13 September, results on 20 September; in the final from 27 September, 11 October and on 22 October.
    rounds: ClassVar[Mapping[str, RoundPreset]] = {
        **STANDARD_ROUNDS,
        "preliminary": replace(STANDARD_ROUNDS["preliminary"], phase_days=(0, 13, 20, 26, 27)),
        "final": replace(STANDARD_ROUNDS["final"], first_day=27, phase_days=(0, 7, 21, 27, 32)),
    }
    title: ClassVar[Both] = {"en": "PWS Cup 2018: purchase histories", "ja": "PWS Cup 2018：購買履歴"}
    data_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("T", {"en": "original transactions", "ja": "元の購買履歴"}),
        FileSpec("R", {"en": "threshold table (optional)", "ja": "閾値表（任意）"}, optional=True),
    )
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("A", {"en": "anonymized transactions, aligned with T", "ja": "匿名加工した履歴（Tと同じ行順）"}),
    )
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("A1", {"en": "published transactions A'", "ja": "公開された履歴A'"}),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("F1", {"en": "guesses: pseudonym,customer", "ja": "推定：仮名,顧客ID"}),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("U", {"en": "U", "ja": "U"}, "lower"),
        Column("il_date", {"en": "date", "ja": "日付"}, "lower"),
        Column("il_goods", {"en": "goods", "ja": "商品"}, "lower"),
        Column("il_price", {"en": "price", "ja": "単価"}, "lower"),
        Column("il_quantity", {"en": "quantity", "ja": "数量"}, "lower"),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = (
        Column("hits", {"en": "right guesses", "ja": "正解数"}, "higher", 0),
        Column("n", {"en": "guesses", "ja": "推定"}, "", 0),
        Column("threshold", {"en": "threshold", "ja": "閾値"}, "", 0),
        Column("sharp_threshold", {"en": "sharp threshold", "ja": "厳密な閾値"}, "", 0),
        Column("unsafe", {"en": "effective", "ja": "有効"}, "higher", 0),
    )
    matrix_figure: ClassVar[str] = "hits"
    utility_figure: ClassVar[str] = "U"
    safety_figure: ClassVar[str] = "most_hits"
    methods: ClassVar[tuple[str, ...]] = ("ano-del-lc", "ano-random", "k-anonymity", "generalize", "record-sampling")
    attacks: ClassVar[tuple[str, ...]] = ("re-1", "re-item", "re-uniq", "nearest-history", "matching-posterior")
    players: ClassVar[tuple[Player, ...]] = (
        Player("Name Tags", "pseudonymize", "nearest-history", clumsy=True),
        Player("Triplets", "k-anonymity", "matching-posterior", {"k": 3}),
        Player("Pairs", "k-anonymity", "cheapest-matching", {"k": 2}),
        Player("Dice", "ano-random", "re-item"),
        Player("Scissors", "ano-del-lc", "re-uniq"),
        Player("Coarse Grain", "generalize", "record-counts"),
        Player("Half a Story", "record-sampling", "set-position"),
        Player("Veils", "uniform-concealment", "range-asymmetry", {"k": 3}),
    )

    p: str = parameter("1/3", "share of right guesses that counts as mere luck")
    alpha: str = parameter("1/2000", "level of the safety test")
    strict: bool = parameter(False, "correct the oddities of the official programs")
    parameters_ja: ClassVar[Mapping[str, str]] = {
        "p": "偶然とみなす的中の割合",
        "alpha": "安全性検定の有意水準",
        "strict": "公式プログラムの癖を正す",
    }

    @property
    def rules(self) -> Rules2018:
        """The rules with these parameters."""
        from tokumei.contests.pws2018.rules import Rules2018

        return Rules2018(strict=self.strict)

    def check_parameters(self) -> None:
        """Refuse a test that cannot be computed."""
        from tokumei.audits import official_thresholds

        p, alpha = self._levels()
        official_thresholds(1, p=p, alpha=alpha)

    def _levels(self) -> tuple[Fraction, Fraction]:
        from tokumei.audits import parse_rational

        return parse_rational(self.p, name="p"), parse_rational(self.alpha, name="alpha")

    def _test(self, data: Path) -> SafetyTest:
        """Return the safety test of a round: with the table R if the referee handed one out."""
        table, (p, alpha) = data / "R.csv", self._levels()
        return self.rules.safety_test(table if table.exists() else None, p=p, alpha=alpha)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write T of so many customers."""
        from tokumei.synth import write_synthetic

        write_synthetic("purchases", data / "T.csv", subjects=size, seed=seed, header=False)

    def check_data(self, data: Path) -> Checked:
        """Check T: it can be read, and leaving it as it is costs nothing."""
        try:
            self._test(data)
            original = _original(data)
            history = original.history
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "T")])
        if not len(history):
            return Checked.refused([make_note("no-rows", NO_ROWS, "T")])
        counts = {name: original.frame[name].n_unique() for name in ("customer", "goods")}
        return Checked(valid=True, figures={"rows": len(history), "customers": counts["customer"], **counts})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check A and measure U with its four columns."""
        from tokumei.contests.pws2018.rules import Anonymized

        original, path = _original(data), release / "A.csv"
        checked = self.rules.check(original, path)
        if not checked.valid:
            return _refused(checked, "A")
        score = self.rules.utility(original, Anonymized.read(path))
        return Checked(
            valid=True, figures={"U": score.value, **{f"il_{key}": part for key, part in score.parts.items()}}
        )

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write A by any registered method that can give a valid one."""
        from tokumei.parts import find_part, make_part

        made = make_part(find_part("anonymizer", method), settings)
        return self.rules.anonymize(made, _original(data).history, release / "A.csv", rng=rng)

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return A'; the truth is A itself, which the judge has."""
        from tokumei.contests.pws2018.publishing import published_bytes
        from tokumei.data import read_bytes

        del data, attackers, seed
        return Published(common={"A1": published_bytes(read_bytes(release / "A.csv", allow_empty=True))[0]})

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write F' by any registered attack; one without a single guess names the first customer once.

        An empty file could not be handed in.
        """
        from tokumei.contests.pws2018.rules import Anonymized
        from tokumei.data import write_text
        from tokumei.parts import find_part, make_part

        part = make_part(find_part("attack", attack), settings)
        original, seen = _original(data), Anonymized.read(published / "A1.csv", published=True)
        pairs = self.rules.attack(part, original, seen, rng=rng).pairs().rows()
        if not pairs and seen.frame.height:
            pairs = [(seen.frame["pseudonym"][0], original.frame["customer"][0])]
        write_text(guesses / "F1.csv", "".join(f"{pseudonym},{customer}\n" for pseudonym, customer in pairs))
        return {"guesses": len(pairs)}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Check and judge files F' about one A."""
        from tokumei.contests.pws2018.rules import Anonymized

        del truth
        rules, original = self.rules, _original(data)
        anonymized = Anonymized.read(release / "A.csv")
        seen = Anonymized.read(published / "A1.csv", published=True)
        test = self._test(data)
        scored = []
        for path in [folder / "F1.csv" for folder in guesses]:
            checked = rules.check_guesses(original, seen, path)
            if not checked.valid:
                scored.append(_refused(checked, "F1"))
                continue
            try:
                figures = rules.safety(original, anonymized, path, test=test).as_dict()
            except TokumeiError as error:
                # The checker takes lines ended by CR alone, the reader does not.
                scored.append(Checked.refused([note_of_error(error, "F1")]))
                continue
            del figures["warnings"]
            scored.append(Checked(valid=True, figures=figures))
        return scored

    def answered(self, published: Path, guesses: Path) -> Answered | None:
        """Return how many of the pseudonyms of A' are guessed: a file may leave out as many as it likes."""
        from tokumei.contests.plain_lines import first_cells

        asked = first_cells(published / "A1.csv")
        given = asked & first_cells(guesses / "F1.csv")
        return Answered(len(given), len(asked), {"en": "pseudonyms", "ja": "仮名"})

    def guess_order(self, figures: Figures) -> tuple[float, ...]:
        """Return what orders several attempts at one target: an effective one first, then most hits."""
        return (-float(figures["unsafe"]), -float(figures["sharp_unsafe"]), -float(figures["hits"]))

    def shows_unsafe(self, figures: Figures) -> bool:
        """Return whether the guesses are an effective re-identification."""
        return bool(figures["unsafe"])

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return survivors by U, and attackers by effective re-identifications."""
        from tokumei.contests.pws2018.ranking import round_table

        return round_table(entries, pairs)

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the sums of weight × U and of weight × effective re-identifications."""
        from tokumei.contests.pws2018.ranking import overall_table

        return overall_table(rounds)


def _original(data: Path) -> Original:
    from tokumei.contests.pws2018.rules import Original

    return Original.read(data / "T.csv")


def _refused(result: CheckResult, file: str) -> Checked:
    return Checked.refused(notes_of(result, file), result.error_count)
