"""Recipes learn: a language model of a real text, from the command line."""

import json
import sys

import jax
import numpy as np
import pytest
from click.testing import CliRunner

from functorch7 import recipes
from functorch7.recipes.run import kept
from functorch7.training.validation import evaluate
from functorch7_cli import main

pytestmark = pytest.mark.slow


def called(*arguments, code=0):
    result = CliRunner().invoke(main, ["train", "--no-tuning", *arguments])
    assert result.exit_code == code, result.output
    return result.stderr if code else result.stdout


def unigram_perplexity(train, test):
    """That of a model that knows how often each word occurs, and nothing else."""
    counts = np.bincount(train.data.ravel(), minlength=len(train.ivocab) + 1) + 1
    return float(np.exp(-np.log(counts[test.data.ravel()] / counts.sum()).mean()))


def test_a_language_model_of_pythons_reference_learns_what_follows_what(tmp_path):
    """One epoch of the shipped recipe, smaller; word frequencies alone give more than twice the perplexity."""
    changes = {"epochs": 1, "hidden_sizes": [50], "learning_rate": 1.0, "min_frequency": 20, "columns": 40}
    small = [part for name, value in changes.items() for part in ("--set", f"{name}={value}")]
    found = json.loads(called("python-lstm", *small, "--folder", str(tmp_path / "run"), "--json"))
    train, _, test = recipes.load("python-lstm", changes).texts()
    assert found["test"]["Perplexity"] < 20 < unigram_perplexity(train, test) / 2
    assert (tmp_path / "run" / "curves.png").read_bytes().startswith(b"\x89PNG")
    again = json.loads(called("python-lstm", *small, "--folder", str(tmp_path / "run"), "--json"))
    assert again == found  # the run was complete, and is only measured again
    with pytest.raises(ValueError, match=r"run has columns = 40, got 20, learning_rate = 1.0, got 0.5; another"):
        recipes.run(recipes.load("python-lstm", {**changes, "columns": 20, "learning_rate": 0.5}), tmp_path / "run")


def test_the_shipped_recipes_are_listed_and_errors_are_one_sentence(tmp_path):
    assert all(name in called("--list") for name in recipes.shipped())
    assert "no shipped recipe" in called("nothing", code=2)
    assert "copies" in called("digits", "--devices", "all", code=2)
    said = called("digits", "--set", "epoch=1", code=2)
    assert said.startswith("Error: --set: images has no setting epoch; it has batch_norm, ") and said.count("\n") == 1
    assert "name a RECIPE" in called(code=2)
    file = tmp_path / "text.txt"
    file.write_bytes(b"\xff\xfe words")
    assert "expected a text in UTF-8" in called("python-lstm", "--set", f"text={file}", code=1)


@pytest.mark.parametrize("text, said", [("{", "Expecting"), ("[1]", "but list"), ("\xff", "")])
def test_damaged_settings_of_a_run_are_said_by_their_file(text, said, tmp_path):
    (tmp_path / "recipe.json").write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=f"recipe.json: no settings as a run keeps them.*{said}"):
        kept(tmp_path)
    result = CliRunner().invoke(main, ["sample", str(tmp_path)])
    assert result.exit_code == 1 and "recipe.json: no settings" in result.stderr


@pytest.mark.parametrize(("name", "extra"), [("matplotlib", "training"), ("sklearn", "demo"), ("orbax", "training")])
def test_what_is_not_installed_is_named_before_the_training(name, extra, monkeypatch, tmp_path):
    for loaded in [module for module in sys.modules if module.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, name, None)
    folder = tmp_path / "run"
    assert f"this needs {name}: pip install 'functorch7[{extra}]'" in called("digits", "--folder", str(folder), code=1)
    assert not folder.exists()


def test_evaluation_reads_a_text_as_one_sequence():
    """The perplexity of batches of 7 steps is that of the whole text at once: what is remembered flows on."""
    task = recipes.load("python-lstm", {"hidden_sizes": [8], "min_frequency": 200, "columns": 50}).task()
    params, buffers = task.init(jax.random.key(0))
    (parts,), (whole,) = (
        evaluate(task.module, params, buffers, task.test.batches(steps), task.methods)
        for steps in (7, task.test.size())
    )
    assert parts[0].count == whole[0].count == task.test.size() * 50
    np.testing.assert_allclose(parts[0].result()[0], whole[0].result()[0], rtol=1e-5)
