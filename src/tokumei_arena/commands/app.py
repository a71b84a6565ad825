"""``tokumei arena``: every command of the arena, found through the entry-point group ``tokumei.commands``.

Nothing heavy is imported here: ``tokumei --help`` loads this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from tokumei.cli.examples import add_examples
from tokumei_arena.commands import client, demo, desk, serve

EXAMPLES: Mapping[str, Sequence[str]] = {
    "arena serve": ("arena serve", "arena serve --host 0.0.0.0 --port 8080"),
    "arena worker": ("arena worker",),
    "arena manage": ("arena manage check --deploy",),
    "arena login": ("arena login https://arena.example.org",),
    "arena status": ("arena status", "arena status --contest spring --json"),
    "arena submit": ("arena submit A.csv --wait", "arena submit A.csv --contest spring --round preliminary"),
    "arena attack": ("arena attack otter guesses.csv --wait",),
    "arena download": ("arena download data -o data", "arena download targets -o targets"),
    "arena board": ("arena board", "arena board --contest spring --round final"),
    "arena demo": ("arena demo", "arena demo --teams 4 --seed 1 --exit"),
    "arena verify-log": ("arena verify-log",),
    "arena export": ("arena export spring -o spring.zip",),
    "arena import": ("arena import spring.zip --slug spring-again",),
    "arena backup": ("arena backup -o arena.backup.zip",),
    "arena restore": ("arena restore arena.backup.zip",),
    "arena erase": ("arena erase aiko@example.org",),
    "arena referee-link": ("arena referee-link --address https://arena.example.org",),
}

app = typer.Typer(no_args_is_help=True, help="Run contests between anonymizers and attackers, or take part in one.")
serve.register(app)
client.register(app)
demo.register(app)
desk.register(app)
add_examples(app, "arena ", EXAMPLES)
