"""The parameters of the attackers who know little: all in one place, so that a report can say what was tried."""

from __future__ import annotations

# How many people are looked for; a quick look takes fewer.
LADDER_PEOPLE, QUICK_PEOPLE = 400, 100
# Attackers know 1 to this many records of a person; where one number stands for all, it is the usual one.
MOST_RECORDS, USUAL_RECORDS = 5, 3
# What somebody knows who does not remember exactly: a day by three, an amount by a tenth, a place by a kilometre.
BLUR_DAYS, BLUR_SHARE, KILOMETRE_DEGREES = 3, 0.1, 0.009
# The share of records that a release may have lost, or changed beyond recognition.
LOST = 0.005
# Who knows so many records knows whose history it is; more would only take time.
MOST_KNOWN = 30
# A value that no row shows is not impossible for somebody else.
NOTHING_SEEN = 1e-7
# A class is taken apart if it is so probable; that is the expensive step.
PROBABLE = 0.1
# A class that is less probable than this is not thought of.
FORGOTTEN = 1e-6
# Of a person who is in no class the attacker thinks of so many popular values.
MOST_POPULAR = 1_000
# An attacker is sure of a value that he believes in so much.
SURE = 0.95
# The false alarms that a test of membership may raise where one number stands for the curve (Carlini et al. 2022).
LOW_RATE = 0.01
SECONDS_PER_HOUR, SECONDS_PER_DAY = 3_600, 86_400
# Members of a class are taken apart in so many rounds; of larger classes only so many members are told apart.
ROUNDS, MOST_MEMBERS = 40, 30
# What a value counts for every member before any is seen, what a known one counts for the target, and by how much
# members differ at the start.
PRIOR, ANCHOR, UNLIKE = 0.05, 20.0, 0.02
