"""Why a file is refused before anything parses it, in both languages."""

from __future__ import annotations

from typing import Any

from tokumei.contests import Both, Note

__all__ = ["RefusedFileError", "refusal"]

_SENTENCES: dict[str, Both] = {
    "too-large": {
        "en": "unpacked, the file is larger than {limit:,} bytes; remove what does not belong to it",
        "ja": "展開すると{limit:,}バイトを超えます。不要な内容を取り除いてください",
    },
    "zip-ratio": {
        "en": "the archive unpacks to more than {limit} times its size; send the plain CSV instead",
        "ja": "圧縮率が{limit}倍を超えています。圧縮せずにCSVのまま送ってください",
    },
    "zip-entries": {
        "en": "the archive has more than {limit} entries; put only the files {names} into it",
        "ja": "圧縮ファイルの中身が{limit}件を超えています。{names} だけを入れてください",
    },
    "zip-encrypted": {
        "en": "the archive is encrypted; send it without a password",
        "ja": "圧縮ファイルが暗号化されています。パスワードなしで送ってください",
    },
    "zip-name": {
        "en": "the archive holds an entry outside its own folder or a link; put only the files {names} into it",
        "ja": "圧縮ファイルに、フォルダの外を指す名前かリンクがあります。{names} だけを入れてください",
    },
    "zip-twice": {
        "en": "the archive holds {name} twice; keep one",
        "ja": "圧縮ファイルに {name} が2つあります。1つだけにしてください",
    },
    "zip-damaged": {
        "en": "the archive is damaged or cut off; pack the file again",
        "ja": "圧縮ファイルが壊れているか途中で切れています。もう一度圧縮してください",
    },
    "nested": {
        "en": "there is another archive or a document of another program inside; CSV text is needed",
        "ja": "別の圧縮ファイルや別のソフトの文書が入っています。CSVのテキストを送ってください",
    },
    "files-missing": {
        "en": "{name} is missing; send one zip with the files {names}",
        "ja": "{name} がありません。{names} を1つのzipにまとめて送ってください",
    },
    "too-many-rows": {
        "en": "the file has more than {limit:,} rows",
        "ja": "行数が{limit:,}を超えています",
    },
    "too-many-columns": {
        "en": "this line has more than {limit:,} cells",
        "ja": "この行のセル数が{limit:,}を超えています",
    },
    "cell-too-long": {
        "en": "this cell is longer than {limit:,} bytes",
        "ja": "このセルが{limit:,}バイトを超えています",
    },
}


class RefusedFileError(Exception):
    """A file breaks a limit; carries the finding."""

    def __init__(self, note: Note) -> None:
        super().__init__(note.code)
        self.note = note


def refusal(
    code: str, *, file: str = "", line: int | None = None, column: int | None = None, **facts: Any
) -> RefusedFileError:
    """Return the error of a broken limit."""
    message = {language: sentence.format(**facts) for language, sentence in _SENTENCES[code].items()}
    return RefusedFileError(Note(code, message, file=file, line=line, column=column))
