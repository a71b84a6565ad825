"""``tokumei arena``: every command of the arena, found through the entry-point group ``tokumei.commands``.

Nothing heavy is imported here: ``tokumei --help`` loads this module.
"""

from __future__ import annotations

import typer

from tokumei.cli.examples import add_examples
from tokumei_arena.commands import client, demo, desk, doctor, serve

app = typer.Typer(no_args_is_help=True, help="Run contests between anonymizers and attackers, or take part in one.")
serve.register(app)
client.register(app)
demo.register(app)
desk.register(app)
doctor.register(app)
add_examples(app, "tokumei_arena.commands", "arena")
