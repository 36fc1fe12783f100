"""Torch's gradient tester: a module's derivatives against difference quotients.

    from functorch7.testing import Jacobian

    Jacobian.testJacobian(module, input)  # the largest difference; below 1e-5 in double precision

Modules are objects of the `legacy` interface, best in double precision, or descriptions, which are tested with fresh
parameters, in double precision. Source: nn/doc/testing.md; torch/nn, Jacobian.lua.
"""

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import core
from ...core.types import Value
from ...interop import t7
from ..objects.described import Described
from ..objects.files import from_file, to_file
from ..objects.generated import object_of
from ..tensors.named_errors import name_function_errors
from ..tensors.random import generator
from ..tensors.tensor import Tensor
from ..tensors.values import Input, unwrapped


def _object(module: Any) -> Described:
    """The object of a description, in double precision; objects as they are."""
    return object_of(module).double() if isinstance(module, core.Module) else module


def _saved_and_loaded(module: Described) -> Any:
    try:
        return pickle.loads(pickle.dumps(module))
    except (pickle.PicklingError, AttributeError):  # the latter is Python's for classes inside of functions
        return from_file(t7.deserialize(t7.serialize(to_file(module))))


def _flat(value: Any) -> np.ndarray:
    """The numbers of a tensor or a table, one after the other."""
    if isinstance(value, (list, tuple)):
        return np.concatenate([_flat(each) for each in value]) if value else np.zeros(0)
    return np.array(value, np.float64).reshape(-1)


def _fill(place: Any, values: np.ndarray) -> None:
    """Writes numbers into a tensor or a NumPy array."""
    if isinstance(place, Tensor):
        place.copy(values.reshape(place.shape))
    else:
        place[...] = values.reshape(place.shape)


def _quotients(
    function: Callable[[], np.ndarray], place: Any, varied: np.ndarray, perturbation: float | None
) -> np.ndarray:
    """A row for each varied element: the central difference quotients of all outputs. The place is restored."""
    kept, rows = _flat(place), []
    step = 1e-6 if perturbation is None else perturbation
    for index in varied:
        sides = []
        for sign in (1, -1):
            moved = kept.copy()
            moved[index] += sign * step
            _fill(place, moved)
            sides.append(function())
        rows.append((sides[0] - sides[1]) / (2 * step))
    _fill(place, kept)
    return np.array(rows)


def _drawn(shape: tuple[int, ...]) -> np.ndarray:
    return generator().uniform(math.prod(shape)).reshape(shape)


def _sharing(module: Any, weight: str) -> list[Any]:
    """Two copies of a module that share a weight."""
    first, second = copy.deepcopy(module), copy.deepcopy(module)
    second.share(first, weight)
    return [first, second]


def _update_by_gradients(modules: list[Any], input: Any, gradient: Any, rate: float) -> None:
    for each in modules:
        each.zeroGradParameters()
    for each in modules:
        each.forward(input)
        each.updateGradInput(input, gradient)
        each.accGradParameters(input, gradient)
    for each in modules:
        each.updateParameters(rate)


def _update_at_once(modules: list[Any], input: Any, gradient: Any, rate: float) -> None:
    for each in modules:
        each.forward(input)
        each.updateGradInput(input, gradient)
    for each in modules:
        each.accUpdateGradParameters(input, gradient, rate)


def _distance(modules: list[Any], weight: str, wanted: np.ndarray) -> float:
    """How far the modules' weights are from what they should be."""
    return float(sum(np.linalg.norm(_flat(getattr(each, weight)) - wanted) for each in modules))


class Jacobian:
    """Torch's functions. A Jacobian has a row for each element of the input or parameter, a column for each output.

    Random numbers are from minval (-2) to maxval (2); differences are those of a perturbation (1e-6).
    """

    @staticmethod
    def _varied(place: Any, is_input: bool) -> np.ndarray:
        """The elements of a tensor that are varied."""
        return np.arange(np.asarray(place).size)

    @classmethod
    def _randomize(cls, place: Any, is_input: bool, minval: float | None, maxval: float | None) -> None:
        values, varied = _flat(place), cls._varied(place, is_input)
        low, high = -2 if minval is None else minval, 2 if maxval is None else maxval
        values[varied] = generator().uniform(len(varied)) * (high - low) + low
        _fill(place, values)

    @classmethod
    def forward(
        cls,
        module: Described | core.Module,
        input: Tensor,
        param: Tensor | None = None,
        perturbation: float | None = None,
    ) -> np.ndarray:
        """The Jacobian by central differences; the input or parameter is changed in place and restored."""
        module, place = _object(module), input if param is None else param
        varied = cls._varied(place, param is None)
        return _quotients(lambda: _flat(module.forward(input)), place, varied, perturbation)

    @classmethod
    def backward(
        cls, module: Described | core.Module, input: Tensor, param: Tensor | None = None, dparam: Tensor | None = None
    ) -> np.ndarray:
        """The Jacobian by the module's own backward, output by output. With a parameter, dparam is its gradient.

        Raises ValueError for a parameter without its gradient.
        """
        if param is not None and dparam is None:
            raise ValueError("Jacobian.backward: expected dparam, the gradient of param")
        module = _object(module)
        columns = []
        for gradient in cls._unit_gradients(module.forward(input)):
            module.zeroGradParameters()
            module.forward(input)
            down = module.backward(input, gradient)
            column = _flat(down if param is None else dparam)
            columns.append(column[cls._varied(input if param is None else param, param is None)])
        return np.array(columns).T

    @staticmethod
    def _unit_gradients(output: Any) -> list[Any]:
        shape = np.shape(output)
        return [row.reshape(shape) for row in np.eye(int(np.prod(shape)))]

    @classmethod
    def testJacobian(
        cls,
        module: Described | core.Module,
        input: Tensor,
        minval: float | None = None,
        maxval: float | None = None,
        perturbation: float | None = None,
    ) -> float:
        """The largest error of gradInput at a random input, which `input` becomes."""
        module = _object(module)
        cls._randomize(input, True, minval, maxval)
        return float(np.abs(cls.forward(module, input, None, perturbation) - cls.backward(module, input)).max())

    @classmethod
    def testJacobianParameters(
        cls, module: Described, input: Tensor, param: Tensor | None, dparam: Tensor | None, minval: float | None = None,
        maxval: float | None = None, perturbation: float | None = None,
    ) -> float:  # fmt: skip
        """The largest error of a parameter's gradient at a random input and parameter, which both become."""
        cls._randomize(input, True, minval, maxval)
        cls._randomize(param, False, minval, maxval)
        numeric = cls.forward(module, input, param, perturbation)
        return float(np.abs(numeric - cls.backward(module, input, param, dparam)).max())

    @classmethod
    def forwardUpdate(
        cls, module: Described, input: Tensor, param: Tensor | None, perturbation: float | None = None
    ) -> np.ndarray:
        """The parameter after a step of 1 down each output's difference quotients."""
        return _flat(param)[:, None] - cls.forward(module, input, param, perturbation)

    @classmethod
    def backwardUpdate(cls, module: Described, input: Tensor, param: Tensor | None) -> np.ndarray:
        """The parameter after accUpdateGradParameters with a rate of 1, for each output."""
        kept = [_flat(each) for each in module.parameters()[0]]
        columns = []
        for gradient in cls._unit_gradients(module.forward(input)):
            module.forward(input)
            module.updateGradInput(input, gradient)
            module.accUpdateGradParameters(input, gradient, 1)
            columns.append(_flat(param))
            for each, values in zip(module.parameters()[0], kept, strict=True):
                _fill(each, values)
        return np.array(columns).T

    @classmethod
    def testJacobianUpdateParameters(
        cls,
        module: Described,
        input: Tensor,
        param: Tensor | None,
        minval: float | None = None,
        maxval: float | None = None,
        perturbation: float | None = None,
    ) -> float:
        """The largest error of accUpdateGradParameters at a random input and parameter, which both become."""
        cls._randomize(input, True, minval, maxval)
        cls._randomize(param, False, minval, maxval)
        numeric = cls.forwardUpdate(module, input, param, perturbation)
        return float(np.abs(numeric - cls.backwardUpdate(module, input, param)).max())

    @classmethod
    def testCriterion(
        cls, criterion: Value, input: Tensor, target: Input | None = None, perturbation: float | None = None
    ) -> float:
        """The largest error of a criterion's gradInput at an input (a tensor, or a table of tensors) and a target."""
        criterion = _object(criterion)
        criterion.forward(input, target)
        exact = criterion.backward(input, target)
        pairs = zip(input, exact, strict=True) if isinstance(input, list) else [(input, exact)]

        def loss() -> np.ndarray:
            return np.array([criterion.forward(input, target)])

        def error(place: Any, slope: Any) -> np.ndarray:
            return _quotients(loss, place, np.arange(np.asarray(place).size), perturbation)[:, 0] - _flat(slope)

        return float(np.abs(np.concatenate([error(*pair) for pair in pairs])).max())  # NaN if one is

    @classmethod
    def testIO(
        cls, module: Described | core.Module, input: Tensor, minval: float | None = None, maxval: float | None = None
    ) -> tuple[float, float]:
        """The largest differences of output and gradInput between a module and its saved and loaded copy: a pickle, or
        a `.t7` file if it has classes that Python cannot pickle, such as Lua's.
        """
        module = _object(module)
        cls._randomize(input, True, minval, maxval)
        loaded = _saved_and_loaded(module.clearState())
        outputs = [module.forward(input), loaded.forward(input)]
        gradient = _drawn(np.shape(outputs[0]))
        down = [each.backward(input, gradient) for each in (module, loaded)]
        first, second = (np.abs(_flat(pair[0]) - _flat(pair[1])).max(initial=0) for pair in (outputs, down))
        return float(first), float(second)

    @classmethod
    def testAllUpdate(cls, module: Described, input: Tensor, weight: str, gradWeight: str) -> dict[str, float]:
        """How far each way to update the field `weight` is from weight - rate * gradient, also where two share it."""
        rate = 0.1 + 0.9 * _drawn(()).item()
        gradient = _drawn(np.shape(module.forward(input)))
        before = _flat(getattr(module, weight))
        one, another = [copy.deepcopy(module)], [copy.deepcopy(module)]
        pair, other_pair = _sharing(module, weight), _sharing(module, weight)
        ways = {
            "accGradParameters": (_update_by_gradients, one),
            "accUpdateGradParameters": (_update_at_once, another),
            "accGradParameters [shared]": (_update_by_gradients, pair),
            "accUpdateGradParameters [shared]": (_update_at_once, other_pair),
        }
        for update, modules in ways.values():
            update(modules, input, gradient, rate)
        slope = _flat(getattr(one[0], gradWeight))
        return {
            name: _distance(modules, weight, before - len(modules) * rate * slope)
            for name, (_, modules) in ways.items()
        }

    @classmethod
    def backwardDiagHessian(cls, module: Described, input: Tensor, diagHessianParamName: str) -> Tensor:
        """The named field, of the diagonal Hessian of sum y^2 / 2 by the module's own back-propagation.

        Needs `nn.hessian.enable()` and `module.initDiagHessianParameters()`.
        """
        ones = np.ones(np.shape(module.forward(input)))
        for hessian in module.parameters()[-1]:  # after parameters and gradients
            hessian.zero()
        module.updateDiagHessianInput(input, ones)
        module.accDiagHessianParameters(input, ones)
        return getattr(module, diagHessianParamName)

    @classmethod
    def linearModuleDiagHessian(cls, module: Described, input: Tensor, gradParamName: str) -> np.ndarray:
        """sum_k (dy_k / dp)^2 by backward, output by output: the same, for a module that is linear in p."""
        gradient = None if gradParamName == "gradInput" else getattr(module, gradParamName)
        return np.square(cls.backward(module, input, gradient, gradient)).sum(1)

    @classmethod
    def testDiagHessian(
        cls, module: Described | core.Module, input: Tensor, gradParamName: str, diagHessianParamName: str,
        minval: float | None = None,
        maxval: float | None = None,
    ) -> float:  # fmt: skip
        """The largest difference between the two at a random input, which `input` becomes."""
        module = _object(module)
        cls._randomize(input, True, minval, maxval)
        module.initDiagHessianParameters()
        back = _flat(cls.backwardDiagHessian(module, input, diagHessianParamName))
        return float(np.abs(back - cls.linearModuleDiagHessian(module, input, gradParamName)).max())

    @classmethod
    def testDiagHessianInput(
        cls, module: Described, input: Tensor, minval: float | None = None, maxval: float | None = None
    ) -> float:
        """testDiagHessian with respect to the input."""
        return cls.testDiagHessian(module, input, "gradInput", "diagHessianInput", minval, maxval)

    @classmethod
    def testDiagHessianWeight(
        cls, module: Described, input: Tensor, minval: float | None = None, maxval: float | None = None
    ) -> float:
        """testDiagHessian with respect to the weight."""
        return cls.testDiagHessian(module, input, "gradWeight", "diagHessianWeight", minval, maxval)

    @classmethod
    def testDiagHessianBias(
        cls, module: Described, input: Tensor, minval: float | None = None, maxval: float | None = None
    ) -> float:
        """testDiagHessian with respect to the bias."""
        return cls.testDiagHessian(module, input, "gradBias", "diagHessianBias", minval, maxval)


name_function_errors(Jacobian)


class SparseJacobian(Jacobian):
    """The same for modules whose input is pairs (index, value): only the values are varied."""

    @staticmethod
    def _varied(place: Any, is_input: bool) -> np.ndarray:
        numbers = np.arange(np.size(unwrapped(place)))
        return numbers[1::2] if is_input else numbers
