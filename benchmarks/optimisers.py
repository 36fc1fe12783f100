"""optim's methods on the functions of its tests, and L-BFGS on the softmax regression of MNIST beside SciPy's.

Run `python -m benchmarks.optimisers [--steps N] [--mnist FOLDER [--images N]]`. Settings and numbers of steps are those
of optim's tests; what is printed is the loss at the end, which docs/results.md has, too.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
import scipy.optimize

import functorch7 as f7
from functorch7.data import load_mnist
from functorch7.legacy import optim

STEPS = 10001
ONE_BY_ONE = {
    "sgd": {"learningRate": 1e-3}, "adagrad": {"learningRate": 1e-1}, "adam": {"learningRate": 0.002},
    "adamax": {}, "adadelta": {"eps": 1e-10}, "rmsprop": {"learningRate": 5e-4},
}  # fmt: skip
"""Called once for each of STEPS steps."""
AT_ONCE = {
    "lbfgs": {"maxIter": 100, "learningRate": 1e-1}, "lbfgs, lswolfe": {"maxIter": 100, "lineSearch": optim.lswolfe},
    "cg": {"maxIter": 50},
}  # fmt: skip
DECAY = 1e-3
"""Of the regression's weights, so that it has one minimum."""
MAX_EVALUATIONS = 400


def rosenbrock(x: Any) -> tuple[float, np.ndarray]:
    """sum 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2, whose minimum 0 is at ones, and its gradient."""
    return float(scipy.optimize.rosen(x)), scipy.optimize.rosen_der(x)


def on_rosenbrock(steps: int = STEPS) -> dict[str, float]:
    """The loss where each method ends, from the origin of the plane."""
    found = {}
    for name, config in ONE_BY_ONE.items():
        x, state = np.zeros(2), dict(config)
        for _ in range(steps):
            getattr(optim, name)(rosenbrock, x, state)
        found[name] = rosenbrock(x)[0]
    for name, config in AT_ONCE.items():
        x = np.zeros(2)
        getattr(optim, name.partition(",")[0])(rosenbrock, x, dict(config))
        found[name] = rosenbrock(x)[0]
    return found


def sparse_coding(accelerated: bool, seed: int = 0) -> tuple[float, np.ndarray]:
    """|D x - b|^2 / 2 + 0.1 |x|_1 for three of 100 columns that make b, as in optim's test: the loss, and the code."""
    random = np.random.default_rng(seed)
    dictionary = random.normal(size=(30, 100))
    dictionary /= dictionary.std(0)
    columns = random.choice(100, 3, replace=False)
    wanted = dictionary[:, columns] @ random.uniform(size=3)

    def smooth(x: Any, what: str | None = None) -> Any:
        left = dictionary @ x - wanted
        loss = float(left @ left) / 2
        return (loss, dictionary.T @ left) if what else loss

    def shrink(y: Any, L: float) -> None:
        y[...] = np.sign(y) * np.maximum(np.abs(y) - 0.1 / L, 0)

    code = np.zeros(100)
    params = {"maxiter": 200, "maxline": 10, "errthres": 0, "doFistaUpdate": accelerated}
    _, history = optim.FistaLS(smooth, lambda x: 0.1 * np.abs(x).sum(), shrink, code, params)
    return history[-1]["F"], code


def softmax_regression(images: np.ndarray, classes: np.ndarray) -> tuple[Callable, np.ndarray]:
    """The average loss with its gradient as a function of all parameters, float64, and where to start."""
    network = f7.Sequential(f7.Reshape(images[0].size), f7.Linear(images[0].size, 10), f7.LogSoftMax())
    criterion = f7.ClassNLLCriterion()
    params, buffers = network.init(jax.random.key(0))
    start, unravel = jax.flatten_util.ravel_pytree(params)

    @jax.jit
    @jax.value_and_grad
    def loss(flat: Any, images: Any, classes: Any) -> Any:
        output, _ = network.apply(unravel(flat), buffers, images)
        return criterion(output, classes) + DECAY / 2 * jnp.vdot(flat, flat)

    def opfunc(x: Any) -> tuple[float, np.ndarray]:
        value, gradient = loss(np.asarray(x, np.float32), images, classes)
        return float(value), np.asarray(gradient, np.float64)

    return opfunc, np.zeros(len(start))


def beside_scipy(opfunc: Callable, start: np.ndarray) -> dict[str, tuple[float, int, float]]:
    """(loss, evaluations, seconds of CPU time) of optim's L-BFGS with its line search, and of SciPy's L-BFGS-B."""
    began = time.process_time()
    x = start.copy()
    config = {"maxIter": 200, "maxEval": MAX_EVALUATIONS, "nCorrection": 10, "lineSearch": optim.lswolfe, "tolX": 1e-7}
    _, _, evaluations = optim.lbfgs(opfunc, x, config)
    ours = opfunc(x)[0], evaluations, time.process_time() - began
    began = time.process_time()
    options = {"maxiter": 200, "maxfun": MAX_EVALUATIONS, "maxcor": 10}
    theirs = scipy.optimize.minimize(opfunc, start, jac=True, method="L-BFGS-B", options=options)
    return {"optim.lbfgs": ours, "SciPy": (float(theirs.fun), theirs.nfev, time.process_time() - began)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--mnist")
    parser.add_argument("--images", type=int, default=50000)
    options = parser.parse_args()
    for name, loss in on_rosenbrock(options.steps).items():
        print(f"Rosenbrock, {name}: {loss:.3g}", flush=True)
    for accelerated in (True, False):
        print(f"sparse coding, {'FISTA' if accelerated else 'ISTA'}: {sparse_coding(accelerated)[0]:.6f}", flush=True)
    if options.mnist:
        train, _, _ = load_mnist(options.mnist)
        opfunc, start = softmax_regression(*train.index(np.arange(options.images) + 1))
        opfunc(start)  # compiles it
        for name, (loss, evaluations, seconds) in beside_scipy(opfunc, start).items():
            print(
                f"softmax regression, {name}: {loss:.6f}, {evaluations} evaluations, {seconds:.1f} s of CPU time",
                flush=True,
            )


if __name__ == "__main__":
    main()
