"""PWS Cup 2017: the use-case utility E1 to E6 of an anonymized history AT (spec B.10.3, golden README).

Only what later contests use is here; there is no attack task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.base import Contest
from tokumei.contests.notes import NO_ROWS, make_note, note_of_error
from tokumei.contests.values import Both, Checked, Column, FileSpec, Sizes
from tokumei.errors import TokumeiError
from tokumei.parts import parameter

if TYPE_CHECKING:
    import polars as pl

    from tokumei.contests.pws2017.utility import Utility2017

_TITLES: Mapping[str, Both] = {
    "E1": {"en": "item similarity, wholesale", "ja": "商品類似度（卸売）"},
    "E2": {"en": "item similarity, retail", "ja": "商品類似度（小売）"},
    "E3": {"en": "item similarity, top 100", "ja": "商品類似度（上位100）"},
    "E4": {"en": "dates", "ja": "日付"},
    "E5": {"en": "prices", "ja": "単価"},
    "E6": {"en": "deleted rows", "ja": "削除した行"},
}


@dataclass(frozen=True, kw_only=True)
class Pws2017(Contest):
    """Purchase histories with monthly pseudonyms, as far as later contests use them: their utility."""

    name: ClassVar[str] = "pws2017"
    command_module: ClassVar[str] = "tokumei.contests.pws2017.commands"
    title: ClassVar[Both] = {"en": "PWS Cup 2017: long purchase histories", "ja": "PWS Cup 2017：長期の購買履歴"}
    about: ClassVar[Both] = {
        "en": "PWS Cup 2017: use-case utility of long purchase histories",
        "ja": "PWS Cup 2017：長期の購買履歴の有用性",
    }
    source: ClassVar[str] = "PWS Cup 2017 committee programs"
    has_attack_task: ClassVar[bool] = False
    sizes: ClassVar[Sizes | None] = Sizes(default=400, low=20, high=10_000, demo=40)
    data_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("M", {"en": "customer master", "ja": "顧客マスター"}),
        FileSpec("T", {"en": "transactions", "ja": "購買履歴"}),
    )
    release_files: ClassVar[tuple[FileSpec, ...]] = (
        FileSpec("AT", {"en": "anonymized transactions, aligned with T", "ja": "匿名加工した履歴（Tと同じ行順）"}),
    )
    release_columns: ClassVar[tuple[Column, ...]] = tuple(Column(key, title, "lower") for key, title in _TITLES.items())
    utility_figure: ClassVar[str] = "E1"
    parameters_ja: ClassVar[Mapping[str, str]] = {"strict": "公式プログラムが失敗するところで失敗する"}

    strict: bool = parameter(False, "fail where the official programs fail")

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write M and T of so many customers."""
        from tokumei.synth import write_synthetic

        write_synthetic("master", data / "T.csv", master_path=data / "M.csv", subjects=size, seed=seed, header=False)

    def utility(self, m: Path, t: Path, at: Path) -> Utility2017:
        """Return E1 to E6; M is read because the official programs want it, its content is not used."""
        from tokumei.contests.pws2017.utility import utility_2017

        _read(m, "M")
        return utility_2017(_read(t, "T"), _read(at, "AT"), strict=self.strict)

    def check_data(self, data: Path) -> Checked:
        """Check that M and T can be read."""
        try:
            master, transactions = _read(data / "M.csv", "M"), _read(data / "T.csv", "T")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error)])
        empty = [name for name, frame in (("M", master), ("T", transactions)) if not frame.height]
        if empty:
            return Checked.refused([make_note("no-rows", NO_ROWS, name) for name in empty])
        return Checked(valid=True, figures={"customers": master.height, "rows": transactions.height})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Measure E1 to E6; what cannot be measured is invalid."""
        try:
            result = self.utility(data / "M.csv", data / "T.csv", release / "AT.csv")
        except TokumeiError as error:
            return Checked.refused([note_of_error(error, "AT")])
        return Checked(valid=True, figures=result.as_dict())


def _read(path: Path, name: str) -> pl.DataFrame:
    from tokumei.contests.pws2017.files import FILES
    from tokumei.contests.reading import read_contest

    return read_contest(path, FILES[name])
