"""The sections of a report on safety: reasons, figures, candidates and posteriors, attacks, the worst protected."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from tokumei.data import Reason
from tokumei.reports import release_charts as charts
from tokumei.reports.document import DASH, Block, Bullets, Figure, Linked, Number, Prose, Section, Table, Text
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
_FIGURES: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "records_before": ("records", plain),
    "records_after": ("records", plain),
    "subjects": ("records", plain),
    "pseudonyms": ("records", plain),
    "k": ("k", plain),
    "k_anonymity": ("k_anonymity", plain),
    "k_concealment": ("k_concealment", plain),
    "min_candidates": ("candidates", plain),
    "mean_candidates": ("candidates", plain),
    "components": ("components", plain),
    "largest_component": ("components", plain),
    "max_posterior": ("posterior", percent),
    "share_posterior_over_95": ("posterior", percent),
    "expected_hits": ("expected_hits", plain),
    "random_hits": ("blind", plain),
    "chain_difference": ("chance", plain),
}
MOST_CANDIDATE_BARS = 40


def _sentence(reason: Reason, words: Words) -> Text:
    """Return a reason with its remedy, its numbers linked; subjects are not named."""
    sentence = reason.message(words, "document", "reason")
    remedy = reason.message(words, "remedy")
    stop, space = ("。", "") if words.language == "ja" else (".", " ")
    term = _TERM_OF_REASON.get(reason.code, "attack_share")
    linked = Linked(sentence[:1].upper() + sentence[1:] + stop, term)
    return (linked, space, Linked(words("report.remedy", text=remedy), "k")) if remedy else linked


def reason_section(material: Material, words: Words) -> Section:
    """Return why the verdict is what it is, and what was not tested."""
    blocks: list[Block] = [Bullets([_sentence(reason, words) for reason in material.verdict.reasons])]
    if material.verdict.skipped:
        blocks.append(Prose(words("report.skipped"), "soft"))
        blocks.append(Bullets([_sentence(reason, words) for reason in material.verdict.skipped]))
    return Section(title=words("report.why"), anchor="why", blocks=blocks)


def figure_section(material: Material, words: Words) -> Section:
    """Return the figures of the audit."""
    names = words.each("figure", *_FIGURES)
    values = [Number(material.figures.get(name), term, form) for name, (term, form) in _FIGURES.items()]
    table = Table(words.each("head", "figure", "value"), list(zip(names, values, strict=True)))
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
    bars = _bars(counts)
    across = words("axis.posterior" if material.with_secret else "axis.posterior_blind")
    fewer, pseudonyms = words.each("axis", "candidates", "pseudonyms")
    told = {"pseudonyms": total, "largest": material.figures.get("max_posterior") or 0.0, "limit": limit}
    bounds = {"fewest": int(counts["candidates"][0]), "most": int(counts["candidates"][-1])}
    texts = (words("chart.posterior_text", **told), words("chart.candidates_text", pseudonyms=total, **bounds))
    titles = words.each("chart", "posterior", "candidates")
    prose: list[Block] = [
        Prose(words("prose.candidates")),
        Prose(Linked(words(f"prose.posteriors_{side}", k=material.k), "posterior")),
    ]
    drawn = (
        charts.stairs(posteriors, x=across, y=pseudonyms, limit=limit, share=True),
        charts.stairs(bars, x=fewer, y=pseudonyms),
    )
    blocks = [*prose, *(Figure(*figure) for figure in zip(drawn, titles, texts, strict=True))]
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
    names = [words.named("attack", name) for name in attacks["attack"].to_list()]
    best = {"best": names[0], "share": attacks["share"][0], "baseline": attacks["baseline"][0]}
    text = words("chart.attacks_text", count=attacks.height, **best)
    axes = dict(zip(("share", "random"), words.each("axis", "share", "random"), strict=True))
    findings = [material.findings.get(name) for name in attacks["attack"].to_list()]
    details = [DASH if finding is None else Linked(words.say(finding), "attack_share") for finding in findings]
    rows = zip(
        names,
        [Number(share, "attack_share", percent) for share in attacks["share"]],
        [Number(share, "blind", percent) for share in attacks["baseline"]],
        [Number(share, "attack_share", percent) for share in attacks["observed"]],
        details,
        strict=True,
    )
    headers = words.each("head", "attack", "share", "baseline", "observed", "finding")
    prose, caption = words("prose.attacks", k=material.k), words("chart.attacks")
    shown = attacks.select(pl.Series("attack", names, dtype=pl.String), "share", "baseline")
    chart = charts.attack_chart(shown, limit=1 / material.k, words=axes)
    blocks: list[Block] = [
        Prose(Linked(prose, "attack_share")),
        Figure(chart, caption, text),
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
        blocks.append(Prose(Linked(words("prose.worst_equal", posterior=surest), "posterior")))
    rows = [
        [
            row["pseudonym"],
            Number(row["records"], "records"),
            Number(row["alike"], "k_anonymity"),
            Number(row["candidates"], "candidates"),
            Number(row["posterior"], "posterior", percent),
        ]
        for row in worst.iter_rows(named=True)
    ]
    headers = words.each("head", "pseudonym", "records", "alike", "candidates", "posterior")
    return Section(title=words("report.worst"), anchor="worst", blocks=[*blocks, Table(headers, rows)])
