"""Torch's back-propagation of the diagonal of the Hessian, switched on by `nn.hessian.enable()`.

The classes themselves do not depend on it. Source: torch/nn, hessian.lua.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ... import layers, losses, programs
from ...core.types import Value
from ..objects.described import Described
from ..objects.layered import put_in_front
from ..objects.parameters import Parameters
from ..tensors.devices import precision
from ..tensors.flat import flatten
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.values import Input, Output, as_input, unwrapped, wrapped
from ..tensors.zeros import of_zeros
from .criterion import Criterion
from .module import Module


def hessian_name(name: str) -> str:
    """The name of a parameter's diagonal Hessian: diagHessianWeight for weight."""
    return "diagHessian" + name[:1].upper() + name[1:]


@programs.Compiled
@partial(jax.jit, static_argnums=(0, 5, 6))
def _compiled(spec: Any, params: Any, buffers: Any, input: Any, h: Any, train: bool, of_input: bool) -> Any:
    from ...training import diagonal_hessian

    return diagonal_hessian(spec, params, buffers, input, h, train=train)[of_input]


class OfModules(Parameters):
    """What `enable` adds to every module; `functorch7.training.diagonal_hessian` says what is computed.

    Fields: diagHessianInput; diagHessianWeight, diagHessianBias and so on, which add up until they are set to zero.
    """

    diagHessianInput: Value

    def field_names(self) -> set[str]:
        """The names include those of these fields."""
        names: set[str] = super().field_names()  # type: ignore[misc]
        return names.union(map(hessian_name, self.own_parameters()))

    def initDiagHessianParameters(self) -> None:
        """Makes missing fields, of zeros, in this module and all inside."""
        for module in self.children():
            module.initDiagHessianParameters()
        fields = self.__dict__
        fields.setdefault("diagHessianInput", Tensor())
        for name in self.own_parameters():
            fields.setdefault(hessian_name(name), of_zeros(fields[name].shape, fields[name].dtype))

    def updateDiagHessianInput(self, input: Input, diagHessianOutput: Input) -> Output:
        """diagHessianInput; call forward first. Raises NotImplementedError if it is undefined."""
        if self._is_chain():
            for module, given in self._backwards(input):
                diagHessianOutput = module.updateDiagHessianInput(given, diagHessianOutput)
            made = diagHessianOutput
        else:
            made = wrapped(self._diagonal(input, diagHessianOutput, True))
        self.__dict__["diagHessianInput"] = made
        return made

    def accDiagHessianParameters(self, input: Input, diagHessianOutput: Input | None = None) -> None:
        """Adds to the fields of the parameters; call updateDiagHessianInput first.

        Users' classes define their own, or none.
        """
        if self.is_foreign():
            return
        if self._is_chain():
            for module, given in self._backwards(input):
                module.accDiagHessianParameters(given, diagHessianOutput)
                diagHessianOutput = module.diagHessianInput
        elif self.own_parameters():
            self.initDiagHessianParameters()
            for name, made in self._diagonal(input, diagHessianOutput, False).items():
                self.__dict__[hessian_name(name)].add(made)

    def _is_chain(self) -> bool:
        return isinstance(self._spec, layers.Sequential) and not self.is_foreign()

    def _backwards(self, input: Any) -> list[tuple[Any, Any]]:
        """The modules, last one first, with the inputs that they had in the last forward."""
        modules = self.children()
        return list(zip(modules, [input, *(module.output for module in modules[:-1])], strict=True))[::-1]

    def _diagonal(self, input: Any, h: Any, of_input: bool) -> Any:
        if self.is_foreign() or isinstance(input, (list, tuple, dict)):
            raise NotImplementedError(f"{self.typename()}:updateDiagHessianInput() is undefined")
        dtype = dtype_of(self._type)
        with precision(dtype):
            spec, (params, buffers) = self.functional()
            given = [jnp.asarray(as_input(value), dtype) for value in (input, h)]
            return _compiled(spec, params, buffers, *given, bool(self.in_training), of_input)

    def parameters(self) -> tuple[list[Tensor], ...]:
        """The learnable tensors, their gradients, and their diagonal Hessians, as far as these were made."""
        return *super().parameters()[:2], self._diagonals()

    def _diagonals(self) -> list[Tensor]:
        """The parameters' diagonal Hessians that were made; users' `parameters` return theirs."""
        own = [self.__dict__.get(hessian_name(name)) for name in self._learned()]
        found = [each for each in own if each is not None]
        for module in self.children():
            found += _third(module.parameters()) if module.overrides("parameters") else module._diagonals()
        return found

    def getParameters(self) -> tuple[Tensor | None, ...]:
        """All of `parameters` as three flat tensors; None for the third if there are no diagonal Hessians."""
        hessians = _third(self.parameters())
        return *super().getParameters(), flatten(hessians) if hessians else None


def _third(tables: tuple) -> list:
    """The third result of `parameters`, if there is one."""
    return list(tables[2]) if len(tables) > 2 and tables[2] is not None else []


class OfCriterions(Described):
    """What `enable` adds to every criterion."""

    diagHessianInput: Value

    def updateDiagHessianInput(self, input: Input, target: Input | None = None) -> Output:
        """diagHessianInput, the second derivatives of the loss. Raises NotImplementedError if it is undefined.

        For squared errors it does not depend on the target, which may be left out.
        """
        from ...training import criterion_diagonal_hessian

        if self._spec is None or self._has_own_loss():
            raise NotImplementedError(f"{self.typename()}:updateDiagHessianInput() is undefined")
        dtype = dtype_of(self._type)
        with precision(dtype):
            given = jnp.asarray(as_input(input), dtype)
            spec: Any = self.description()
            is_any = target is None and isinstance(spec, (losses.MSECriterion, losses.WeightedMSECriterion))
            made = wrapped(criterion_diagonal_hessian(spec, given, given if is_any else unwrapped(target)))
        self.__dict__["diagHessianInput"] = made
        return made


# For classes of a user's own, which have no formula ---------------------------------------------------------------


def initDiagHessianParameters(module: Module, gw: list[str], hw: list[str]) -> None:
    """Makes diagHessianInput, and a tensor of the shape of each gradient in `gw`, under the name in `hw`."""
    fields = module.__dict__
    fields.setdefault("diagHessianInput", Tensor())
    for gradient, name in zip(gw, hw, strict=True):
        if fields.get(name) is None:
            setattr(module, name, of_zeros(fields[gradient].shape, fields[gradient].dtype))


def updateDiagHessianInput(
    module: Module, input: Input, diagHessianOutput: Input, w: list[str], wsq: list[str]
) -> None:
    """Sets diagHessianInput to the result of the module's updateGradInput with the squares of the weights `w`.

    The squares stay in the fields `wsq`. For a functorch7 layer, calls its own method of this name.
    """
    if not module.is_foreign():
        return OfModules.updateDiagHessianInput(module, input, diagHessianOutput)  # type: ignore[arg-type]
    for name, square in zip(w, wsq, strict=True):
        weight = module.__dict__[name]
        setattr(module, square, weight.clone().cmul(weight))
    kept = module.gradInput
    module.gradInput = Tensor().typeAs(kept) if isinstance(kept, Tensor) else kept
    with _exchanged(module, w, wsq):
        module.__dict__["diagHessianInput"] = module.updateGradInput(input, diagHessianOutput)
    module.gradInput = kept


def updateDiagHessianInputPointWise(module: Module, input: Input, diagHessianOutput: Input) -> None:
    """Sets diagHessianInput of an element-wise function: its derivative's square times diagHessianOutput."""
    if not module.is_foreign():
        return OfModules.updateDiagHessianInput(module, input, diagHessianOutput)  # type: ignore[arg-type]
    h = wrapped(as_input(diagHessianOutput))
    updateDiagHessianInput(module, input, h.clone().fill(1), [], [])
    derivative = module.__dict__["diagHessianInput"]
    module.__dict__["diagHessianInput"] = derivative.clone().cmul(derivative).cmul(h)


def accDiagHessianParameters(
    module: Module, input: Input, diagHessianOutput: Input, gw: list[str], hw: list[str]
) -> None:
    """Adds to the tensors `hw` what the module's accGradParameters adds to its gradients `gw` for the squared input.

    Missing tensors are made. Forward is called for the squares; `output` is restored.
    """
    if not module.is_foreign():
        return OfModules.accDiagHessianParameters(module, input, diagHessianOutput)  # type: ignore[arg-type]
    initDiagHessianParameters(module, gw, hw)
    given, kept = wrapped(as_input(input)), module.output
    squares = given.clone().cmul(given)
    module.output = Tensor().typeAs(kept) if isinstance(kept, Tensor) else kept
    with _exchanged(module, gw, hw):
        module.forward(squares)
        module.accGradParameters(squares, diagHessianOutput, 1)
    module.output = kept


@contextmanager
def _exchanged(module: Module, names: list[str], others: list[str]) -> Iterator[None]:
    """A block in which tensors are exchanged with those in other fields."""

    def exchange() -> None:
        for name, other in zip(names, others, strict=True):
            one, another = module.__dict__[name], module.__dict__[other]
            setattr(module, name, another)
            setattr(module, other, one)

    exchange()
    try:
        yield
    finally:
        exchange()


def enable() -> None:
    """Adds these methods to all modules and criterions."""
    for kind, addition in ((Module, OfModules), (Criterion, OfCriterions)):
        put_in_front(kind, addition)
