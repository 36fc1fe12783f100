"""Python's own error messages in Lua's words."""

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
"""Python's messages for values of a wrong type, with Lua's."""


CONSTANTS = {"None": "nil", "True": "true", "False": "false"}
OF_CONSTANTS = re.compile(r"""(?<![\w/.'"-])(None|True|False)(?![\w/'"-])""")
"""Python's constants, except inside texts and paths."""

NO_TYPE = re.compile(r"(<class )?'NoneType'(?(1)>)|\bNoneType\b")
COMPARED = re.compile(r"'\S+' not supported between instances of '(\w+)' and '(\w+)'")


def with_luas_constants(message: str) -> str:
    """A message with constants as Lua writes them.

    >>> with_luas_constants("nn.Linear: expected a tensor, got [None, 'None', True]")
    "nn.Linear: expected a tensor, got [nil, 'None', true]"
    """
    return OF_CONSTANTS.sub(lambda found: CONSTANTS[found[1]], NO_TYPE.sub("nil", message))


def in_luas_words(message: str) -> str:
    """The message of a Python AttributeError or TypeError in Lua's words, if it is about values that Lua has."""
    for pattern, words in OF_VALUES:
        found = pattern.fullmatch(message)
        if found and found[1] in KINDS:
            return words.format(KINDS[found[1]], *found.groups()[1:])
    compared = COMPARED.fullmatch(message)
    if compared and all(kind in KINDS for kind in compared.groups()):
        return "attempt to compare {} with {}".format(*(KINDS[kind] for kind in compared.groups()))
    return message
