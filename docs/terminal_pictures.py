"""Draw the terminals of the quick start: ``python docs/terminal_pictures.py`` rewrites docs/images/terminal-*.svg.

The commands run in a new folder, so that the pictures show real output. `anonymize` takes about half a minute.
"""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

__all__ = ["draw", "run"]

FOLDER = Path(__file__).resolve().parent / "images"
COLUMNS = 88
DATA = "tokumei synth purchases --subjects 200 --seed 1 -o purchases.csv"
SHOWN = {
    "terminal-describe.svg": "tokumei describe purchases.csv -o schema.toml",
    "terminal-anonymize.svg": "tokumei anonymize purchases.csv --schema schema.toml --k 3 -o release",
}
# Rich's own frame fetches a font from the network; this one takes the reader's fixed-width font.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>A terminal</title>
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px; \
line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def run(command: str, folder: Path) -> str:
    """Return what a command prints on a terminal, with its colours."""
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", "tokumei", *shlex.split(command)[1:]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def draw(command: str, output: str, name: str) -> str:
    """Return the picture of a terminal in which a command has run."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ {command}\n{output.rstrip()}"))
    return console.export_svg(title="tokumei", theme=SVG_EXPORT_THEME, code_format=FRAME, unique_id=name)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        run(DATA, Path(folder))
        for file, command in SHOWN.items():
            (FOLDER / file).write_text(
                draw(command, run(command, Path(folder)), file.removesuffix(".svg")), encoding="utf-8"
            )
