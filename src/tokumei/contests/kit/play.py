"""Everything a team does in this contest, from the command line: ``python play.py --help``.

The folders are those of this kit: data/ (what the round handed out), release/ (what you hand in), targets/ (the
published files of the other teams, one folder each) and answers/ (your guesses, one folder for each target).
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np

from tokumei.contests import Checked, Contest, make_contest
from tokumei.errors import TokumeiError

HERE = Path(__file__).resolve().parent
DATA, RELEASE, TARGETS, ANSWERS = (HERE / name for name in ("data", "release", "targets", "answers"))


def rules() -> Contest:
    """Return the contest with the parameters of this round."""
    played = json.loads((HERE / "contest.json").read_text(encoding="utf-8"))
    return make_contest(played["contest"], played["parameters"]).for_round(played["round"])


def show(checked: Checked) -> int:
    """Print what the checker says; return 0 for a valid file and 1 for another one."""
    for note in checked.notes:
        place = ":".join(str(part) for part in (note.file, note.line, note.column) if part)
        print(f"{place} {note.code}: {note.message['en']} / {note.message['ja']}")
    for name, value in checked.figures.items():
        print(f"{name}: {value}")
    print("valid" if checked.valid else f"invalid: {checked.note_count} findings")
    return 0 if checked.valid else 1


def fresh(folder: Path) -> Path:
    """Return a new, empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def generate(size: int | None, seed: int) -> int:
    """Make data like that of the contest, for the time before the round hands out its own."""
    contest = rules()
    assert contest.sizes is not None, "this contest has no generator"
    contest.generate(fresh(DATA), size=size or contest.sizes.demo, seed=seed)
    return show(contest.check_data(DATA))


def anonymize(method: str, settings: dict[str, str], seed: int | None) -> int:
    """Run a sample method on data/, write release/ and check it."""
    rules().anonymize(method, DATA, fresh(RELEASE), settings=settings, rng=np.random.default_rng(seed))
    return check()


def check() -> int:
    """Check and measure release/ as the server does."""
    return show(rules().check_release(DATA, RELEASE))


def attack(name: str, settings: dict[str, str], seed: int | None) -> int:
    """Run a sample attack on every folder in targets/ and write answers/."""
    contest, rng = rules(), np.random.default_rng(seed)
    for target in sorted(path for path in TARGETS.iterdir() if path.is_dir()):
        contest.attack(name, DATA, target, fresh(ANSWERS / target.name), settings=settings, rng=rng)
        print(f"answers/{target.name}")
    return 0


def rehearse(name: str, settings: dict[str, str], seed: int | None) -> int:
    """Attack the own release/ as the others will, and score the attack as the judge would."""
    contest = rules()
    made = contest.publish(DATA, RELEASE, attackers=["rehearsal"], seed=str(seed or 0))
    place = fresh(HERE / "rehearsal")
    guesses = fresh(place / "guesses")
    for folder, files in {
        place / "published": made.common,
        place / "truth": made.truth,
        guesses / "published": made.per_attacker.get("rehearsal", {}),
        guesses / "truth": made.truth_per_attacker.get("rehearsal", {}),
        place / "seen": {**made.common, **made.per_attacker.get("rehearsal", {})},
    }.items():
        folder.mkdir(exist_ok=True)
        names = {spec.name: spec.filename for spec in contest.published_files}
        for file, data in files.items():
            (folder / names.get(file, file if "." in file else f"{file}.csv")).write_bytes(data)
    contest.attack(name, DATA, place / "seen", guesses, settings=settings, rng=np.random.default_rng(seed))
    published, truth = place / "published", place / "truth"
    (checked,) = contest.score_guesses(DATA, RELEASE, published=published, truth=truth, guesses=[guesses])
    return show(checked)


def pack() -> int:
    """Pack release/ into release.zip and all of answers/ into answers.zip, as the upload forms take them."""
    contest = rules()
    with zipfile.ZipFile(HERE / "release.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for spec in contest.release_files:
            if (RELEASE / spec.filename).is_file():
                archive.write(RELEASE / spec.filename, spec.filename)
    with zipfile.ZipFile(HERE / "answers.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in sorted(ANSWERS.iterdir()) if ANSWERS.is_dir() else ():
            for spec in contest.guess_files:
                if (folder / spec.filename).is_file():
                    archive.write(folder / spec.filename, f"{folder.name}-{spec.filename}")
    print("release.zip answers.zip")
    return 0


def main() -> int:
    """Do what the first word says."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("generate", help=generate.__doc__)
    making.add_argument("--size", type=int)
    for name, about in (("anonymize", anonymize), ("attack", attack), ("rehearse", rehearse)):
        command = commands.add_parser(name, help=about.__doc__)
        command.add_argument("name", help="the sample method or attack")
        command.add_argument("settings", nargs="*", metavar="name=value", help="settings of it")
    for command in commands.choices.values():
        command.add_argument("--seed", type=int)
    commands.add_parser("check", help=check.__doc__)
    commands.add_parser("pack", help=pack.__doc__)
    words = parser.parse_args()
    try:
        if words.command == "generate":
            return generate(words.size, words.seed or 0)
        if words.command in ("check", "pack"):
            return check() if words.command == "check" else pack()
        settings = dict(text.partition("=")[::2] for text in words.settings)
        run = {"anonymize": anonymize, "attack": attack, "rehearse": rehearse}[words.command]
        return run(words.name, settings, words.seed)
    except TokumeiError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
