"""Torch's update rules: `x, [f] = optim.sgd(opfunc, x, config, state)`, with opfunc(x) -> (f, df/dx).

x is a tensor (as from `getParameters`) or a NumPy array, changed in place and returned; a JAX array cannot change, so
a new one is returned. config holds the arguments of the functional rule under Torch's names (learningRate for
learning_rate); other keys are ignored. state is the rule's memory under Torch's names, by default config itself. All
numbers may change at every call; only a number that becomes 0, or stops being 0, needs another program.

Differs from Torch7: the gradient from opfunc stays unchanged.
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ... import optim
from ...programs import Compiled
from ..tensors.devices import precision
from ..tensors.tensor import Tensor
from .adapter import Between, Rule, Step, descend, settings_of, tables
from .objective import Point, computed, fitted, held, stored

Table = dict[str, Any] | None


def _root(name: str, epsilon: str | float, default: float = 0.0) -> Between:
    """The root of the state's field of this name, plus one of config's numbers."""

    def find(step: Step) -> Tensor:
        more = step.settings.get(epsilon, default) if isinstance(epsilon, str) else epsilon
        return step.memory[name].clone().sqrt().add(more)

    return Between(find)


def _turn(step: Step) -> Tensor:
    """The sign of the gradient times the last one, which is 0 for elements that rested; 0 at the first step."""
    last = step.earlier.get("delta")
    return step.gradient.clone().zero() if last is None else step.gradient.clone().cmul(last).sign()


def _too_small(step: Step) -> Tensor:
    """Whether the steps' sizes were raised to the smallest, Torch's last comparison."""
    config = step.settings
    sizes = step.earlier.get("stepsize")
    sizes = step.after.clone().fill(config.get("stepsize", 0.1)) if sizes is None else sizes.clone()
    turn = _turn(step)
    for sign, factor in ((1, config.get("etaplus", 1.2)), (-1, config.get("etaminus", 0.5))):
        sizes[turn.eq(sign)] = sizes[turn.eq(sign)] * factor
    return sizes.lt(config.get("stepsizemin", 1e-6))


def _largest(step: Step) -> Tensor:
    """The two vectors from which adamax takes the larger elements."""
    config, last = step.settings, step.earlier.get("u")
    earlier = step.gradient.clone().zero() if last is None else last.clone().mul(config.get("beta2", 0.999))
    found = [earlier, _decayed(step).abs().add(config.get("epsilon", 1e-38))]
    return Tensor.of(np.stack([each.numpy() for each in found]))


def _decayed(step: Step) -> Tensor:
    """The gradient with weight decay's."""
    return step.gradient.clone().add(step.settings.get("weight_decay", 0.0), step.before)


def _own_decay(step: Step) -> Tensor:
    """x by its elements' own weight decays."""
    return step.before.clone().cmul(Tensor.of(step.settings["weight_decays"]))


def _own_step(step: Step) -> Tensor:
    """sgd's direction by the elements' own learning rates."""
    config = step.settings
    own = not config.get("weight_decay") and "weight_decays" in config
    direction = step.gradient.clone().add(_own_decay(step)) if own else _decayed(step)
    if "dfdx" in step.memory:
        velocity = step.memory["dfdx"]
        direction = direction.add(config["momentum"], velocity) if config.get("nesterov") else velocity.clone()
    return direction.cmul(Tensor.of(config["learning_rates"]))


_SGD = Rule(
    optim.sgd,
    {"trace": "dfdx"},
    between={
        "deltaParameters": Between(_own_step, ("gradient", "before", "memory"), of="learning_rates"),
        "decayParameters": Between(_own_decay, ("before",), of="weight_decays"),
    },
    along="learning_rate",
)
_NAG = Rule(optim.nag, {"trace": "dfdx"})
_ADAM = Rule(optim.adam, {"mu": "m", "nu": "v"}, "t", between={"denom": _root("v", "epsilon", 1e-8)})
_ADAMAX = Rule(
    optim.adamax,
    {"mu": "m", "nu": "u"},
    "t",
    between={"max": Between(_largest, ("gradient", "earlier", "before"), rows=2)},
)
_ADAGRAD = Rule(
    optim.adagrad, {"sum_of_squares": "paramVariance"}, notice="no state table, ADAGRAD initializing",
    between={"paramStd": _root("paramVariance", 1e-10)},
)  # fmt: skip
_ADADELTA = Rule(
    optim.adadelta, {"e_g": "paramVariance", "e_x": "accDelta"}, notice="no state table, ADADELTA initializing",
    between={
        "paramStd": Between(
            lambda step: step.memory["paramVariance"].clone().add(step.settings.get("eps", 1e-6)).sqrt()
        ),
        "delta": Between(lambda step: step.before - step.after, ("before", "after")),
    },
)  # fmt: skip
_RMSPROP = Rule(optim.rmsprop, {"nu": "m"}, "", between={"tmp": _root("m", "epsilon", 1e-8)})
_RPROP = Rule(
    optim.rprop, {"prev_updates": "delta", "step_sizes": "stepsize"}, "", notice="no state table RPROP initializing",
    between={
        "sign": Between(lambda step: step.memory["delta"].clone().sign()),
        "psign": Between(lambda step: _turn(step).gt(0), ("gradient", "earlier"), "uint8"),
        "nsign": Between(lambda step: _turn(step).lt(0), ("gradient", "earlier"), "uint8"),
        "zsign": Between(lambda step: _turn(step).eq(0), ("gradient", "earlier"), "uint8"),
        "dminmax": Between(_too_small, ("gradient", "earlier", "after"), "uint8"),
    },
)  # fmt: skip
_ASGD = Rule(optim.asgd, {"average": "ax"}, "t")


def sgd(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list]:
    """Gradient descent with momentum; the dampening is by default the momentum.

    config: learningRate (1e-3), learningRateDecay (0), weightDecay (0), momentum (0), dampening (momentum), nesterov
    (False), learningRates, weightDecays. state: evalCounter, dfdx (the velocity); with the last two, deltaParameters
    and decayParameters (what they have made of the gradient and of x).
    Source: optim/doc/algos.md, sgd.
    """
    return descend(_SGD, opfunc, x, config, state)


def nag(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list]:
    """Nesterov's accelerated gradient: opfunc is called at x + momentum * dfdx, the returned x leaves this out.

    config: learningRate (1e-3), learningRateDecay (0), weightDecay (0), momentum (0.9), learningRates.
    state: evalCounter, dfdx (the velocity).
    Source: optim/doc/algos.md, nag.
    """
    config, state = tables(_NAG, config, state)
    momentum = settings_of(_NAG, config, x).all.get("momentum", 0.9)
    if state.get("dfdx") is not None:
        x = _moved(x, momentum, state["dfdx"])
    x, losses = descend(_NAG, opfunc, x, config, state)
    return _moved(x, -momentum, state["dfdx"]), losses


def _moved(x: Any, factor: float, velocity: Any) -> Any:
    params = held("nag", x)
    with precision(params.dtype):
        return stored(x, computed(_add, params, factor, fitted("nag", "dfdx in the state", velocity, params)))


@Compiled
@jax.jit
def _add(x: jax.Array, factor: Any, direction: jax.Array) -> jax.Array:
    return x + factor * direction


def adam(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list]:
    """Adam.

    config: learningRate (1e-3), learningRateDecay (0), beta1 (0.9), beta2 (0.999), epsilon (1e-8), weightDecay (0).
    state: t, m, v, denom (sqrt(v) + epsilon).
    Source: optim/doc/algos.md, adam.
    """
    return descend(_ADAM, opfunc, x, config, state)


def adamax(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list]:
    """Adam with the infinity norm.

    config: learningRate (0.002), beta1 (0.9), beta2 (0.999), epsilon (1e-38), weightDecay (0). state: t, m, u, max (the
    two vectors of which u has the larger elements).
    Source: optim/doc/algos.md, adamax.
    """
    config, state = tables(_ADAMAX, config, state)
    found = descend(_ADAMAX, opfunc, x, config, state)
    if isinstance(x, Tensor):
        state["u"] = state["u"].view(1, *x.shape)  # the largest of the rows, as in Torch
    return found


def adagrad(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list]:
    """Adagrad.

    config: learningRate (1e-3), learningRateDecay (0), weightDecay (0). state: evalCounter, paramVariance,
    paramStd (its root).
    Source: optim/doc/algos.md, adagrad.
    """
    return descend(_ADAGRAD, opfunc, x, config, state)


def adadelta(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list]:
    """Adadelta, which has no learning rate.

    config: rho (0.9), eps (1e-6), weightDecay (0). state: evalCounter, paramVariance, accDelta,
    paramStd (the root of the first) and delta (the amount subtracted from x).
    Source: optim/doc/algos.md, adadelta.
    """
    return descend(_ADADELTA, opfunc, x, config, state)


def rmsprop(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list]:
    """RMSprop.

    config: learningRate (1e-2), alpha (0.99), epsilon (1e-8, in the denominator), weightDecay (0), initialMean (0,
    m's first value). state: m, tmp (sqrt(m) + epsilon).
    Source: optim/doc/algos.md, rmsprop.
    """
    return descend(_RMSPROP, opfunc, x, config, state)


def rprop(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list]:
    """Resilient propagation, niter steps in one call; returns all losses.

    config: stepsize (0.1), etaplus (1.2), etaminus (0.5), stepsizemax (50), stepsizemin (1e-6), niter (1).
    state: delta (the last gradient, 0 where its sign had turned), stepsize (now of each element), sign (of delta),
    psign, nsign and zsign (where the sign stayed, turned, or was 0), dminmax (where a size was below stepsizemin).
    Source: optim/doc/algos.md, rprop.
    """
    config, state = tables(_RPROP, config, state)
    losses = []
    for _ in range(int(config.get("niter", 1))):
        x, loss = descend(_RPROP, opfunc, x, config, state)
        losses += loss
    return x, losses


def asgd(opfunc: Callable, x: Point, config: Table = None, state: Table = None) -> tuple[Point, list, Point]:
    """Averaged gradient descent; returns x's average as third value.

    config, which gets its defaults: eta0 (1e-4), lambda (1e-4), alpha (0.75), t0 (1e6).
    state: t, ax (the average), eta_t and mu_t (the next step's rates, computed from t).
    Source: optim/doc/algos.md, asgd.
    """
    config, state = tables(_ASGD, config, state)
    for key, default in {"eta0": 1e-4, "lambda": 1e-4, "alpha": 0.75, "t0": 1e6}.items():
        config.setdefault(key, default)
    x, losses = descend(_ASGD, opfunc, x, config, state)
    rates = optim.asgd_rates(np.float64(state["t"]), *(config[key] for key in ("eta0", "lambda", "alpha", "t0")))
    state["eta_t"], state["mu_t"] = map(float, rates)
    return x, losses, state["ax"]
