"""What notebooks show of networks, results and pictures; HTML that is one."""

import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.core import places
from functorch7.legacy import nn
from functorch7.training import Result, TrainState
from functorch7.training.progress import progress_bar

NETWORK = f7.Sequential(f7.Linear(3, 4).named("<first>"), f7.Concat(2, f7.Tanh(), f7.Sequencer(f7.GRU(3, 2))))


class Read(HTMLParser):
    """The text in each code and pre, and whether every tag that opens is closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag in ("code", "pre"):
            self.texts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("code", "pre"):
            self.texts[-1] += data


def test_a_network_is_a_tree_of_all_its_modules_in_both_interfaces():
    shown = Read(NETWORK._repr_html_()).texts
    assert shown[:4] == ["nn.Sequential", "(1): <first>: nn.Linear(3 -> 4)", "(2): nn.Concat", "(1): nn.Tanh"]
    assert len(shown) == len(list(places(NETWORK)))
    mlp = nn.Sequential().add(nn.Linear(2, 3)).add(nn.Tanh())
    assert Read(mlp._repr_html_()).texts == ["nn.Sequential", "(1): nn.Linear(2 -> 3)", "(2): nn.Tanh"]


def test_a_result_is_a_table_of_its_epochs_and_not_of_its_arrays():
    epochs = [
        {"kind": "epoch", "step": 8, "epoch": 1, "loss": 0.25},
        {"kind": "epoch", "step": 16, "epoch": 2, "loss": 0.125},
    ]
    state = TrainState({"weight": jnp.ones(1000)}, {}, (), np.int32(16))
    result = Result(state, epochs, "all epochs")
    assert repr(result).split("\n") == [
        "16 steps, 2 epochs, ended: all epochs", "epoch 1, step 8, loss 0.25", "epoch 2, step 16, loss 0.125"
    ]  # fmt: skip
    assert Read(result._repr_html_()).texts == ["epoch", "step", "loss", "1", "8", "0.25", "2", "16", "0.125"]


def test_pictures_of_graphs_are_shown_as_they_are():
    picture = f7.viz.Picture(["a", "b"], [(0, 1)])
    assert picture._repr_html_() == picture.svg()


@pytest.mark.parametrize(("kernel", "shown", "hidden"), [(True, True, False), (False, True, True), (True, False, True)])
def test_notebooks_have_a_bar_and_files_have_none(monkeypatch, capsys, kernel, shown, hidden):
    shell = SimpleNamespace(kernel=object()) if kernel else SimpleNamespace()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    with progress_bar(3, 0, shown) as bar:
        assert bool(bar.disable) == hidden
