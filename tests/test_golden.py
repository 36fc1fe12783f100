"""Every recorded result of real Torch7 (tests/golden), through the stateful interface, in float64."""

import gzip
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.special import digamma

from functorch7.legacy import dl, nn, optim

SPECIAL = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}


@cache
def cases():
    """All of them, read once for the files that use them."""
    found = []
    for path in sorted((Path(__file__).parent / "golden").glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as lines:
            found += map(json.loads, lines)
    return found


def decoded(value):
    """Arrays, tables, modules and plain values from their JSON form."""
    if isinstance(value, str):
        return SPECIAL.get(value, value)
    if not isinstance(value, dict):
        return value
    if "t" in value:
        data = [SPECIAL.get(x, x) for x in value["d"]]
        return np.array(data, int if value.get("int") else float).reshape(value["t"] or [len(data)])
    if "list" in value:
        return [decoded(x) for x in value["list"]]
    if "dict" in value:
        return {name: decoded(x) for name, x in value["dict"].items()}
    return built(value)


def built(spec):
    made = getattr(nn, spec["class"])(*map(decoded, spec["args"]))
    for child, more in spec.get("children", []):
        made.add(built(child), *map(decoded, more))
    for name, value in spec.get("fields", []):
        setattr(made, name, decoded(value))
    for method, args in spec.get("calls", []):
        getattr(made, method)(*map(decoded, args))
    return made


def assert_same(got, expected, tolerance):
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert_same(got[name], value, tolerance)
    elif isinstance(expected, list):
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            assert_same(g, e, tolerance)
    elif isinstance(expected, (str, bool)):
        assert got == expected
    elif expected is not None and np.size(expected):
        got, expected = np.asarray(got, float), np.asarray(expected, float)
        assert got.size == expected.size and (got.size == 1 or got.shape == expected.shape)
        np.testing.assert_allclose(got.reshape(expected.shape), expected, rtol=tolerance, atol=1e-8)


def load(module, case):
    for parameter, value in zip(module.parameters()[0], decoded(case["params"]), strict=True):
        parameter.copy(value)


def run_steps(case, tolerance):
    subject = built(case["spec"]).double()
    if case.get("params") and case["params"].get("list"):
        load(subject, case)
    for step in case["steps"]:
        args = [decoded(a) for a in step.get("args", [])]
        given, expected = decoded(step.get("input")), decoded(step.get("expect"))
        match step["do"]:
            case "forward":
                assert_same(subject.forward(given), expected, tolerance)
            case "backward":
                scale = [step["scale"]] if "scale" in step else []
                assert_same(subject.backward(given, decoded(step["gradOutput"]), *scale), expected, tolerance)
            case "loss":
                target = decoded(step["target"])
                assert_same(subject.forward(given, target), expected, tolerance)
                if "gradInput" in step:
                    assert_same(subject.backward(given, target), decoded(step["gradInput"]), tolerance)
            case "call":
                getattr(subject, step["method"])(*args)
            case "result":
                assert_same(getattr(subject, step["method"])(*args), expected, tolerance)
            case "params":
                assert_same(subject.parameters()[0], expected, tolerance)
            case "gradParams":
                assert_same(subject.parameters()[1], expected, tolerance)
            case "field":
                assert_same(getattr(subject, step["name"]), expected, tolerance)
            case "print":
                assert str(subject) == step["expect"]
            case other:
                raise ValueError(other)


def run_training(case, tolerance):
    module, criterion = built(case["spec"]).double(), built(case["criterion"]).double()
    load(module, case)
    inputs, targets = decoded(case["inputs"]), decoded(case["targets"])
    for i, loss in enumerate(decoded(case["losses"])):
        input, target = inputs[i % len(inputs)], targets[i % len(inputs)]
        assert_same(criterion.forward(module.forward(input), target), loss, tolerance)
        module.zeroGradParameters()
        module.backward(input, criterion.backward(module.output, target))
        module.updateParameters(case["lr"])
    assert_same(module.parameters()[0], decoded(case["final"]), tolerance)


def run_stochastic_gradient(case, tolerance):
    module, errors = built(case["spec"]).double(), []
    load(module, case)
    trainer = nn.StochasticGradient(module, nn.MSECriterion().double())
    for name in ("learningRate", "learningRateDecay", "maxIteration"):
        setattr(trainer, name, case[name])
    trainer.shuffleIndices = trainer.verbose = False
    trainer.hookIteration = lambda self, iteration, error: errors.append(error)
    trainer.train(decoded(case["dataset"]))
    assert_same(errors, decoded(case["errors"]), tolerance)
    assert_same(module.parameters()[0], decoded(case["final"]), tolerance)


def run_sharing(case, tolerance):
    first = nn.Linear(*[decoded(case["start"])[0].shape[0]] * 2).double()
    load(first, {"params": case["start"]})
    flat = case["kind"] == "shared_flat"
    second = first.clone("weight", "bias", *(["gradWeight", "gradBias"] if flat else []))
    network = nn.Sequential().add(first).add(nn.Tanh()).add(second)
    parameters, gradients = network.getParameters() if flat else (None, None)
    network.zeroGradParameters()
    network.forward(decoded(case["x"]))
    network.backward(decoded(case["x"]), decoded(case["gradOutput"]))
    if flat:
        assert parameters.nElement() == case["size"]
        assert_same(parameters, decoded(case["flat"]), tolerance)
        assert_same(gradients, decoded(case["grad"]), tolerance)
        parameters.add(-0.1, gradients)
    else:
        network.updateParameters(0.1)
    assert_same(first.weight, decoded(case["weight"]), tolerance)
    assert_same(second.weight, decoded(case["same"]), tolerance)
    assert_same(network.forward(decoded(case["x"])), decoded(case["output"]), tolerance)


def run_flat_order(case, tolerance):
    network = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 2)).double()
    load(network, {"params": case["start"]})
    assert_same(network.getParameters()[0], decoded(case["flat"]), tolerance)


SCORES = {  # the derivative of log p(sample; input)
    "ReinforceBernoulli": lambda x, given, _: (x - given) / (given * (1 - given)),
    "ReinforceNormal": lambda x, given, stdev: (x - given) / stdev**2,
    "ReinforceCategorical": lambda x, given, _: x / (given + 1e-8),
    "ReinforceGamma": lambda x, given, scale: np.log(x) - digamma(given) - np.log(scale),
}


def run_reinforce(case, tolerance):
    """The sample is ours, so that only the rule can be compared: the recorded sample checks the test's own formula."""
    given, reward, argument = decoded(case["input"]), decoded(case["reward"]), case["arg"]

    def rule(sample):
        return -reward.reshape((-1,) + (1,) * (given.ndim - 1)) * SCORES[case["class"]](sample, given, argument)

    single = case["class"] == "ReinforceGamma"  # whose digamma is one of float32 in Torch
    assert_same(rule(decoded(case["output"])), decoded(case["gradInput"]), 1e-4 if single else 1e-7)
    module = getattr(nn, case["class"])(argument).double()
    sample = np.asarray(module.forward(given))
    module.reinforce(reward)
    assert_same(module.backward(given, np.ones_like(sample)), rule(sample), tolerance)


def run_reward(case, tolerance):
    scores, baseline, target = decoded(case["y"]), decoded(case["baseline"]), decoded(case["target"])
    network = nn.Sequential().add(nn.ReinforceBernoulli()).double()
    network.forward(np.full((len(scores), 2), 0.5))
    criterion = getattr(nn, case["class"])(network, case["scale"]).double()
    assert_same(criterion.forward([scores, baseline], target), decoded(case["loss"]), tolerance)
    assert_same(criterion.backward([scores, baseline], target), decoded(case["gradInput"]), tolerance)
    assert_same(network.get(1).reward, decoded(case["reward"]), tolerance)


def run_unpooling(case, tolerance):
    pool = getattr(nn, case["pool"])(*decoded(case["args"])).double()
    unpool = getattr(nn, case["class"])(pool)
    network = nn.Sequential().add(pool).add(nn.MulConstant(2)).add(unpool).double()  # the recorded network
    assert_same(network.forward(decoded(case["input"])), decoded(case["output"]), tolerance)
    assert_same(
        network.backward(decoded(case["input"]), decoded(case["gradOutput"])), decoded(case["gradInput"]), tolerance
    )


DRAWN_TOGETHER = {  # how many of the last dimensions share a draw
    "Dropout": 0, "SpatialDropout": 2, "VolumetricDropout": 3, "SpatialRegionDropout": 3,
    "SpatialUniformCrop": 3, "TotalDropout": 2, "SpatialFractionalMaxPooling": 2, "VolumetricFractionalMaxPooling": 3,
}  # fmt: skip


def run_sampled(case, tolerance):
    """What was recorded is something that we draw, too, and what holds for ours holds for it."""
    module = getattr(nn, case["class"])(*decoded(case["args"])).double()
    input, output, grad_output, grad_input = (decoded(case[n]) for n in ("input", "output", "gradOutput", "gradInput"))
    ours = np.asarray(module.forward(input)).copy()
    ours = (ours, np.asarray(module.backward(input, grad_output)))
    if case["class"] in DRAWN_TOGETHER:
        dims = DRAWN_TOGETHER[case["class"]]
        split = output.shape[output.ndim - dims :]
        drawn = np.stack([np.asarray(module.forward(input)).reshape(-1, *split) for _ in range(400)])
        found = np.isclose(drawn, output.reshape(1, -1, *split), rtol=tolerance)
        assert found.all(tuple(range(2, found.ndim))).any(0).all()
    for sample, gradient in (ours, (output, grad_input)):
        if case["class"] in ("WhiteNoise", "SimpleColorTransform", "PCAColorTransform"):
            assert_noise(case["class"], decoded(case["args"]), sample - input)
            np.testing.assert_array_equal(gradient, grad_output)
        else:  # linear in the input, for a given draw
            np.testing.assert_allclose((gradient * input).sum(), (grad_output * sample).sum(), rtol=1e-9)
        if case["class"] == "RReLU":
            lower, upper = decoded(case["args"]) or (1 / 8, 1 / 3)
            slope = sample / input
            assert ((slope == 1) | ((input < 0) & (slope >= lower) & (slope <= upper))).all()


def assert_noise(name, args, noise):
    if name == "WhiteNoise":
        mean, deviation = args
        margin = 5 * deviation / np.sqrt(noise.size)
        assert abs(noise.mean() - mean) < margin and abs(noise.std() - deviation) < margin
    else:  # one shift for all the pixels of a channel
        assert np.ptp(noise, axis=(-2, -1)).max() < 1e-12
    if name == "SimpleColorTransform":
        assert (abs(noise).max((0, -2, -1) if noise.ndim == 4 else (-2, -1)) <= args[1]).all()


def rosenbrock(x):
    t = x[1:] - x[:-1] ** 2
    gradient = np.zeros_like(x)
    gradient[:-1] += -400 * x[:-1] * t + 2 * x[:-1] - 2
    gradient[1:] += 200 * t
    return (100 * t**2).sum() + ((1 - x[:-1]) ** 2).sum(), gradient


def quadratic(x):
    curvature = np.arange(1, x.size + 1)
    return 0.5 * (curvature * x * x).sum(), curvature * x


def run_optim(case, tolerance):
    """The points and losses of successive calls, which share config and state."""
    method, function = getattr(optim, case["method"]), {"rosenbrock": rosenbrock, "quadratic": quadratic}
    x, config, state = decoded(case["start"]), dict(decoded(case["config"])), {}
    for point, value in zip(decoded(case["points"]), decoded(case["values"]), strict=True):
        with np.errstate(over="ignore"):  # one of them flies apart
            moved, losses = method(function[case["function"]], x, config, state)[:2]
        assert moved is x
        assert_same(x, point, tolerance)
        assert_same(losses[-1], value, tolerance)


def run_optim_network(case, tolerance):
    """The losses and the last parameters of a network that is trained through its flat parameters."""
    module, criterion = built(case["spec"]).double(), nn.MSECriterion().double()
    load(module, case)
    parameters, gradients = module.getParameters()
    input, target, found = decoded(case["input"]), decoded(case["target"]), []

    def closure(x):
        assert x is parameters
        module.zeroGradParameters()
        loss = criterion.forward(module.forward(input), target)
        module.backward(input, criterion.backward(module.output, target))
        return loss, gradients

    config, state = dict(decoded(case["config"])), {}
    for _ in decoded(case["losses"]):
        found.append(getattr(optim, case["method"])(closure, parameters, config, state)[1][-1])
    assert_same(found, decoded(case["losses"]), tolerance)
    assert_same(parameters, decoded(case["final"]), tolerance)


def run_loader(case, tolerance):
    """Calls of a loader's methods, in order: all batches of an iterator, and the data of the loaders of a split."""
    loader = getattr(dl, case["class"])(*decoded(case["args"]))
    for step in decoded(case["steps"]):
        result = getattr(loader, step["do"])(*step["args"])
        if step["do"] == "subiter":
            assert_same([list(batch) for batch in result], step["expect"], tolerance)
        elif step["do"] == "split":
            assert_same([[part.inputs, part.targets] for part in result], step["expect"], tolerance)
        elif "expect" in step:
            assert_same(list(result) if isinstance(result, tuple) else [result], step["expect"], tolerance)


PROCEDURES = {
    "loader": run_loader,
    "optim": run_optim,
    "optim_network": run_optim_network,
    "unpooling": run_unpooling,
    "sampled": run_sampled,
    "training": run_training,
    "stochastic_gradient": run_stochastic_gradient,
    "shared_weights": run_sharing,
    "shared_flat": run_sharing,
    "flat_order": run_flat_order,
    "reinforce": run_reinforce,
    "reward": run_reward,
}


# Torch's own doubles; DontCast keeps its module, and so its result, in float32.
TOLERANCES = {"dpnn/DontCast/44": 1e-6}


@pytest.mark.one_in(7)
@pytest.mark.filterwarnings("ignore:nn.Inception")  # one that was recorded has columns of different strides
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases()])
def test_torch7_agrees(case):
    tolerance = case.get("tolerance", TOLERANCES.get(case["id"], 1e-8))
    PROCEDURES.get(case["kind"], run_steps)(case, tolerance)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases() if "print" in case])
def test_prints_as_torch7(case):
    assert str(built(case["spec"])) == case["print"]
