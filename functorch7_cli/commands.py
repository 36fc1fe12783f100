"""The commands and their options. They import their functions when they run, since `--help` must be fast."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import click

from .command import Command, Commands, Counts, NotNegative, Numbers, Recipe, Setting, Sizes, report
from .lasting import lasting
from .stopping import stoppable

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
EXISTING = click.Path(exists=True)

file = click.argument("file", type=EXISTING)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
like = click.option(
    "--like", type=EXISTING, metavar="T7FILE", help="A file with the same network, if FILE has only arrays."
)
entry = click.option(
    "--entry", metavar="PLACE", help="Which network, if FILE holds a table with several, such as protos.rnn."
)
dtype = click.option("--dtype", type=click.Choice(["float32", "float64"]), help="The precision, if not the file's.")


@click.group(cls=Commands, context_settings=CONTEXT, epilog="functorch7 COMMAND --help shows examples.")
@click.version_option(package_name="functorch7", prog_name="functorch7")
def main() -> None:
    """Inspects, converts, runs and times networks in files, trains by recipes, and checks the installation.

    Exit codes: 0 on success; 1 if something is wrong with a file, its network or (doctor) the installation; 2 for wrong
    arguments; 130 or 143 if Ctrl-C or SIGTERM ended a training.
    """


@main.command(
    cls=Command,
    examples="""
functorch7 inspect model.t7
functorch7 inspect model.t7 --json
functorch7 inspect model.safetensors
""",
)
@file
@as_json
def inspect(file: str, as_json: bool) -> None:
    """Show the contents of FILE: the network as Torch prints it, its arrays and their sizes.

    FILE is a file of Torch7 (which may also contain tables and tensors), safetensors or StableHLO, or the folder of an
    orbax checkpoint. Objects of unknown classes are shown with their fields.
    """
    with lasting():
        from .contents import contents_of
        from .show import shown

    found = contents_of(file)
    report(found, as_json, shown)


@main.command(
    cls=Command,
    examples="""
functorch7 convert model.t7 model.safetensors
functorch7 convert model.t7 readable.t7 --to t7-ascii
functorch7 convert model.safetensors again.t7 --like model.t7
functorch7 convert model.t7 checkpoint --to orbax
functorch7 convert model.t7 model.stablehlo --input-shape batchx1x8x8
functorch7 convert model.t7 model.onnx --input-shape batchx1x8x8
functorch7 convert model.t7 state.safetensors --to pytorch --by-kind
""",
)
@file
@click.argument("out", type=click.Path())
@click.option(
    "--to",
    type=click.Choice(["t7", "t7-ascii", "safetensors", "orbax", "stablehlo", "onnx", "pytorch"]),
    help="The format of OUT, if its ending (.t7, .safetensors, .orbax, .stablehlo, .onnx, .pt) does not say it.",
)
@click.option(
    "--input-shape",
    type=Sizes(open=True),
    metavar="SIZES",
    help="The input's shape, for StableHLO and ONNX: 1x3x224x224, or batchx3x224x224 for any number of images.",
)
@click.option("--by-kind", is_flag=True, help="Name PyTorch's layers by kind (conv1, lstm) instead of place (0, 1).")
@like
@entry
@dtype
def convert(file: str, out: str, **options: Any) -> None:
    """Write the contents of FILE to OUT in another format.

    From Torch7's format to Torch7's, all values are kept unchanged. Safetensors and orbax store only a network's arrays
    by name; converting them back needs the network: --like. StableHLO is the network compiled for an input shape, ONNX
    the network in ONNX's operators. PyTorch's format is a state_dict with its names and its order of gates: a
    .safetensors file, or, if PyTorch is installed, a .pt file for torch.load.
    """
    with lasting():
        from .convert import convert

    click.echo(f"wrote {convert(file, out, **options)}")


@main.command(
    cls=Command,
    examples="""
functorch7 run model.t7 --input x.npy
functorch7 run model.t7 --input digit.png --size 8x8 --mean 0.5 --std 0.25
functorch7 run model.t7 --input x.npy --output y.npy --json
functorch7 run model.stablehlo --input x.npy
""",
)
@file
@click.option(
    "--input", type=EXISTING, required=True, help="A .npy or .npz file, a .t7 file with tensors, or an image."
)
@click.option("--output", type=click.Path(), help="Where to write the output: .npy, .npz or .t7.")
@click.option("--size", type=Sizes(2), metavar="HEIGHTxWIDTH", help="Resize the image; by default it keeps its size.")
@click.option("--mean", type=Numbers(), help="Subtract these from the image's channels, which are 0 to 1.")
@click.option("--std", type=Numbers(divide=True), help="Divide the image's channels by these, after --mean.")
@click.option("--top", type=click.IntRange(1), default=5, show_default=True, help="How many classes to show.")
@click.option(
    "--classes", multiple=True, type=EXISTING, metavar="LUAFILE", help="Run this Lua file first, which defines classes."
)
@like
@entry
@dtype
@as_json
def run(file: str, as_json: bool, **options: Any) -> None:
    """Run the network in FILE, in evaluation mode, and show its output.

    An image becomes a batch of one, 1 x channels x height x width, with numbers from 0 to 1. If the output has one row
    per example, its largest entries are shown (classes count from 1), otherwise its statistics.
    """
    from .tuning import keep_programs, start_with_huge_pages

    start_with_huge_pages()
    with lasting():
        from .run import run
        from .show import shown_output

    keep_programs()

    found = run(file, **options)
    report(found, as_json, shown_output)


@main.command(
    cls=Command,
    examples="""
functorch7 bench model.t7 --input-shape 1x1x8x8
functorch7 bench model.t7 --input-shape 16x1x8x8 --rounds 5 --json
functorch7 bench words.t7 --input-shape 20x32 --indices 10000
""",
)
@file
@click.option(
    "--input-shape",
    type=Sizes(),
    required=True,
    metavar="SIZES",
    help="The input's shape: 1x3x224x224; with commas, the shapes of a table.",
)
@click.option("--rounds", type=click.IntRange(1), default=20, show_default=True, help="Calls to take the median of.")
@click.option(
    "--indices",
    type=Counts(),
    default=(),
    metavar="N",
    help="Inputs are whole numbers from 1 to N; N,0: in a table of two, only the first.",
)
@like
@entry
@dtype
@as_json
def bench(file: str, as_json: bool, **options: Any) -> None:
    """Time the network in FILE on random input: compilation, forward, and forward with backward.

    Forward runs in evaluation mode; forward with backward runs in training mode, with the gradients of all parameters
    and of the input.
    """
    with lasting():
        from .bench import bench
        from .show import shown_times

    found = bench(file, **options)
    report(found, as_json, shown_times)


@main.command(
    cls=Command,
    examples="""
functorch7 draw model.t7
functorch7 draw model.t7 picture.svg --input-shape 1x1x8x8 --theme dark
""",
)
@file
@click.argument("out", type=click.Path(), required=False)
@click.option("--input-shape", type=Sizes(), metavar="SIZES", help="Show the sizes of outputs for this input.")
@click.option(
    "--theme",
    type=click.Choice(["auto", "light", "dark"]),
    default="auto",
    show_default=True,
    help="auto follows the browser that shows the picture.",
)
@like
@entry
def draw(file: str, out: str | None, **options: Any) -> None:
    """Draw the network in FILE, its layers and their connections, as SVG into OUT, or beside FILE."""
    with lasting():
        from .draw import draw

    click.echo(f"wrote {draw(file, out, **options)}")


@main.command(
    cls=Command,
    examples="""
functorch7 train digits
functorch7 train python-lstm --set hidden_sizes=[400] --set dropout=0.5
functorch7 train my_recipe.toml --folder runs/second --bfloat16
functorch7 train --list
""",
)
@click.argument("file", metavar="RECIPE", type=Recipe(), required=False)
@click.option("--folder", type=click.Path(), help="The folder of the run, new or to continue; else runs/RECIPE.")
@click.option(
    "--set", "settings", multiple=True, type=Setting(), metavar="NAME=VALUE", help="Change a setting of the recipe."
)
@click.option(
    "--devices",
    type=click.Choice(["copies", "shards"]),
    help="Train on all devices, each with all parameters or with a part of them.",
)
@click.option("--bfloat16", is_flag=True, help="Compute in bfloat16; parameters stay float32.")
@click.option("--tensorboard", is_flag=True, help="Also write files for TensorBoard.")
@click.option("--list", "listing", is_flag=True, help="List the shipped recipes.")
@click.option("--no-tuning", is_flag=True, help="Use no huge pages and no folder of compiled programs.")
@click.option("--verbose", is_flag=True, help="Show what is set.")
@as_json
def train(
    file: str | None, listing: bool, no_tuning: bool, verbose: bool, as_json: bool, **options: Any
) -> None:  # fmt: skip
    """Train by a RECIPE: the name of a shipped one, or a file of settings (.toml, .yaml).

    Checkpoints, metrics and learning curves are written to the folder of the run. The same command continues a run that
    was stopped, by Ctrl-C or otherwise; other settings need another folder. At the end the network of the best epoch is
    measured on the test set.
    """
    if file is None and not listing:
        raise click.UsageError("name a RECIPE; --list shows the shipped ones")
    if not (listing or no_tuning):
        from .tuning import start_tuned

        start_tuned(verbose)
    with lasting():
        if not listing:
            from .devices import find_meanwhile

            find_meanwhile()
        from .show import shown_training
        from .train import listed, train

    if listing or file is None:
        click.echo(listed())
        return
    found = train(file, quiet=as_json, **options)
    report(found, as_json, shown_training)
    if found["ended"] in signal.Signals.__members__:
        raise click.exceptions.Exit(128 + signal.Signals[found["ended"]])


@main.command(
    cls=Command,
    examples="""
functorch7 sample runs/char-rnn --prime "ROMEO:" --temperature 0.7
functorch7 sample lm_lstm_epoch50.00_1.3789.t7 --length 500
""",
)
@file
@click.option("--prime", default="", help="The text to begin with.")
@click.option("--length", type=click.IntRange(min=1), default=2000, help="The number of characters or words to add.")
@click.option("--temperature", type=NotNegative(), default=1.0, help="Lower is likelier; 0: the likeliest.")
@click.option("--seed", type=click.IntRange(min=0), default=123, help="The seed of all draws.")
def sample(file: str, **options: Any) -> None:
    """Print text written by a language model.

    FILE is the folder of a run by a `language` recipe, whose best epoch is used, or a checkpoint of char-rnn (.t7).
    """
    with lasting():
        from .sample import sample

    click.echo(sample(file, **options))


@main.command(
    cls=Command,
    examples="""
functorch7 doctor
functorch7 doctor --json
""",
)
@as_json
def doctor(as_json: bool) -> None:
    """Check whether functorch7 computes correctly here, and say what to do if not.

    Shows versions, devices, flags, huge pages and the folder of compiled programs. Checks for known faults of JAX by
    running a program that shows each, and compares compiled gradients on each device with single operations. Notes are
    only information; problems make the exit code 1.
    """
    with lasting():
        from .doctor import doctor
        from .show import shown_health

    found = doctor()
    report(found, as_json, shown_health)
    raise click.exceptions.Exit(int(bool(found["problems"])))


@main.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="\b\nExamples:\n"
    "  functorch7 lua train.lua -gpuid -1\n"
    "  functorch7 lua -l nn -e 'print(nn.Linear(3, 2))'\n"
    "  functorch7 lua",
)
@click.option("-l", "libraries", metavar="NAME", multiple=True, help="Require a package before anything else.")
@click.option("-e", "statement", metavar="LUA", help="Run this code, before the script if there is one.")
@click.option("-i", "interactive", is_flag=True, help="Open a prompt afterwards.")
@click.option("--python", is_flag=True, help="Let the program import Python packages: python.import 'numpy'.")
@click.option("--cuda-on-cpu", is_flag=True, help="Without a GPU, let the CPU do its work.")
@click.option("--functions-of-files", is_flag=True, help="Let the program call functions from .t7 files.")
@click.option("--debug", is_flag=True, help="Also show where an error comes from in Python.")
@click.argument("script", type=click.Path(exists=True, dir_okay=False), required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def lua(script: str | None, arguments: tuple[str, ...], **options: Any) -> None:
    """Run an unchanged Torch7 program, a SCRIPT in Lua; without SCRIPT, open a prompt.

    torch, nn, optim and the other packages are functorch7's. A script can do whatever you can do: it is a program.
    """
    from .tuning import keep_programs, start_with_huge_pages

    start_with_huge_pages()
    with lasting():
        from .lua import run_program

    keep_programs()

    with stoppable():
        run_program(script, arguments, **options)


@main.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="\b\nExample:\n  functorch7 launch my_training.py --epochs 10",
)
@click.option("--no-tuning", is_flag=True, help="Change nothing.")
@click.option("--verbose", is_flag=True, help="Show what is set.")
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def launch(script: str, arguments: tuple[str, ...], no_tuning: bool, verbose: bool) -> None:
    """Run a Python SCRIPT with settings that make training fast: huge pages, and compiled programs kept on disk.

    Variables that the environment already has (GLIBC_TUNABLES, JAX_COMPILATION_CACHE_DIR) are kept.
    """
    from .tuning import replace_process

    command = [sys.executable, script, *arguments]
    if no_tuning:
        os.execv(sys.executable, command)
    replace_process(command, verbose)
