"""Settings of the server tests: those of the arena, in a folder of their own, on SQLite or PostgreSQL."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

if "TOKUMEI_ARENA_HOME" not in os.environ:
    if "mypy" in sys.modules:
        # Mypy loads these settings too, and ends without cleaning up: one folder for all its runs, beside its cache.
        os.environ["TOKUMEI_ARENA_HOME"] = str(Path(__file__).resolve().parents[2] / ".venv" / ".mypy_cache" / "arena")
    else:
        # Whoever makes the folder removes it at its end; the workers of a run of tests have folders within it.
        os.environ["TOKUMEI_ARENA_HOME"] = tempfile.mkdtemp(prefix="arena-test-")
        atexit.register(shutil.rmtree, os.environ["TOKUMEI_ARENA_HOME"], ignore_errors=True)
# Tests that run beside each other must not see each other's half written files.
WORKER = os.environ.get("PYTEST_XDIST_WORKER")
if WORKER and "arena-test-" in os.environ["TOKUMEI_ARENA_HOME"].rpartition("/")[2]:
    os.environ["TOKUMEI_ARENA_HOME"] += f"/{WORKER}"
os.environ.setdefault("TOKUMEI_ARENA_SECRET", "only for tests " * 4)
os.environ.setdefault("TOKUMEI_ARENA_HOSTS", "localhost,127.0.0.1,testserver")

from tokumei_arena.settings import *  # noqa: E402, F403

# Argon2 is slow on purpose; one test checks that the real settings use it.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}  # noqa: F405
# Threads of a test meet on a file as processes do; a database in memory knows no waiting.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": f"{os.environ['TOKUMEI_ARENA_HOME']}/test.sqlite3"}  # noqa: F405
# Boards show what is, not what was a moment ago.
ARENA_LIMITS = {**ARENA_LIMITS, "board_seconds": 0}  # noqa: F405
# Static files are served from their sources; WhiteNoise only wants the folder to exist.
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405
# Pages that refuse something are logged; threads of a test's server would write to a stream that is closed by then.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"nowhere": {"class": "logging.NullHandler"}},
    "root": {"handlers": ["nowhere"]},
    "loggers": {"tokumei_arena": {"level": "INFO"}},
}
