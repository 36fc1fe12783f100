"""Python's own words for what a call cannot do, as Lua has them for its values."""

import re

KINDS = {
    "NoneType": "nil", "int": "number", "float": "number", "str": "string", "bytes": "string", "bool": "boolean",
    "list": "table", "dict": "table", "tuple": "table", "function": "function", "method": "function",
}  # fmt: skip
"""Lua's names of types by Python's."""

ARITHMETIC = "attempt to perform arithmetic on a {0} value"

OF_VALUES = (
    (re.compile(r"'(\w+)' object has no attribute '(\w+)'"), "attempt to index a {0} value (field '{1}')"),
    (re.compile(r"'(\w+)' object is not (?:subscriptable|iterable)"), "attempt to index a {0} value"),
    (re.compile(r"'(\w+)' object does not support item assignment"), "attempt to index a {0} value"),
    (re.compile(r"'(\w+)' object is not callable"), "attempt to call a {0} value"),
    (re.compile(r"object of type '(\w+)' has no len\(\)"), "attempt to get length of a {0} value"),
    (re.compile(r"unsupported operand type\(s\) for [^:]+: '(?!int|float)(\w+)' and '\w+'"), ARITHMETIC),
    (re.compile(r"unsupported operand type\(s\) for [^:]+: '\w+' and '(\w+)'"), ARITHMETIC),
)
"""What Python says of a value that is not of the type that is needed, and what Lua says."""


def in_luas_words(message: str) -> str:
    """What an AttributeError or a TypeError of Python's says, in Lua's words, if it is about values that Lua has."""
    for pattern, words in OF_VALUES:
        found = pattern.fullmatch(message)
        if found and found[1] in KINDS:
            return words.format(KINDS[found[1]], *found.groups()[1:])
    return message
