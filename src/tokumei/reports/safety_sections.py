"""The sections of a report on safety: reasons, figures, candidates and posteriors, attacks, the worst protected."""

from __future__ import annotations

import polars as pl

from tokumei.data import Reason
from tokumei.reports import release_charts as charts
from tokumei.reports.document import Block, Bullets, Figure, Prose, Section, Table
from tokumei.reports.language import Words
from tokumei.reports.material import Material
from tokumei.reports.numbers import DASH, number, with_links
from tokumei.words import percent

__all__ = ["attack_section", "candidate_section", "figure_section", "reason_section", "worst_section"]

_TERM_OF_REASON = {
    "single-candidate": "candidates",
    "few-candidates": "candidates",
    "posterior": "posterior",
    "k-anonymous": "k_anonymity",
    "not-certified": "k_anonymity",
    "joint-risk": "joint_risk",
    "inconsistent": "candidates",
    "chains-differ": "chance",
}
# Every figure with the term that defines it, and whether it is a share.
_FIGURES = (
    ("records_before", "records", False),
    ("records_after", "records", False),
    ("subjects", "records", False),
    ("pseudonyms", "records", False),
    ("k", "k", False),
    ("k_anonymity", "k_anonymity", False),
    ("k_concealment", "k_concealment", False),
    ("min_candidates", "candidates", False),
    ("mean_candidates", "candidates", False),
    ("components", "components", False),
    ("largest_component", "components", False),
    ("max_posterior", "posterior", True),
    ("share_posterior_over_95", "posterior", True),
    ("expected_hits", "expected_hits", False),
    ("random_hits", "blind", False),
    ("chain_difference", "chance", False),
)
MOST_CANDIDATE_BARS = 40


def _spoken(reason: Reason, words: Words) -> str:
    """Return a reason with its remedy, its numbers linked."""
    sentence, remedy = words.reason(reason)
    stop, space = ("。", "") if words.language == "ja" else (".", " ")
    term = _TERM_OF_REASON.get(reason.code, "attack_share")
    told = with_links(sentence[:1].upper() + sentence[1:] + stop, term)
    return told + space + with_links(words("report.remedy", text=remedy), "k") if remedy else told


def reason_section(material: Material, words: Words) -> Section:
    """Return why the verdict is what it is, and what was not tested."""
    blocks: list[Block] = [Bullets([_spoken(reason, words) for reason in material.verdict.reasons])]
    if material.verdict.skipped:
        blocks.append(Prose(words("report.skipped"), "soft"))
        blocks.append(Bullets([_spoken(reason, words) for reason in material.verdict.skipped]))
    return Section(title=words("report.why"), anchor="why", blocks=blocks)


def figure_section(material: Material, words: Words) -> Section:
    """Return the figures of the audit."""
    rows = [
        [words(f"figure.{name}"), number(material.figures.get(name), term, share=share)]
        for name, term, share in _FIGURES
    ]
    headers = [words("head.figure"), words("head.value")]
    return Section(title=words("report.figures"), anchor="figures", blocks=[Table(headers, rows)])


def candidate_section(material: Material, words: Words) -> Section:
    """Return how many candidates the pseudonyms have, and how sure their owners are."""
    title, anchor = words("report.candidates"), "candidates"
    posteriors = material.protection.tables.get("posteriors")
    if posteriors is None:
        return Section(title=title, anchor=anchor, blocks=[Prose(words("prose.no_candidates"))])
    counts = material.protection.tables["candidates"]
    side = "secret" if material.with_secret else "blind"
    limit, total = 1 / material.k, int(posteriors["pseudonyms"].sum())
    first = charts.stairs(
        posteriors,
        x=words("axis.posterior" if material.with_secret else "axis.posterior_blind"),
        y=words("axis.pseudonyms"),
        limit=limit,
        share=True,
    )
    second = charts.stairs(_bars(counts), x=words("axis.candidates"), y=words("axis.pseudonyms"))
    largest = percent(material.figures.get("max_posterior") or 0.0)
    first_text = words("chart.posterior_text", pseudonyms=f"{total:,}", largest=largest, limit=percent(limit))
    fewest, most = (f"{int(bound):,}" for bound in (counts["candidates"].min(), counts["candidates"].max()))  # type: ignore[arg-type]
    second_text = words("chart.candidates_text", pseudonyms=f"{total:,}", fewest=fewest, most=most)
    blocks: list[Block] = [
        Prose(words("prose.candidates")),
        Prose(with_links(words(f"prose.posteriors_{side}", k=material.k), "posterior")),
        Figure(first, words("chart.posterior"), first_text),
        Figure(second, words("chart.candidates"), second_text),
    ]
    return Section(title=title, anchor=anchor, blocks=blocks)


def _bars(counts: pl.DataFrame) -> pl.DataFrame:
    """Return the numbers of candidates as bars, several numbers in one where there are many."""
    low, high = int(counts["candidates"][0]), int(counts["candidates"][-1])
    width = max(1, -(-(high - low + 1) // MOST_CANDIDATE_BARS))
    place = (pl.col("candidates") - low) // width
    binned = counts.group_by(place.alias("bin")).agg(pl.col("pseudonyms").sum()).sort("bin")
    start = low + pl.col("bin") * width - 0.5
    return binned.select(start.alias("from"), (start + width).alias("to"), "pseudonyms")


def attack_section(material: Material, words: Words) -> Section:
    """Return what every attack names, beside blind guessing."""
    title, anchor = words("report.attacks"), "attacks"
    attacks = material.attacks.sort(["share", "attack"], descending=[True, False])
    if attacks.height == 0:
        return Section(title=title, anchor=anchor, blocks=[Prose(words("prose.no_candidates"))])
    named = attacks.with_columns(
        pl.Series("attack", [words.named("attack", name) for name in attacks["attack"].to_list()], dtype=pl.String)
    )
    best = named.row(0, named=True)
    text = words(
        "chart.attacks_text",
        count=named.height,
        best=best["attack"],
        share=percent(best["share"]),
        baseline=percent(best["baseline"]),
    )
    axes = {"share": words("axis.share"), "random": words("axis.random")}
    shown = named.select("attack", "share", "baseline")
    chart = charts.attack_chart(shown, limit=1 / material.k, words=axes)
    rows = [
        [
            row["attack"],
            number(row["share"], "attack_share", share=True),
            number(row["baseline"], "blind", share=True),
            number(row["observed"], "attack_share", share=True),
            with_links(words.detail(row["detail"]), "attack_share") if row["detail"] else DASH,
        ]
        for row in named.iter_rows(named=True)
    ]
    headers = [words(f"head.{name}") for name in ("attack", "share", "baseline", "observed", "finding")]
    blocks: list[Block] = [
        Prose(with_links(words("prose.attacks", k=material.k), "attack_share")),
        Figure(chart, words("chart.attacks"), text),
        Table(headers, rows),
    ]
    return Section(title=title, anchor=anchor, blocks=blocks)


def worst_section(material: Material, words: Words) -> Section | None:
    """Return the pseudonyms whose owners are surest; no person is named."""
    worst = material.protection.tables.get("worst")
    if worst is None or worst.height == 0:
        return None
    blocks: list[Block] = [Prose(words("prose.worst"))]
    surest = float(worst["posterior"][0])
    if surest <= 1 / material.k + 1e-9:
        largest = percent(surest)
        blocks.append(Prose(with_links(words("prose.worst_equal", posterior=largest), "posterior")))
    rows = [
        [
            row["pseudonym"],
            number(row["records"], "records"),
            number(row["alike"], "k_anonymity"),
            number(row["candidates"], "candidates"),
            number(row["posterior"], "posterior", share=True),
        ]
        for row in worst.iter_rows(named=True)
    ]
    headers = [words(f"head.{name}") for name in ("pseudonym", "records", "alike", "candidates", "posterior")]
    return Section(title=words("report.worst"), anchor="worst", blocks=[*blocks, Table(headers, rows)])
