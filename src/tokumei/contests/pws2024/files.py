"""The columns of PWS Cup 2024: one table of people with ratings, published as ten tables (later contests, spec 3)."""

from __future__ import annotations

import tomllib
from pathlib import Path

HOME = "tokumei.contests.pws2024"
NAME = "Name"
BASICS = ("Gender", "Age", "Occupation", "ZIP-code")
KNOWN = (NAME, *BASICS)
_FACTS = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
MOVIES = tuple(_FACTS["movies"].split())
COLUMNS = (*KNOWN, *MOVIES)
RATINGS = tuple("012345")
TABLES, JOINED = (tuple(tuple(line.split()) for line in _FACTS[name]) for name in ("tables", "joined"))
TEST_ROWS = 50
# What the official error is divided by, whatever the number of rows.
OFFICIAL_DIVISOR = 20_000
