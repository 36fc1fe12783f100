"""Learnable tensors and their gradients: made, listed, flattened, shared, updated."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self

import numpy as np

from ... import core, layers
from ...checks.sizes import sized
from ...core import describe
from ...core.contexts import during
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ...layers.initializers import SOURCE, Zeros, shapes_of
from ...network import in_order
from ..engine.fields import KeptElsewhere
from ..engine.fitting import factor
from ..engine.plan import Plan
from ..engine.terms import Term
from ..tensors.changes import changed
from ..tensors.devices import precision
from ..tensors.distributions import Draws
from ..tensors.flat import flatten, flattened
from ..tensors.parameter import Parameter
from ..tensors.random import generator
from ..tensors.storages import noted_of, zero
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.zeros import of_zeros
from .described import Described, described_among
from .misfit import unchecked
from .serial import PRIVATE
from .tree import Tree

IS_DPNNS: ContextVar[bool] = ContextVar("IS_DPNNS", default=False)
"""Whether getParameters is dpnn's, which accepts gradients that are not shared as the parameters are."""

GATHERS_KEPT: ContextVar[bool] = ContextVar("GATHERS_KEPT", default=True)
"""Whether getParameters gathers the parameters of modules in fields, as dpnn's does; nn's does not."""


USUAL = ("weight", "bias")
"""The parameters of a module without a description, by which nn.Module's `parameters` finds them."""


def initial_values(spec: core.Module, stdv: float | None, dtype: np.dtype) -> dict[str, Value]:
    """A module's own parameters, of a dtype, drawn with the generator's next numbers, as Torch draws them.

    In a block with another source, that one is used; layers that know no sources draw by a key.
    """
    source: Any = SOURCE.get() or Draws(generator(), dtype)
    with precision(dtype), during(SOURCE, source):
        key = source.key()
        return spec.init_params(key) if stdv is None else spec.init_params(key, stdv)


def kept_modules(module: Described) -> list[Described]:
    """The modules in fields of a module, or of one inside it, that are not inside it."""
    waiting = module._members()
    seen, found = set(map(id, waiting)), []
    while waiting:
        fields = vars(waiting.pop(0))
        held = [value for name, value in fields.items() if name not in PRIVATE]
        for each in described_among([v.contents() if isinstance(v, KeptElsewhere) else v for v in held]):
            if isinstance(each, Tree) and id(each) not in seen:
                found.append(each)
                inside = each._members()
                seen.update(map(id, inside))
                waiting += inside
    return found


MADE_READY = (layers.IndexLinear, layers.PartialLinear, layers.PReLU, layers.WeightNorm)
"""Layers whose constructors do not call `reset` in Torch."""


class Parameters(Described):
    """The part of Module that deals with its own parameters and those of the modules inside."""

    shared: bool  # once `share` was called

    @contextmanager
    def _drawing(self, spec: core.Module) -> Iterator[None]:
        """A block around a constructor: as in Torch, a user's `reset` draws the initial values, if there is one."""
        if not self.overrides("reset") or spec.children() or not shapes_of(spec) or isinstance(spec, MADE_READY):
            yield
            return
        with during(SOURCE, Zeros()):
            yield
        self.reset()

    def _make_parameters(self, before: core.Module | None = None) -> None:
        """Makes the parameters that the description has and the object lacks.

        Drops those that it has not, but the one before had: others of the name are a program's own.
        """
        made = shapes_of(self._spec)
        for name in () if before is None else shapes_of(before).keys() - made.keys():
            self.__dict__.pop(name, None)
            self.__dict__.pop(grad_name(name), None)
        missing = [name for name in made if name not in self.__dict__]
        if not missing:
            return
        dtype = dtype_of(self._type)
        initial = initial_values(self._spec, None, dtype)
        for name in in_order(self._spec, missing):
            self._put_parameter(name, self._made(initial[name]))

    def _forget_arrays(self) -> None:
        """Drops the parameters and buffers of the object's description, if it has one."""
        if (spec := unchecked(self)) is None:
            return
        for name in (*shapes_of(spec), *spec.init_buffers()):
            self.__dict__.pop(name, None)
            self.__dict__.pop(grad_name(name), None)

    def _put_parameter(self, name: str, tensor: Tensor) -> None:
        """Makes a tensor a parameter, with its gradient, or one of zeros."""
        if isinstance(tensor, Parameter):
            gradient = tensor.grad
        else:
            gradient = of_zeros(tensor.shape, tensor.dtype, tensor.storage_.device)
        self.__dict__.update({name: tensor, grad_name(name): gradient})
        changed(self)

    def _in_place_of(self, name: str, held: Tensor, value: object) -> object:
        value = super()._in_place_of(name, held, value)
        if isinstance(value, Tensor) or not self.is_described or name not in self.field_names():
            return value
        if isinstance(value, list):
            return self._made(np.asarray(value, held.dtype))
        if (value is None or value is False) and name not in self._kept_buffers():
            return None  # no bias, or a parameter that is not learned
        raise TypeError(f"{self.title()}: expected a tensor as {name}, got {describe(value)}")

    def _fits(self, tensor: Tensor, shape: tuple[int, ...]) -> bool:
        """Whether a tensor can be what the description makes in this shape."""
        return tensor.shape == shape

    def own_parameters(self) -> list[str]:
        """The names of this object's own parameters, in Torch's order."""
        names = USUAL if self._spec is None else in_order(self._spec, shapes_of(self._spec))
        return [name for name in names if isinstance(self.__dict__.get(name), Tensor)]

    def _learned(self) -> list[str]:
        """The names of those that are learned: those whose gradient is not set to None.

        Like Torch's, they include a weight and a bias that a program's class has beside those of its description.
        """
        names = self.own_parameters()
        if self._spec is not None and "modules" not in self.__dict__ and {*names} <= {*USUAL}:
            names = [name for name in USUAL if name in names or self._has_beside(name)]
        return [name for name in names if self.__dict__.get(grad_name(name), self) is not None]

    def _has_beside(self, name: str) -> bool:
        """Whether it has a tensor of this name and its gradient, of which the description knows nothing."""
        held = (self.__dict__.get(name), self.__dict__.get(grad_name(name)))
        return all(isinstance(each, Tensor) for each in held) and name not in self._spec.init_buffers()

    def _initial_buffers(self) -> dict[str, Any]:
        """The initial buffers."""
        return sized(self._spec, self._spec.init_buffers)

    def _kept_buffers(self) -> list[str]:
        """The names of saved buffers, such as running means and variances."""
        names = self._spec.init_buffers() if self._spec is not None else ()
        return [name for name in names if isinstance(self.__dict__.get(name), Tensor)]

    def field_names(self) -> set[str]:
        """The names of its parameters, their gradients, and its buffers."""
        made = set() if self._spec is None else {*self._spec.parameter_order, *self._spec.init_buffers()}
        learned = made.union(self.own_parameters())
        return learned.union(map(grad_name, learned))

    def term_of(self, name: str) -> Term:
        """What is added to the gradient of one of this module's parameters."""
        return Term()

    def call_tensors(self) -> list[Tensor]:
        """The tensors that a user's methods read: the parameters."""
        return self.parameters()[0]

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """The learnable tensors and their gradients, two lists in the same order.

        `linear.gradWeight = None` freezes the weight: it is not among them, and gets no gradient.
        """
        names = self._learned()
        params = [self.__dict__[name] for name in names]
        grads = [self.__dict__[grad_name(name)] for name in names if grad_name(name) in self.__dict__]
        for module in self.children():
            inner, inner_grads = module.parameters()[:2]
            params, grads = params + inner, grads + inner_grads
        return params, grads

    def _own_tensors(self) -> list[tuple[Tensor, Tensor]]:
        """This object's own parameters with their gradients."""
        if self.overrides("parameters") and not self.children():
            return list(zip(*self.parameters()[:2], strict=True))
        fields = self.__dict__
        return [(fields[n], fields[grad_name(n)]) for n in self._learned() if grad_name(n) in fields]

    def zeroGradParameters(self) -> None:
        """Sets all gradients to zero."""
        plan = self._vectorised("zeroGradParameters")
        if plan is None:
            for module in self.children():
                module.zeroGradParameters()
            for _, gradient in self._own_tensors():
                gradient.zero()
        elif plan.all_gradients.covers:
            zero(plan.all_gradients.storages)
        else:
            for gradient in plan.all_gradients.tensors:
                gradient.zero()

    def updateParameters(self, learningRate: float) -> None:
        """parameter = parameter - learningRate * gradient, for all of them in one compiled call."""
        rate = factor(self, "learningRate", learningRate)
        plan = self._vectorised("updateParameters")
        if plan is None:
            for module in self.children():
                module.updateParameters(learningRate)
            for parameter, gradient in self._own_tensors():
                parameter.add(-rate, gradient)
        elif plan.all_parameters.storages:
            parameters, gradients = plan.all_parameters, plan.all_gradients
            parameters.store(plan.updated(noted_of(parameters.storages), noted_of(gradients.storages), rate))

    def _vectorised(self, method: str) -> Plan | None:
        """The plan, if one call can do the method's work; None if users' versions of it must be called."""
        if not self.is_described:
            return None
        plan = self._plans.newest if self._plans else None
        if plan is None or plan.as_foreign or not plan.has_layout:
            plan = self._planned()
        return plan if plan.in_one_call(method) else None

    def getParameters(self) -> tuple[Tensor, Tensor]:
        """All parameters as one flat tensor, and all gradients: the modules' tensors become views of them.

        They include those of modules that are kept in fields (shared clones, parts of a user's module); in Lua programs
        that do not require dpnn, only those that are shared with others. Calling it again returns the same flat
        tensors. Raises ValueError if gradients are not shared as parameters are.
        """
        parameters, gradients = self._all_parameters()
        if IS_DPNNS.get():
            return flatten(parameters), flatten(gradients)
        return flattened(parameters, gradients)

    def _all_parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """Those of `parameters`, and of modules that are kept in fields."""
        params, grads = (list(tensors) for tensors in self.parameters()[:2])
        known = {(id(param.storage_), param.offset) for param in params}
        for module in kept_modules(self):
            for param, grad in zip(*module.parameters()[:2], strict=True):
                if GATHERS_KEPT.get() or (id(param.storage_), param.offset) in known:
                    params, grads = [*params, param], [*grads, grad]
        return params, grads

    @staticmethod
    def flatten(tensors: list[Tensor]) -> Tensor:
        """One flat tensor whose parts the given tensors become."""
        return flatten(tensors)

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new initial values for all parameters, and resets running means and variances."""
        for module in self.children():
            module.reset(stdv)
        if self._spec is not None:
            made = self._initial_buffers()
            for name in self._kept_buffers():
                self.__dict__[name].copy(np.asarray(made[name]))
            initial = initial_values(self.own_description(), stdv, dtype_of(self._type))
            for name in self.own_parameters():
                self.__dict__[name].copy(initial[name])
        return self

    def share(self, mlp: Value, *names: str) -> Self:
        """Makes the named tensors views of another module's; networks of the same structure module by module.

        Raises: ValueError for a network of another structure.
        """
        count = len(self.children())
        if not isinstance(mlp, Parameters) or len(mlp.children()) != count:
            given = mlp.title() if isinstance(mlp, Parameters) else repr(mlp)
            raise ValueError(f"{self.title()}: share: expected a module with {count} modules inside, got {given}")
        for mine, theirs in zip(self.children(), mlp.children(), strict=True):
            mine.share(theirs, *names)
        for name in names:
            if isinstance(self.__dict__.get(name), Tensor):
                self.__dict__[name].set(getattr(mlp, name))
                self.shared = mlp.shared = True
        return self

    def clone(self, *names: Any) -> Value:
        """A deep copy; the named tensors are shared instead of copied. BigDL's clone(False) shares all parameters."""
        if names in ((True,), (False,)):
            return self._cloned(deep=names[0])
        made = copy.deepcopy(self)
        for name in names:
            held = [module.__dict__[name] for module in self._members() if name in module.__dict__]
            if held and not any(isinstance(each, Tensor) for each in held):
                raise TypeError(f"{self.title()}: clone({name!r}): shared parameters have to be tensors")
        return made.share(self, *names) if names else made
