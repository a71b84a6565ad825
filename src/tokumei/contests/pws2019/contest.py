"""PWS Cup 2019 as a contest: two files of location traces, against identity and trace inference (spec 4).

File 1 is judged by whether its pseudonyms are re-identified, file 2 by whether the original traces are inferred.
Attackers have the reference traces of the same people from the days before. Every team has people of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tokumei.contests.declared import DeclaredContest, private_seed
from tokumei.contests.notes import note_of_error
from tokumei.contests.ranking import Board
from tokumei.contests.values import Checked, Entry, Figures, Published
from tokumei.errors import TokumeiError
from tokumei.parts import make_part, parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from tokumei.array_types import Ints
    from tokumei.attacks import SeenTraces
    from tokumei.data import RegionTraces

LEAST_UTILITY = 0.7
FILES = (1, 2)
TRACE_HEADER = "user_id,time_id,reg_id"
# The pair of official attacks, or ours, behind a name.
ATTACKS = {
    "random": ("I1-rand", "T1-rand"),
    "visits": ("I2-VisitProb", "T2-VisitProb"),
    "home": ("I3-HomeProb", "T3-HomeProb"),
    "assignment": ("assignment", "assignment"),
}


def published_lines(
    original: RegionTraces, cells: Sequence[str], owners: Ints
) -> tuple[tuple[str, list[str]], tuple[str, list[str]]]:
    """Return the published traces and the table of pseudonyms, each with its header; pseudonyms follow the users."""
    count, first = original.shape[1], len(owners) + 1
    shown = [
        f"{pseudonym},{time},{cell}"
        for pseudonym, owner in enumerate(owners.tolist(), first)
        for time, cell in zip(original.times.tolist(), cells[owner * count : (owner + 1) * count], strict=True)
    ]
    owned = [f"{pseudonym},{user}" for pseudonym, user in enumerate(original.users[owners].tolist(), first)]
    return ("pse_id,time_id,reg_id", shown), ("pse_id,user_id", owned)


def read_published(reference: Ints, path: Path) -> SeenTraces:
    """Read published traces beside the reference traces of the same people."""
    from tokumei.attacks import SeenTraces
    from tokumei.contests.pws2019.traces import cell_lines, read_cells

    cells = [line.split(",", 2)[-1] for line in cell_lines(path)]
    return SeenTraces(reference, read_cells(cells, reference.size, str(path)))


@dataclass(frozen=True, kw_only=True)
class Pws2019(DeclaredContest):
    """Location traces of regions against re-identification and trace inference."""

    name: ClassVar[str] = "pws2019"
    strict: bool = parameter(False, "refuse what the official check lets pass by mistake")
    days: int = parameter(2, "days of the original traces, and of the reference before them", low=1, high=20)

    def for_round(self, kind: str) -> Pws2019:
        """Return the contest with the days of a round: twenty in the final, two before."""
        return replace(self, days=20 if kind == "final" else 2)

    def generate(self, data: Path, *, size: int, seed: int) -> None:
        """Write reference and original traces of so many people, twice."""
        import numpy as np

        from tokumei.contests.pws2019.traces import SLOTS_PER_DAY
        from tokumei.synth import generate_region_traces

        times = SLOTS_PER_DAY * self.days
        for file in FILES:
            regions = generate_region_traces(size, 2 * self.days, np.random.default_rng([seed, file]))
            for name, first in (("ref", 0), ("org", times)):
                rows = (
                    f"{user},{time + 1},{region}"
                    for user, trace in enumerate(regions.tolist(), 1)
                    for time, region in enumerate(trace[first : first + times], first)
                )
                (data / f"{name}{file}.csv").write_bytes(_text(TRACE_HEADER, rows))

    def generate_private(self, base: Path, data: Path, *, size: int | None, seed: int) -> None:
        """Write the traces of other people, by default as many as in the common files."""
        self.generate(data, size=size or _traces(base, "org1").shape[0], seed=private_seed(seed))

    def check_data(self, data: Path) -> Checked:
        """Check that all four files hold traces of the same users."""
        import numpy as np

        from tokumei.contests.findings import Findings
        from tokumei.contests.pws2019.checker import HOME
        from tokumei.contests.pws2019.traces import GRID

        refused, read = Findings(HOME), []
        for file in self.data_files:
            try:
                read.append(_traces(data, file.name))
            except TokumeiError as error:
                return Checked.refused([note_of_error(error, file.name)])
        users, times = read[-1].shape
        same = all(one.shape == (users, times) and (one.users == read[-1].users).all() for one in read)
        if not (same and all(np.isin(one.regions, np.arange(1, GRID.count + 1)).all() for one in read)):
            refused.add("data", "org1")
            return refused.refusal()
        return Checked(valid=True, figures={"users": users, "times": times})

    def check_release(self, data: Path, release: Path) -> Checked:
        """Check both files, measure them, and run the sample attacks on them."""
        from tokumei.contests.findings import Findings
        from tokumei.contests.official import StoppedError
        from tokumei.contests.pws2019 import checker, traces
        from tokumei.data import read_bytes

        found, utilities = Findings(checker.HOME), []
        for file in FILES:
            true = _traces(data, f"org{file}").regions.ravel()
            name, path = f"ano{file}", release / f"ano{file}.csv"
            checked = checker.check_cells(read_bytes(path, allow_empty=True), name, rows=len(true), strict=self.strict)
            found.take(checked)
            if not checked.valid or not checked.official["valid"]:
                continue
            try:
                utilities.append(traces.utility(true, traces.read_cells(traces.cell_lines(path), len(true), name)))
            except StoppedError as error:
                found.add_error(error, name)
                continue
            if utilities[-1] < LEAST_UTILITY:
                found.add("low-utility", name, found=utilities[-1], least=LEAST_UTILITY)
        if not found.valid or len(utilities) < len(FILES):
            return found.refusal()
        return Checked(valid=True, figures={"s_U": min(utilities), **self._sample_scores(data, release)})

    def _sample_scores(self, data: Path, release: Path) -> Figures:
        """Return what the sample attacks leave of s_I in file 1 and of s_T in file 2."""
        import numpy as np

        from tokumei.attacks import SeenTraces
        from tokumei.contests.pws2019 import samples, traces

        left: dict[int, list[float]] = {}
        for file, names in zip(FILES, (samples.IDENTITY_ATTACKS, samples.TRACE_ATTACKS), strict=True):
            true, reference = _traces(data, f"org{file}").regions, _traces(data, f"ref{file}").regions
            owners = samples.shuffled_ids(len(reference), np.random.RandomState(1))
            cells = np.array(traces.cell_lines(release / f"ano{file}.csv")[: true.size]).reshape(true.shape)[owners]
            seen = SeenTraces(reference, traces.read_cells(cells.ravel().tolist(), true.size, f"ano{file}"))
            left[file] = [
                traces.identity_score(owners, samples.guessed_users(name, seen, np.random.RandomState(1)))
                if file == 1
                else traces.trace_score(true, samples.guessed_traces(name, seen, np.random.RandomState(1)))
                for name in names[:3]
            ]
        return {"s_I": min(left[1]), "s_T": min(left[2])}

    def anonymize(self, method: str, data: Path, release: Path, *, settings: Figures, rng: Generator) -> Figures:
        """Write both files; official methods draw from a seed that comes from ``rng``."""
        import numpy as np

        from tokumei.contests.pws2019.samples import METHODS
        from tokumei.contests.pws2019.traces import GRID

        part = make_part(self.sample(METHODS, method, "method"), settings)
        for file in FILES:
            true = _traces(data, f"org{file}").regions
            cells = part.cells(true, GRID, np.random.RandomState(int(rng.integers(2**31))))
            (release / f"ano{file}.csv").write_bytes(_text("reg_id", cells))
        return {"method": method, "cells": len(cells)}

    def publish(self, data: Path, release: Path, *, attackers: Sequence[str], seed: str) -> Published:
        """Return both files under pseudonyms; the users behind them stay with the judge."""
        import numpy as np

        from tokumei.contests.pws2019.samples import shuffled_ids
        from tokumei.contests.pws2019.traces import cell_lines

        del attackers
        common: dict[str, bytes] = {}
        truth = {}
        for file in FILES:
            original = _traces(data, f"org{file}")
            words = hashlib.sha256(f"pws2019:{file}:{seed}".encode()).digest()
            owners = shuffled_ids(len(original.users), np.random.RandomState(np.frombuffer(words, dtype=np.uint32)))
            shown, owned = published_lines(original, cell_lines(release / f"ano{file}.csv"), owners)
            common |= {f"pub{file}": _text(*shown), f"ref{file}": (data / f"ref{file}.csv").read_bytes()}
            truth[f"ptable{file}"] = _text(*owned)
        return Published(common=common, truth=truth)

    def attack(
        self, attack: str, data: Path, published: Path, guesses: Path, *, settings: Figures, rng: Generator
    ) -> Figures:
        """Write etable and etraces of both files by an official pair of attacks, or ours."""
        import numpy as np

        from tokumei.contests.pws2019.samples import guessed_traces, guessed_users

        del data, settings
        names = self.sample(ATTACKS, attack, "attack")
        for file in FILES:
            reference = _traces(published, f"ref{file}")
            seen = read_published(reference.regions, published / f"pub{file}.csv")
            users, traces = (
                guessed(name, seen, np.random.RandomState(int(rng.integers(2**31))))
                for guessed, name in zip((guessed_users, guessed_traces), names, strict=True)
            )
            (guesses / f"etable{file}.csv").write_bytes(_text("user_id", reference.users[users].tolist()))
            (guesses / f"etraces{file}.csv").write_bytes(_text("reg_id", traces.ravel().tolist()))
        return {"attack": attack}

    def score_one(self, data: Path, truth: Path, guesses: Path) -> Checked:
        """Score etable and etraces of both files."""
        from tokumei.contests.findings import Findings
        from tokumei.contests.official import StoppedError
        from tokumei.contests.pws2019 import checker, traces

        found, figures = Findings(checker.HOME), {}
        for file in FILES:
            true, owners = _traces(data, f"org{file}").regions.ravel(), traces.read_owners(truth / f"ptable{file}.csv")
            for name, wanted in ((f"etable{file}", len(owners)), (f"etraces{file}", true.size)):
                places = name.startswith("etraces")
                try:
                    lines = traces.cell_lines(guesses / f"{name}.csv")
                    # Surplus lines are ignored by the official evaluator.
                    if len(lines) < wanted or (self.strict and len(lines) > wanted):
                        found.add("row-count", name, found=len(lines), wanted=wanted)
                        continue
                    named = traces.read_cells(lines, wanted, name, sets=False, grid=places).members
                except StoppedError as error:
                    found.add_error(error, name)
                    continue
                if places:
                    figures[f"s_T{file}"] = traces.trace_score(true, named)
                else:
                    figures[f"s_I{file}"] = traces.identity_score(owners, named)
        return Checked(valid=True, figures=figures) if found.valid else found.refusal()

    def guess_order(self, figures: Figures) -> tuple[float, ...]:
        """Return the sum of all scores: the attempt that leaves least counts."""
        return (sum(float(figures[column.key]) for column in self.guess_columns),)

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return what attackers and sample attacks left of s_I in file 1 and of s_T in file 2."""
        own, against = entry.figures or {}, board.against(entry.team)
        identity = min([float(own["s_I"]), *(float(figures["s_I1"]) for figures in against)])
        trace = min([float(own["s_T"]), *(float(figures["s_T2"]) for figures in against)])
        # What rounds of before kept may lack the utility.
        useful = {name: value for name, value in own.items() if name == "s_U"}
        return {"total": identity + trace, "s_I": identity, "s_T": trace, **useful}

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return what a team left of all others, everything where nothing valid came."""
        own, names = board.by(entry.team), [column.key for column in self.guess_columns]
        aims = [team for team in board.released if team != entry.team]
        return {"sum": sum(float(own[team][name]) if team in own else 1.0 for team in aims for name in names)}


def _traces(folder: Path, name: str) -> RegionTraces:
    from tokumei.data import read_region_traces

    return read_region_traces(folder / f"{name}.csv")


def _text(header: str, lines: Iterable[object]) -> bytes:
    return "".join(f"{line}\n" for line in (header, *lines)).encode()
