"""The hierarchy of a column on the records of a history: which nodes they have, and how those are published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.data.cell_text import parse_values, value_text
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.data.columns import BUILT_HIERARCHIES, Field, Kind
from tokumei.data.hierarchies.building import CHAINS, ordered_levels, rule_for, width_losses
from tokumei.data.hierarchies.files import read_hierarchy
from tokumei.data.hierarchies.tree import SHOWN, Hierarchy
from tokumei.data.history import History
from tokumei.errors import SchemaError


@dataclass(frozen=True, eq=False)
class FieldHierarchy:
    """``leaf[row]`` is the value of every record; nodes and losses are those of `Hierarchy`, by value.

    A missing value is a leaf of its own that joins the others only at the top. ``low`` and ``high`` are the ends of the
    node of every value of an ordered field; ``members`` the dictionary code of every value of a category (-1: it does
    not occur).
    """

    name: str
    leaf: Ints
    nodes: Ints
    losses: Floats
    low: Ints
    high: Ints
    members: Ints
    categories: pl.Series | None = None

    @property
    def levels(self) -> int:
        """How many levels there are, the values themselves and the whole included."""
        return len(self.nodes)

    def cells(self, leaf: Ints, level: Ints) -> Cells:
        """Return the nodes of these values at these levels as they are published; the whole as suppressed.

        A category is published as the set of all its values that occur in the data, an ordered value as a range.
        """
        whole = level == self.levels - 1
        if self.categories is None:
            absent = (self.low[0][leaf] == MISSING) & ~whole
            hidden = absent | whole
            return RangeCells.of_ranges(
                np.where(hidden, 0, self.low[level, leaf]),
                np.where(hidden, 0, self.high[level, leaf]),
                suppressed=hidden,
                missing=absent,
            )
        sets, first = self._node_sets()
        return sets.take(first[level] + self.nodes[level, leaf]).suppress(whole)

    def _node_sets(self) -> tuple[SetCells, Ints]:
        """Return the set of every node of every level, and where the nodes of a level begin."""
        assert self.categories is not None
        counts = self.nodes.max(axis=1) + 1
        first = np.concatenate(([0], np.cumsum(counts)))[:-1]
        present = np.flatnonzero(self.members >= 0)
        node = (first[:, None] + self.nodes[:, present]).ravel()
        code = np.tile(self.members[present], self.levels)
        order = np.argsort(node, kind="stable")
        sizes = np.bincount(node, minlength=int(counts.sum()))
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        sets = SetCells.of_lists(offsets, code[order], self.categories, suppressed=sizes == 0)
        return sets, first


def field_hierarchies(history: History, *, default: str = "auto") -> dict[str, FieldHierarchy]:
    """Return the hierarchy of every field: the one that the schema declares, or one built by the rule ``default``."""
    declared = {column.name: column.hierarchy for column in history.schema.columns}
    return {
        field.name: field_hierarchy(history, field, declared[field.column] or default)
        for field in history.schema.fields
    }


def field_hierarchy(history: History, field: Field, source: str) -> FieldHierarchy:
    """Return the hierarchy of a field that is built by a rule or read from a file.

    Raises SchemaError for a rule that does not suit the kind of the column, InputError for what is wrong in a file.
    """
    if source not in BUILT_HIERARCHIES:
        return _given(history, field, Path(source))
    distinct, counts = _distinct_values(history, field)
    rule = rule_for(field, _texts(history, field, distinct)) if source == "auto" else source
    if (rule in CHAINS) is not field.nominal or (rule == "dates" and field.kind not in (Kind.DATE, Kind.DATETIME)):
        message = (
            f"column '{field.name}': a {field.kind} has no hierarchy of {rule}; write hierarchy = \"auto\" or a file"
        )
        raise SchemaError(message)
    if field.nominal:
        texts = _texts(history, field, distinct).to_list()
        tree = Hierarchy.of_chains(CHAINS[rule](texts, counts)) if texts else Hierarchy.of_chains([("", "*")])
        return _bound(history, field, tree, distinct if texts else np.array([-1]))
    low, high = ordered_levels(field, distinct, rule)
    nodes = np.array([np.cumsum(np.concatenate(([0], np.diff(level) != 0))) if len(level) else level for level in low])
    losses = width_losses(low, high)
    return _ordered(history, field, values=distinct, nodes=nodes.astype(np.int64), losses=losses, low=low, high=high)


def _distinct_values(history: History, field: Field) -> tuple[Ints, Ints]:
    """Return the distinct present codes of a field, ascending, and how often each occurs."""
    codes = history.codes[field.name]
    present = codes != MISSING
    if field.nominal and "" in history.categories[field.name]:
        present = codes != int(history.categories[field.name].index_of("") or 0)
    distinct, counts = np.unique(codes[present], return_counts=True)
    return distinct, counts


def _texts(history: History, field: Field, codes: Ints) -> pl.Series:
    if field.nominal:
        return history.categories[field.name][codes].cast(pl.String)
    return value_text(codes, field)


def _given(history: History, field: Field, path: Path) -> FieldHierarchy:
    """Return the hierarchy of a file, which must list every value of the column."""
    distinct, _ = _distinct_values(history, field)
    texts = _texts(history, field, distinct)
    tree = read_hierarchy(path, texts)
    if field.nominal:
        code = dict(zip(texts.to_list(), distinct.tolist(), strict=True))
        members = np.array([code.get(value, -1) for value in tree.values], dtype=np.int64)
        _refuse_unlisted(field, path, texts.filter(~texts.is_in(tree.values.to_list())).to_list())
        return _bound(history, field, tree, members)
    codes, bad = parse_values(tree.values, field)
    if bad.any():
        shown = tree.values[int(np.flatnonzero(bad)[0])][:SHOWN]
        message = f"{path}: '{shown}' is no {field.kind} as the column '{field.name}' has them; correct the hierarchy"
        raise SchemaError(message, file=str(path))
    _refuse_unlisted(field, path, texts.filter(pl.Series(~np.isin(distinct, codes))).to_list())
    order = np.argsort(codes, kind="stable")
    nodes = tree.nodes[:, order]
    low, high = (_ends(nodes, codes[order], lowest=lowest) for lowest in (True, False))
    return _ordered(history, field, values=codes[order], nodes=nodes, losses=tree.losses[:, order], low=low, high=high)


def _refuse_unlisted(field: Field, path: Path, unlisted: Sequence[str]) -> None:
    if unlisted:
        more = f" and {len(unlisted) - 1} more values" if len(unlisted) > 1 else ""
        what = f"the hierarchy does not list '{unlisted[0][:SHOWN]}'{more} of the column '{field.name}'"
        raise SchemaError(f"{path}: {what}; add a line for each", file=str(path))


def _ends(nodes: Ints, codes: Ints, *, lowest: bool) -> Ints:
    """Return the lowest or highest code of the node of every value, level by level."""
    ends = []
    for level in nodes:
        found = np.full(int(level.max()) + 1, codes.max() if lowest else codes.min())
        (np.minimum if lowest else np.maximum).at(found, level, codes)
        ends.append(found[level])
    return np.array(ends)


def _with_missing(nodes: Ints, losses: Floats) -> tuple[Ints, Floats]:
    """Return the levels with a last leaf that stays alone below the top."""
    alone = nodes.max(axis=1, initial=-1) + 1
    alone[-1] = 0
    gone = np.zeros(len(nodes))
    gone[-1] = 1.0
    top = losses.copy()
    top[-1] = 1.0
    return np.column_stack((nodes, alone)), np.column_stack((top, gone))


def _bound(history: History, field: Field, tree: Hierarchy, members: Ints) -> FieldHierarchy:
    """Return the hierarchy of a category; ``members`` are the dictionary codes of its values."""
    categories = history.categories[field.name]
    nodes, losses, codes = tree.nodes, tree.losses, members
    absent = [] if "" not in categories else [int(categories.index_of("") or 0)]
    if absent and absent[0] not in members:
        nodes, losses = _with_missing(nodes, losses)
        codes = np.append(members, absent[0])
    leaf_of = np.zeros(max(len(categories), 1), dtype=np.int64)
    present = np.flatnonzero(codes >= 0)
    leaf_of[codes[present]] = present
    nothing = np.zeros((0, 0), dtype=np.int64)
    return FieldHierarchy(
        field.name, leaf_of[history.codes[field.name]], nodes, losses, nothing, nothing, codes, categories
    )


def _ordered(
    history: History, field: Field, *, values: Ints, nodes: Ints, losses: Floats, low: Ints, high: Ints
) -> FieldHierarchy:
    """Return the hierarchy of an ordered field with these ascending values."""
    codes = history.codes[field.name]
    missing = codes == MISSING
    leaf = np.searchsorted(values, np.where(missing, values[0] if len(values) else 0, codes))
    if missing.any() or not len(values):
        nodes, losses = _with_missing(nodes, losses)
        low, high = (np.column_stack((side, np.full(len(side), MISSING))) for side in (low, high))
        leaf = np.where(missing, len(values), leaf)
    members = np.full(nodes.shape[1], -1)
    return FieldHierarchy(field.name, leaf.astype(np.int64), nodes, losses, low, high, members)
