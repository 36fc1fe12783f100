"""Modules whose objects do more than their descriptions say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import jax.numpy as jnp
import numpy as np

from ... import core, layers
from ...core import Emitted
from ...core.types import Value
from ...reinforce import Reinforce as ReinforceSpec
from ...reinforce.loss import reward_as
from ..engine.calls import Call
from ..engine.fitting import has_shapes_of
from ..engine.turns import standing
from ..objects.generated import object_of
from ..tensors.changes import watchers
from ..tensors.devices import precision
from ..tensors.random import next_key
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.values import Input, Output, unwrapped, wrapped
from .aliases import made, method
from .container import Container
from .module import Module


class Sequential(Container, describes=layers.Sequential):
    """A chain of modules. A dict's are named by its keys: `nn.Sequential({"fc": nn.Linear(2, 3)})["fc"]`."""

    def __init__(self, *modules: Module):
        if len(modules) != 1 or not isinstance(modules[0], dict):
            super().__init__(*modules)
            return
        super().__init__(*modules[0].values())
        for name, module in zip(modules[0], self.modules, strict=True):
            module.setName(name)

    def updateOutput(self, input: Value) -> Output:
        """The output; without modules the input itself."""
        if self.modules or not isinstance(input, Tensor) or standing(self):
            return self._called_with(input)
        self.output = input
        return input

    def _as_made(self, field: str) -> Any:
        """Those of the last module, and of the first one."""
        ends = self.children()[-1:] if field == "_own_output" else self.children()[:1]
        return ends[0]._as_made(field) if ends else super()._as_made(field)

    def _links(self) -> list[Any]:
        """The modules of the chain and of chains in it, in their order."""
        return [m for each in self.children() for m in (each._links() if isinstance(each, Sequential) else [each])]

    def _ends_in_users_gradient(self) -> bool:
        links = self._links()
        return bool(links) and links[-1].has_own_gradient()

    def _one_by_one(self, input: Input, pull: Callable, gradient: Any) -> Any:
        links = self._links()
        inputs = [input, *(module.output for module in links[:-1])]
        for module, given in zip(reversed(links), reversed(inputs), strict=True):
            gradient = pull(module, given, gradient)
        self.gradInput = gradient
        return gradient

    def _pulled_back(self, call: Call, accumulated: bool) -> Any:
        """gradInput; if the first module is a user's whose methods are called, the very tensor that it returned.

        None where the first module gives none.
        """
        found = super()._pulled_back(call, accumulated)
        first: Any = self
        while isinstance(first, Sequential):
            first = first.modules[0] if first.modules else None
        if first is None:
            return found
        if first.withholds_gradient():
            self.gradInput = found = None
        elif not call.plan.foreign:
            return found
        elif any(each is first for each in call.plan.foreign) and has_shapes_of(found, first.gradInput):
            self.gradInput = found = first.gradInput
        return found


class Reinforce(Module, describes=ReinforceSpec):
    """Stochastic modules; `reward` is the last reward from `reinforce`.

    A user's subclass may define `updateOutput` and `updateGradInput` with `rewardAs`, as in Torch.
    """

    reward: Value = None
    stochastic: bool

    def __init__(self, *args: Any, **kwargs: Any):
        """Torch's arguments; a user's subclass passes on `stochastic`: whether evaluation samples, too."""
        if self.spec_class is None:
            self.__dict__["stochastic"] = bool(*args, *kwargs.values())
            args, kwargs = (), {}
        super().__init__(*args, **kwargs)

    def take_reward(self, reward: Input) -> None:
        """Keeps a reward for backward."""
        self.reward = reward

    def rewardAs(self, input: Value) -> Output:
        """The reward, expanded to the sizes of a tensor."""
        return wrapped(reward_as(self.reward_at_step(0), Emitted(jnp.asarray(unwrapped(input)), "log_prob")))

    def reward_at_step(self, step: int) -> Value:
        """The reward for the sample of a time step (0: no recurrence)."""
        if self.reward is None:
            raise RuntimeError(f"{self.title()}: backward needs a reward; call reinforce(reward) first")
        reward = unwrapped(self.reward)
        if not step or np.ndim(reward) < 2:
            return reward
        last = max(plan.history.count for plan in watchers(self))
        return reward[step - 1 - last]


class MapTable(Container, describes=layers.MapTable):
    """nn.MapTable: `parameters` repeats the module's for every entry of the last input.

    Modules that are not shared, or only in part (`shared` is a list of parameters), are made when forward is called on
    the map itself; inside a network, call `resize`.
    """

    def forward(self, input: Value) -> Output:
        """The outputs for a table's entries."""
        if not self._spec.shared and isinstance(input, (list, tuple)) and self.modules:
            self.resize(max(len(input), len(self.modules)))
        return super().forward(input)

    def add(self, module: Module) -> Self:
        """Sets the module. Raises TypeError if there is one already."""
        if self.modules:
            raise TypeError(f"{self.title()}: single module required")
        return super().add(module)

    @property
    def module(self) -> Output:
        """The module, or None."""
        return self.get(1)

    @property
    def shared(self) -> bool:  # type: ignore[override]
        """Whether one module is that of all entries."""
        return self._spec.shared

    @property
    def sharedparams(self) -> list[str]:
        """The names of what the modules of the entries share."""
        return list(self._spec.shared_params or layers.decorators.SHARED)

    def get(self, index: int, *more: int) -> Output:
        """The module for an entry; the shared one is that of all entries. None if there is none."""
        if self._spec.shared and self.modules and 1 < index <= self.size():
            index = 1
        return super().get(index, *more)

    def resize(self, n: int) -> None:
        """Makes n modules; a shared one only counts n times, until the next forward."""
        if self._spec.shared:
            self.output = [None] * n
            return
        del self.modules[n:]
        while len(self.modules) < n:
            self.modules.append(self.modules[0].clone(*self._spec.shared_params))

    def size(self) -> int:
        """The number of modules: a shared one counts for every entry of the last input."""
        output = self.output
        return max(len(output), 1) if self._spec.shared and isinstance(output, list) else len(self.modules)

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """The module's parameters and gradients, once for every entry of the last input."""
        params, grads = super().parameters()[:2]
        times = self.size() if self._spec.shared else 1
        return params * times, grads * times


class SparseLinear(Module, describes=layers.SparseLinear):
    """nn.SparseLinear: with `doGradInput`, gradInput is dense, (index, value) for every column; else it is empty."""

    @property
    def weightDecay(self) -> Output:  # type: ignore[override]
        """The factor of the weight that is added to its gradient; as in Torch, it hides dpnn's method."""
        return self._spec.weight_decay

    @weightDecay.setter
    def weightDecay(self, value: float) -> None:
        self._respecify(self._spec.replace(weight_decay=value))

    def _pulled_back(self, call: Call, accumulated: bool) -> Any:
        super()._pulled_back(call, accumulated)
        self.gradInput = []
        if self.doGradInput:
            index, rows = _at_all_columns(self.weight.numpy(), call.given_gradient)
            self.gradInput = [Tensor.of(np.stack([index, row], 1).astype(row.dtype)) for row in rows]
        return self.gradInput


class IndexLinear(Module, describes=layers.IndexLinear):
    """nn.IndexLinear: with `doGradInput`, gradInput has every column with its gradient, for every example.

    Otherwise, or with `normalize`, it has the gradients at the given values.
    """

    def reset(self, stdv: float | None = None) -> Self:
        """Draws values uniform on +-stdv * sqrt(3), or +-1/sqrt(columns); a new module's are zeros."""
        columns = self.weight.size(2)
        return super().reset((3 * columns) ** -0.5 if stdv is None else stdv)

    def _pulled_back(self, call: Call, accumulated: bool) -> Any:
        found = super()._pulled_back(call, accumulated)
        if not self.doGradInput or self.normalize:
            return found
        index, rows = _at_all_columns(self.weight.numpy().T, call.given_gradient)
        indices = np.broadcast_to(index, rows.shape)
        given: Any = call.given
        keys, _, *sizes = given
        if isinstance(keys, (list, tuple)):
            self.gradInput = [wrapped(list(indices)), wrapped(list(rows))]
        else:
            self.gradInput = [wrapped(indices), wrapped(rows)] if sizes else [wrapped(index), wrapped(rows[0])]
        return self.gradInput


def _at_all_columns(weight: np.ndarray, grad_output: Any) -> tuple[np.ndarray, np.ndarray]:
    """The columns of a matrix of one row for each output, from 1, and each example's gradients there."""
    rows = np.asarray(unwrapped(grad_output), weight.dtype).reshape(-1, len(weight)) @ weight
    return np.arange(1, weight.shape[1] + 1), rows


class Kmeans(Module, describes=layers.Kmeans):
    """nn.Kmeans."""

    def backward(self, input: Value, gradOutput: Input | None = None, scale: float = 1) -> Output:
        """Adds the centres' gradient, and returns zeros; ignores gradOutput, and scale if the module has its own."""
        return super().backward(input, np.zeros(len(unwrapped(input))), scale if self.scale is None else 1)

    @property
    def clusterSampleCount(self) -> Tensor:
        """How many examples of the last forward belong to each centre."""
        return Tensor.of(np.bincount(np.asarray(self.output, int), minlength=self.k + 1)[1:].astype(self.weight.dtype))

    def initRandom(self, samples: Value) -> None:
        """Takes examples as centres, drawn with replacement."""
        self._start_from(self._spec.init_random, samples)

    def initKmeansPlus(self, samples: Value, p: float | None = None) -> None:
        """Takes examples as centres that are far from one another; with p as in Torch7."""
        self._start_from(lambda key, input: self._spec.init_kmeans_plus(key, input, p), samples)

    def _start_from(self, init: Callable, input: Any) -> None:
        with precision(self.weight.dtype):
            self.weight.copy(init(next_key(), jnp.asarray(unwrapped(input), self.weight.dtype))["weight"])


class Convert(Module, describes=layers.Convert):
    """nn.Convert: it also casts its input to the module's type."""

    def own_description(self) -> core.Module:
        """The description, with the module's type."""
        return super().own_description().replace(dtype=dtype_of(self._type).name)

    def findAxis(self, axis: str, shape: str | None = None, silent: bool = False) -> int | None:
        """The position of a letter in a layout, from 1. Raises ValueError if there is none; None if silent."""
        if silent and axis not in (shape or self.inputShape):
            return None
        return self._spec.find_axis(axis, shape)

    transpose = made("transpose", "The module that permutes the input's axes to another layout.")
    bf = method(lambda self, input: object_of(self._spec.bf()), "The module that flattens the examples of a batch.")
    b = made("b", "The module that selects the one feature, or the first target, of each example.")
    bt = made("bt", "The module that makes each example's number a vector of one.")
    buildConverter = made("converter", "The module that does it for such a batch.")


class OneHot(Module, describes=layers.OneHot):
    """nn.OneHot: gradInput is zeros of the module's type, whatever the indices' is."""

    def _pulled_back(self, call: Call, accumulated: bool) -> Any:
        self.gradInput = super()._pulled_back(call, accumulated).type(self._type)
        return self.gradInput


class CMulTable(Module, describes=layers.CMulTable):
    """nn.CMulTable."""

    def updateGradInput_efficient(self, input: Value, gradOutput: Input | None) -> Output:
        """gradOutput * output / input[i]: NaN where an input is 0."""
        output, gradient = (np.asarray(unwrapped(value)) for value in (self.output, gradOutput))
        with np.errstate(divide="ignore", invalid="ignore"):
            self.gradInput = wrapped([gradient * output / np.asarray(each) for each in unwrapped(input)])
        return self.gradInput


class SoftMaxTree(Module, describes=layers.SoftMaxTree):
    """nn.SoftMaxTree; dpnn's helpers (momentum, weight decay, norms) skip families without a gradient.

    `parameters()` always has the whole weight and bias, so that `getParameters` is also right after a backward.
    """

    def getNodeParameters(self, parentId: int) -> tuple[list[Tensor], list[Tensor]]:
        """The parameters, and their gradients, of a node's children: rows of weight and bias."""
        rows = self._spec.family(parentId)
        return _rows(self.parameters()[0], [rows]), _rows(self.parameters()[1], [rows])

    def _touched(self) -> list[slice]:
        """The rows of the families with a gradient; all rows if there are none."""
        has_gradient = self.gradBias.numpy() != 0
        families = (self._spec.family(int(parent)) for parent in np.unique(self._spec.hierarchy.value[:, 0]))
        return [rows for rows in families if has_gradient[rows].any()] or [slice(0, len(has_gradient))]

    def sparseParameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """Weight and bias of each family that was used since zeroGradParameters; all if there are none."""
        params, grads = self.parameters()[:2]
        return _rows(params, self._touched()), _rows(grads, self._touched())

    def momentumGradParameters(self) -> list[Tensor]:
        """The moving averages of the gradients in `sparseParameters`; zeros at first.

        Raises RuntimeError with accUpdate, which keeps none in Torch.
        """
        if self.accUpdate:
            raise RuntimeError(f"{self.title()}: cannot use momentum with accUpdate")
        averages = self.__dict__.setdefault("momGradParams", [])
        if not averages:
            averages.extend(gradient.clone().zero() for gradient in self.parameters()[1])
        return _rows(averages, self._touched())


def _rows(tensors: list[Tensor], parts: list[slice]) -> list[Tensor]:
    """Views of these rows of every tensor."""
    return [t.narrow(1, rows.start + 1, rows.stop - rows.start) for rows in parts for t in tensors]
