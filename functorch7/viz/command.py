"""The command line for pictures of transfer functions.

`python -m functorch7.viz "ELU(0.1)" "ELU(1.0)" --output elu.png` draws curves into one picture;
`python -m functorch7.viz --gallery docs` draws every transfer function, and writes the page that shows them.
"""

import argparse
import ast
from pathlib import Path

from .. import core
from .gallery import write_gallery
from .transfer import plot_transfer


def main(arguments: list[str] | None = None) -> None:
    """The command line: see the top of this file."""
    parser = argparse.ArgumentParser(prog="python -m functorch7.viz", description="Draws transfer functions.")
    parser.add_argument("modules", nargs="*", type=_module, help='such as Tanh or "ELU(0.1)"')
    parser.add_argument("--output", default="transfer.png", help="the picture to write (transfer.png)")
    parser.add_argument("--low", type=float, help="the least x")
    parser.add_argument("--high", type=float, help="the greatest x")
    parser.add_argument("--gallery", type=Path, metavar="FOLDER", help="draw all of them, and write FOLDER/gallery.md")
    options = parser.parse_args(arguments)
    if not (options.gallery or options.modules):
        parser.error("name at least one module, or --gallery FOLDER")
    try:
        print(f"wrote {_drawn(options)}")
    except (ImportError, OSError, ValueError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


def _drawn(options: argparse.Namespace) -> str | Path:
    if options.gallery:
        return write_gallery(options.gallery)
    plot_transfer(*options.modules, path=options.output, low=options.low, high=options.high)
    return options.output


def _module(text: str) -> core.Module:
    """The module that `ELU(0.1)` or `Tanh` stands for; arguments are plain values."""
    try:
        call = ast.parse(text.removeprefix("nn."), mode="eval").body
        name, given, named = (call.func, call.args, call.keywords) if isinstance(call, ast.Call) else (call, [], [])
        arguments = [ast.literal_eval(each) for each in given]
        options = {str(each.arg): ast.literal_eval(each.value) for each in named}
    except (SyntaxError, ValueError):
        raise argparse.ArgumentTypeError(f'expected a module, such as Tanh or "ELU(0.1)", got {text}') from None
    kind = core.registry.get(f"nn.{name.id}") if isinstance(name, ast.Name) else None
    if kind is None:
        raise argparse.ArgumentTypeError(f"no module of that name: {text}")
    try:
        return kind(*arguments, **options)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from None
