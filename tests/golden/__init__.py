"""The golden runner: inputs with what the official programs gave for them, replayed through the commands.

``python -m tests.golden FOLDER`` finds every ``expected.json`` below FOLDER. A year's part stands with its tests:
``tests/contests/pwsYYYY/golden_cases.py`` maps kinds to functions, ``KINDS: dict[str, Check]``; each takes a `Case`,
runs commands and yields what differs. Nothing else has to be registered.
"""

from tests.golden.cases import Case, Check, Miss, compare, data_rows, find_cases, run_case

__all__ = ["Case", "Check", "Miss", "compare", "data_rows", "find_cases", "run_case"]
