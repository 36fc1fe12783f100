"""Torch's back-propagation of the diagonal of the Hessian, switched on by `nn.hessian.enable()`.

What it adds lies apart from the classes, which know nothing of it. Source: torch/nn, hessian.lua.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ... import layers, programs
from ...core.types import Value
from ..objects.described import Described
from ..objects.layered import put_in_front
from ..objects.parameters import Parameters
from ..tensors.devices import precision
from ..tensors.flat import flatten
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.values import Input, Output, as_input, unwrapped, wrapped
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
    """What `enable` adds to every module; see `functorch7.training.diagonal_hessian` for what is computed.

    Fields: diagHessianInput; diagHessianWeight, diagHessianBias and so on, which add up until they are set to zero.
    """

    diagHessianInput: Value

    def field_names(self) -> set[str]:
        """Those of these fields are among them."""
        names: set[str] = super().field_names()  # type: ignore[misc]
        return names.union(map(hessian_name, self.own_parameters()))

    def initDiagHessianParameters(self) -> None:
        """Makes the fields, of zeros, in this module and in all inside, where they are not there yet."""
        for module in self.children():
            module.initDiagHessianParameters()
        fields = self.__dict__
        fields.setdefault("diagHessianInput", Tensor())
        for name in self.own_parameters():
            zeros = Storage.zeros(fields[name].shape, fields[name].dtype)
            fields.setdefault(hessian_name(name), Tensor.viewing(zeros, 0, zeros.shape))

    def updateDiagHessianInput(self, input: Input, diagHessianOutput: Input) -> Output:
        """diagHessianInput; call forward first. Raises NotImplementedError where it is undefined."""
        if self._is_chain():
            for module, given in self._backwards(input):
                diagHessianOutput = module.updateDiagHessianInput(given, diagHessianOutput)
            made = diagHessianOutput
        else:
            made = wrapped(self._diagonal(input, diagHessianOutput, True))
        self.__dict__["diagHessianInput"] = made
        return made

    def accDiagHessianParameters(self, input: Input, diagHessianOutput: Input) -> None:
        """Adds to the fields of the parameters; call updateDiagHessianInput first."""
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
            return _compiled(spec, params, buffers, *given, bool(self.train), of_input)

    def parameters(self) -> tuple[list[Tensor], ...]:
        """The learnable tensors, their gradients, and those of their diagonal Hessians that have been made."""
        params, grads = super().parameters()[:2]
        fields = [(m.__dict__, hessian_name(name)) for m in self.listModules() for name in m.own_parameters()]
        return params, grads, [found[name] for found, name in fields if name in found]

    def getParameters(self) -> tuple[Tensor | None, ...]:
        """All of `parameters` as three flat tensors; None for the third, where there are no diagonal Hessians."""
        _, _, *hessians = self.parameters()
        return *super().getParameters(), flatten(hessians[0]) if hessians and hessians[0] else None


class OfCriterions(Described):
    """What `enable` adds to every criterion."""

    diagHessianInput: Value

    def updateDiagHessianInput(self, input: Input, target: Input | None = None) -> Output:
        """diagHessianInput, the second derivatives of the loss. Raises NotImplementedError where it is undefined."""
        from ...training import criterion_diagonal_hessian

        if self._spec is None or self._has_own_loss():
            raise NotImplementedError(f"{self.typename()}:updateDiagHessianInput() is undefined")
        dtype = dtype_of(self._type)
        with precision(dtype):
            given = jnp.asarray(as_input(input), dtype)
            spec: Any = self.description()
            made = wrapped(criterion_diagonal_hessian(spec, given, unwrapped(target)))
        self.__dict__["diagHessianInput"] = made
        return made


def enable() -> None:
    """Adds to all modules and criterions what stands above."""
    for kind, addition in ((Module, OfModules), (Criterion, OfCriterions)):
        put_in_front(kind, addition)
