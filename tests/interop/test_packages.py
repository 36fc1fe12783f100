"""What is missing says so."""

import re
import sys

import jax.numpy as jnp
import pytest

import functorch7 as f7
from functorch7.data import images, sources
from functorch7.interop import orbax, pytorch, safetensors, stablehlo
from functorch7.lua.packages import graphicsmagick

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


MORE_USES = [
    ("PIL", lambda path: graphicsmagick.load(path), "gm.Image needs Pillow", "functorch7[images]"),
    ("PIL", lambda path: images.open_image(path), "an image needs Pillow", "functorch7[images]"),
    ("grain", lambda path: sources.map_dataset(None, None), "to_grain needs grain", "functorch7[grain]"),
]


@pytest.mark.parametrize(("name", "use", "said", "install"), MORE_USES)
def test_who_needs_a_missing_package_is_named(name, use, said, install, tmp_path, monkeypatch):
    for each in [name, *(module for module in sys.modules if module.startswith(f"{name}."))]:
        monkeypatch.setitem(sys.modules, each, None)
    (tmp_path / "file").touch()
    with pytest.raises(ImportError, match=re.escape(f"{said}: pip install '{install}'")):
        use(str(tmp_path / "file"))
