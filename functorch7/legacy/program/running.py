"""Runs Python files as Lua's dofile does."""

from ...interop.t7.values import Fields


def run_file(path: str, names: Fields) -> None:
    """Runs a file with these global names, to which it adds its own definitions."""
    with open(path, encoding="utf-8") as file:
        program = compile(file.read(), path, "exec")
    exec(program, names)
