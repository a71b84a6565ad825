"""Sentences for the findings of the 2021 checkers, in English and Japanese."""

from __future__ import annotations

from tokumei.contests.check_result import Language

__all__ = ["health_sentence"]

_SENTENCES: dict[str, dict[Language, str]] = {
    "column-count": {
        "en": "this line has {found} cells, but {cells} are needed",
        "ja": "この行は{found}セルですが、{width}セルが必要です",
    },
    "column-count everywhere": {
        "en": "every line has {found} cells, but {cells} are needed",
        "ja": "どの行も{found}セルですが、{width}セルが必要です",
    },
    "no-number": {
        "en": "'{value}' is no number; write a number",
        "ja": "「{value}」は数値ではありません。数値を書いてください",
    },
    "empty-number": {
        "en": "the cell is empty; the official checker overlooks it, but no measure can use the row",
        "ja": "セルが空です。公式の検査は見逃しますが、この行はどの指標でも計算できません",
    },
    "out-of-range": {
        "en": "{value} is outside {low:g} to {high:g}",
        "ja": "{value} は {low:g}〜{high:g} の範囲外です",
    },
    "out-of-range-of-B": {
        "en": "{value} is outside {low:g} to {high:g}, the values of B; the rules forbid it, the checker does not",
        "ja": "{value} はBの値の範囲 {low:g}〜{high:g} の外です。規則では禁止ですが、検査では通ります",
    },
    "no-0-or-1": {
        "en": "{value} is neither 0 nor 1; the official checker accepts it",
        "ja": "{value} は0でも1でもありません。公式の検査では通ります",
    },
    "missing-education": {
        "en": "'{value}' says nothing about education; B always does, but the official checker accepts it",
        "ja": "「{value}」では学歴が分かりません。Bには必ずありますが、公式の検査では通ります",
    },
    "unknown-value": {
        "en": "'{value}' is not one of {known}",
        "ja": "「{value}」は使えません。{known} のいずれかを書いてください",
    },
    "too-few-rows": {
        "en": "D has {kept} rows, less than half of the {total} rows of B; delete fewer rows",
        "ja": "Dは{kept}行で、Bの{total}行の半分未満です。削除する行を減らしてください",
    },
    "too-few-rows half": {
        "en": "D has exactly half of the {total} rows of B; the official checker wants more",
        "ja": "DはBの{total}行のちょうど半分です。公式の検査では半分より多い行が必要です",
    },
    "exactly-half": {
        "en": "the rule says at least half of the rows, the official checker refuses exactly half",
        "ja": "規則では半分以上ですが、公式の検査はちょうど半分を認めません",
    },
    "empty-file": {
        "en": "X is empty, and the official checker refuses an empty file; list the deleted rows",
        "ja": "Xが空です。公式の検査は空のファイルを認めません。削除した行を書いてください",
    },
    "no-integer X": {
        "en": "'{value}' is no whole number; write a row number of B from 0",
        "ja": "「{value}」は整数ではありません。Bの行番号（0から）を書いてください",
    },
    "no-integer E": {
        "en": "'{value}' is no whole number; write a row number of D from 0, or -1",
        "ja": "「{value}」は整数ではありません。Dの行番号（0から）か -1 を書いてください",
    },
    "duplicate-row": {
        "en": "row {value} stands in X twice; list it once",
        "ja": "行 {value} がXに2回あります。1回だけ書いてください",
    },
    "row-out-of-range X": {
        "en": "B has no row {value}; its rows are 0 to {last} (the official checker overlooks it)",
        "ja": "Bに行 {value} はありません。行番号は0〜{last}です（公式の検査は見逃します）",
    },
    "row-out-of-range E": {
        "en": "{value} is outside -1 to {last}, the rows of B",
        "ja": "{value} はBの行の範囲 -1〜{last} の外です",
    },
    "row-count X": {
        "en": "X lists {listed} rows and D has {kept}, together not the {total} rows of B",
        "ja": "Xは{listed}行、Dは{kept}行で、合わせてBの{total}行になりません",
    },
    "row-count E": {
        "en": "E has {listed} rows; it needs {total}, one for every row of CT",
        "ja": "Eは{listed}行です。CTの行ごとに1行、合わせて{total}行が必要です",
    },
    "mixed-answer": {
        "en": "the row is answered as deleted, yet its other guesses count for topk",
        "ja": "この行は「削除済み」という答えですが、ほかの推定がtopkに数えられます",
    },
}


def health_sentence(key: str, language: Language, **facts: object) -> str:
    """Return the sentence of a finding; ``key`` is its code, with a word where one code has several sentences."""
    return _SENTENCES[key][language].format(**facts)
