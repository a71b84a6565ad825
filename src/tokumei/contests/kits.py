"""A starter kit of a contest, made from its contract: a script, a notebook and a guide in both languages.

Whoever hands it out adds the files of ``data/``. Every registered contest has one; nothing here knows a year by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tokumei.contests.base import Contest
from tokumei.contests.values import Column, FileSpec

SOURCES = Path(__file__).parent / "kit"
CONTENTS = {
    "en": {
        "data/": "the data of the round",
        "play.py": "sample methods, sample attacks, the checker and packing as commands",
        "samples.sh": "every sample method and attack of this contest, one after the other",
        "notebook.ipynb": "the same way in a notebook",
        "contest.json": "the parameters of this round",
    },
    "ja": {
        "data/": "ラウンドのデータ",
        "play.py": "サンプル加工、サンプル攻撃、検査、提出用zipの作成をコマンドで行うスクリプト",
        "samples.sh": "この大会のすべてのサンプル加工と攻撃を順に実行するスクリプト",
        "notebook.ipynb": "同じ手順のノートブック",
        "contest.json": "このラウンドの設定",
    },
}
BETTER = {
    "en": {"lower": "lower is better", "higher": "higher is better"},
    "ja": {"lower": "小さいほどよい", "higher": "大きいほどよい"},
}


def starter_kit(contest: Contest, *, kind: str, parameters: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files of a kit for a round of this kind, by their names; ``parameters`` are those of the contest."""
    played = {"contest": contest.name, "round": kind, "parameters": dict(parameters)}
    texts = {
        "README.md": _readme(contest, "en"),
        "README.ja.md": _readme(contest, "ja"),
        "play.py": (SOURCES / "play.py").read_text(encoding="utf-8"),
        "samples.sh": _samples(contest),
        "notebook.ipynb": json.dumps(_notebook(contest), ensure_ascii=False, indent=1) + "\n",
        "contest.json": json.dumps(played, ensure_ascii=False, indent=1) + "\n",
    }
    return {name: text.encode() for name, text in texts.items()}


def _readme(contest: Contest, language: str) -> str:
    example = f"Opal-{contest.guess_files[0].filename}" if contest.guess_files else ""
    return (
        (SOURCES / f"README.{language}.md")
        .read_text(encoding="utf-8")
        .format(
            name=contest.name,
            title=contest.title[language],
            about=contest.about[language],
            files=_bullets((f"`{name}`", about) for name, about in CONTENTS[language].items()),
            release_files=_files(contest.release_files, language),
            published_files=_files(contest.published_files, language),
            guess_files=_files(contest.guess_files, language),
            method_commands=_commands("anonymize", contest.methods),
            rehearsal_commands=_commands("rehearse", contest.attacks[:1]),
            attack_commands=_commands("attack", contest.attacks),
            answer_example=f"`{example}`",
            figures=_bullets(_figures(contest, language)),
        )
    )


def _bullets(lines: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {name}: {text}" for name, text in lines)


def _files(specs: Sequence[FileSpec], language: str) -> str:
    listed = (f"`{spec.filename}` ({spec.about[language]})" for spec in specs)
    return (", " if language == "en" else "、").join(listed)


def _commands(command: str, names: Sequence[str]) -> str:
    return "\n".join(f"python play.py {command} {name}" for name in names)


def _figures(contest: Contest, language: str) -> list[tuple[str, str]]:
    meaning = contest.explanations()
    columns: dict[str, Column] = {}
    for column in (*contest.release_columns, *contest.guess_columns):
        columns.setdefault(column.key, column)
    lines = []
    for key, column in columns.items():
        better = BETTER[language].get(column.better, "")
        told = meaning[key][language] if key in meaning else column.title[language]
        lines.append((f"`{key}`" + (f" ({better})" if better else ""), told))
    return lines


def _samples(contest: Contest) -> str:
    lines = [
        "#!/bin/sh",
        "# Every sample of this contest. Releases are attacked by the first sample attack.",
        "set -eu",
    ]
    for method in contest.methods:
        lines += [f"echo '== {method}'", f"python play.py anonymize {method} || true"]
        lines += [f"python play.py rehearse {contest.attacks[0]} || true"] if contest.attacks else []
    lines += [
        f"if [ -d targets ]; then echo '== {attack}'; python play.py attack {attack}; fi" for attack in contest.attacks
    ]
    return "\n".join([*lines, ""])


def _notebook(contest: Contest) -> dict[str, Any]:
    """Return a notebook (nbformat 4.5) that goes from the data to an attack on the own release."""
    method, first = contest.methods[0] if contest.methods else "", contest.release_files[0].filename
    cells = [
        _text(f"# {contest.title['en']} / {contest.title['ja']}\n\nREADME.md, README.ja.md"),
        _code("import play\n\ncontest = play.rules()"),
        _text("## The data / データ"),
        _code(
            "for path in sorted(play.DATA.iterdir()):\n"
            "    print(path.name, path.stat().st_size)\n"
            "play.show(contest.check_data(play.DATA))"
        ),
        _text("## Sample methods / サンプル加工"),
        _code(f"contest.methods, play.anonymize({method!r}, {{}}, seed=1)"),
        _text(
            f"## Your own idea / 自分の工夫\n\nChange `release/{first}` here, then check it again. / "
            f"ここで `release/{first}` を変更し、もう一度検査してください。"
        ),
        _code(
            f"path = play.RELEASE / {first!r}\n"
            "lines = path.read_text(encoding='utf-8').splitlines()\n"
            "# lines = [...]\n"
            "path.write_text('\\n'.join(lines) + '\\n', encoding='utf-8')\n"
            "play.check()"
        ),
    ]
    if contest.attacks:
        cells += [
            _text("## An attack on it / それに対する攻撃"),
            _code(f"contest.attacks, play.rehearse({contest.attacks[0]!r}, {{}}, seed=1)"),
            _text("## Pack / 提出用にまとめる"),
            _code("play.pack()"),
        ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    named = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    return {"cells": named, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
