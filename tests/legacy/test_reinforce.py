"""Stochastic modules and rewards."""

import numpy as np
import pytest

from functorch7.legacy import nn

from .helpers import same, values

P = np.random.default_rng(3).uniform(0.2, 0.8, (5, 3))


def score(sample, p):
    """The derivative of log p(sample)."""
    return (sample - p) / (p * (1 - p))


def test_a_sample_is_zero_or_one_and_evaluation_gives_the_mean():
    module = nn.ReinforceBernoulli().double()
    assert set(np.unique(module.forward(P))) <= {0, 1}
    module.evaluate()
    same(module.forward(P), P)


def test_stochastic_modules_sample_in_evaluation_too():
    module = nn.ReinforceBernoulli(True).double()
    module.evaluate()
    assert set(np.unique(module.forward(P))) <= {0, 1}


def test_the_gradient_is_the_reward_times_the_score():
    module, reward = nn.ReinforceBernoulli().double(), values(5)
    sample = np.array(module.forward(P))
    module.reinforce(reward)
    gradient = module.backward(P, 100 * values(5, 3))  # which is ignored
    same(gradient, -reward[:, None] * score(sample, P))


def network():
    return nn.Sequential().add(nn.Linear(4, 3)).add(nn.Sigmoid()).add(nn.ReinforceBernoulli()).double()


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: nn.Sequential().add(nn.Sequential().add(m)),
                                  lambda m: nn.Decorator(m)], ids=["plain", "nested", "decorated"])  # fmt: skip
def test_a_reward_reaches_modules_at_any_depth(wrap):
    inner = network()
    outer, x, reward = wrap(inner), values(5, 4), values(5, seed=2)
    sample = np.array(outer.forward(x))
    outer.reinforce(reward)
    outer.zeroGradParameters()
    outer.backward(x, np.zeros((5, 3)))
    p = np.array(inner.get(2).output)
    expected = (-reward[:, None] * score(sample, p) * p * (1 - p)).T @ x
    same(inner.get(1).gradWeight, expected)


def test_several_modules_get_the_same_reward():
    net = nn.ConcatTable().add(nn.ReinforceBernoulli()).add(nn.ReinforceBernoulli()).double()
    samples = [np.array(s) for s in net.forward(P)]
    net.reinforce(np.arange(5.0))
    gradient = net.backward(P, [np.zeros_like(P)] * 2)
    same(gradient, -np.arange(5.0)[:, None] * (score(samples[0], P) + score(samples[1], P)))


STEPS = np.random.default_rng(4).uniform(0.2, 0.8, (4, 5, 3))


@pytest.mark.parametrize("reward", [values(5, seed=5), values(4, 5, seed=6)], ids=["one for all steps", "one per step"])
@pytest.mark.parametrize("table", [False, True], ids=["tensor", "table"])
def test_rewards_in_a_sequence(reward, table):
    net = nn.Sequencer(nn.ReinforceBernoulli()).double()
    given = list(STEPS) if table else STEPS
    samples = np.array([np.array(s) for s in net.forward(given)])
    net.reinforce(list(reward) if table and reward.ndim == 2 else reward)
    gradient = net.backward(given, list(np.zeros_like(STEPS)) if table else np.zeros_like(STEPS))
    same(list(gradient) if table else gradient, list(-reward[..., None] * score(samples, STEPS)) if table
         else -reward[..., None] * score(samples, STEPS))  # fmt: skip


def test_rewards_step_by_step():
    lstm, linear, sigmoid, stochastic = nn.FastLSTM(3, 3), nn.Linear(3, 3), nn.Sigmoid(), nn.ReinforceBernoulli()
    net = nn.Sequential().add(lstm).add(linear).add(sigmoid).add(stochastic).double()
    rewards, expected = values(4, 5, seed=7), np.zeros((3, 3))
    for x, reward in zip(STEPS, rewards, strict=True):
        net.forward(x)
        h, p, sample = (np.array(module.output) for module in (lstm, sigmoid, stochastic))
        expected += (-reward[:, None] * score(sample, p) * p * (1 - p)).T @ h
    net.reinforce(list(rewards))
    net.zeroGradParameters()
    for x in STEPS[::-1]:
        net.backward(x, np.zeros((5, 3)))
    same(linear.gradWeight, expected)


@pytest.mark.parametrize("reward", [values(4), values(2, 5), values(5, 3, 2)])
def test_a_reward_for_other_examples_is_refused(reward):
    module = nn.ReinforceBernoulli().double()
    module.forward(P)
    module.reinforce(reward)
    with pytest.raises(ValueError, match=r"expected one reward per example for samples of shape \(5, 3\)"):
        module.backward(P, P)


def test_backward_without_a_reward_says_so():
    module = nn.ReinforceBernoulli().double()
    module.forward(P)
    with pytest.raises((RuntimeError, ValueError), match=r"reinforce|reward"):
        module.backward(P, P)


SCORES, BASELINE, CLASSES = values(5, 3, seed=8), values(5, 1, seed=9), np.array([1, 2, 3, 1, 2])


def test_VRClassReward_rewards_right_classes_against_the_baseline():
    net = nn.Sequential().add(nn.ReinforceBernoulli()).double()
    criterion = nn.VRClassReward(net, 2).double()
    net.forward(P)
    reward = 2.0 * (SCORES.argmax(1) + 1 == CLASSES)
    assert criterion.forward([SCORES, BASELINE], CLASSES) == pytest.approx(-reward.mean())
    zeros, gradient = criterion.backward([SCORES, BASELINE], CLASSES)
    same(zeros, np.zeros((5, 3)))
    same(gradient, 2 * (BASELINE - reward[:, None]) / 5)
    sample = np.array(net.output)
    advantage = (reward - BASELINE[:, 0]) / 5
    same(net.backward(P, P), -advantage[:, None] * score(sample, P))


def test_VRClassReward_refuses_wrong_input():
    net = nn.ReinforceBernoulli()
    criterion = nn.VRClassReward(net)
    with pytest.raises(ValueError, match="nn.VRClassReward: expected a table of class scores and baseline"):
        criterion.forward(SCORES, CLASSES)
    with pytest.raises(ValueError, match="a baseline of 5 numbers"):
        criterion.forward([SCORES, BASELINE[:4]], CLASSES)
    with pytest.raises(ValueError, match="target 0"):
        criterion.forward([SCORES, BASELINE], np.array([0, 1, 2, 3, 1]))
    with pytest.raises(TypeError, match="nn.VRClassReward: expected a module to reward"):
        nn.VRClassReward(3)


def test_a_policy_learns_which_action_is_rewarded():
    """A bandit: action 1 pays in the first context, action 0 in the second."""
    net = nn.Sequential().add(nn.Linear(2, 1)).add(nn.Sigmoid()).add(nn.ReinforceBernoulli())
    contexts = np.tile(np.eye(2), (16, 1))
    for _ in range(150):
        action = np.asarray(net.forward(contexts))[:, 0]
        net.reinforce((action == contexts[:, 0]) - 0.5)
        net.zeroGradParameters()
        net.backward(contexts, np.zeros((32, 1)))
        net.updateParameters(0.05)
    net.evaluate()
    first, second = np.asarray(net.forward(np.eye(2)))[:, 0]
    assert first > 0.9 and second < 0.1


def test_attention_gets_its_rewards_step_by_step():
    """The action of each step sees the hidden state before it, and gets that step's reward."""
    locate, sampler = nn.Linear(4, 2), nn.ReinforceNormal(0.3)
    seen = nn.ParallelTable().add(nn.Linear(3, 4)).add(nn.Linear(2, 4))
    rnn = nn.Recurrent(4, nn.Sequential().add(seen).add(nn.CAddTable()), nn.Linear(4, 4), nn.Tanh())
    action = nn.Sequential().add(locate).add(sampler)
    net = nn.RecurrentAttention(rnn, action, 3, [4]).double()
    net.forwardActions = True
    rewards = values(3, 5)
    outputs = [[np.asarray(part) for part in step] for step in net.forward(values(5, 3))]
    net.reinforce(list(rewards))
    net.zeroGradParameters()
    net.backward(values(5, 3), [[np.zeros((5, 4)), np.zeros((5, 2))]] * 3)
    hidden = [np.zeros((5, 4)), *(h for h, _ in outputs[:-1])]
    weight, bias = locate.weight.numpy(), locate.bias.numpy()
    expected = np.zeros((2, 4))
    for h, (_, sample), reward in zip(hidden, outputs, rewards, strict=True):
        expected += (-reward[:, None] * (sample - h @ weight.T - bias) / 0.3**2).T @ h
    same(locate.gradWeight, expected)


def test_a_table_of_means_and_deviations_gets_both_gradients():
    module, mean, stdev, reward = nn.ReinforceNormal().double(), values(5, 3), P, values(5, seed=2)
    x = np.asarray(module.forward([mean, stdev]))
    module.reinforce(reward)
    by_mean, by_stdev = module.backward([mean, stdev], np.zeros((5, 3)))
    same(by_mean, -reward[:, None] * (x - mean) / stdev**2)
    same(by_stdev, -reward[:, None] * ((x - mean) ** 2 - stdev**2) / (stdev**3 + 1e-8))


def test_a_users_module_in_torchs_style_is_rewarded_in_a_network():
    class Coin(nn.Reinforce):
        """Turns signs; its gradient is the reward itself, as that of Torch's base class."""

        def __init__(self, stochastic=False):
            super().__init__(stochastic)

        def updateOutput(self, input):
            self.output = input * -1
            return self.output

        def updateGradInput(self, input, gradOutput):
            self.gradInput = self.rewardAs(input)
            return self.gradInput

    coin, linear = Coin(), nn.Linear(2, 3)
    assert (coin.stochastic, Coin(True).stochastic) == (False, True)
    net, reward = nn.Sequential().add(linear).add(coin).double(), values(5)
    x = values(5, 2)
    net.forward(x)
    net.zeroGradParameters()
    net.reinforce(reward)
    net.backward(x, np.zeros((5, 3)))
    same(linear.gradBias, np.full(3, reward.sum()))
    with pytest.raises(RuntimeError, match="call reinforce"):
        Coin().rewardAs(x)


def test_BinaryClassReward_rewards_right_answers_against_the_baseline():
    net = nn.Sequential().add(nn.ReinforceBernoulli()).double()
    criterion = nn.BinaryClassReward(net, 2).double()
    net.forward(P)
    yes, answers = P[:, 0], np.array([0, 1, 1, 0, 1])
    reward = 2.0 * ((yes > 0.5) == (answers == 1))
    assert criterion.forward([yes, BASELINE], answers) == pytest.approx(-reward.mean())
    zeros, gradient = criterion.backward([yes, BASELINE], answers)
    same(zeros, np.zeros(5))
    same(gradient, 2 * (BASELINE - reward[:, None]) / 5)
    same(net.get(1).reward, (reward - BASELINE[:, 0]) / 5)
    criterion.sizeAverage = False
    assert criterion.forward([yes, BASELINE], answers) == pytest.approx(-reward.sum())
    criterion.backward([yes, BASELINE], answers)
    same(net.get(1).reward, reward - BASELINE[:, 0])
