"""Recipes on a mesh of devices: here of one, on which they compute what they compute without it."""

import numpy as np
import pytest

from functorch7 import recipes

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
