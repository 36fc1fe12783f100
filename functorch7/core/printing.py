"""How Torch7 prints modules, to the letter."""

from collections.abc import Sequence


def _indented(text: str, indent: str) -> str:
    return text.replace("\n", "\n" + indent)


def chain(name: str, modules: Sequence[object]) -> str:
    """nn.Sequential's form: the chain of numbers, then a line per module."""
    arrows = " -> ".join(["input", *(f"({i})" for i in range(1, len(modules) + 1)), "output"])
    lines = [f"\n  ({i}): {_indented(str(m), '  ')}" for i, m in enumerate(modules, 1)]
    return f"{name} {{\n  [{arrows}]{''.join(lines)}\n}}"


def branches(name: str, modules: Sequence[object]) -> str:
    """The form of containers that run their modules side by side (Concat, Parallel and the table containers)."""
    text = f"{name} {{\n  input"
    for i, module in enumerate(modules, 1):
        last = i == len(modules)
        arrow, indent = ("     `-> ", "         ") if last else ("    |`-> ", "    |    ")
        text += f"\n{arrow}({i}): {_indented(str(module), indent)}"
    return text + "\n     ... -> output\n}"
