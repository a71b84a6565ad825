"""What the web server loads."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

from tokumei_arena.web.body_limit import BodyLimit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tokumei_arena.settings")
application = BodyLimit(get_asgi_application())
