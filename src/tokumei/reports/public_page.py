"""The public summary of a release, in both languages: nothing of the original, the Secret or an exact figure of them.

As in the summary of a release folder, of the audit only the outcome is told: a figure would confirm a guess.
"""

from __future__ import annotations

from tokumei.reports.document import Block, Bullets, Prose, Section, render
from tokumei.reports.material import Material
from tokumei.words import LANGUAGES, Words

HOME = "tokumei.reports"


def public_sentences(material: Material, words: Words) -> list[str]:
    """Return what may be said to everybody: what it is, which items, how it is protected, what is forbidden."""
    published = [column for column in material.columns if not column.drop and not column.weight]
    names = [column.name for column in published] or material.utility.tables["columns"]["column"].to_list()
    separator = words("list.separator")
    counts = {name: int(material.figures.get(name) or 0) for name in ("records_after", "pseudonyms")}
    told = {"records": counts["records_after"], "pseudonyms": counts["pseudonyms"]}
    sentences = [
        words("public.what", **told, version=material.version, method=material.method),
        words("public.items", columns=separator.join(names)),
    ]
    sensitive = [column.name for column in published if column.sensitive]
    if sensitive:
        sentences.append(words("public.sensitive", columns=separator.join(sensitive)))
    outcome = "safe" if material.proven_k is not None else material.verdict.outcome.value
    # What the limits of a recipient decide about other questions says nothing of names being unsafe.
    if material.recipient and outcome == "safe" and material.proven_k is None:
        outcome = "not-shown-unsafe"
    condition = "_believed" if outcome == "safe" and material.believed else ""
    sentences.append(words(f"public.{outcome}{condition}", k=material.proven_k or material.k))
    sentences += words.each("public", "remaining", "forbidden")
    if material.identity.digest:
        sentences.append(words("public.digest", digest=material.identity.digest))
    return sentences


def public_blocks(material: Material, words: Words) -> list[Block]:
    """Return the draft of the text to be made public, as a part of a dossier."""
    return [Prose(words("said.public_note"), "soft"), Bullets(public_sentences(material, words))]


def public_summary_page(material: Material) -> str:
    """Return the public summary as one HTML document, in both languages one after the other."""
    sections = []
    for language in LANGUAGES:
        words = Words(language, HOME)
        sections.append(
            Section(title=words("public.title"), anchor=language, blocks=[Bullets(public_sentences(material, words))])
        )
    titles = [Words(language, HOME)("public.title") for language in LANGUAGES]
    return render(" / ".join(titles), material.identity.date, sections, page_name=titles[0])
