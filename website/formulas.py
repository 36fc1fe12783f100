"""Formulas of docstrings, which are plain text, as MathML: browsers set it by themselves."""

import html
import re
from itertools import chain, pairwise

TOKEN = re.compile(
    r"\s*(\u2061|"
    r"\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z]{2,}(?:_[A-Za-z]{2,}\d*)*'?|[A-Za-z]\d?'?|\|\||->|<=|>=|!=|\.\.\.|[^\s\w]|_)"
)
FORMULA = re.compile(
    r"-?sum(_\w+|_\{.*?\})? |-sum|\|\||\w+(_\w|_\{.*?\})?'? = |\w+(, \w+)+ = |\w+(\[.*?\])+ = |merge\(\["
    r"|\[.*?\] -> |x -> |max\(|\w+\([^()]*\) = "
)
APPLIED = re.compile(r"(?<=[A-Za-z0-9'])(?=\()|(?<=[A-Za-z0-9'\])}])(?=\[)")
"""Where a function is followed by what it is of, or an array by its indices: w[i], but not in the product W [x, h]."""

END = re.compile(
    r"[;:]\s|(?<![ .])\.(?=\s|$)|$"
    r"|,? (?=(?:with|in training|over|for|kept|of two|of each|example by|element by|from)\b)"
    r"|, (?=(?:divided|per|averaged|image|plane|step|by|one|the mean|the distances)\b)"
    r"|, (?=(?:where Phi|where x1|where dimensions|or with|cast|but|NaN|which|at first|joined|if|projected)\b)"
)
NO_FORMULA = re.compile(r"\b(the|up)\b|^sum$|^x = 1$|JAX")
SIGNS = {
    "*": "\u22c5", ".": "\u22c5", "->": "\u2192", "<=": "\u2264", ">=": "\u2265", "!=": "\u2260", "-": "\u2212",
    "||": "\u2016", "...": "\u2026",
}  # fmt: skip
LETTERS = {"alpha": "\u03b1", "beta": "\u03b2", "lambda": "\u03bb", "eps": "\u03b5", "Phi": "\u03a6", "Gamma": "\u0393"}
NAME = re.compile(r"(<mrow>|<munder>|<msu[bp]>|<msubsup>)*<mi>")
WORD = re.compile(r"(<mrow>|<munder>|<msu[bp]>|<msubsup>)*<mi>\w\w")
TALL = re.compile("<mfrac|<munder|<msqrt")
"""What brackets have to be higher for."""
SUM = "<mo>\u2211</mo>"
SPACE = '<mspace width="0.2em"/>'
PROSE = {"where", "else", "if", "and", "of"}


def parted(paragraph: str) -> tuple[list[str], str]:
    """The formulas with which a paragraph begins, one after another, and the prose after them."""
    found, rest = [], " ".join(paragraph.split())
    while formula := _first(rest):
        found.append(formula[0])
        rest = formula[1]
    return (found, rest[:1].upper() + rest[1:]) if found else ([], paragraph)


def _first(text: str) -> tuple[str, str] | None:
    """The formula with which a text begins, and what comes after it; None if it begins otherwise."""
    end = END.search(text) if FORMULA.match(text) else None
    formula = text[: end.start()] if end else ""
    if end is None or NO_FORMULA.search(formula) or any(formula.count(a) != formula.count(b) for a, b in ("()", "[]")):
        return None
    return formula, text[end.end() :].lstrip(" ,")


def mathml(formula: str) -> str:
    """A formula as a block of MathML."""
    tokens = TOKEN.findall(APPLIED.sub("\u2061", formula))[::-1]  # the next one is the last
    return f'<math display="block">{_row(tokens, "")}</math>'


def _row(tokens: list[str], end: str) -> str:
    """What comes before `end`, which is taken, too."""
    items: list[str] = []
    while tokens:
        if tokens[-1] == end:
            tokens.pop()
            break
        if tokens[-1] == "/" and items and len(tokens) > 1:
            tokens.pop()
            items[-1] = f"<mfrac>{_bare(items[-1])}{_bare(_denominator(tokens))}</mfrac>"
        else:
            items.append(_scripted(tokens))
    spaces = [SPACE if _are_apart(*pair) else "" for pair in pairwise(items)]
    return f"<mrow>{''.join(chain(items[:1], *zip(spaces, items[1:], strict=True)))}</mrow>"


def _denominator(tokens: list[str]) -> str:
    """A part; of a sum, with what is summed."""
    part = _scripted(tokens)
    is_sum = part.removeprefix("<munder>").startswith(SUM)
    return f"<mrow>{part}{_scripted(tokens)}</mrow>" if is_sum and tokens else part


def _are_apart(one: str, other: str) -> bool:
    """Whether the product of two parts needs a space between them: i dh, and not idh."""
    return all(map(NAME.match, (one, other))) and any(map(WORD.match, (one, other)))


def _scripted(tokens: list[str]) -> str:
    """A part with what stands below and above it, and what it is applied to."""
    is_sum = tokens[-1] in ("sum", "max", "min", "argmax", "argmin", "mean")
    part = _with_scripts(_part(tokens), tokens, is_sum)
    while tokens and tokens[-1] == "\u2061":
        tokens.pop()
        part = _with_scripts(f"<mrow>{part}{_part(tokens)}</mrow>", tokens)
    return part


def _with_scripts(base: str, tokens: list[str], is_sum: bool = False) -> str:
    below, above = "", ""
    while tokens and tokens[-1] in ("_", "^") and len(tokens) > 1:
        if tokens.pop() == "_":
            below = _bare(_signed(tokens))
        else:
            above = _bare(_signed(tokens))
    if is_sum and below:
        return f"<munder>{base}{below}</munder>"
    if below and above:
        return f"<msubsup>{base}{below}{above}</msubsup>"
    return f"<msub>{base}{below}</msub>" if below else f"<msup>{base}{above}</msup>" if above else base


def _signed(tokens: list[str]) -> str:
    """A part, with its sign if it has one: e^-s_i."""
    return f"<mrow>{_part(tokens)}{_scripted(tokens)}</mrow>" if tokens[-1] == "-" else _part(tokens)


def _part(tokens: list[str]) -> str:
    token = tokens.pop()
    if token in ("(", "[", "{"):
        end = {"(": ")", "[": "]", "{": "}"}[token]
        inside = _row(tokens, end)
        kind = "mo" if TALL.search(inside) else 'mo stretchy="false"'
        return inside if token == "{" else f"<mrow><{kind}>{token}</mo>{inside}<{kind}>{end}</mo></mrow>"
    if token == "sqrt" and tokens and tokens[-1] == "\u2061":
        tokens.pop()
        return f"<msqrt>{_bare(_part(tokens))}</msqrt>"
    if token == "sum":
        return SUM
    if token in PROSE:
        return f"<mtext>\u00a0{token}\u00a0</mtext>"
    if token[0].isdigit():
        power = re.fullmatch(r"1e(-?\d+)", token)
        return f"<msup><mn>10</mn><mn>{power[1].replace('-', SIGNS['-'])}</mn></msup>" if power else f"<mn>{token}</mn>"
    if token[0].isalpha():
        name = token.rstrip("'")
        shown = f"<mi>{LETTERS.get(name, name)}</mi>"
        if name[1:].isdigit():
            shown = f"<msub><mi>{name[0]}</mi><mn>{name[1:]}</mn></msub>"
        return shown if name == token else f"<msup>{shown}<mo>\u2032</mo></msup>"
    return f"<mo>{SIGNS.get(token, html.escape(token))}</mo>"


def _bare(part: str) -> str:
    """A part without the brackets around it, which a fraction, a root or an index does not need."""
    found = re.fullmatch(r"<mrow><mo[^>]*>\(</mo>(<mrow>.*</mrow>)<mo[^>]*>\)</mo></mrow>", part)
    return found[1] if found else part
