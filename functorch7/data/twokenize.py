"""Splits tweets into tokens: python -m functorch7.data twokenize -i tweets.csv -o tokens.csv.

What may hold punctuation inside (addresses, times, numbers, emoticons, abbreviations, ...) is found first, in the order
of PROTECTED; the rest is split at spaces, and contractions lose their endings ("don't" gives "do" and "n't").
Source: dataload, twitter/twokenize.py; O'Connor, Krieger and Ahn, TweetMotif, 2010; Owoputi et al., 2012.
"""

import argparse
import csv
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from ..checks.errors import describe
from ..interop.writing import replacing

PUNCTUATION = r"""['"“”‘’.?!…,:;]"""
ENTITY = r"""[&<>"]"""

# The domains that make a URL of a name without http: the generic ones, and the countries' by their first letters.
GENERIC = "com|org|edu|gov|net|mil|aero|asia|biz|cat|coop|info|int|jobs|mobi|museum|name|pro|tel|travel|xxx"
COUNTRIES = {
    "a": "cdefgilmnoqrstuwxz", "b": "abdefghijmnorstvwyz", "c": "acdfghiklmnorsuvxyz", "d": "dejkmoz",
    "e": "ceghrstu", "f": "ijkmor", "g": "abdefghilmnpqrstuwy", "h": "kmnrtu", "i": "delmnoqrst", "j": "emop",
    "k": "eghimnprwyz", "l": "abcikrstuvy", "m": "acdeghklmnopqrstuvwxyz", "n": "acefgilopruz", "o": "m",
    "p": "aefghklmnrstwy", "q": "a", "r": "eosuw", "s": "abcdeghijklmnorstuvyz", "t": "cdfghjklmnoprtvwz",
    "u": "agksyz", "v": "aceginu", "w": "fs", "y": "et", "z": "amw",
}  # fmt: skip
COUNTRY = "(?:" + "|".join(f"{first}[{seconds}]" for first, seconds in COUNTRIES.items()) + ")"
DOMAIN = rf"\b[A-Za-z\d-]+(?:\.[A-Za-z0-9]+){{0,3}}\.(?:{GENERIC}|{COUNTRY})(?:\.{COUNTRY})?(?=\W|$)"
URL_END = rf"(?=(?:(?:{PUNCTUATION}|{ENTITY})+?)?(?:\.\.+|[<>]|\s|$))"
URL = rf"(?:https?://|\bwww\.|{DOMAIN})(?:[^.\s<>][^\s<>]*?)?{URL_END}"
EMAIL = r"(?:(?<=\W)|(?<=^))[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,4}(?=\W|$)"

CURRENCIES = "".join(c for c in map(chr, range(0x10000)) if unicodedata.category(c) == "Sc")
TIME = r"\d+(?::\d+){1,2}"
THOUSANDS = r"(?:(?<!\d)\d{1,3},)+?\d{3}(?=[^,\d]|$)"
DECIMAL = rf"[{re.escape(CURRENCIES)}]?\d+(?:\.\d+)+%?"

NOSE = "(?:|-|[^a-zA-Z0-9 ])"
SAD, HAPPY, OTHER_MOUTH = r"[(\[{]+", r"[D)\]}]+", r"(?:[oO]+|[/\\]+|[vV]+|[Ss]+|[|]+)"
AFTER_MOUTH = r"(?=\W|$|RT|rt|Rt)"
UPRIGHT = rf"(?:>|&gt;)?[:=;](?:{NOSE}|[Oo])(?:(?:[pPd3]+|{OTHER_MOUTH}){AFTER_MOUTH}|{SAD}|{HAPPY})"
REVERSED = rf"(?:(?<= )|(?<=^))(?:{SAD}|{HAPPY}|{OTHER_MOUTH}){NOSE}[:=;](?:<|&lt;)?"


def _face(eye: str) -> str:
    """Two equal eyes with a mouth between them, and a few fixed ones; `eye` names the group."""
    eyes = rf"(?P<{eye}>[♥0oO°vV$tTxX;ಠ@ʘ•・◕^¬*])(?:\.|[_-]+)(?P={eye})"
    angles = "(?:<|&lt;|>|&gt;)"
    return rf"""{eyes}|--['"]|{angles}[._-]+{angles}|\._+\."""


EASTERN = (
    r"[＼\\ƪԄ(（<>;ヽ\-=~*]+"
    rf"(?:{_face('eastern')}|[^A-Za-z0-9\s()*:=-])+"
    r"""[-=);'"<>ʃ）/／ノﾉ丿╯σっµ~*]+"""
)
EMOTICON = rf"{UPRIGHT}|{REVERSED}|{EASTERN}|{_face('plain')}|[oO](?:\.|[_-]+)[oO]"

BEFORE_BOUNDARY = rf"""(?=$|\s|[“"?!,:;]|{ENTITY})"""
INITIALS = rf"(?:[A-Za-z]\.){{2,}}{BEFORE_BOUNDARY}|[^A-Za-z](?:[A-Za-z]\.)+[A-Za-z]{BEFORE_BOUNDARY}"
TITLES = r"\b(?:[Mm]rs?|[Mm]s|[DdSsJj]r|[Rr]ep|[Ss]en|[Ss]t)\."

PROTECTED = {
    "heart": r"(?:<+/?3+)+",
    "url": URL,
    "email": EMAIL,
    "time": TIME,
    "number": f"{THOUSANDS}|{DECIMAL}",
    "emoticon": EMOTICON,
    "arrow": r"<*[-―—=]*>+|<+[-―—=]*>*",
    "entity": ENTITY,
    "punctuation": r"""['"“”‘’]+|[.?!,…]+|[:;]+""",
    "abbreviation": f"{INITIALS}|{TITLES}",
    "separator": "--+|[―—~–=]",
    "decoration": "[♫♪]+|[★☆]+|[♥❤♡]+",
    "apostrophe": r"""[^\s.,?"]+['’′][^\s.,?"]*""",
    "hashtag": r"#[a-zA-Z0-9_]+",
    "mention": r"[@＠][a-zA-Z0-9_]+",
}
PROTECTED_PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in PROTECTED.values()))

EDGE = r"""['"“”‘’«»{}()\[\]*&]+"""
LEFT_EDGE = re.compile(rf"((?:^|[:;\s.,]){EDGE})(?=[a-zA-Z0-9])")
RIGHT_EDGE = re.compile(rf"(?<=[a-zA-Z0-9])({EDGE}(?:$|[:;\s.,]))")
CONTRACTION = re.compile(r"(\w+)(n['’′]t|['’′](?:ve|ll|d|re|s|m))$", re.IGNORECASE)


def tokenize(text: str) -> list[str]:
    """The tokens of a tweet, in order. Nothing but spaces is lost. Raises: TypeError for anything but a text.

    Differs from Torch7: what stands before a contraction and is no letter ("@" in "@ann's") is not dropped.

    >>> tokenize("@ann don't miss http://x.com/a :-) (it's at 10:30)!!")
    ['@ann', 'do', "n't", 'miss', 'http://x.com/a', ':-)', '(', 'it', "'s", 'at', '10:30', ')', '!!']
    """
    if not isinstance(text, str):
        raise TypeError(f"tokenize: expected a text, got {describe(text)}")
    text = LEFT_EDGE.sub(r"\1 ", " ".join(text.split()))
    text = RIGHT_EDGE.sub(r" \1", text)
    return [part for token in _pieces(text) for part in _without_contraction(token)]


def _pieces(text: str) -> Iterator[str]:
    end = 0
    for match in PROTECTED_PATTERN.finditer(text):
        yield from text[end : match.start()].split()
        if match.group().strip():
            yield match.group().strip()
        end = match.end()
    yield from text[end:].split()


def _without_contraction(token: str) -> Iterable[str]:
    match = CONTRACTION.search(token)
    return (token[: match.start(2)], match[2]) if match else (token,)


def read_rows(path: str | os.PathLike, encoding: str) -> Iterator[list[str]]:
    """The rows of a CSV file; ValueError naming it where it is not in `encoding` or no CSV."""
    with open(path, newline="", encoding=encoding) as file:
        reader = csv.reader(file)
        try:
            yield from reader
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{path}, after line {reader.line_num}: not a CSV file in {encoding}: {error}") from error


def tokenize_csv(
    source: str | os.PathLike,
    target: str | os.PathLike,
    encoding: str = "latin-1",
    check: Callable[[int, list[str]], object] | None = None,
) -> int:
    """Writes source's rows to target (in UTF-8, all fields quoted), the last field as tokens with spaces between.

    Returns the number of rows. check(number, row) may raise for a row; nothing is written then.
    Raises: ValueError naming the source if it is not a CSV file in `encoding`, or has an empty row.
    """
    count = 0
    with replacing(target) as draft, open(draft, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for count, row in enumerate(read_rows(source, encoding), 1):
            if not row:
                raise ValueError(f"{source}: row {count} is empty")
            if check is not None:
                check(count, row)
            writer.writerow([*row[:-1], " ".join(tokenize(row[-1]))])
    return count


def main(arguments: list[str] | None = None) -> None:
    """The command line: see the top of this file."""
    parser = argparse.ArgumentParser(prog="python -m functorch7.data twokenize", description="Tokenizes tweets.")
    parser.add_argument("-i", "--input", required=True, help="CSV file whose last column is tokenized")
    parser.add_argument("-o", "--output", required=True, help="CSV file to write")
    parser.add_argument("--encoding", default="latin-1", help="of the input (latin-1); the output is in UTF-8")
    options = parser.parse_args(arguments)
    if not tokenize_csv(options.input, options.output, options.encoding):
        print("empty output")
