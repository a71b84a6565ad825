"""Schemas of the contest files."""

from __future__ import annotations

from tokumei.schema import SLASH_DATE, Column, Kind, Schema

__all__ = ["PWS2018_SCHEMA"]

PWS2018_SCHEMA = Schema(
    "customer",
    (
        Column(name="date", kind=Kind.DATE, format=SLASH_DATE),
        Column(name="goods", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.NUMBER, step=0.01),
        Column(name="quantity", kind=Kind.NUMBER, step=1.0),
    ),
)
