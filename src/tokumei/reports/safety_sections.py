"""The sections of a report on safety: reasons, figures, candidates and posteriors, attacks, the worst protected."""

from __future__ import annotations

import polars as pl

from tokumei.data import Reason
from tokumei.reports import release_charts as charts
from tokumei.reports.document import Block, Bullets, Figure, Prose, Section, Table
from tokumei.reports.links import DASH, mixed_numbers, numbers, with_links
from tokumei.reports.material import Material
from tokumei.words import Words, percent, plain

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
# Every figure with the term that defines it, and how it is written.
_FIGURES = (
    ("records_before", "records", plain),
    ("records_after", "records", plain),
    ("subjects", "records", plain),
    ("pseudonyms", "records", plain),
    ("k", "k", plain),
    ("k_anonymity", "k_anonymity", plain),
    ("k_concealment", "k_concealment", plain),
    ("min_candidates", "candidates", plain),
    ("mean_candidates", "candidates", plain),
    ("components", "components", plain),
    ("largest_component", "components", plain),
    ("max_posterior", "posterior", percent),
    ("share_posterior_over_95", "posterior", percent),
    ("expected_hits", "expected_hits", plain),
    ("random_hits", "blind", plain),
    ("chain_difference", "chance", plain),
)
MOST_CANDIDATE_BARS = 40


def _sentence(reason: Reason, words: Words) -> str:
    """Return a reason with its remedy, its numbers linked; subjects are not named."""
    sentence = reason.message(words, group="document") or reason.message(words)
    remedy = reason.message(words, group="remedy")
    stop, space = ("。", "") if words.language == "ja" else (".", " ")
    helps = words("report.remedy", text=remedy) if remedy else ""
    term = _TERM_OF_REASON.get(reason.code, "attack_share")
    linked = with_links(sentence[:1].upper() + sentence[1:] + stop, term)
    return linked + space + with_links(helps, "k") if remedy else linked


def reason_section(material: Material, words: Words) -> Section:
    """Return why the verdict is what it is, and what was not tested."""
    blocks: list[Block] = [Bullets([_sentence(reason, words) for reason in material.verdict.reasons])]
    if material.verdict.skipped:
        blocks.append(Prose(words("report.skipped"), "soft"))
        blocks.append(Bullets([_sentence(reason, words) for reason in material.verdict.skipped]))
    return Section(title=words("report.why"), anchor="why", blocks=blocks)


def figure_section(material: Material, words: Words) -> Section:
    """Return the figures of the audit."""
    names = [words(f"figure.{name}") for name, _, _ in _FIGURES]
    values = mixed_numbers([(material.figures.get(name), term, form) for name, term, form in _FIGURES])
    table = Table([words("head.figure"), words("head.value")], list(zip(names, values, strict=True)))
    return Section(title=words("report.figures"), anchor="figures", blocks=[table])


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
    findings = [material.findings.get(name) for name in attacks["attack"].to_list()]
    details = [DASH if finding is None else words.say(finding) for finding in findings]
    rows = zip(
        named["attack"].to_list(),
        numbers(named["share"], "attack_share", form=percent),
        numbers(named["baseline"], "blind", form=percent),
        numbers(named["observed"], "attack_share", form=percent),
        [with_links(detail, "attack_share") for detail in details],
        strict=True,
    )
    headers = [words(f"head.{name}") for name in ("attack", "share", "baseline", "observed", "finding")]
    blocks: list[Block] = [
        Prose(with_links(words("prose.attacks", k=material.k), "attack_share")),
        Figure(chart, words("chart.attacks"), text),
        Table(headers, list(rows)),
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
    rows = zip(
        worst["pseudonym"].to_list(),
        numbers(worst["records"], "records"),
        numbers(worst["alike"], "k_anonymity"),
        numbers(worst["candidates"], "candidates"),
        numbers(worst["posterior"], "posterior", form=percent),
        strict=True,
    )
    headers = [words(f"head.{name}") for name in ("pseudonym", "records", "alike", "candidates", "posterior")]
    return Section(title=words("report.worst"), anchor="worst", blocks=[*blocks, Table(headers, list(rows))])
