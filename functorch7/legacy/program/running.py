"""Runs Python files as Lua's dofile does."""

from ...interop.t7.values import Fields


def run_file(path: str, names: Fields) -> None:
    """Runs a file with global names that are there before and, with what it defines, afterwards."""
    with open(path, encoding="utf-8") as file:
        program = compile(file.read(), path, "exec")
    exec(program, names)
