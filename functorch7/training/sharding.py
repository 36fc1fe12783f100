"""Training on many devices: how the arrays of a training step lie on a mesh."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from ..checks.taken import check_taken
from ..core import Module
from ..core.types import Array, Device, Key, Tree, Value
from ..network import carry_of, forget, state_axes, with_carry
from ..network.zero_mask import with_zero_masks, without_zero_masks, zero_masks
from .state import TrainState, init_state

Given = TypeVar("Given")

AXES = ("data", "shard")


@dataclass(frozen=True)
class Sharding:
    """A mesh of data x shard devices: the batch is split over all devices, large arrays over the shards of a row.

    Each row of the mesh holds all parameters once. With one column, training is data parallel (every device holds
    everything); with one row, it is fully sharded (every device holds its part of everything). In between, the rows are
    copies of each other. `data_parallel` and `fully_sharded` make such meshes.

    Arrays of the state with `smallest` numbers or more are split along the largest dimension that the number of shards
    divides. Smaller arrays, and those without such a dimension, are on every device. Recurrent state is split by
    examples. `batch_dim` is the dimension of the batch in inputs, targets and outputs, from 1: 2 if time comes first.

    `statistics` decides which batch is seen by layers and criterions that compute with all of it:
    "global": the global batch. All numbers equal those of a single device with this batch, also of batch normalisation.
    "local": the device's own part, for layers and criterion. The gradient, the loss, and what layers keep (running
    statistics) are means over the devices, and each device draws its own random numbers. Then there is no communication
    inside the network. For a criterion that adds up (size_average=False), the result, a mean of sums, is smaller.

    Raises: ValueError for a mesh with other axes.
    """

    mesh: Mesh
    batch_dim: int = 1
    statistics: str = "global"
    smallest: int = 1024

    choices: ClassVar[tuple[str, ...]] = ("global", "local")

    def __post_init__(self) -> None:
        if self.mesh.axis_names != AXES:
            raise ValueError(f"Sharding: expected a mesh with the axes {AXES}, got {self.mesh.axis_names}")
        if self.statistics not in self.choices:
            raise ValueError(f"Sharding: expected statistics {' or '.join(self.choices)}, got {self.statistics!r}")
        if self.batch_dim < 1:
            raise ValueError(f"Sharding: expected batch_dim from 1, got {self.batch_dim}")
        # JAX is to find the layout of what lies between the arrays that are laid out here.
        automatic = Mesh(self.mesh.devices, AXES, axis_types=(AxisType.Auto,) * len(AXES))
        object.__setattr__(self, "mesh", automatic)

    # Where arrays lie ----------------------------------------------------------------------------------------

    @property
    def replicated(self) -> NamedSharding:
        """On every device."""
        return NamedSharding(self.mesh, PartitionSpec())

    @property
    def of_batch(self) -> NamedSharding:
        """That of inputs and targets; `loader.batches(..., sharding=)` takes it, too."""
        return NamedSharding(self.mesh, self._batch_spec)

    @property
    def _batch_spec(self) -> PartitionSpec:
        return _by_examples(self.batch_dim - 1)

    def of_array(self, array: Array) -> NamedSharding:
        """That of a parameter, or anything else in the state of this shape, but for recurrent state."""
        shards = self.mesh.shape["shard"]
        divisible = [axis for axis, size in enumerate(array.shape) if size % shards == 0]
        if shards == 1 or array.size < self.smallest or not divisible:
            return self.replicated
        longest = max(divisible, key=lambda axis: array.shape[axis])
        return NamedSharding(self.mesh, PartitionSpec(*[None] * longest, "shard"))

    def _of_recurrent_state(self, axis: int, state: Value) -> Value:
        """That of each array of a piece of recurrent state, which is split by examples if they can be shared."""

        def of_array(array: Any) -> NamedSharding:
            shared = array.ndim > axis and array.shape[axis] % self.mesh.size == 0
            return NamedSharding(self.mesh, _by_examples(axis)) if shared else self.replicated

        return jax.tree.map(of_array, state)

    def layout(self, module: Module, state: TrainState) -> TrainState:
        """The state's tree with a `jax.sharding.Sharding` for each array (or `jax.ShapeDtypeStruct`)."""
        placed = jax.tree.map(self.of_array, state)
        axes = state_axes(module, state.buffers)
        carry = jax.tree.map(self._of_recurrent_state, axes, carry_of(module, state.buffers))
        return placed._replace(buffers=with_carry(module, placed.buffers, carry))

    @property
    def one_at_a_time(self) -> bool:
        """Whether a step has to end before the next one starts: where CPU devices of one process share threads.

        Collective operations of two steps can then wait for each other forever, and JAX ends the process.
        """
        own = [device for device in self.mesh.devices.flat if device.process_index == jax.process_index()]
        return len(own) > 1 and own[0].platform == "cpu"

    # Laying out ----------------------------------------------------------------------------------------------

    def place(self, module: Module, state: TrainState) -> TrainState:
        """A copy of the state, laid out. Of several processes, each has the whole state before and its part after."""
        own = jax.tree.map(jnp.copy, state)  # device_put may keep what lies on one of the devices already
        return jax.device_put(own, self.layout(module, state))

    def init(self, module: Module, optimizer: optax.GradientTransformation, key: jax.Array) -> TrainState:
        """`place(module, init_state(module, optimizer, key))`, of which no device ever holds more than its part."""

        def make(key: jax.Array) -> TrainState:
            return init_state(module, optimizer, key)

        return jax.jit(make, out_shardings=self.layout(module, jax.eval_shape(make, key)))(key)

    def place_batch(self, batch: Given) -> Given:
        """A batch on the devices: the global one, in a single process; of several, each gives its equal part of it.

        Raises: ValueError for a batch that the devices cannot share equally, and as `check_taken`.
        """
        check_taken("Sharding", batch)
        self._check(batch, jax.local_device_count() if jax.process_count() > 1 else self.mesh.size)

        def place(array: Any) -> Any:
            if isinstance(array, jax.Array) and array.sharding.is_equivalent_to(self.of_batch, array.ndim):
                return array
            return jax.make_array_from_process_local_data(self.of_batch, array)

        return jax.tree.map(place, batch)

    def place_whole(self, batch: Tree) -> Tree:
        """A batch that every process has whole: split over the devices if they can share it, else on every device."""
        sizes = {np.shape(array)[self.batch_dim - 1 : self.batch_dim] for array in jax.tree.leaves(batch)}
        shared = all(size and size[0] % self.mesh.size == 0 for size in sizes)
        return jax.device_put(batch, self.of_batch if shared else self.replicated)

    def _check(self, batch: Value, devices: int) -> None:
        for array in jax.tree.leaves(batch):
            shape = np.shape(array)
            if len(shape) < self.batch_dim:
                raise ValueError(f"Sharding: expected a batch in dimension {self.batch_dim}, got shape {shape}")
            if shape[self.batch_dim - 1] % devices:
                raise ValueError(
                    f"Sharding: expected a multiple of {devices} (devices) examples in dimension {self.batch_dim}, "
                    f"got {shape[self.batch_dim - 1]} in shape {shape}"
                )

    def constrain(self, module: Module, state: TrainState) -> TrainState:
        """The state as `place` lays it out; for use inside a compiled function."""
        return lax.with_sharding_constraint(state, self.layout(module, state))

    # A step's gradient ---------------------------------------------------------------------------------------

    def value_and_grad(self, module: Module, loss: Callable) -> Callable:
        """`jax.value_and_grad(loss, has_aux=True)` of `make_loss`'s loss, with gradients laid out as parameters.

        A parameter that is split is gathered once, by all devices of a row, before it is used.
        """
        gradient = jax.value_and_grad(loss, has_aux=True)
        local = self._by_device(module, gradient)

        def run(params: Tree, buffers: Tree, batch: Any, key: Key) -> Any:
            self._check(batch, self.mesh.size)
            whole = lax.with_sharding_constraint(params, self.replicated)
            batch = lax.with_sharding_constraint(batch, self.of_batch)
            value, gradients = (local if self.statistics == "local" else gradient)(whole, buffers, batch, key)
            return value, lax.with_sharding_constraint(gradients, jax.tree.map(self.of_array, gradients))

        return run

    def _by_device(self, module: Module, gradient: Callable) -> Callable:
        """The mean of the devices' gradients (values, buffers), each of its own part of the batch."""

        def one(params: Tree, buffers: Tree, carry: Any, masks: list, batch: Any, key: Key) -> Any:
            own = None if key is None else jax.random.fold_in(key, lax.axis_index(AXES))
            buffers = with_zero_masks(with_carry(module, buffers, carry), masks)
            (value, (output, buffers)), gradients = gradient(params, buffers, batch, own)
            kept = without_zero_masks(forget(module, buffers))
            mean = lax.pmean((value, kept, gradients), AXES)
            return *mean, carry_of(module, buffers), output

        def run(params: Tree, buffers: Tree, batch: Any, key: Key) -> Any:
            everywhere, masks = PartitionSpec(), zero_masks(buffers)
            split = jax.tree.map(_by_examples, state_axes(module, buffers))
            by_example = jax.tree.map(_of_mask, masks)
            value, kept, gradients, carry, output = jax.shard_map(
                one,
                mesh=self.mesh,
                in_specs=(everywhere, everywhere, split, by_example, self._batch_spec, everywhere),
                out_specs=(everywhere, everywhere, everywhere, split, self._batch_spec),
                check_vma=False,  # else JAX adds up the devices' gradients before their mean is taken
            )(params, without_zero_masks(forget(module, buffers)), carry_of(module, buffers), masks, batch, key)
            buffers = with_zero_masks(with_carry(module, kept, carry), masks)
            return (value, (output, buffers)), gradients

        return run


def _by_examples(axis: int) -> PartitionSpec:
    """The layout of an array whose examples, along this axis, are split over all devices."""
    return PartitionSpec(*[None] * axis, AXES)


def _of_mask(mask: Any) -> PartitionSpec:
    """A mask's last dimension is the examples', whatever `batch_dim` is."""
    return _by_examples(mask.ndim - 1) if mask.ndim else PartitionSpec()


def data_parallel(devices: Sequence[Device] | None = None, **options: Any) -> Sharding:
    """Every device (all by default) has all parameters and its part of the batch. Options are `Sharding`'s.

    >>> from functorch7.training import data_parallel
    >>> sharding = data_parallel()
    >>> sharding.mesh.axis_names, sharding.mesh.shape["shard"]
    (('data', 'shard'), 1)
    """
    found = jax.devices() if devices is None else devices
    return fully_sharded(found, copies=len(found), **options)


def fully_sharded(devices: Sequence[Device] | None = None, *, copies: int = 1, **options: Any) -> Sharding:
    """Every device (all by default) has its part of the parameters and of the batch. Options are `Sharding`'s.

    With `copies`, the devices form so many rows with all parameters each; a row is best within a fast network.
    Raises: ValueError if the copies do not divide the devices.
    """
    found = jax.devices() if devices is None else devices
    if copies < 1 or len(found) % copies:
        raise ValueError(f"fully_sharded: expected copies that divide {len(found)} devices, got {copies}")
    shape = (copies, len(found) // copies)
    return Sharding(jax.make_mesh(shape, AXES, (AxisType.Auto,) * len(AXES), devices=found), **options)
