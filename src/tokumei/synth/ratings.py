"""People with their ratings of films, without any real person.

A few hidden tastes decide every rating, as occupation, age and place do a little; which rating belongs to which end of
a taste differs from film to film. A third of the cells or so are 0: not seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

_GIVEN = """Aiko Bruno Chika Daria Emil Fumi Gaston Hana Ivo Juno Kaede Lorin Mio Nils Oda Petra Quinn Rei Sora Tilda
Ugo Vera Wim Xenia Yui Zeno"""
_FAMILY = """Abbott Brenner Castell Dorsey Ekdahl Furuya Garnet Hollis Imura Jansen Kuroda Lindell Morita Norwell Okubo
Prentice Quade Renard Sakaki Thorne Ueda Valente Whitlock Xavier Yagi Zeller"""
_AGES = ("1", "18", "25", "35", "45", "50", "56")
OCCUPATIONS = 21
TASTES = 5
PEOPLE_PER_PLACE = 20
VALUES = 6


def generate_ratings(size: int, seed: int, films: Sequence[str]) -> pl.DataFrame:
    """Return so many people with name, gender, age, occupation, ZIP code and a rating from 0 to 5 of every film."""
    rng = np.random.default_rng(seed)
    given, family = _GIVEN.split(), _FAMILY.split()
    names = [
        f"{given[place % 26]} {family[place // 26 % 26]}{'' if place < 676 else f' {place // 676 + 1}'}"
        for place in range(size)
    ]
    places = max(size // PEOPLE_PER_PLACE, 2)
    weights = rng.gamma(4.0, size=places)
    codes = rng.choice(900, size=places, replace=False) + 100 if places <= 900 else np.arange(100, 100 + places)
    place = rng.choice(places, size=size, p=weights / weights.sum())
    age, occupation = rng.integers(len(_AGES), size=size), rng.integers(OCCUPATIONS, size=size)
    gender = rng.integers(2, size=size)
    effects = [
        rng.normal(0, spread, (count, TASTES)) for count, spread in ((2, 0.3), (7, 0.5), (21, 0.5), (places, 0.3))
    ]
    taste = rng.normal(size=(size, TASTES))
    for effect, codes_of in zip(effects, (gender, age, occupation, place), strict=True):
        taste += effect[codes_of]
    columns = {
        "Name": names,
        "Gender": [("F", "M")[code] for code in gender],
        "Age": [_AGES[code] for code in age],
        "Occupation": [str(code) for code in occupation],
        "ZIP-code": [str(codes[code]) for code in place],
    }
    for film in films:
        liking = taste @ rng.normal(0, 0.7, TASTES) + rng.normal(0, 0.8, size)
        shares = rng.dirichlet(np.ones(VALUES) * 4.0 + np.array([6.0, 0, 0, 0, 0, 0]))
        order = rng.permutation(VALUES)
        ranks = np.argsort(np.argsort(liking)) / size
        steps = np.searchsorted(np.cumsum(shares[order])[:-1], ranks, side="right")
        columns[film] = [str(value) for value in order[steps]]
    return pl.DataFrame(columns)
