"""What the web server loads."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tokumei_arena.settings")
application = get_asgi_application()
