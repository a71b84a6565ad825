"""How identifiers are written: forms of values with their check digits, and words of column names.

Forms are those that a value carries in itself (an e-mail address, a card number with a right check digit). Names of
people have no such form; what looks like one counts only together with how the column is spread (`identifiers`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from tokumei.profiles.infer_kinds import name_tokens

_STREET = r"street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|straße|strasse|rue|calle|via"
# The first that fits names the column; each is a pattern of the whole value.
_PATTERNS: Mapping[str, str] = {
    "email": r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$",
    "url": r"^(https?://|www\.)\S+$",
    "ip": r"^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$|^[0-9A-Fa-f:]*::[0-9A-Fa-f:]*$"
    r"|^([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}$",
    "device": r"^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$|^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    "iban": r"^[A-Z]{2}\d{2} ?[A-Z0-9]{4}( ?[A-Z0-9]{1,4}){2,7}$",
    "card": r"^\d{4}([ -]?\d{2,7}){2,4}$",
    "my-number": r"^\d{4}[ -]?\d{4}[ -]?\d{4}$",
    "social-security": r"^\d{3}-\d{2}-\d{4}$",
    "phone": r"^\(?0\d{1,4}\)?[-. ]?\d{1,4}[-. ]?\d{4}$|^\+\d{1,3}[-. ]?(\(?\d{1,4}\)?[-. ]?){2,4}\d{2,4}$"
    r"|^\(?[2-9]\d{2}\)?[-. ]\d{3}[-. ]\d{4}$",
    "postal-code": r"^〒? ?\d{3}-\d{4}$|^\d{5}-\d{4}$|^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$",
    "address": r"[都道府県].{1,6}[市区町村]|\d[丁番号]|丁目|番地"
    rf"|(?i:^\d+[A-Za-z]?,? +\S.*\b({_STREET})\b|\b({_STREET})\b\.? +\d+[A-Za-z]?$)",
}
# Two or more words, each with a capital; or a Japanese family name, a blank, a given name.
PERSON = (
    r"^\p{Lu}[\p{Ll}'’.-]+([ ,]+\p{Lu}[\p{L}'’.-]*){1,3}$"
    r"|^[\p{Han}々]{1,4}[ \u3000][\p{Han}\p{Hiragana}\p{Katakana}々ー]{1,6}$"
)
_SEPARATORS = r"[ -]"
# Words that say by themselves what a column holds; in Japanese wherever they stand in the name.
_TELLING_WORDS = """forename surname firstname lastname fullname givenname familyname middlename nickname
username login password email mail phone telephone tel fax mobile cellphone msisdn ssn passport iban address
addr street imei imsi homepage url"""
_TELLING = frozenset(_TELLING_WORDS.split())
_TELLING_JAPANESE = (
    *("氏名", "姓名", "フリガナ", "ふりがな", "本名", "顧客名", "患者名", "会員名", "社員名", "利用者名"),
    *("電話", "携帯番号", "住所", "番地", "メール", "マイナンバー", "個人番号", "口座", "カード番号"),
    *("免許", "旅券", "パスポート", "保険証", "被保険者"),
)
_PERSONS_WORDS = """first last full given family middle maiden user customer person patient member client
employee student contact holder"""
_PERSONS = frozenset(_PERSONS_WORDS.split())
# Words that say it only of a column that is spread like an identifier.
_HINTING_WORDS = """name title employer account card license licence plate vin zip postal postcode"""
_HINTING = frozenset(_HINTING_WORDS.split())
_HINTING_JAPANESE = ("名前", "名称", "番号", "勤務先", "会社名", "郵便")
# A word beside it that makes a measure or a kind of it: the type of a card, the limit of an account.
_HARMLESS_WORDS = """model type kind class service brand flag count plan os status length score rate days
amount total balance limit age price cost category level"""
_HARMLESS = frozenset(_HARMLESS_WORDS.split())
_NUMBERED_WORDS = """id no num number nr code key uid pid"""
_NUMBERED = frozenset(_NUMBERED_WORDS.split())


def written_form(values: pl.Series, share: float) -> str:
    """Return the name of the form that more than this share of the values have, empty if none."""
    for name, pattern in _PATTERNS.items():
        fits = values.filter(values.str.contains(pattern))
        check = _CHECKS.get(name)
        count = len(fits) if check is None else sum(map(check, fits.str.replace_all(_SEPARATORS, "").to_list()))
        if count > share * len(values):
            return name
    return ""


def telling_name(name: str) -> bool:
    """Return whether the name of a column says that it identifies people."""
    words = name_tokens(name)
    joined = "".join(words)
    if _HARMLESS & set(words):
        return False
    if any(sign in name for sign in _TELLING_JAPANESE) or _TELLING & {*words, joined}:
        return True
    return "name" in words and bool(_PERSONS & set(words))


def hinting_name(name: str) -> bool:
    """Return whether the name of a column may say that it identifies people."""
    words = set(name_tokens(name))
    return not _HARMLESS & words and (bool(_HINTING & words) or any(sign in name for sign in _HINTING_JAPANESE))


def numbering_name(name: str) -> bool:
    """Return whether the name of a column of whole numbers says that they are numbers of something."""
    words = set(name_tokens(name))
    return bool(_NUMBERED & words) or any(sign in name for sign in ("番号", "コード"))


def luhn(digits: str) -> bool:
    """Return whether the last digit checks the others (ISO/IEC 7812-1, annex B: cards; 13 to 19 digits).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    if not 13 <= len(digits) <= 19:
        return False
    doubled = [int(digit) * 2 for digit in digits[-2::-2]]
    return (sum(map(int, digits[::-2])) + sum(twice - 9 * (twice > 9) for twice in doubled)) % 10 == 0


def my_number(digits: str) -> bool:
    """Return whether the last of twelve digits checks the others (ordinance 85 of 2014 of the MIC, article 5).

    >>> my_number("123456789018"), my_number("123456789012")
    (True, False)
    """
    if len(digits) != 12:
        return False
    places = zip(digits[-2::-1], range(1, 12), strict=True)
    rest = sum(int(digit) * (place + 1 if place <= 6 else place - 5) for digit, place in places) % 11
    return int(digits[-1]) == (0 if rest <= 1 else 11 - rest)


def iban(text: str) -> bool:
    """Return whether an account number has the rest 1 (ISO 13616-1, section 6: MOD 97-10).

    >>> iban("GB82WEST12345698765432"), iban("GB82WEST12345698765431")
    (True, False)
    """
    moved = text[4:] + text[:4]
    return 15 <= len(text) <= 34 and int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


_CHECKS: Mapping[str, Callable[[str], bool]] = {"card": luhn, "my-number": my_number, "iban": iban}
