"""Check the message of a commit: ``commit_subject.py FILE``, called by the commit-msg hook."""

from __future__ import annotations

import sys
from pathlib import Path

LONGEST = 72


def faults(message: str) -> list[str]:
    """Return what is wrong with a message, one sentence each."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if subject.startswith(("Merge ", "Revert ", "fixup! ", "squash! ")):
        return []
    wrong = []
    if not subject.strip():
        wrong.append("the first line is empty: say there what the commit does")
    if len(subject) > LONGEST:
        wrong.append(f"the subject has {len(subject)} characters, {LONGEST} are allowed: move the rest to the body")
    if subject.endswith("."):
        wrong.append("the subject ends with a full stop: leave it out")
    if len(lines) > 1 and lines[1].strip():
        wrong.append("the second line is not empty: a blank line parts subject and body")
    return wrong


if __name__ == "__main__":
    found = faults(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.exit("\n".join(f"commit message: {fault}" for fault in found) or 0)
