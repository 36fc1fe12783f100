"""Tests that need eight devices: `test_sharding.py` runs them in a process that has as many."""

from functools import partial

import chex
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.sharding import AxisType, PartitionSpec

import functorch7 as f7
from functorch7.legacy import cutorch, nn, torch
from functorch7.training import Loss, Trainer, data_parallel, fully_sharded, init_state, make_train_step

from .collectives import collectives, collectives_in_loops, reduced_numbers
from .networks import LANGUAGE, MLP, OPTIMIZER, STEPS, TASKS, first_state, key, losses, losses_of_one_device

LAYOUTS = {"data parallel": data_parallel, "fully sharded": fully_sharded}
X = np.random.default_rng(1).normal(2, 3, (16, 8)).astype(np.float32)


def n_split(sharding, params):
    return sum(not sharding.of_array(p).is_fully_replicated for p in jax.tree.leaves(params))


def compiled_step(task, sharding):
    """A compiled step, and the state and the batches to begin with."""
    step = make_train_step(task.module, task.criterion, OPTIMIZER, sharding=sharding)
    state = sharding.place(task.module, first_state(task))
    batches = [sharding.place_batch(task.batch(i)) for i in range(STEPS)]
    return step.lower(state, batches[0], key(0)).compile(), state, batches


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TASKS)
def test_losses_are_those_of_one_device_and_communication_is_bounded(name, layout):
    task = TASKS[name]
    sharding = LAYOUTS[layout](batch_dim=task.batch_dim, smallest=task.smallest)
    step, state, batches = compiled_step(task, sharding)
    found, state = losses(step, state, batches)
    np.testing.assert_allclose(found, losses_of_one_device(name), rtol=1e-5)

    again = sharding.layout(task.module, state)  # results lie as they did before, so that their memory is reused
    for array, expected in zip(jax.tree.leaves(state), jax.tree.leaves(again), strict=True):
        assert array.sharding.is_equivalent_to(expected, array.ndim)
    own = sum(array.addressable_shards[0].data.nbytes for array in jax.tree.leaves(state))
    assert step.memory_analysis().alias_size_in_bytes >= own

    program, split = step.as_text(), n_split(sharding, state.params)
    counts, normalised = collectives(program), 2 if name == "convolutions" else 0
    assert not collectives_in_loops(program)
    assert counts["all-reduce"] <= 2 + 3 * normalised  # the loss, all gradients; statistics twice, their gradient
    assert counts["all-gather"] <= split and bool(counts["all-gather"]) == (layout == "fully sharded")
    assert counts["reduce-scatter"] <= split
    assert not counts["all-to-all"] + counts["collective-permute"]
    if not normalised:  # the gradients; the sums of losses and of weights, of each time-step
        parameters = sum(p.size for p in jax.tree.leaves(state.params))
        steps = len(task.batch(0)[1]) if name == "language" else 1
        assert parameters < reduced_numbers(program) <= parameters + 2 * steps


def test_what_every_device_holds():
    state = init_state(MLP.module, optax.adam(0.1), jax.random.key(0))
    split = fully_sharded(smallest=64).place(MLP.module, state)
    weight = split.params[0]["weight"]
    assert [s.data.shape for s in weight.addressable_shards] == [(4, 16)] * 8
    assert split.params[0]["bias"].is_fully_replicated
    assert split.optimizer_state[0].mu[0]["weight"].sharding == weight.sharding
    copies = fully_sharded(copies=2, smallest=64).place(MLP.module, state)
    assert [s.data.shape for s in copies.params[0]["weight"].addressable_shards] == [(8, 16)] * 8
    everything = data_parallel().place(MLP.module, state)
    assert all(array.is_fully_replicated for array in jax.tree.leaves(everything))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_that_were_handed_in_stay_valid(layout):
    sharding, module = LAYOUTS[layout](smallest=8), f7.Linear(8, 8)
    state = init_state(module, OPTIMIZER, jax.random.key(0))
    placed = sharding.place(module, state)
    step = make_train_step(module, f7.MSECriterion(), OPTIMIZER, sharding=sharding)
    results = step(placed, sharding.place_batch((X, X)), None)
    assert all(array.is_ready() for array in jax.tree.leaves(results))  # two steps at once can deadlock on CPUs
    assert all(array.is_deleted() for array in jax.tree.leaves(placed.params))
    assert not any(array.is_deleted() for array in jax.tree.leaves(state))


def test_copies_of_shards_compute_the_same():
    step, state, batches = compiled_step(MLP, fully_sharded(copies=2, smallest=64))
    counts = collectives(step.as_text())
    assert counts["all-gather"] <= 3 and counts["all-reduce"] <= 4
    parameters, split = sum(p.size for p in jax.tree.leaves(state.params)), 32 * 16 + 32 * 32 + 8 * 32
    # between the two rows, only the quarter of each split gradient that a device keeps
    assert reduced_numbers(step.as_text()) <= parameters + split / 4 + 2
    np.testing.assert_allclose(losses(step, state, batches)[0], losses_of_one_device("mlp"), rtol=1e-5)


def test_a_state_is_made_where_it_belongs():
    sharding = fully_sharded(smallest=64)
    made = sharding.init(MLP.module, OPTIMIZER, jax.random.key(0))
    placed = sharding.place(MLP.module, init_state(MLP.module, OPTIMIZER, jax.random.key(0)))
    for one, other in zip(jax.tree.leaves(made), jax.tree.leaves(placed), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
        assert one.sharding.is_equivalent_to(other.sharding, one.ndim)


def test_recurrent_state_is_split_by_examples():
    state = data_parallel(batch_dim=2).place(LANGUAGE.module, first_state(LANGUAGE))
    carry = jax.tree.leaves(f7.carry_of(LANGUAGE.module, state.buffers))
    assert len(carry) == 2
    for array in carry:
        assert [s.data.shape for s in array.addressable_shards] == [(2, 16)] * 8


def test_forgotten_recurrent_state_is_taken_up_by_the_first_step():
    """The first step makes it, laid out as the next steps take it."""
    sharding, state = data_parallel(batch_dim=2), init_state(LANGUAGE.module, OPTIMIZER, jax.random.key(0))
    step = make_train_step(LANGUAGE.module, LANGUAGE.criterion, OPTIMIZER, sharding=sharding)
    state, metrics = step(sharding.place(LANGUAGE.module, state), sharding.place_batch(LANGUAGE.batch(0)), key(0))
    np.testing.assert_allclose(metrics["loss"], losses_of_one_device("language")[0], rtol=1e-5)
    for array in jax.tree.leaves(f7.carry_of(LANGUAGE.module, state.buffers)):
        assert [s.data.shape for s in array.addressable_shards] == [(2, 16)] * 8


@pytest.mark.parametrize("layout", LAYOUTS)
def test_batch_statistics_of_the_global_batch_and_of_each_device(layout):
    module = f7.BatchNormalization(8, affine=False)
    expected_output = {
        "global": (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5),
        "local": np.concatenate([(x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) for x in np.split(X, 8)]),
    }
    unbiased = {"global": X.var(0, ddof=1), "local": np.mean([x.var(0, ddof=1) for x in np.split(X, 8)], 0)}
    for statistics, output in expected_output.items():
        sharding = LAYOUTS[layout](statistics=statistics)
        step = make_train_step(
            module, f7.MSECriterion(), optax.sgd(0.1), metrics=lambda y, _: {"output": y}, sharding=sharding
        )
        state = sharding.place(module, init_state(module, optax.sgd(0.1), jax.random.key(0)))
        state, metrics = step(state, sharding.place_batch((X, np.zeros_like(X))), None)
        np.testing.assert_allclose(metrics["output"], output, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(metrics["loss"], (output**2).mean(), rtol=1e-5)
        np.testing.assert_allclose(state.buffers["running_mean"], 0.1 * X.mean(0), rtol=1e-5)
        np.testing.assert_allclose(state.buffers["running_var"], 0.9 + 0.1 * unbiased[statistics], rtol=1e-5)


def test_local_statistics_need_one_communication():
    step, _, _ = compiled_step(TASKS["convolutions"], data_parallel(statistics="local"))
    assert collectives(step.as_text()) == {"all-reduce": 1}


def test_local_recurrent_state_and_gradients_are_those_of_one_device():
    """Nothing in this network depends on the whole batch, so that both kinds of statistics agree."""
    sharding = fully_sharded(batch_dim=2, smallest=64, statistics="local")
    step, state, batches = compiled_step(LANGUAGE, sharding)
    found, state = losses(step, state, batches)
    np.testing.assert_allclose(found, losses_of_one_device("language"), rtol=1e-5)
    assert not any(array.is_fully_replicated for array in jax.tree.leaves(f7.carry_of(LANGUAGE.module, state.buffers)))


@pytest.mark.parametrize("statistics", ["global", "local"])
def test_state_of_several_layers_is_split_by_examples(statistics):
    """As cudnn has it, with the layers first."""
    module, random = f7.CudnnGRU(4, 8, 2).remember(), np.random.default_rng(2)
    batch = tuple(random.normal(size=(3, 16, size)).astype(np.float32) for size in (4, 8))
    state = init_state(module, OPTIMIZER, jax.random.key(0))
    sharding, found = data_parallel(batch_dim=2, statistics=statistics), []
    for layout in (sharding, None):
        step = make_train_step(module, f7.MSECriterion(), OPTIMIZER, sharding=layout)
        found.append(step(sharding.place(module, state) if layout else state, batch, None)[0].buffers["hidden"])
    np.testing.assert_allclose(*found, rtol=1e-5, atol=1e-6)
    assert [s.data.shape for s in found[0].addressable_shards] == [(2, 2, 8)] * 8


def test_masks_go_with_their_examples():
    """A batch-first layer, whose mask is time-first all the same; half of all steps are padding."""
    module = f7.SeqGRU(4, 8, batchfirst=True).mask_zero(False)
    random = np.random.default_rng(2)
    batch = tuple(random.normal(size=(16, 3, size)).astype(np.float32) for size in (4, 8))
    params, buffers = module.init(jax.random.key(0))
    buffers = f7.set_zero_mask(module, buffers, random.integers(0, 2, (3, 16)).astype(np.uint8))
    state = init_state(module, OPTIMIZER, f7.Variables(params, buffers))
    sharding, found = data_parallel(statistics="local"), []
    for layout in (sharding, None):
        step = make_train_step(module, f7.MSECriterion(), OPTIMIZER, sharding=layout)
        found.append(step(sharding.place(module, state) if layout else state, batch, None))
    np.testing.assert_allclose(found[0][1]["loss"], found[1][1]["loss"], rtol=1e-5)
    np.testing.assert_array_equal(found[0][0].buffers["zeroMask"].value, buffers["zeroMask"].value)


def test_devices_draw_for_themselves_with_local_statistics():
    module, ones = f7.Dropout(0.5), np.ones((16, 32), np.float32)
    for statistics, same in (("global", True), ("local", False)):
        sharding = data_parallel(statistics=statistics)
        kwargs = {"metrics": lambda y, _: {"output": y}}
        step = make_train_step(module, f7.MSECriterion(), OPTIMIZER, **kwargs, sharding=sharding)
        state = sharding.place(module, init_state(module, OPTIMIZER, jax.random.key(0)))
        output = np.asarray(step(state, sharding.place_batch((ones, ones)), jax.random.key(3))[1]["output"])
        alone = module.apply({}, {}, jnp.asarray(ones), key=jax.random.key(3), train=True)[0]
        assert np.array_equal(output, alone) == same
        assert len({part.tobytes() for part in np.split(output, 8)}) == 8


def test_batches_that_cannot_be_shared_are_refused():
    sharding = data_parallel()
    with pytest.raises(ValueError, match=r"multiple of 8 \(devices\) examples in dimension 1, got 12 in shape \(12, 8"):
        sharding.place_batch((X[:12], X[:12]))
    step = make_train_step(MLP.module, MLP.criterion, OPTIMIZER, sharding=sharding)
    with pytest.raises(ValueError, match=r"a multiple of 8 \(devices\) examples"):
        step(sharding.place(MLP.module, first_state(MLP)), MLP.batch(0, slice(12)), jax.random.key(0))
    with pytest.raises(ValueError, match=r"expected a batch in dimension 2, got shape \(16,\)"):
        data_parallel(batch_dim=2).place_batch(X[:, 0])
    with pytest.raises(ValueError, match="copies that divide 8 devices, got 3"):
        fully_sharded(copies=3)


def test_a_run_on_eight_devices_is_that_of_one_and_goes_on_where_it_was(tmp_path):
    """Trainer: epochs' losses and validation, whose batch of 5 all devices have whole; half of it from a checkpoint."""
    classes = np.arange(len(X)) % 3 + 1
    module = f7.Sequential(f7.Linear(8, 16), f7.Dropout(0.2), f7.Tanh(), f7.Linear(16, 3), f7.LogSoftMax())

    def trainer(sharding=None, folder=None):
        return Trainer(
            module, f7.ClassNLLCriterion(), OPTIMIZER, folder, sharding=sharding, verbose=False,
            methods=[Loss(f7.ClassNLLCriterion())],
        )  # fmt: skip

    def epochs(trainer, count):
        result = trainer.fit((X, classes), count, validation=(X[:5], classes[:5]), batch_size=8)
        return result, [[epoch["loss"], epoch["Loss"]] for epoch in result.epochs]

    _, expected = epochs(trainer(), 4)
    sharding = fully_sharded(smallest=64)
    epochs(trainer(sharding, tmp_path), 2)
    result, found = epochs(trainer(sharding, tmp_path), 4)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert not result.state.params[0]["weight"].sharding.is_fully_replicated


@pytest.mark.parametrize("devices", [(), (1, 2, 3, 4)])
def test_a_data_parallel_table_trains_as_its_module_does(devices):
    """Objects: forward, backward, parameters and statistics; batches of 16 are shared out, those of 13 are not."""

    def trained(parallel):
        torch.manualSeed(1)
        inside = nn.Sequential().add(nn.Linear(6, 5)).add(nn.BatchNormalization(5)).add(nn.Tanh()).add(nn.Linear(5, 3))
        network = nn.DataParallelTable(1).add(inside, devices) if parallel else inside
        criterion, found = nn.MSECriterion(), []
        for size in (16, 16, 13):
            x, y = torch.randn(size, 6), torch.randn(size, 3)
            network.zeroGradParameters()
            output = network.forward(x)
            found.append(criterion.forward(output, y))
            found.append(network.backward(x, criterion.backward(output, y)))
            network.updateParameters(0.5)
            shared = size == 16 and parallel
            assert len({str(shard.index) for shard in jnp.asarray(output).addressable_shards}) == (
                len(devices or jax.devices()) if shared else 1
            )
        return [*found, *network.parameters()[0], inside.get(2).running_mean, network.evaluate().forward(x)]

    for one, other in zip(trained(False), trained(True), strict=True):
        np.testing.assert_allclose(np.asarray(other), np.asarray(one), rtol=2e-5, atol=1e-6)


def test_sequences_run_in_a_users_shard_map():
    """Each device has its own padding, and chooses its own program by it; gradients of parameters are sums."""
    cell, layer = f7.GRU(3, 2), f7.Tanh()
    trimmed, masked = (
        f7.Sequential(f7.Sequencer(one), f7.Sequencer(other), f7.SeqLSTMP(2, 1, 2))
        for one, other in (
            (cell.trim_zero(1), f7.TrimZero(layer, 1)), (cell.mask_zero(1), f7.MaskZero(layer, 1)),
        )
    )  # fmt: skip
    params, buffers = masked.init(jax.random.key(0))
    numbers = np.random.default_rng(2)
    inputs = numbers.normal(size=(2, 8, 3)).astype(np.float32) * (numbers.uniform(size=(2, 8, 1)) < 0.5)

    def gradients(module, params, inputs):
        return jax.grad(lambda *given: jnp.square(module.apply(given[0], buffers, given[1])[0]).sum(), (0, 1))(
            params, inputs
        )

    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    specs = PartitionSpec(), PartitionSpec(None, "x")
    found = jax.jit(jax.shard_map(partial(gradients, trimmed), mesh=mesh, in_specs=specs, out_specs=specs))(
        params, inputs
    )
    chex.assert_trees_all_close(found, jax.jit(partial(gradients, masked))(params, inputs), rtol=1e-4, atol=1e-5)


IN_PARTS = [
    f7.SpatialMaxPooling(2, 2),
    f7.TemporalMaxPooling(2),
    f7.VolumetricMaxPooling(1, 2, 2),
    f7.DataParallelTable(1, f7.SpatialMaxPooling(3, 2, 2, 1, 1, 1)),
    f7.SpatialConvolution(2, 3, 3, 3),
    f7.SpatialFullConvolution(2, 3, 3, 3, 2, 2),
    f7.Sequential(f7.Lambda(lambda input: jnp.clip(jnp.abs(input), 1, 5).astype(int)), f7.Embedding(5, 3)),
]


@pytest.mark.parametrize("module", IN_PARTS, ids=str)
def test_derivatives_of_their_own_are_those_of_the_whole_in_a_users_shard_map(module):
    """Those of parameters, which all devices have, are sums over these; that of an embedding is its own in 16 bits."""
    sizes = {"nn.TemporalMaxPooling": (8, 4, 3), "nn.VolumetricMaxPooling": (8, 2, 1, 4, 4)}
    inputs = np.random.default_rng(2).normal(size=sizes.get(module.torch_name(), (8, 2, 4, 4))).astype(np.float32)
    params, buffers = module.init(jax.random.key(0))
    is_narrow = module.torch_name() == "nn.Sequential"
    params = jax.tree.map(lambda array: array.astype(jnp.bfloat16 if is_narrow else jnp.float32), params)

    def loss(params, inputs):
        return jnp.square(module.apply(params, buffers, inputs)[0].astype(jnp.float32)).sum()

    gradients, specs = jax.grad(loss, (0, 1)), (PartitionSpec(), PartitionSpec("x"))
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    found = jax.jit(jax.shard_map(gradients, mesh=mesh, in_specs=specs, out_specs=specs))(params, inputs)
    expected = jax.jit(gradients)(params, inputs)
    close = partial(np.testing.assert_allclose, rtol=1e-2 if is_narrow else 1e-5, atol=1e-6)
    jax.tree.map(lambda one, other: close(np.float32(one), np.float32(other)), found, expected)


def test_a_data_parallel_table_stays_on_a_mesh_of_some_devices():
    module, inputs = f7.DataParallelTable(1, f7.Linear(8, 4)), X[:8]
    variables = module.init(jax.random.key(0))
    mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,), devices=jax.devices()[:4])
    with jax.set_mesh(mesh):
        placed = jax.device_put(inputs, jax.NamedSharding(mesh, PartitionSpec("x")))
        output, _ = jax.jit(module.apply)(*variables, placed)
    assert len(output.sharding.device_set) == 4
    np.testing.assert_allclose(output, module.modules[0].apply(variables[0][0], {}, inputs)[0], rtol=1e-5)


@pytest.mark.parametrize("module", [f7.SpatialConvolution(2, 3, 3, 3), f7.SpatialFullConvolution(2, 3, 3, 3, 2, 2)])
def test_planes_may_be_split_on_a_mesh_that_has_copies_of_them(module):
    """XLA adds up such a convolution's gradients along the copies."""
    images = np.random.default_rng(2).normal(size=(1, 2, 8, 8)).astype(np.float32)
    params, buffers = module.init(jax.random.key(0))
    gradients = jax.grad(lambda *given: jnp.sin(module.apply(given[0], buffers, given[1])[0]).sum(), (0, 1))
    mesh = jax.make_mesh((4, 2), ("rows", "copies"), axis_types=(AxisType.Auto,) * 2)
    with jax.set_mesh(mesh):
        split = jax.device_put(images, jax.NamedSharding(mesh, PartitionSpec(None, None, "rows")))
        found = jax.jit(gradients)(params, split)
    chex.assert_trees_all_close(found, jax.jit(gradients)(params, images), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("is_flat", [False, True])
def test_a_data_parallel_table_takes_tensors_of_one_gpu(is_flat):
    """`cuda()` brings batches and parameters to the first GPU, where Torch's programs look at outputs, too."""

    def trained(move, wrap):
        torch.manualSeed(1)
        network, criterion = wrap(move(nn.Sequential().add(nn.Linear(6, 5)).add(nn.Tanh()))), move(nn.MSECriterion())
        parameters, gradients = network.getParameters() if is_flat else network.parameters()
        found = []
        for size in (12, 12, 13):
            x, y = move(torch.randn(size, 6)), move(torch.randn(size, 5))
            network.zeroGradParameters()
            output = network.forward(x)
            found.append(float(criterion.forward(output, y)))
            found.append(network.backward(x, criterion.backward(output, y)))
            found.append(x.narrow(2, 1, 5).clone().cmul(output))
            if is_flat:
                parameters.add(-0.5, gradients)
            else:
                network.updateParameters(0.5)
        return [*found, *network.parameters()[0]]

    expected = trained(lambda each: each, lambda each: each)
    cutorch.standIn(True)  # GPUs are the devices from the second on
    try:
        got = trained(lambda each: each.cuda(), lambda each: nn.DataParallelTable(1).add(each, [2, 3, 4]).cuda())
    finally:
        cutorch.standIn(False)
    for one, other in zip(expected, got, strict=True):
        np.testing.assert_allclose(np.asarray(other), np.asarray(one), rtol=2e-5, atol=1e-6)
