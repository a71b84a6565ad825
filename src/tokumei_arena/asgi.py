"""What the web server loads."""

from __future__ import annotations

import os

import django

from tokumei_arena.web.body_limit import BodyLimit
from tokumei_arena.web.threads import ThreadedHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tokumei_arena.settings")
django.setup(set_prefix=False)
application = BodyLimit(ThreadedHandler())
