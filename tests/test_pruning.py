"""Masks against torch.nn.utils.prune, and training that keeps zeros zero."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7 import pruning
from functorch7.training import init_state, make_train_step

NETWORK = f7.Sequential(f7.Linear(6, 5), f7.Tanh(), f7.Linear(5, 4))


@pytest.fixture
def params(key):
    return NETWORK.init(key).params


def test_repeated_pruning_is_pytorchs(params):
    torch = pytest.importorskip("torch")
    prune = pytest.importorskip("torch.nn.utils.prune")
    theirs = torch.nn.Linear(6, 5)
    theirs.weight.data = torch.tensor(np.asarray(params[0]["weight"]))
    masks, name = {}, "0.weight"
    steps = [
        (prune.l1_unstructured, dict(amount=0.3), lambda m: pruning.l1_unstructured(params, name, 0.3, m)),
        (prune.l1_unstructured, dict(amount=4), lambda m: pruning.l1_unstructured(params, name, 4, m)),
        (prune.ln_structured, dict(amount=2, n=2, dim=0), lambda m: pruning.ln_structured(params, name, 2, 2, 1, m)),
        (
            prune.ln_structured, dict(amount=0.4, n=math.inf, dim=-1),
            lambda m: pruning.ln_structured(params, name, 0.4, math.inf, -1, m),
        ),
        (prune.l1_unstructured, dict(amount=0.5), lambda m: pruning.l1_unstructured(params, name, 0.5, m)),
    ]  # fmt: skip
    for method, arguments, ours in steps:
        method(theirs, "weight", **arguments)
        masks = ours(masks)
        np.testing.assert_array_equal(masks[name], theirs.weight_mask.numpy().astype(bool))
    np.testing.assert_array_equal(pruning.prune(params, masks)[0]["weight"], theirs.weight.detach().numpy())
    # PyTorch's state_dict is what pruned_state_dict writes and split_pruned reads
    state = f7.state_dict(NETWORK.modules[0], f7.Variables(params[0], {}))
    joined = pruning.pruned_state_dict(state, {"weight": masks[name]})
    assert set(joined) == set(theirs.state_dict()) == {"weight_orig", "weight_mask", "bias"}
    read, (mask,) = pruning.split_pruned({n: a.numpy() for n, a in theirs.state_dict().items()})[0], masks.values()
    np.testing.assert_array_equal(read["weight"], state["weight"])
    again, read_masks = pruning.split_pruned(joined)
    assert set(again) == set(state) and set(read_masks) == {"weight"}
    np.testing.assert_array_equal(read_masks["weight"], mask)


def test_global_pruning_is_pytorchs(params):
    torch = pytest.importorskip("torch")
    prune = pytest.importorskip("torch.nn.utils.prune")
    layers = [torch.nn.Linear(6, 5), torch.nn.Linear(5, 4)]
    for layer, place in zip(layers, (0, 2), strict=True):
        layer.weight.data = torch.tensor(np.asarray(params[place]["weight"]))
    names, masks = ["0.weight", "2.weight"], {}
    for amount in (0.4, 7):
        prune.global_unstructured([(each, "weight") for each in layers], prune.L1Unstructured, amount=amount)
        masks = pruning.global_unstructured(params, names, amount, masks=masks)
    for layer, name in zip(layers, names, strict=True):
        np.testing.assert_array_equal(masks[name], layer.weight_mask.numpy().astype(bool))


def test_random_pruning_counts_among_what_is_left(params, key):
    masks = pruning.random_unstructured(params, "0.weight", 0.5, key)
    assert (~masks["0.weight"]).sum() == 15
    again = pruning.random_unstructured(params, "0.weight", 5, key, masks)
    assert (~again["0.weight"]).sum() == 20 and not (again["0.weight"] & ~masks["0.weight"]).any()
    other = pruning.random_unstructured(params, "0.weight", 0.5, jax.random.key(5))
    assert (other["0.weight"] != masks["0.weight"]).any()
    rows = pruning.random_structured(params, "2.weight", 0.5, 1, key)["2.weight"]
    assert sorted(rows.sum(1).tolist()) == [0, 0, 5, 5]
    both = pruning.global_unstructured(params, ["0.weight", "2.weight"], 10, key)
    assert sum((~mask).sum() for mask in both.values()) == 10


def test_masks_by_hand_and_their_removal(params):
    masks = pruning.custom_from_mask(params, "2.bias", [1, 0, 1, 0])
    masks = pruning.custom_from_mask(params, "2.bias", [1.0, 1.0, 0.0, 0.0], masks)
    assert masks["2.bias"].tolist() == [True, False, False, False]
    assert pruning.is_pruned(masks) and pruning.is_pruned(masks, "2") and pruning.is_pruned(masks, "2.bias")
    assert not pruning.is_pruned(masks, "0") and not pruning.is_pruned(masks, "2.weight") and not pruning.is_pruned({})
    permanent, left = pruning.remove(params, masks, "2.bias")
    assert left == {} and permanent[2]["bias"][1:].tolist() == [0, 0, 0] and permanent[0] is not None
    assert permanent[2]["bias"][0] == params[2]["bias"][0]


def test_training_keeps_zeros(params, key):
    masks = pruning.l1_unstructured(params, "0.weight", 0.5)
    optimizer = optax.chain(optax.add_decayed_weights(0.1), optax.sgd(0.1, 0.9), pruning.keep_pruned(masks))
    step = make_train_step(NETWORK, f7.MSECriterion(), optimizer)
    state = init_state(NETWORK, optimizer, f7.Variables(params, NETWORK.init(key).buffers))
    for _ in range(3):  # the params given were not yet pruned: the first step sees to it
        state, _ = step(state, (jnp.ones((2, 6)), jnp.zeros((2, 4))), None)
    weight = np.asarray(state.params[0]["weight"])
    assert (weight[~masks["0.weight"]] == 0).all() and (
        weight[masks["0.weight"]] != params[0]["weight"][masks["0.weight"]]
    ).all()
    assert (state.params[2]["weight"] != params[2]["weight"]).all()

    def loss(params):
        return (NETWORK.apply(pruning.prune(params, masks), state.buffers, jnp.ones(6))[0] ** 2).sum()

    gradient = jax.jit(jax.grad(loss))(params)[0]["weight"]
    assert (gradient[~masks["0.weight"]] == 0).all() and (gradient[masks["0.weight"]] != 0).all()


def test_what_cannot_be_pruned(params, key):
    for amount in (-1, 31, -0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match=r"l1_unstructured: expected a .*, got"):
            pruning.l1_unstructured(params, "0.weight", amount)
    for amount in (True, "half", None):
        with pytest.raises(TypeError, match=r"l1_unstructured: expected a count, or a part from 0.0 to 1.0, got"):
            pruning.l1_unstructured(params, "0.weight", amount)
    for method in (pruning.prune, lambda params, masks: pruning.keep_pruned(masks).init(params)):
        with pytest.raises(ValueError, match=r"0.bias: expected shape \(.*\), got \(1,\)"):
            method(params, {"0.bias": np.zeros(1, bool)})
    with pytest.raises(ValueError, match="pruned_state_dict: no parameter 7.weight"):
        pruning.pruned_state_dict({"0.weight": 1}, {"7.weight": True})
    with pytest.raises(ValueError, match=r"random_unstructured: no parameter 1.weight; there are 0.weight, 0.bias"):
        pruning.random_unstructured(params, "1.weight", 1, key)
    with pytest.raises(ValueError, match="from 1 to 2 or -2 to -1, got 3"):
        pruning.ln_structured(params, "0.weight", 1, 2, 3)
    with pytest.raises(ValueError, match="2 or more dimensions, got 0.bias of shape"):
        pruning.random_structured(params, "0.bias", 1, 1, key)
    with pytest.raises(ValueError, match=r"l1_unstructured: 0.weight: expected shape \(5, 6\), got \(6,\)"):
        pruning.l1_unstructured(params, "0.weight", 1, {"0.weight": np.ones(6, bool)})  # which would be spread
    with pytest.raises(TypeError, match="prune: expected masks by the names of parameters, got a table of 1"):
        pruning.prune(params, ["0.weight"])
    with pytest.raises(ValueError, match="expected a mask of shape"):
        pruning.custom_from_mask(params, "0.bias", [1, 0])
    with pytest.raises(ValueError, match="0.bias has no mask; there are masks for nothing"):
        pruning.remove(params, {}, "0.bias")
    with pytest.raises(ValueError, match="prune: no parameter 7.weight"):
        pruning.prune(params, {"7.weight": True})
    with pytest.raises(ValueError, match="keep_pruned: no parameter 7.weight"):
        pruning.keep_pruned({"7.weight": True}).init(params)
    with pytest.raises(ValueError, match="missing 0.weight_mask"):
        pruning.split_pruned({"0.weight_orig": 1})
    with pytest.raises(ValueError, match="expected names"):
        pruning.global_unstructured(params, [], 1)
