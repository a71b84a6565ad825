"""Text that people write in Markdown, as HTML that can do no harm: none of their HTML, nothing from elsewhere.

The parser is markdown-it-py (CommonMark, tables and strikethrough) with HTML off, which also refuses addresses such as
``javascript:``. Pictures come from the own server only: one from elsewhere would tell its owner who reads the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

# The heading of the page itself is the only one of the first level.
LOWEST_HEADING = 6


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": 20})
    parser.enable(["table", "strikethrough"])
    parser.core.ruler.push("lower_headings", _lower_headings)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    # Alignment would be an inline style, which the pages forbid.
    for cell in ("th_open", "td_open"):
        parser.add_render_rule(cell, _cell)
    return parser


def render_markdown(text: str, files: Mapping[str, str] | None = None) -> SafeString:
    r"""Return Markdown as HTML; ``files`` says where the files live that the text names.

    >>> render_markdown("# Rules\n<b>*now*</b>")
    '<h2>Rules</h2>\n<p>&lt;b&gt;<em>now</em>&lt;/b&gt;</p>\n'
    >>> render_markdown("[all](a.csv) ![no](https://elsewhere.example/x.png)", {"a.csv": "/f/1/"})
    '<p><a href="/f/1/">all</a> no</p>\n'
    """
    # HTML is off: every character of the author is escaped by the parser.
    return mark_safe(_parser().render(text, {"files": dict(files or {})}))  # noqa: S308


def _lower_headings(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, LOWEST_HEADING)}"


def _address(env: EnvType, wanted: object) -> str:
    """Return where a file of the page lives, or the address as it was written."""
    files: dict[str, Any] = env["files"]
    return str(files.get(unquote(str(wanted or "")), wanted or ""))


def _link(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    token = tokens[index]
    address = _address(env, token.attrGet("href"))
    token.attrSet("href", address)
    if "://" in address or address.startswith("//"):
        token.attrSet("rel", "nofollow noopener noreferrer")
    return self.renderToken(tokens, index, options, env)


def _image(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """Show a picture among the files of the page; of any other one only what stands for it."""
    token = tokens[index]
    words = self.renderInlineAsText(token.children or [], options, env)
    files: dict[str, Any] = env["files"]
    name = unquote(str(token.attrGet("src") or ""))
    if name not in files:
        return _escaped(words)
    return f'<img src="{_escaped(files[name])}" alt="{_escaped(words)}" loading="lazy">'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0"><table class="table">\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _cell(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    token = tokens[index]
    if "right" in str(token.attrs.pop("style", "")):
        token.attrSet("class", "number")
    return self.renderToken(tokens, index, options, env)
