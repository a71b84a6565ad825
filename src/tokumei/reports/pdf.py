"""Documents as PDF, by WeasyPrint (extra ``pdf``): with links and an outline, the same bytes for the same text.

A browser prints them too, but needs a window's worth of software and stamps the time; WeasyPrint needs neither.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from tokumei.data import OWNER_ONLY, write_bytes
from tokumei.errors import ParameterError

PDF = ".pdf"
# Whatever is not from these names the same file on every run of the same text.
_IDENTIFIER = b"tokumei"
_FOLDED = re.compile(r"<(/?)(details|summary)>")


def is_pdf(file: Path) -> bool:
    """Return whether the name of a file asks for a PDF."""
    return file.suffix.lower() == PDF


def check_document(file: Path, language: str) -> None:
    """Raise ParameterError if a PDF is asked for that cannot be made here; told before any work is done."""
    if not is_pdf(file):
        return
    if find_spec("weasyprint") is None:
        message = f"{file}: a PDF needs WeasyPrint: pip install 'tokumei[pdf]', or name a file that ends with .html"
        raise ParameterError(message, file=str(file))
    if language == "ja" and not has_font("ja"):
        message = (
            f"{file}: there is no Japanese font for a PDF; install one (Debian: apt-get install fonts-noto-cjk), "
            "or name a file that ends with .html"
        )
        raise ParameterError(message, file=str(file))


def document_bytes(html: str, file: Path) -> bytes:
    """Return a document as the bytes of a file: a PDF if its name says so, else the HTML text itself."""
    return pdf_bytes(html) if is_pdf(file) else html.encode()


def write_document(file: Path, html: str, *, mode: int | None = OWNER_ONLY) -> int:
    """Write a document whole or not at all, as PDF if the name of the file says so; return its size in bytes."""
    content = document_bytes(html, file)
    write_bytes(file, content, mode=mode)
    return len(content)


def pdf_bytes(html: str) -> bytes:
    """Return an HTML document as PDF; everything that is folded on a screen is open, and nothing is fetched."""
    import weasyprint  # noqa: PLC0415 - an extra

    opened = _FOLDED.sub(r"<\1div>", html)
    document = weasyprint.HTML(string=opened, url_fetcher=_refuse)
    content: bytes = document.write_pdf(pdf_identifier=_IDENTIFIER, presentational_hints=True)
    return content


def _refuse(url: str, *_args: Any, **_options: Any) -> NoReturn:
    message = f"a document asks for {url}; documents hold all they need"
    raise AssertionError(message)


def has_font(language: str) -> bool:
    """Return whether there is a font for a language; where nobody can be asked, that is taken for granted."""
    name = ctypes.util.find_library("fontconfig")
    if name is None:
        return True
    library = ctypes.CDLL(name)
    library.FcNameParse.restype = ctypes.c_void_p
    library.FcObjectSetCreate.restype = ctypes.c_void_p
    library.FcFontList.restype = ctypes.POINTER(ctypes.c_int)
    library.FcFontList.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    pattern, objects = library.FcNameParse(f":lang={language}".encode()), library.FcObjectSetCreate()
    # The first field of a set of fonts is how many there are.
    fonts = library.FcFontList(None, pattern, objects)
    return bool(fonts) and int(fonts[0]) > 0
