"""The sections of a report on safety: reasons, figures, candidates and posteriors, attacks, the worst protected."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import polars as pl

from tokumei.data import Reason
from tokumei.reports import release_charts as charts
from tokumei.reports.document import (
    ATTACK_PREFIX,
    DASH,
    Block,
    Bullets,
    Figure,
    Fold,
    Linked,
    Number,
    Prose,
    Section,
    Table,
    Text,
)
from tokumei.reports.material import Material
from tokumei.words import Words, percent, plain

_TERM_OF_REASON = {
    "single-candidate": "candidates",
    "few-candidates": "candidates",
    "posterior": "posterior",
    "k-anonymous": "k_anonymity",
    "not-certified": "k_anonymity",
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


def _sentence(reason: Reason, material: Material, words: Words) -> Text:
    """Return a reason with its remedy, its numbers linked; subjects are not named."""
    sentence = reason.message(words, "document", "reason")
    remedy = _remedy(reason, material, words)
    stop, space = ("。", "") if words.language == "ja" else (".", " ")
    term = _TERM_OF_REASON.get(reason.code, "attack_share")
    linked = Linked(sentence[:1].upper() + sentence[1:] + stop, term)
    return (linked, space, Linked(words("report.remedy", text=remedy), "k")) if remedy else linked


def _remedy(reason: Reason, material: Material, words: Words) -> str:
    """Return what helps; a k that the method had already is no advice."""
    had = material.parameters.get("k")
    asked = reason.values.get("k")
    if reason.code == "few-candidates" and isinstance(had, int) and isinstance(asked, int) and had >= asked:
        return words("remedy.few-candidates-again", k=asked)
    return reason.message(words, "remedy")


def reason_section(material: Material, words: Words) -> Section:
    """Return why the verdict is what it is, and what was not tested."""
    reasons = list(material.verdict.outside_contests)
    blocks: list[Block] = [Bullets([_sentence(reason, material, words) for reason in reasons])]
    if material.verdict.skipped:
        skipped = Bullets([_sentence(reason, material, words) for reason in material.verdict.skipped])
        blocks.append(Fold(words("report.skipped"), [skipped]))
    return Section(title=words("report.why"), anchor="why", blocks=blocks)


def figure_section(material: Material, words: Words) -> Section:
    """Return the figures of the audit."""
    names = words.each("figure", *_FIGURES)
    values = [Number(material.figures.get(name), term, form) for name, (term, form) in _FIGURES.items()]
    table = Table(words.each("head", "figure", "value"), list(zip(names, values, strict=True)))
    return Section(title=words("report.figures"), anchor="figures", folded=True, blocks=[table])


def candidate_section(material: Material, words: Words) -> Section:
    """Return how many candidates the pseudonyms have."""
    title, anchor = words("report.candidates"), "candidates"
    counts = material.protection.tables.get("candidates")
    if counts is None:
        return Section(title=title, anchor=anchor, folded=True, blocks=[Prose(words("prose.no_candidates"))])
    told = {"pseudonyms": int(counts["pseudonyms"].sum())}
    told |= {"fewest": int(counts["candidates"][0]), "most": int(counts["candidates"][-1])}
    svg = charts.stairs(_bars(counts), x=words("axis.candidates"), y=words("axis.pseudonyms"))
    figure = Figure(svg, words("chart.candidates"), words("chart.candidates_text", **told))
    side = "secret" if material.with_secret else "blind"
    surest = Prose(Linked(words(f"prose.posteriors_{side}", k=material.k), "posterior"))
    return Section(title=title, anchor=anchor, folded=True, blocks=[Prose(words("prose.candidates")), figure, surest])


def posterior_figure(material: Material, words: Words) -> Figure | None:
    """Return how sure the owners are, with the promise as a dashed line; None where that could not be computed."""
    posteriors = material.protection.tables.get("posteriors")
    if posteriors is None:
        return None
    limit = 1 / material.k
    across = words("axis.posterior" if material.with_secret else "axis.posterior_blind")
    told = {"pseudonyms": int(posteriors["pseudonyms"].sum()), "largest": material.figures.get("max_posterior") or 0.0}
    text, note = words("chart.posterior_text", limit=limit, **told), words("chart.posterior_note", k=material.k)
    svg = charts.stairs(posteriors, x=across, y=words("axis.pseudonyms"), limit=limit, share=True)
    return Figure(svg, words("chart.posterior"), text, Linked(note, "posterior"))


def _bars(counts: pl.DataFrame) -> pl.DataFrame:
    """Return the numbers of candidates as bars, several numbers in one where there are many."""
    low, high = int(counts["candidates"][0]), int(counts["candidates"][-1])
    width = max(1, -(-(high - low + 1) // MOST_CANDIDATE_BARS))
    place = (pl.col("candidates") - low) // width
    binned = counts.group_by(place.alias("bin")).agg(pl.col("pseudonyms").sum()).sort("bin")
    start = low + pl.col("bin") * width - 0.5
    return binned.select(start.alias("from"), (start + width).alias("to"), "pseudonyms")


def _ranked(material: Material) -> pl.DataFrame:
    return material.attacks.sort(["share", "attack"], descending=[True, False])


def attack_figure(material: Material, words: Words) -> Figure | None:
    """Return what every attack names, beside blind guessing, as bars; None where nothing was tried."""
    attacks = _ranked(material)
    if attacks.height == 0:
        return None
    names = [words.named("attack", name) for name in attacks["attack"].to_list()]
    best = {"best": names[0], "share": attacks["share"][0], "baseline": attacks["baseline"][0]}
    text = words("chart.attacks_text", count=attacks.height, **best)
    axes = dict(zip(("share", "random"), words.each("axis", "share", "random"), strict=True))
    shown = attacks.select(pl.Series("attack", names, dtype=pl.String), "share", "baseline")
    return Figure(charts.attack_chart(shown, limit=1 / material.k, words=axes), words("chart.attacks"), text)


def attack_section(material: Material, words: Words) -> Section:
    """Return what every attack names, beside blind guessing, with what it found."""
    title, anchor = words("report.attacks"), "attacks"
    figure = attack_figure(material, words)
    if figure is None:
        return Section(title=title, anchor=anchor, folded=True, blocks=[Prose(words("prose.no_candidates"))])
    # Without other releases to compare with, the chart stands on top of the report already.
    drawn: list[Block] = [] if material.trade_off is None else [figure]
    prose = Prose(Linked(words("prose.attacks", k=material.k), "attack_share"))
    return Section(title=title, anchor=anchor, folded=True, blocks=[prose, *drawn, attack_table(material, words)])


def attack_table(material: Material, words: Words, *, only: Collection[str] | None = None) -> Table:
    """Return what every attack (or ``only`` some) names and found, the best first; its name leads to what it does."""
    attacks = _ranked(material)
    shown = attacks if only is None else attacks.filter(pl.col("attack").is_in(list(only)))
    names = shown["attack"].to_list()
    findings = [material.findings.get(name) for name in names]
    details = [DASH if finding is None else Linked(words.say(finding), "attack_share") for finding in findings]
    shows_findings = any(finding is not None for finding in findings)
    rows = zip(
        [Linked(words.named("attack", name), f"{ATTACK_PREFIX}{way_of(name)}", whole=True) for name in names],
        [Number(share, "attack_share", percent) for share in shown["share"]],
        [Number(share, "blind", percent) for share in shown["baseline"]],
        [Number(share, "attack_share", percent) for share in shown["observed"]],
        *([details] if shows_findings else []),
        strict=True,
    )
    heads = ("attack", "share", "baseline", "observed", *(["finding"] if shows_findings else []))
    return Table(words.each("head", *heads), list(rows))


def way_of(name: str) -> str:
    """Return under which name it is told what an attack or attacker does: without its number or column."""
    for kind in ("all-but-one", "person-and-records", "person-only", "all-but", "only", "records", "blurred"):
        if name == kind or name.startswith(f"{kind}-"):
            return name if name == "record-counts" else kind
    return name


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
            Number(row["count"], "records"),
            row["pseudonym"],
            _span(row["fewest"], row["most"], words),
            Number(row["alike"], "k_anonymity"),
            Number(row["candidates"], "candidates"),
            Number(row["posterior"], "posterior", percent),
        ]
        for row in worst.iter_rows(named=True)
    ]
    headers = words.each("head", "pseudonyms", "example", "records", "alike", "candidates", "posterior")
    return Section(title=words("report.worst"), anchor="worst", folded=True, blocks=[*blocks, Table(headers, rows)])


def _span(fewest: int, most: int, words: Words) -> Number | Linked:
    """Return how many records pseudonyms have: a number, or from the fewest to the most."""
    if fewest == most:
        return Number(fewest, "records")
    return Linked(words("word.interval", low=plain(fewest), high=plain(most)), "records", whole=True)
