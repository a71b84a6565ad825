"""The Japanese catalogue is complete, compiled, and keeps every placeholder and tag."""

from __future__ import annotations

import gettext
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "tokumei_arena"
CATALOGUE = Path("locale/ja/LC_MESSAGES/django.po")
PLACEHOLDER = re.compile(r"%\(\w+\)\w|%s|</?\w+")


def need_gettext() -> None:
    """Skip where the tools are missing, unless that is a failure."""
    if shutil.which("msgfmt") is None:
        message = "gettext is not installed: apt-get install gettext"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)


def _messages(compiled: Path) -> dict[str, str]:
    with compiled.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    return {key[0] if isinstance(key, tuple) else key: text for key, text in catalogue.items() if key}


@pytest.mark.half_second
def test_the_catalogue_holds_everything_the_arena_says(tmp_path: Path) -> None:
    need_gettext()
    copy = tmp_path / "tokumei_arena"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.mo"))
    command = "from django.core.management import execute_from_command_line as run; import sys; run(sys.argv)"
    words = ["makemessages", "-l", "ja", "--no-wrap", "--no-location", "--no-obsolete"]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.arena.settings", "PYTHONPATH": str(SOURCE.parents[1])}
    subprocess.run([sys.executable, "-c", command, *words], cwd=copy, env=environment, check=True, capture_output=True)
    for flag, what in (("--untranslated", "not translated"), ("--only-fuzzy", "doubtful")):
        listed = subprocess.run(
            ["msgattrib", flag, "--no-obsolete", copy / CATALOGUE], check=True, capture_output=True, text=True
        ).stdout
        assert listed == "", f"{what} (run 'make messages'):\n{listed}"


def test_the_compiled_catalogue_is_the_written_one(tmp_path: Path) -> None:
    need_gettext()
    compiled = tmp_path / "django.mo"
    subprocess.run(["msgfmt", "--check", "-o", compiled, SOURCE / CATALOGUE], check=True)
    assert _messages(compiled) == _messages((SOURCE / CATALOGUE).with_suffix(".mo"))


def test_translations_keep_placeholders_and_tags() -> None:
    text = (SOURCE / CATALOGUE).read_text(encoding="utf-8")
    entries = re.findall(r'^msgid "(.+)"\nmsgstr "(.+)"$', text, re.MULTILINE)
    assert len(entries) > 700
    for original, translation in entries:
        assert sorted(PLACEHOLDER.findall(original)) == sorted(PLACEHOLDER.findall(translation)), original
