"""Models of PWS Cup 2025: gradient-boosted trees that predict a stroke (XGBoost)."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tokumei.array_types import Bools, Floats
from tokumei.contests.pws2025.table import Patients
from tokumei.parts import need_libraries

TARGET = "stroke_flag"
SETTINGS = {
    "tree_method": "hist",
    "max_depth": 6,
    "learning_rate": 0.05,
    "subsample": 0.9,
    "colsample_bytree": 0.9,
    "random_state": 42,
    "n_jobs": 1,
}
TREES, PATIENCE = 600, 50


def train_model(table: Patients, *, trees: int = TREES, depth: int = 6) -> tuple[bytes, dict[str, Any]]:
    """Train as xgbt_train.py does: a tenth held out ends the training; return the model as JSON and what it reached."""
    need_libraries("sklearn", "xgboost")
    import xgboost
    from sklearn.model_selection import train_test_split

    features = table.features(TARGET)
    design, answer = np.column_stack(list(features.values())), table.answers(TARGET)
    one, other, mine, theirs = train_test_split(design, answer, test_size=0.1, random_state=42, stratify=answer)
    settings = {**SETTINGS, "max_depth": depth}
    model = xgboost.XGBClassifier(n_estimators=trees, early_stopping_rounds=PATIENCE, eval_metric="logloss", **settings)
    model.fit(one, mine, eval_set=[(other, theirs)], verbose=False)
    booster = model.get_booster()
    names = list(features)
    booster.feature_names = names
    booster.set_attr(feature_names=json.dumps(names), target=TARGET, xgboost_version=xgboost.__version__)
    reached = float((model.predict(other) == theirs).mean())
    document = {"validation_accuracy": reached, "features": len(names), "feature_names": names}
    return bytes(booster.save_raw("json")), document


def predict(raw: bytes, table: Patients) -> Floats:
    """Return the chance of a stroke for every row; features that the table lacks are 0."""
    need_libraries("xgboost")
    import xgboost

    booster = xgboost.Booster()
    booster.load_model(bytearray(raw))
    text = booster.attr("feature_names")
    names = json.loads(text) if text else list(booster.feature_names or ())
    columns = {**_all_dummies(table), **table.features(TARGET)}
    empty = np.zeros(table.height)
    design = np.column_stack([columns.get(name, empty) for name in names])
    matrix = xgboost.DMatrix(design, feature_names=booster.feature_names, nthread=1)
    # All trees, also those after the best round: so does the official program.
    return np.asarray(booster.predict(matrix), dtype=np.float64)


def _all_dummies(table: Patients) -> dict[str, Floats]:
    """Return every level of the texts, also the first."""
    found = {}
    for name in table.frame.columns:
        if not np.isfinite(table.numbers(name)).any():
            for level in table.frame[name].unique().to_list():
                found[f"{name}_{level or '(NA)'}"] = (table.frame[name] == level).to_numpy().astype(np.float64)
    return found


def right_predictions(chances: Floats, answer: Floats) -> Bools:
    """Return which rows are predicted right, at one half."""
    return (chances >= 0.5) == (answer >= 0.5)
