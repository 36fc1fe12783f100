"""Pictures: transfer functions with their derivatives, and learning curves.

`plot_transfer(f7.ELU(0.1), f7.ELU(1.0), path="elu.png")` draws curves into one picture; from the command line
`python -m functorch7.viz "ELU(0.1)" "ELU(1.0)" --output elu.png`. `python -m functorch7.viz --gallery docs` draws
every transfer function and writes the page that shows them. `plot_learning("runs/digits")` draws what a
`training.Trainer` recorded. Needs matplotlib (`pip install functorch7[viz]`).
"""

import argparse
import ast
import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import core, layers

GALLERY = {
    "Transfer functions": [
        layers.Tanh(), layers.Sigmoid(), layers.ReLU(), layers.ReLU6(), layers.LeakyReLU(0.1), layers.PReLU(),
        layers.RReLU(), layers.ELU(), layers.Threshold(0.5, -1), layers.HardTanh(), layers.HardShrink(0.85),
        layers.SoftShrink(0.85), layers.TanhShrink(), layers.SoftPlus(), layers.SoftSign(), layers.LogSigmoid(),
        layers.SoftMax(), layers.SoftMin(), layers.LogSoftMax(), layers.SpatialSoftMax(), layers.SpatialLogSoftMax(),
    ],
    "Arithmetic": [
        layers.Abs(), layers.Exp(), layers.Log(), layers.Square(), layers.Sqrt(), layers.Power(1.25),
        layers.AddConstant(1), layers.MulConstant(2), layers.Clamp(-0.5, 0.5),
    ],
}  # fmt: skip
"""What the gallery shows, by heading."""

RANGES = {"ReLU6": (-3, 9), "Log": (0.02, 4), "Sqrt": (0, 4), "Power": (0, 2), "Exp": (-2, 2)}
"""Where a function is drawn, unless it is from -3 to 3."""


def curve(module: Any, low: float = -3, high: float = 3, points: int = 301) -> tuple[np.ndarray, ...]:
    """(x, y, dy/dx) of a transfer function in evaluation mode, at points from low to high.

    The module is a description or a `legacy` object (whose parameters count). dy/dx is the gradient of the sum of all
    y: for functions of several elements (SoftMax) that of one vector.
    Raises ValueError if the module changes its input's size.
    """
    if isinstance(module, core.Module):
        params, buffers = module.init(jax.random.key(0))
    else:
        module, (params, buffers) = module.functional()
    x = jnp.linspace(low, high, points)
    given = x.reshape(-1, 1, 1) if module.torch_name().startswith("nn.Spatial") else x

    def value(given: Any) -> Any:
        return module.apply(params, buffers, given)[0]

    y, pull = jax.vjp(value, given)
    if getattr(y, "shape", None) != given.shape:
        raise core.expected(module, f"a function that keeps the shape {tuple(given.shape)}", y)
    return np.asarray(x), np.asarray(y).reshape(-1), np.asarray(pull(jnp.ones_like(y))[0]).reshape(-1)


def plot_transfer(*modules: Any, path: Any = None, low: float | None = None, high: float | None = None) -> Any:
    """A figure with a curve and a dashed derivative for each module; written to `path`, a picture file, if given.

    Raises ValueError without modules, and as `curve`.
    """
    if not modules:
        raise ValueError("plot_transfer: expected at least one module")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.5, 3.2), layout="constrained")
    axes = figure.add_subplot()
    for number, module in enumerate(modules):
        first, last = RANGES.get(str(module).split("(")[0].split(" ")[0].removeprefix("nn."), (-3, 3))
        x, y, slope = curve(module, first if low is None else low, last if high is None else high)
        axes.plot(x, y, color=f"C{number}", label=str(module))
        axes.plot(x, slope, color=f"C{number}", linestyle="--", label="derivative", linewidth=1)
    axes.set_xlabel("x")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    if path is not None:
        figure.savefig(path, dpi=80)
    return figure


def plot_learning(folder: Any, path: Any = None) -> Any:
    """A figure of a training run's records (metrics.jsonl in `folder`); written to `path`, a picture file, if given.

    On the left the loss over steps, and its mean in each epoch; then a plot for each result of validation.
    Raises ValueError if nothing was recorded yet.
    """
    records = [json.loads(line) for line in Path(folder, "metrics.jsonl").read_text().splitlines()]
    train, epochs = ([r for r in records if r["kind"] == kind] for kind in ("train", "epoch"))
    if not records:
        raise ValueError(f"plot_learning: no records in {folder}")
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(n for r in epochs for n in r if n not in ("kind", "step", "epoch", "loss")))
    figure = Figure(figsize=(4.5 * (1 + len(names)), 3.2), layout="constrained")
    first, *others = figure.subplots(1, 1 + len(names), squeeze=False)[0]
    first.plot([r["step"] for r in train], [r["loss"] for r in train], alpha=0.5, label="loss")
    for axes, name in zip((first, *others), ("loss", *names), strict=True):
        known = [r for r in epochs if r.get(name) is not None]
        axes.plot(
            [r["step"] for r in known],
            [r[name] for r in known],
            marker=".",
            label=f"{name} of the epoch" if axes is first else name,
        )
        axes.set_xlabel("step")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    if path is not None:
        figure.savefig(path, dpi=80)
    return figure


def write_gallery(folder: Path) -> Path:
    """Draws everything in GALLERY into folder/gallery and writes folder/gallery.md, which is returned."""
    pictures = folder / "gallery"
    pictures.mkdir(parents=True, exist_ok=True)
    lines = ["# Gallery", "", "Transfer functions (full) and their derivatives (dashed), drawn by `make gallery`.", ""]
    for heading, modules in GALLERY.items():
        lines += [f"## {heading}", ""]
        for module in modules:
            name = type(module).__name__
            plot_transfer(module, path=pictures / f"{name}.png")
            formula = (type(module).__doc__ or "").splitlines()[0]
            lines += [f"**{name}**: {formula}", "", f"![{name}](gallery/{name}.png)", ""]
    page = folder / "gallery.md"
    page.write_text("\n".join(lines))
    return page


def _module(text: str) -> core.Module:
    """The module that `ELU(0.1)` or `Tanh` stands for; arguments are plain values."""
    call = ast.parse(text.removeprefix("nn."), mode="eval").body
    name, arguments = (call.func, call.args) if isinstance(call, ast.Call) else (call, [])
    kind = core.registry.get(f"nn.{name.id}") if isinstance(name, ast.Name) else None
    if kind is None:
        raise argparse.ArgumentTypeError(f"no module of that name: {text}")
    try:
        return kind(*map(ast.literal_eval, arguments))
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from None


def main(arguments: list[str] | None = None) -> None:
    """The command line: see the top of this file."""
    parser = argparse.ArgumentParser(prog="python -m functorch7.viz", description="Draws transfer functions.")
    parser.add_argument("modules", nargs="*", type=_module, help='such as Tanh or "ELU(0.1)"')
    parser.add_argument("--output", default="transfer.png", help="the picture to write (transfer.png)")
    parser.add_argument("--low", type=float, help="the least x")
    parser.add_argument("--high", type=float, help="the greatest x")
    parser.add_argument("--gallery", type=Path, metavar="FOLDER", help="draw all of them, and write FOLDER/gallery.md")
    options = parser.parse_args(arguments)
    if options.gallery:
        print(f"wrote {write_gallery(options.gallery)}")
    elif options.modules:
        plot_transfer(*options.modules, path=options.output, low=options.low, high=options.high)
        print(f"wrote {options.output}")
    else:
        parser.error("name at least one module, or --gallery FOLDER")


if __name__ == "__main__":
    main()
