"""Messages of the server as lines of JSON, for programs that collect them."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime


class JsonLine(logging.Formatter):
    """Writes one object per message: time, level, logger, message, its own fields, and a traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
