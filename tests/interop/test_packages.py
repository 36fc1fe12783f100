"""What is missing says so."""

import sys

import jax.numpy as jnp
import pytest

import functorch7 as f7
from functorch7.interop import orbax, pytorch, safetensors, stablehlo

LAYER, PARAMS = f7.Mul(), {"weight": jnp.ones(1)}

USES = {
    "safetensors": lambda path: safetensors.load(path, LAYER),
    "orbax": lambda path: orbax.save(path, LAYER, PARAMS, {}),
    "torch": lambda path: pytorch.to_pytorch(LAYER, PARAMS, {}),
    "flatbuffers": stablehlo.load_exported,
}


@pytest.mark.parametrize("name", USES)
def test_a_missing_package_is_named(name, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    for loaded in [module for module in sys.modules if module.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    with pytest.raises(ImportError, match=rf"this needs {name}: pip install '"):
        USES[name](tmp_path / "file")
