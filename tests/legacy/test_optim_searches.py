"""optim's methods that evaluate several times in one call. (Recorded trajectories: tests/test_golden.py.)"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

from functorch7.legacy import nn, optim, torch

from .helpers import same, values


def rosenbrock(x):
    x = np.asarray(x, float)
    return float(scipy.optimize.rosen(x)), scipy.optimize.rosen_der(x)


def least_squares(seed=0):
    """A convex quadratic loss of four parameters, and its minimum."""
    a, b = values(8, 4, seed=seed), values(8, seed=seed + 1)

    def loss(x):
        residual = a @ np.asarray(x, float) - b
        return float(residual @ residual) / 2, a.T @ residual

    return loss, np.linalg.lstsq(a, b)[0]


@pytest.mark.parametrize(
    ("method", "config"),
    [
        ("lbfgs", {"maxIter": 200, "lineSearch": optim.lswolfe}),
        ("lbfgs", {"maxIter": 200, "lineSearch": optim.lswolfe, "nCorrection": 3, "lineSearchOptions": {"c2": 0.5}}),
        ("cg", {"maxIter": 200}),
    ],
)
def test_minima(method, config):
    x = np.array([-1.2, 1.0, 0.5])
    moved, losses, evaluations = getattr(optim, method)(rosenbrock, x, dict(config))
    assert moved is x
    same(x, np.ones(3), rtol=1e-4)
    assert losses[0] == rosenbrock([-1.2, 1.0, 0.5])[0] and losses[-1] < 1e-9
    assert losses == sorted(losses, reverse=True)
    assert evaluations <= 250
    loss, minimum = least_squares()
    same(getattr(optim, method)(loss, np.zeros(4), dict(config, tolFun=1e-9, tolX=1e-14))[0], minimum, rtol=1e-5)


def test_cg_ends_where_it_begins_at_a_minimum():
    """Where rounding errors alone are left, and Torch7's search goes ever less far, for ever."""
    x, config = np.array([3, 1, -0.1, 0.5]), {"maxIter": 25, "int": 0.1, "ext": 3}
    for _ in range(3):
        optim.cg(lambda x: ((x**2).sum() / 2 + np.sin(3 * x).sum(), x + 3 * np.cos(3 * x)), x, config)
    np.testing.assert_allclose(x + 3 * np.cos(3 * x), 0, atol=1e-6)


def test_lbfgs_takes_about_as_many_evaluations_as_scipys():
    start = np.array([-1.2, 1.0, 0.5, 2.0])
    _, _, ours = optim.lbfgs(rosenbrock, start.copy(), {"maxIter": 200, "lineSearch": optim.lswolfe})
    theirs = scipy.optimize.minimize(rosenbrock, start, jac=True, method="L-BFGS-B", options={"gtol": 1e-5}).nfev
    assert ours < 2 * theirs


def test_lbfgs_goes_on_where_it_stopped():
    """Two calls of three iterations are one of six: the second begins with what the first left unevaluated."""
    once, twice, state = np.array([-0.5, 0.3]), np.array([-0.5, 0.3]), {}
    config = {"learningRate": 0.02, "maxIter": 3, "tolX": 0}
    optim.lbfgs(rosenbrock, once, {**config, "maxIter": 6})
    optim.lbfgs(rosenbrock, twice, config, state)
    state = {  # as a file of Torch7 gives it
        name: [torch.DoubleTensor(v) for v in value] if isinstance(value, list) else
        torch.DoubleTensor(value) if isinstance(value, np.ndarray) else float(value) for name, value in state.items()
    }  # fmt: skip
    optim.lbfgs(rosenbrock, twice, config, state)
    same(twice, once, rtol=1e-12)
    assert state["nIter"] == 6 and state["funcEval"] == 6
    assert {"d", "t", "old_dirs", "old_stps", "Hdiag", "g_old", "f_old"} <= set(state)
    assert len(state["old_dirs"]) <= 5
    with pytest.raises(ValueError, match="optim.lbfgs: expected a state for 3 parameters, got one for 2"):
        optim.lbfgs(rosenbrock, np.zeros(3), config, state)


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"maxIter": 2}, "reached max number of iterations"),
        ({"maxEval": 2}, "max nb of function evals"),
        ({"tolFun": 1e9}, "optimality condition below tolFun"),
        ({"learningRate": 1e-12}, "step size below tolX"),
        ({"learningRate": 1e-9, "tolX": 1e-4}, "step size below tolX"),
    ],
)
def test_lbfgs_says_why_it_stops(config, reason, capsys):
    optim.lbfgs(rosenbrock, np.array([-0.5, 0.3]), {**config, "verbose": True})
    assert capsys.readouterr().out == f"<optim.lbfgs> {reason}\n"


@pytest.mark.parametrize("method", ["lbfgs", "cg"])
def test_networks_and_kinds_of_x(method):
    model, criterion = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 1)), nn.MSECriterion()
    params, gradients = model.getParameters()
    inputs, targets = torch.Tensor(values(16, 3)), torch.Tensor(values(16, 1, seed=3))

    def closure(x):
        assert x is params
        model.zeroGradParameters()
        loss = criterion.forward(model.forward(inputs), targets)
        model.backward(inputs, criterion.backward(model.output, targets))
        return loss, gradients

    _, losses, _ = getattr(optim, method)(closure, params, {"maxIter": 20, "lineSearch": optim.lswolfe})
    assert losses[-1] < 0.8 * losses[0] and params.type() == "torch.FloatTensor"
    same(criterion.forward(model.forward(inputs), targets), losses[-1], rtol=1e-5)
    with jax.enable_x64(True):
        given = jnp.zeros(4)
        loss, minimum = least_squares()
        moved = getattr(optim, method)(loss, given, {"maxIter": 100, "lineSearch": optim.lswolfe})[0]
        assert isinstance(moved, jax.Array) and (given == 0).all()
        same(moved, minimum, rtol=1e-3)


@pytest.mark.parametrize("step", [1e-4, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("c2", [0.9, 0.1])
def test_lswolfe_fulfils_the_wolfe_conditions(step, c2):
    for seed in range(4):
        x = values(3, seed=seed)
        f, g = rosenbrock(x)
        start, gtd = x.copy(), -float(g @ g) / 100
        found = optim.lswolfe(rosenbrock, x, step, -g / 100, f, g, gtd, {"c2": c2})
        new_f, new_g, moved, t, evaluations = found
        assert moved is x
        same(x, start - t * g / 100)
        same(new_g, rosenbrock(x)[1])
        assert new_f == rosenbrock(x)[0]
        assert new_f <= f + 1e-4 * t * gtd
        assert abs(float(new_g @ (-g / 100))) <= c2 * abs(gtd)
        assert evaluations <= 21


def test_lswolfe_needs_a_descent():
    with pytest.raises(ValueError, match=r"optim.lswolfe: expected a direction of descent, gtd < 0, got gtd 2.0"):
        optim.lswolfe(rosenbrock, np.ones(2), 1.0, np.ones(2), 0.0, np.ones(2), 2.0)


def rows(polynomial, *positions):
    """Rows (x, f, f') of a polynomial."""
    slope = np.polyder(polynomial)
    return [[x, np.polyval(polynomial, x), np.polyval(slope, x)] for x in positions]


def test_polyinterp_finds_the_minimum_of_the_polynomial():
    cubic = np.poly1d([1.0, -2.0, -1.0, 3.0])  # slope 3 x^2 - 4 x - 1, least at (2 + sqrt 7) / 3
    least = (2 + np.sqrt(7)) / 3
    same(optim.polyinterp(rows(cubic, 0.0, 3.0)), least)
    same(optim.polyinterp(rows(cubic, 3.0, 0.0)), least)
    same(optim.polyinterp(torch.DoubleTensor(rows(cubic, 0.0, 1.0))), 1.0)
    same(optim.polyinterp(rows(cubic, 0.0, 1.0), 1.0, 10.0), least)
    same(optim.polyinterp(rows(cubic, 0.0, 1.0), 2.0, 10.0), 2.0)
    quintic = np.poly1d([0.1, 0.3, -1.0, -2.0, 0.5, 1.0])
    best = scipy.optimize.minimize_scalar(quintic, bounds=(-1.0, 3.0), method="bounded", options={"xatol": 1e-10}).x
    same(optim.polyinterp(rows(quintic, -1.0, 1.0, 3.0)), best, rtol=1e-6)
    same(optim.polyinterp([[0, 0, 1], [2, 5, 1]]), 0.0)
    same(optim.polyinterp([[0, 0.0, np.inf], [2, 1.0, 1.0]], 0.0, 3.0), 1.5)
    with pytest.raises(ValueError, match=r"optim.polyinterp: expected points of shape N x 3, N >= 2, got shape \(2,\)"):
        optim.polyinterp([1, 2])


def lasso(weight=0.3, seed=0):
    """|A x - b|^2 / 2 + weight * sum|x| as FistaLS takes it; the minimum is checked by its optimality conditions."""
    a, b = values(12, 6, seed=seed), values(12, seed=seed + 1)

    def f(x, what=None):
        residual = a @ np.asarray(x, float) - b
        loss = float(residual @ residual) / 2
        return (loss, a.T @ residual) if what == "dx" else loss

    def g(x):
        return weight * float(np.abs(np.asarray(x)).sum())

    def pl(y, L):
        y[...] = np.sign(y) * np.maximum(np.abs(y) - weight / L, 0)

    def violation(x):
        slope = f(x, "dx")[1]
        return np.where(x == 0, np.maximum(np.abs(slope) - weight, 0), slope + weight * np.sign(x))

    return f, g, pl, violation


def test_FistaLS_solves_the_lasso():
    f, g, pl, violation = lasso()
    x, params = np.zeros(6), {"maxiter": 1000, "errthres": 1e-14}
    moved, history = optim.FistaLS(f, g, pl, x, params)
    assert moved is x
    np.testing.assert_allclose(violation(x), 0, atol=1e-5)
    assert set(history[0]) == {"nline", "L", "F", "Fply", "Gply", "Q"}
    same(history[-1]["F"], f(x) + g(x))
    assert params["L"] == history[-1]["L"] > 0.1 and history[0]["nline"] > 1 == history[-1]["nline"]
    again, short = optim.FistaLS(f, g, pl, x.copy(), {"L": params["L"]})
    assert len(short) == 2
    same(again, x, rtol=1e-3, atol=1e-4)


def test_FistaLS_is_faster_than_ista_and_takes_tensors(capsys):
    f, g, pl, _ = lasso(0.01, seed=5)

    def losses(**params):
        return [
            h["F"] for h in optim.FistaLS(f, g, pl, np.zeros(6), {"maxiter": 40, "errthres": 0, "L": 30, **params})[1]
        ]

    best = min(losses(maxiter=3000))
    assert losses()[-1] - best < 0.5 * (losses(doFistaUpdate=False)[-1] - best)
    slow = losses(doFistaUpdate=False)
    assert slow == sorted(slow, reverse=True)
    x = torch.DoubleTensor([1, 1, 1, 1, 1, 1])
    moved, history = optim.FistaLS(
        f, g, lambda y, L: y.copy(np.sign(y) * np.maximum(np.abs(np.asarray(y)) - 0.01 / L, 0)), x, {"verbose": True}
    )
    assert moved is x and {"xk", "y"} <= set(history[0])
    assert len(capsys.readouterr().out.splitlines()) == len(history)


def hills(x):
    """Many local minima; 0 at (1, -2)."""
    x = np.asarray(x, float) - np.array([1.0, -2.0])
    return float((x**2 + 2 * (1 - np.cos(3 * x))).sum())


def test_de_finds_the_best_valley():
    x, seen = np.zeros(2), []

    def loss(x):
        seen.append(np.array(x))
        return hills(x), "no gradient is needed"

    config = {"scaleFactor": 0.5, "crossoverRate": 0.7, "maxFEs": 2000, "minRegion": -5, "maxRegion": 6}
    best, losses = optim.de(loss, x, config)
    assert best is x
    same(x, [1, -2], rtol=1e-4)
    assert len(losses) <= 2000 and min(losses) == hills(x)
    assert np.min(seen) >= -5 and np.max(seen) <= 6
    assert len(np.unique(np.asarray(seen)[:20], axis=0)) == 20
    _, again = optim.de(hills, np.zeros(2), {**config, "maxFEs": 60, "popsize": 15})
    assert len(again) == 60
    with pytest.raises(ValueError, match="optim.de: expected maxFEs in config"):
        optim.de(hills, x, {"scaleFactor": 0.5, "crossoverRate": 0.7})
    with pytest.raises(ValueError, match="optim.de: expected popsize >= 5, got 4"):
        optim.de(hills, x, {**config, "popsize": 4})


def test_cmaes_finds_a_minimum_without_gradients(capsys):
    pytest.importorskip("cma")
    torch.manualSeed(1)
    x, state = torch.DoubleTensor([-1, 2]), {"sigma": 0.5, "maxEval": 2000, "ftarget": 1e-10}
    before = np.random.get_state()[1].copy()
    best, losses, evaluations = optim.cmaes(lambda x: rosenbrock(x), x, {}, state)
    assert best is x
    same(x, [1, 1], rtol=1e-3)
    assert losses[0] == rosenbrock([-1, 2])[0] and losses[-1] == rosenbrock(x)[0] <= 1e-10
    assert evaluations <= 2000 and (np.random.get_state()[1] == before).all()
    assert capsys.readouterr().out == ""
    torch.manualSeed(1)
    again = optim.cmaes(rosenbrock, np.array([-1.0, 2.0]), {**state, "maxEval": 30, "popsize": 10, "verb_disp": 1})
    assert again[2] == 30 and len(again[1]) == 5
    assert "function value" in capsys.readouterr().out


def test_cmaes_refuses(monkeypatch):
    with pytest.raises(ValueError, match="optim.cmaes: expected sigma"):
        optim.cmaes(hills, np.zeros(2), {"maxEval": 3})
    with pytest.raises(TypeError, match="Unsupported Tensor float16 please use Float- or DoubleTensor for x"):
        optim.cmaes(hills, np.zeros(2, np.float16), {"sigma": 1})
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(ImportError, match=r"optim.cmaes needs cma: pip install 'functorch7\[evolution\]'"):
        optim.cmaes(hills, np.zeros(2), {"sigma": 1})


def test_checkgrad():
    x = values(4)
    start = x.copy()
    difference, exact, estimate = optim.checkgrad(rosenbrock, x, 1e-5)
    assert difference < 1e-8
    same(exact, rosenbrock(start)[1])
    same(estimate, exact, rtol=1e-5)
    same(x, start)
    wrong, _, _ = optim.checkgrad(lambda x: (rosenbrock(x)[0], 3 * rosenbrock(x)[1]), torch.DoubleTensor(x), 1e-5)
    same(wrong, 0.5, rtol=1e-5)
