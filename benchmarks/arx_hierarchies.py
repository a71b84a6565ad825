"""The generalization hierarchies of Adult that come with ARX, as facts: which values stand together at which level.

ARX (github.com/arx-deidentifier/arx, ``data/adult_hierarchy_*.csv``) has one file per column; here the same trees are
written from the top and turned into such files. England stands in Europe, as in the versions since 2015: with these the
losses that ARX states in its own tests come out (``tests/methods/test_recoding.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SEVEN = ("age", "education", "marital_status", "race", "sex", "native_country", "occupation")
_EDUCATION = {
    "Higher education": {
        "Undergraduate": "Bachelors Some-college",
        "Professional Education": "Prof-school Assoc-acdm Assoc-voc",
        "Graduate": "Masters Doctorate",
    },
    "Secondary education": {"High School": "11th HS-grad 9th 7th-8th 12th 10th"},
    "Primary education": {"Primary School": "1st-4th 5th-6th Preschool"},
}
_COUNTRY = {
    "North America": "United-States Puerto-Rico Canada Outlying-US(Guam-USVI-etc) Cuba Honduras Jamaica Mexico "
    "Dominican-Republic Haiti Guatemala El-Salvador",
    "South America": "Ecuador Columbia Nicaragua Trinadad&Tobago Peru",
    "Europe": "England Germany Greece Italy Poland Portugal Ireland France Hungary Scotland Yugoslavia "
    "Holand-Netherlands",
    "Asia": "Cambodia India Japan China Iran Philippines Vietnam Laos Taiwan Thailand Hong",
    "Africa": "South",
}
_OCCUPATION = {
    "Technical": "Tech-support Craft-repair Prof-specialty Machine-op-inspct",
    "Nontechnical": "Sales Exec-managerial Handlers-cleaners",
    "Other": "Other-service Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces",
}
_MARITAL = {
    "spouse present": "Married-civ-spouse Married-AF-spouse",
    "spouse not present": "Divorced Never-married Separated Widowed Married-spouse-absent",
}
_WORK = {
    "Non-Government": "Private Self-emp-not-inc Self-emp-inc",
    "Government": "Federal-gov Local-gov State-gov",
    "Unemployed": "Without-pay Never-worked",
}
_TREES: Mapping[str, object] = {
    "education": _EDUCATION,
    "marital_status": _MARITAL,
    "native_country": _COUNTRY,
    "occupation": _OCCUPATION,
    "workclass": _WORK,
    "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
    "sex": "Male Female",
    "income": ">50K <=50K",
}


def chains(column: str) -> list[list[str]]:
    """Return every value of a column of Adult with its ancestors."""
    if column == "age":
        # ARX names the bands by other ends than they have: 1 to 5 is called 0-4.
        widths = (5, 10, 20)
        return [
            [str(age), *(f"{(age - 1) // width * width} +{width}" for width in widths), "*"] for age in range(1, 101)
        ]
    return _below(_TREES[column], ["*"])


def _below(tree: object, above: list[str]) -> list[list[str]]:
    if isinstance(tree, str):
        return [[value, *above] for value in tree.split()]
    assert isinstance(tree, dict)
    return [chain for name, part in tree.items() for chain in _below(part, [name, *above])]


def write_hierarchies(folder: Path, columns: tuple[str, ...] = SEVEN) -> dict[str, Path]:
    """Write one file per column in the form of ARX; return them by column."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {column: folder / f"{column}.csv" for column in columns}
    for column, file in files.items():
        file.write_text("".join(";".join(chain) + "\n" for chain in chains(column)), encoding="utf-8")
    return files
