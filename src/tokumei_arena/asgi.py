"""What the web server loads."""

from __future__ import annotations

import os

import django

from tokumei_arena.web.body_limit import BodyLimit
from tokumei_pages.threads import ThreadedHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tokumei_arena.settings")
django.setup(set_prefix=False)

from tokumei_arena.web.known_visitor import ask  # noqa: E402 - models need the settings

application = BodyLimit(ThreadedHandler(), ask)
