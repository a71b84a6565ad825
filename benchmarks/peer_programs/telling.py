"""What every peer program prints: one JSON document with version, CPU seconds and result."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version


def tell(package: str, run: Callable[[], object]) -> None:
    """Run the peer and print what it did; what it prints itself goes to stderr."""
    printed, sys.stdout = sys.stdout, sys.stderr
    begin = time.process_time()
    result = run()
    seconds = time.process_time() - begin
    sys.stdout = printed
    print(json.dumps({"version": version(package), "seconds": seconds, "result": result}))
