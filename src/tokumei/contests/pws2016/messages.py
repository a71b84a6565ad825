"""Sentences for the findings of the 2016 checkers, in English and Japanese.

Every sentence says what stands in the file, what is wrong with it and what to write instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from tokumei.contests.check_result import Language
from tokumei.contests.pws2018.messages import shortened
from tokumei.errors import Finding

__all__ = ["MASTER_CODES", "MasterExplainer"]

_SENTENCES: dict[str, dict[Language, str]] = {
    "EMPTY_FILE": {
        "en": "the file has no rows; give at least one",
        "ja": "ファイルに行がありません。少なくとも1行を書いてください",
    },
    "BAD_ID": {
        "en": "'{value}' is no id; write a text of 1 to 50 bytes",
        "ja": "「{value}」はIDとして使えません。1〜50バイトの文字列を書いてください",
    },
    "DUPLICATE_ID": {
        "en": "the id '{value}' has a row above already; give every row of the master an id of its own",
        "ja": "ID「{value}」は上の行にもあります。マスターの行ごとに別のIDを書いてください",
    },
    "SUBJECT_ID": {
        "en": "'{value}' is an id of the original master; write a pseudonym instead",
        "ja": "「{value}」は元のマスターのIDです。仮名に置き換えてください",
    },
    "BAD_SEX": {
        "en": "'{value}' is no sex of the contest; write f or m",
        "ja": "「{value}」は性別として使えません。f か m を書いてください",
    },
    "BAD_BIRTHDAY": {
        "en": "'{value}' is no birthday; write a real date such as 1963/12/6, without leading zeros",
        "ja": "「{value}」は誕生日として使えません。1963/12/6 のような実在の日付を、先頭に0を付けずに書いてください",
    },
    "MISSING_COUNTRY": {
        "en": "the country is missing; write one",
        "ja": "国がありません。国を書いてください",
    },
    "TOO_MANY_ROWS": {
        "en": "M' has {count} rows and M only {n}; rows may be deleted, never added: delete the surplus",
        "ja": "M'は{count}行で、Mの{n}行を超えています。行の追加はできません。余分な行を削除してください",
    },
    "TOO_MANY_NUMBERS": {
        "en": "the file has {count} row numbers, but {whole} has {expected} rows; keep one for each",
        "ja": "行番号が{count}個ありますが、{whole}は{expected}行です。1行に1個とし、余分を削除してください",
    },
    "NOT_ENOUGH_NUMBERS": {
        "en": "the file ends with {count} row numbers, but {whole} has {expected} rows; write one for each",
        "ja": "行番号が{count}個で終わっていますが、{whole}は{expected}行です。1行に1個を書いてください",
    },
    "UNKNOWN_ID": {
        "en": "'{value}' has no row in {master}; add it there or delete this row",
        "ja": "「{value}」の行が{master}にありません。{master}に加えるか、この行を削除してください",
    },
    "MISSING_INVOICE": {
        "en": "the invoice id is missing; write one",
        "ja": "伝票番号がありません。番号を書いてください",
    },
    "BAD_DATE": {
        "en": "'{value}' is no purchase date; write a real date of {years} such as 2011/2/7, without leading zeros",
        "ja": "「{value}」は日付として使えません。{years}年の実在の日付を 2011/2/7 のように先頭の0なしで書いてください",
    },
    "BAD_TIME": {
        "en": "'{value}' is no time; write hours and minutes such as 9:05",
        "ja": "「{value}」は時刻として使えません。9:05 のように書いてください",
    },
    "MISSING_GOODS": {
        "en": "the item id is missing; write one",
        "ja": "商品IDがありません。IDを書いてください",
    },
    "BAD_PRICE": {
        "en": "'{value}' is no unit price; write a number from 0.01 to 99999.99 with at most two decimals",
        "ja": "「{value}」は単価として使えません。0.01〜99999.99（小数は2桁まで）の数を書いてください",
    },
    "BAD_QUANTITY": {
        "en": "'{value}' is no quantity; write a whole number from 1 to 999999",
        "ja": "「{value}」は数量として使えません。1〜999999の整数を書いてください",
    },
    "BAD_ROW": {
        "en": "'{value}' is no row number; write a whole number from 1 to {n}",
        "ja": "「{value}」は行番号ではありません。1〜{n}の整数を書いてください",
    },
    "ROW_OUT_OF_RANGE": {
        "en": "the row {value} does not exist in M, which has {n} rows; write a number from 1 to {n}",
        "ja": "{value}行目はMにありません（Mは{n}行）。1〜{n}の整数を書いてください",
    },
    "DUPLICATE_ROW": {
        "en": "the row {value} of M is named above already; every row of M' has a row of M of its own",
        "ja": "Mの{value}行目は上の行にもあります。M'の行ごとに別のMの行を書いてください",
    },
    "WRONG_CELLS": {"en": "{text}", "ja": "{text}"},
}
MASTER_CODES = ("", *_SENTENCES)


@dataclass(frozen=True, eq=False, slots=True)
class MasterExplainer:
    """Makes sentences about one file from its text columns and the figures it was compared with."""

    frame: pl.DataFrame
    figures: Mapping[str, str] = field(default_factory=dict)

    def finding(self, line: int, cell: int | None, code: str, language: Language) -> Finding:
        """Return the finding with its message."""
        value, name = "", None
        if cell is not None and line <= self.frame.height:
            name = self.frame.columns[cell - 1]
            value = str(self.frame[name][line - 1])
        figures = {"value": shortened(value), **self.figures}
        message = _SENTENCES[code][language].format(**figures)
        return Finding(code, message, line, cell, name, value)
