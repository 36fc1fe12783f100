"""Arrays of another network are refused before a file is written, in one sentence, and what was there stays."""

import jax
import pytest

import functorch7 as f7
from functorch7.interop import orbax, pytorch, safetensors

NETWORK = f7.Sequential(f7.Linear(3, 2), f7.LogSoftMax())
WRITERS = {
    "safetensors.save": safetensors.save,
    "save_model": f7.save_model,
    "orbax.save": orbax.save,
    "to_pytorch": lambda path, *network: pytorch.save(f"{path}.safetensors", *network),
}


def arrays_of(module):
    return module.init(jax.random.key(0))


def others():
    """Arrays, and what is said of them: of another size, of fewer layers, of a layer, and params without buffers."""
    params, buffers = arrays_of(NETWORK)
    larger = arrays_of(f7.Sequential(f7.Linear(4, 2), f7.LogSoftMax()))
    return [
        (larger, r"expected params\[0\]\['weight'\] of shape \(2, 3\), got shape \(2, 4\)"),
        ((params[:1], buffers), "expected 2 entries in params, as init makes them, got a table of 1"),
        (arrays_of(f7.Linear(3, 2)), "expected 2 entries in params, as init makes them, got a table with keys"),
        ((params, None), "expected 2 entries in buffers, as init makes them, got None"),
    ]


@pytest.mark.parametrize("who", WRITERS)
def test_arrays_of_another_network_are_not_written(tmp_path, who):
    for arrays, message in others():
        with pytest.raises(ValueError, match=f"{who}: nn.Sequential: {message}"):
            WRITERS[who](tmp_path / "file", NETWORK, *arrays)
    with pytest.raises(TypeError, match=f"{who}: expected the description of a module, .* got 'network'"):
        WRITERS[who](tmp_path / "file", "network", *arrays_of(NETWORK))
    assert not list(tmp_path.iterdir())


def test_a_state_is_asked_for_by_a_module_and_its_arrays():
    for arrays, message in others()[1:3]:
        with pytest.raises(ValueError, match=f"state_dict: nn.Sequential: {message}"):
            f7.state_dict(NETWORK, arrays)
    with pytest.raises(TypeError, match=r"state_dict: expected variables, \(params, buffers\), got a table with keys"):
        f7.state_dict(f7.Linear(3, 2), arrays_of(f7.Linear(3, 2)).params)
    for state in (None, "weights.pt", [1]):
        with pytest.raises(TypeError, match="from_pytorch: expected a state_dict, such as torch.load gives, got"):
            pytorch.from_pytorch(NETWORK, state)
