"""docs/command-line.md: every command on it runs and gives what it says; every example of --help is on it."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import functorch7 as f7
from functorch7.legacy import nn
from functorch7_cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
BLOCKS = re.findall(r"```(sh|text)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The page's files, in the current folder."""
    monkeypatch.chdir(tmp_path)
    network = nn.Sequential().add(nn.SpatialConvolution(1, 4, 3, 3)).add(nn.ReLU()).add(nn.View(144))
    f7.save_t7("model.t7", network.add(nn.Linear(144, 10)).add(nn.LogSoftMax()))
    f7.save_t7("words.t7", nn.LookupTable(10000, 2))
    random = np.random.default_rng(0)
    np.save("x.npy", random.uniform(size=(4, 1, 8, 8)).astype(np.float32))
    Image.fromarray(random.integers(0, 256, (16, 16), np.uint8)).save("digit.png")


def test_the_page(folder):
    given = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]
    made = sorted(given, key=lambda line: "convert" not in line)  # what other commands read is made first
    printed = {line: CliRunner().invoke(main, shlex.split(line)[1:]) for line in made}
    assert {line: result.output for line, result in printed.items() if result.exit_code} == {}
    about, *rest = printed[given[0]].stdout.splitlines()
    shown, *expected = BLOCKS[1][1].splitlines()
    assert (about.split(",")[:2], rest) == (shown.split(",")[:2], expected)  # the file's size follows
    # Whatever way the arrays went, they are the same.
    original, again = (f7.load_model(name)[1] for name in ("model.t7", "again.t7"))
    np.testing.assert_array_equal(original[0]["weight"], again[0]["weight"], strict=True)
    outputs = [printed[line].stdout.split() for line in given if line.startswith("functorch7 run")]
    direct, served = outputs[0], outputs[4]
    assert direct == served


def test_the_table_has_every_command():
    assert sorted(re.findall(r"^\| \[`(\w+)`\]", PAGE, re.MULTILINE)) == sorted(main.commands)


def test_the_error_on_the_page(folder):
    np.save("x.npy", np.ones(3, np.float32))
    result = CliRunner().invoke(main, ["run", "model.t7", "--input", "x.npy"])
    assert (result.exit_code, result.stderr) == (1, BLOCKS[-1][1])


@pytest.mark.parametrize("command", ["inspect", "convert", "run", "bench", "draw", "doctor"])
def test_examples_of_help_are_on_the_page(command):
    result = CliRunner().invoke(main, [command, "--help"])
    examples = [line.strip() for line in result.stdout.split("Examples:")[1].splitlines() if line.strip()]
    assert len(examples) >= 2 and all(f"\n{example}\n" in PAGE for example in examples)
