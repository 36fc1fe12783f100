"""Recipes on a mesh of devices: here of one, on which they compute what they compute without it."""

import json

import jax.numpy as jnp
import numpy as np
import pytest
from click.testing import CliRunner

from functorch7 import recipes
from functorch7.recipes.run import kept
from functorch7_cli import main

pytestmark = pytest.mark.slow


def test_a_recipe_on_a_mesh_is_the_recipe(tmp_path):
    (tmp_path / "text.txt").write_text("a b\n" * 32 + "b\n" * 2)  # 90 words to learn from: 4 batches of 11 x 2
    settings = {"text": str(tmp_path / "text.txt"), "hidden_sizes": [3], "columns": 2, "sequence_length": 11}
    recipe = recipes.load("python-lstm", {**settings, "dropout": 0, "epochs": 1})
    plain = recipes.run(recipe, verbose=False)
    meshed = recipes.run(recipe, tmp_path / "run", devices="shards", verbose=False)
    assert np.isclose(plain.test["Perplexity"], meshed.test["Perplexity"], rtol=1e-5)
    with pytest.raises(ValueError, match="expected devices copies or shards, got 'all'"):
        recipes.run(recipe, devices="all")
    with pytest.raises(ValueError, match="expected the path of a folder, got an empty text"):
        recipes.run(recipe, "")


def test_a_run_keeps_where_and_in_which_type_it_computes(tmp_path, monkeypatch):
    """By the command's options, a file's settings, and arguments in Python: one run, which goes on only as it began."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "small.toml"
    file.write_text('recipe = "images"\ndataset = "digits"\nwidth = 1\nepochs = 1\nbatch_size = 500\n')
    said = CliRunner().invoke(main, ["train", "--no-tuning", str(file), "--devices", "copies", "--bfloat16", "--json"])
    assert said.exit_code == 0, said.output
    folder = tmp_path / "runs" / "small"
    assert kept(folder)["devices"] == "copies" and kept(folder)["compute_dtype"] == "bfloat16"
    recipe = recipes.load(file)
    with pytest.raises(ValueError, match="run in .* has compute_dtype = 'bfloat16', got None; another one"):
        recipes.run(recipe, folder, verbose=False)
    for options in ({"compute_dtype": jnp.bfloat16}, {"compute_dtype": "bfloat16", "devices": "shards"}):
        assert recipes.run(recipe, folder, verbose=False, **options).result.ended == "all epochs"
        assert kept(folder)["devices"] == options.get("devices")
    file.write_text(file.read_text() + 'compute_dtype = "bfloat16"\n')
    assert recipes.run(recipes.load(file), folder, verbose=False).test == json.loads(said.stdout)["test"]
    with pytest.raises(TypeError, match="expected a floating-point type as compute_dtype"):
        recipes.run(recipe, compute_dtype="int8")


def test_rates_change_after_epochs_of_whole_batches_where_devices_share_them():
    changing = {"batch_size": 500, "schedule": {1: 0.01}, "momentum": 0, "learning_rate": 0.1, "width": 1}
    for devices, steps in ((None, 3), ("copies", 2), ("shards", 2)):  # of 1,297 images
        task = recipes.load("digits", {**changing, "devices": devices}).task()
        state, rates = task.optimizer.init(1.0), []
        for _ in range(4):
            change, state = task.optimizer.update(jnp.ones(()), state, jnp.ones(()))
            rates.append(-float(change))
        np.testing.assert_allclose(rates, [0.1] * steps + [0.01] * (4 - steps), rtol=1e-6)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"devices": "all"}, "devices: expected 'copies' or 'shards', got 'all'"),
        ({"compute_dtype": "int8"}, "compute_dtype: expected 'bfloat16' or 'float16' or .*, got 'int8'"),
    ],
)
def test_settings_of_devices_and_types_are_checked(settings, said):
    with pytest.raises(ValueError, match=f"^{said}$"):
        recipes.load("digits", settings)
    assert recipes.load("digits", {"devices": None}).devices is None
