"""PWS Cup 2019 as a contest: two files of location traces, against identity and trace inference (spec 4).

File 1 is judged by whether its pseudonyms are re-identified, file 2 by whether the original traces are inferred.
Attackers have the reference traces of the same people from the days before. Every team has people of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.base import STANDARD_ROUNDS, Contest
from tokumei.contests.notes import note_of_error
from tokumei.contests.pws2019.ranking import overall_table, round_table
from tokumei.contests.values import (
    Both,
    Checked,
    Column,
    Entry,
    Figures,
    FileSpec,
    Note,
    Pair,
    Player,
    Published,
    RoundPreset,
    RoundTable,
    Sizes,
)
from tokumei.errors import InputError, TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.array_types import Ints
    from tokumei.contests.pws2019.samples import Published as Seen
    from tokumei.contests.pws2019.traces import Traces

LEAST_UTILITY = 0.7
FILES = (1, 2)
PUBLISHED_HEADER = "pse_id,time_id,reg_id\n"


def _spec(name: str, en: str, ja: str) -> tuple[FileSpec, ...]:
    return tuple(FileSpec(f"{name}{file}", {"en": f"{en} {file}", "ja": f"{ja}{file}"}) for file in FILES)


def read_owners(path: Path) -> Ints:
    """Return the users behind the pseudonyms of a ptable, in order."""
    import numpy as np

    from tokumei.contests.pws2019.traces import cell_lines

    try:
        return np.array([int(line.split(",")[1]) for line in cell_lines(path)], dtype=np.int64)
    except (ValueError, IndexError) as error:
        message = f"{path} is no table of pseudonyms; write pse_id,user_id on every line"
        raise InputError(message, code="no-ptable", file=str(path)) from error


def published_lines(original: Traces, cells: Sequence[str], owners: Ints) -> Iterator[str]:
    """Yield pse_id,time_id,reg_id; pseudonyms follow the users' numbers."""
    count = original.shape[1]
    for pseudonym, owner in enumerate(owners.tolist(), len(owners) + 1):
        for time, cell in zip(original.times.tolist(), cells[owner * count : (owner + 1) * count], strict=True):
            yield f"{pseudonym},{time},{cell}"


def read_published(reference: Ints, path: Path) -> Seen:
    """Read published traces beside the reference traces of the same people."""
    from tokumei.contests.pws2019.samples import Published as Seen
    from tokumei.contests.pws2019.traces import cell_lines, read_cells

    cells = [line.split(",", 2)[-1] for line in cell_lines(path)]
    return Seen(reference, read_cells(cells, reference.size, str(path)))


@dataclass(frozen=True, kw_only=True)
class Pws2019(Contest):
    """Location traces of regions against re-identification and trace inference."""

    name: ClassVar[str] = "pws2019"
    command_module: ClassVar[str] = "tokumei.contests.pws2019.commands"
    source: ClassVar[str] = "PWS Cup 2019"
    title: ClassVar[Both] = {"en": "PWS Cup 2019: location traces", "ja": "PWS Cup 2019：位置情報トレース"}
    about: ClassVar[Both] = {
        "en": "PWS Cup 2019: check, measure, attack and judge location traces of regions",
        "ja": "PWS Cup 2019：地域IDの位置トレースを検査、測定、攻撃、判定する",
    }
    sizes: ClassVar[Sizes | None] = Sizes(default=2_000, low=10, high=2_000, demo=60)
    draws_private_data: ClassVar[bool] = True
    rounds: ClassVar[Mapping[str, RoundPreset]] = {
        "practice": STANDARD_ROUNDS["practice"],
        "preliminary": replace(STANDARD_ROUNDS["preliminary"], private_data=True, attack_limit=2),
        "final": replace(STANDARD_ROUNDS["final"], private_data=True, attack_limit=2),
    }
    set_by_round: ClassVar[frozenset[str]] = frozenset({"days"})
    data_files: ClassVar[tuple[FileSpec, ...]] = (
        *_spec("ref", "reference traces of file", "参照トレース"),
        *_spec("org", "original traces of file", "元トレース"),
    )
    release_files: ClassVar[tuple[FileSpec, ...]] = _spec("ano", "anonymized cells (reg_id) of file", "加工トレース")
    published_files: ClassVar[tuple[FileSpec, ...]] = (
        *_spec("pub", "traces under pseudonyms of file", "仮名トレース"),
        *_spec("ref", "reference traces of file", "参照トレース"),
    )
    guess_files: ClassVar[tuple[FileSpec, ...]] = (
        *_spec("etable", "the user of every pseudonym of file", "各仮名の利用者、ファイル"),
        *_spec("etraces", "the region of every user and time of file", "各利用者・時刻の地域、ファイル"),
    )
    release_columns: ClassVar[tuple[Column, ...]] = (
        Column("s_U", {"en": "utility (least of both files)", "ja": "有用性（両ファイルの最小）"}, "higher", 4),
        Column("s_I", {"en": "s_I against the sample attacks", "ja": "サンプル攻撃に対するs_I"}, "higher", 4),
        Column("s_T", {"en": "s_T against the sample attacks", "ja": "サンプル攻撃に対するs_T"}, "higher", 4),
    )
    guess_columns: ClassVar[tuple[Column, ...]] = tuple(
        Column(f"{score}{file}", {"en": f"{score} of file {file}", "ja": f"ファイル{file}の{score}"}, "lower", 4)
        for file in FILES
        for score in ("s_I", "s_T")
    )
    matrix_figure: ClassVar[str] = "s_I1"
    utility_figure: ClassVar[str] = "s_U"
    safety_figure: ClassVar[str] = "total"
    methods: ClassVar[tuple[str, ...]] = ("A1-none", "A2-MRLH", "A3-kRR", "A4-PL", "A5-YA", "histories")
    attacks: ClassVar[tuple[str, ...]] = ("random", "visits", "home", "assignment")
    players: ClassVar[tuple[Player, ...]] = (
        Player("Plain Pseudonyms", "A1-none", "visits", {}, clumsy=True),
        Player("Blocks", "A2-MRLH", "home", {"bits_x": 1, "bits_y": 1, "hide": 0}),
        Player("Noise", "A4-PL", "assignment", {"level": 4, "radius": 1}),
        Player("Shared Histories", "histories", "assignment", {"k": 4}),
    )

    strict: bool = parameter(False, "refuse what the official check lets pass by mistake")
    days: int = parameter(2, "days of the original traces, and of the reference before them", low=1, high=20)
    parameters_ja: ClassVar[Mapping[str, str]] = {"strict": "公式の検査が誤って通すものも拒否する"}

    def for_round(self, kind: str) -> Pws2019:
        """Return the contest with the days of a round: twenty in the final, two before."""
        return replace(self, days=20 if kind == "final" else 2)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write reference and original traces of so many people, twice."""
        import numpy as np

        from tokumei.contests.pws2019.generator import generate_traces

        for file in FILES:
            times = 20 * self.days
            regions = generate_traces(size, 2 * self.days, np.random.default_rng([seed, file]))
            for name, first in (("ref", 0), ("org", times)):
                rows = (
                    f"{user + 1},{time + 1},{region}"
                    for user, trace in enumerate(regions.tolist())
                    for time, region in enumerate(trace[first : first + times], first)
                )
                (data / f"{name}{file}.csv").write_text("\n".join(("user_id,time_id,reg_id", *rows, "")))

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the traces of other people, by default as many as in the common files."""
        users = size or _traces(base, "org", 1).shape[0]
        self.generate(data, size=users, seed=int.from_bytes(hashlib.sha256(f"private:{seed}".encode()).digest()[:6]))

    def check_data(self, data: Path) -> Checked:
        """Check that all four files hold traces of the same users."""
        import numpy as np

        from tokumei.contests.pws2019.checker import note
        from tokumei.contests.pws2019.regions import REGIONS

        found = {}
        for file in self.data_files:
            try:
                found[file.name] = _traces(data, file.name)
            except TokumeiError as error:
                return Checked.refused([note_of_error(error, file.name)])
        first = found["org1"]
        same = all(traces.shape == first.shape and (traces.users == first.users).all() for traces in found.values())
        inside = all(np.isin(traces.regions, np.arange(1, REGIONS + 1)).all() for traces in found.values())
        if not (same and inside):
            return Checked.refused([note("data", "org1")])
        return Checked(valid=True, figures={"users": first.shape[0], "times": first.shape[1]})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check both files, measure them, and run the sample attacks on them."""
        from tokumei.contests.pws2019 import traces
        from tokumei.contests.pws2019.checker import check_cells, note
        from tokumei.data import read_bytes

        notes: list[Note] = []
        count, utilities = 0, []
        for file in FILES:
            true = _traces(data, "org", file).regions.ravel()
            name, path = f"ano{file}", release / f"ano{file}.csv"
            raw = read_bytes(path, allow_empty=True)
            found, more, official = check_cells(raw, name, rows=len(true), strict=self.strict)
            notes, count = notes + found, count + more
            if found or not official["valid"]:
                continue
            try:
                cells = traces.read_cells(traces.cell_lines(path), len(true), name)
            except traces.StoppedError as error:
                notes.append(note_of_error(error, name))
                continue
            utilities.append(traces.utility(true, cells))
            if utilities[-1] < LEAST_UTILITY:
                notes.append(note("low-utility", name, found=utilities[-1], least=LEAST_UTILITY))
        if notes or len(utilities) < len(FILES):
            return Checked.refused(notes, max(count, len(notes)))
        return Checked(valid=True, figures={"s_U": min(utilities), **self._sample_scores(data, release)})

    def _sample_scores(self, data: Path, release: Path) -> Figures:
        """Return what the sample attacks leave of s_I in file 1 and of s_T in file 2."""
        import numpy as np

        from tokumei.contests.pws2019 import samples, traces

        scores: dict[str, float] = {}
        for file, names in zip(FILES, (samples.IDENTITY_ATTACKS, samples.TRACE_ATTACKS), strict=True):
            original, reference = _traces(data, "org", file), _traces(data, "ref", file).regions
            cells = traces.cell_lines(release / f"ano{file}.csv")
            owners = samples.shuffled_ids(len(reference), np.random.RandomState(1))
            count = original.shape[1]
            shown = [cell for owner in owners for cell in cells[owner * count : (owner + 1) * count]]
            seen = samples.Published(reference, traces.read_cells(shown, reference.size, f"ano{file}"))
            for name in names[:3]:
                draw = np.random.RandomState(1)
                if file == 1:
                    found = traces.identity_score(owners, samples.guessed_users(name, seen, draw))
                else:
                    found = traces.trace_score(original.regions, samples.guessed_traces(name, seen, draw))
                key = "s_I" if file == 1 else "s_T"
                scores[key] = min(scores.get(key, 1.0), found)
        return scores

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write both files; official methods draw from a seed that comes from ``rng``."""
        import numpy as np

        from tokumei.contests.pws2019.samples import METHODS

        part = make_part(self.sample(METHODS, method, "method"), settings)
        for file in FILES:
            true = _traces(data, "org", file).regions
            cells = part.cells(true, np.random.RandomState(int(rng.integers(2**31))))
            (release / f"ano{file}.csv").write_text("\n".join(("reg_id", *cells, "")))
        return {"method": method, "cells": len(cells)}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return both files under pseudonyms; the users behind them stay with the judge."""
        import numpy as np

        from tokumei.contests.pws2019.samples import shuffled_ids
        from tokumei.contests.pws2019.traces import cell_lines

        del attackers
        common, truth = {}, {}
        for file in FILES:
            original = _traces(data, "org", file)
            words = hashlib.sha256(f"pws2019:{file}:{seed}".encode()).digest()
            owners = shuffled_ids(len(original.users), np.random.RandomState(np.frombuffer(words, dtype=np.uint32)))
            lines = published_lines(original, cell_lines(release / f"ano{file}.csv"), owners)
            common[f"pub{file}"] = (PUBLISHED_HEADER + "".join(f"{line}\n" for line in lines)).encode()
            common[f"ref{file}"] = (data / f"ref{file}.csv").read_bytes()
            first = len(owners) + 1
            table = (f"{first + at},{user}\n" for at, user in enumerate(original.users[owners].tolist()))
            truth[f"ptable{file}"] = ("pse_id,user_id\n" + "".join(table)).encode()
        return Published(common=common, truth=truth)

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write etable and etraces of both files by an official pair of attacks, or ours."""
        import numpy as np

        from tokumei.contests.pws2019.samples import guessed_traces, guessed_users

        del data, settings
        pairs = {
            "random": ("I1-rand", "T1-rand"),
            "visits": ("I2-VisitProb", "T2-VisitProb"),
            "home": ("I3-HomeProb", "T3-HomeProb"),
            "assignment": ("assignment", "assignment"),
        }
        names = self.sample(pairs, attack, "attack")
        for file in FILES:
            reference = _traces(published, "ref", file)
            seen = read_published(reference.regions, published / f"pub{file}.csv")
            users, traces = (
                made(name, seen, np.random.RandomState(int(rng.integers(2**31))))
                for made, name in zip((guessed_users, guessed_traces), names, strict=True)
            )
            for name, header, cells in (("etable", "user_id", reference.users[users]), ("etraces", "reg_id", traces)):
                text = "\n".join((header, *map(str, cells.ravel().tolist()), ""))
                (guesses / f"{name}{file}.csv").write_text(text)
        return {"attack": attack}

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Score etable and etraces of both files."""
        del release, published
        return [self._scored(data, truth, folder) for folder in guesses]

    def _scored(self, data: Path, truth: Path, folder: Path) -> Checked:
        from tokumei.contests.pws2019 import traces
        from tokumei.contests.pws2019.checker import note

        notes: list[Note] = []
        figures: dict[str, float] = {}
        for file in FILES:
            original, owners = _traces(data, "org", file), read_owners(truth / f"ptable{file}.csv")
            for name, wanted in (("etable", len(owners)), ("etraces", original.regions.size)):
                lines = traces.cell_lines(folder / f"{name}{file}.csv")
                # Surplus lines are ignored by the official evaluator.
                if len(lines) < wanted or (self.strict and len(lines) > wanted):
                    notes.append(note("row-count", f"{name}{file}", found=len(lines), wanted=wanted))
                    continue
                try:
                    found = traces.read_cells(lines, wanted, name, sets=False, grid=name == "etraces").members
                except traces.StoppedError as error:
                    notes.append(note_of_error(error, f"{name}{file}"))
                    continue
                if name == "etable":
                    figures[f"s_I{file}"] = traces.identity_score(owners, found)
                else:
                    figures[f"s_T{file}"] = traces.trace_score(original.regions.ravel(), found)
        return Checked.refused(notes) if notes else Checked(valid=True, figures=figures)

    def guess_order(self, figures: Figures) -> tuple[float, ...]:
        """Return the sum of all scores: the attempt that leaves least counts."""
        return (sum(float(figures[column.key]) for column in self.guess_columns),)

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return totals of s_I and s_T, and the sums that attackers left."""
        return round_table(entries, pairs)

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the weighted sums of both."""
        return overall_table(rounds)


def _traces(folder: Path, name: str, file: int | str = "") -> Traces:
    from tokumei.contests.pws2019.traces import read_traces

    return read_traces(folder / f"{name}{file}.csv")
