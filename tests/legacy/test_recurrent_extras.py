"""The newer rnn's modules with Torch's interface, and helpers for nested tables and masks."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same, sigmoid, values

T, B, D, H = 3, 2, 3, 2
XS, GS = values(T, B, D, seed=1), values(T, B, H, seed=2)


@pytest.mark.parametrize("make, layer", [(nn.RecLSTM, nn.SeqLSTM), (nn.RecGRU, nn.SeqGRU)], ids=["LSTM", "GRU"])
def test_backward_step_by_step_equals_the_whole_layers(make, layer):
    cell, whole = make(D, H).double(), layer(D, H).double()
    for own, given in zip(cell.parameters()[0], whole.parameters()[0], strict=True):
        own.copy(given)
    cell.maskZero(1)
    whole.maskzero = True
    xs = XS.copy()
    xs[1, 0] = 0
    same([np.array(cell.forward(x)) for x in xs], list(whole.forward(xs)))
    wanted = whole.backward(xs, GS)
    got = [np.array(cell.backward(x, g)) for x, g in zip(xs[::-1], GS[::-1], strict=True)]
    same(got[::-1], list(wanted))
    same(cell.parameters()[1], whole.parameters()[1])


def test_hidden_states_of_recurrences_of_steps():
    lstm, gru = nn.RecLSTM(D, H).double(), nn.RecGRU(D, H).double()
    output, state = np.array(lstm.forward(XS[0])), lstm.getHiddenState()
    same(state[0], output)
    assert len(state) == 2 and state[1].size() == [B, H]
    step = nn.StepLSTM(D, H).double()
    for own, given in zip(step.parameters()[0], lstm.parameters()[0], strict=True):
        own.copy(given)
    same(step.forward([XS[1], *state]), [lstm.forward(XS[1]), lstm.getHiddenState()[1]])
    same(gru.forward(XS[0]), gru.getHiddenState())
    gru.setHiddenState(1, np.zeros((B, H)))
    again = np.array(gru.forward(XS[1]))
    same(gru.getHiddenState(1), np.zeros((B, H)))
    same(gru.forget().forward(XS[1]), again)


def test_names_and_sizes_are_torchs():
    lstm = nn.RecLSTM(D, 4, H)
    assert str(lstm) == "nn.RecLSTM(3 -> 4 -> 2)" and str(nn.LookupRNN(5, 4)) == "nn.LookupRNN(5 -> 4)"
    assert (lstm.inputsize, lstm.hiddensize, lstm.outputsize) == (D, 4, H)
    assert lstm.stepmodule.typename() == "nn.StepLSTM" and lstm.stepmodule.weightO.size() == [4, H]
    with pytest.raises(ValueError, match=r"nn.RecLSTM\(3 -> 4 -> 2\): .*Only supports batchmode"):
        lstm.forward(XS[0, 0])


def test_the_abstract_classes_are_there():
    for kind, parents in (
        (nn.RecLSTM, [nn.AbstractRecurrent]), (nn.FastLSTM, [nn.AbstractRecurrent]),
        (nn.Recursor, [nn.AbstractRecurrent]), (nn.Sequencer, [nn.AbstractSequencer, nn.Container]),
        (nn.SequencerCriterion, [nn.AbstractSequencerCriterion, nn.Criterion]),
    ):  # fmt: skip
        assert all(issubclass(kind, parent) for parent in parents)
    assert nn.Sequencer(nn.Linear(2, 2)).size() == 1


def test_a_bidirectional_layer_shows_its_parts():
    net = nn.SeqBLSTM(D, H).double()
    forward, backward = net.getForward(), net.getBackward()
    assert forward.typename() == backward.typename() == "nn.SeqLSTM" and forward is not backward
    same(net.forward(XS), np.array(forward.forward(XS)) + np.array(backward.forward(XS[::-1].copy()))[::-1])
    nn.Sequential().add(net).remember("both")
    assert forward.mode == "both" and backward.mode == "neither"
    assert net.maskZero() is net and forward.maskzero and backward.maskzero
    assert nn.ReverseUnreverse(forward).getModule() is forward


def test_variable_lengths_forward_and_backward():
    layer = nn.SeqLSTM(D, H).double().maskZero()
    net = nn.VariableLength(layer).double()
    given = [values(n, D, seed=n) for n in (2, 4, 1)]
    gradients = [values(n, H, seed=n) for n in (2, 4, 1)]
    outputs, got = net.forward(given), net.backward(given, gradients)
    total = [np.array(g) for g in net.parameters()[1]]
    net.zeroGradParameters()
    for x, g, output, gradient in zip(given, gradients, outputs, got, strict=True):
        same(output, np.array(layer.forward(x[:, None]))[:, 0])
        same(gradient, np.array(layer.backward(x[:, None], g[:, None]))[:, 0])
    same(net.parameters()[1], total)


def test_the_criterion_of_every_step_is_an_object():
    inner = nn.ClassNLLCriterion(torch.Tensor([1, 3]))
    criterion = nn.SequencerCriterion(inner)
    assert criterion.getStepCriterion(2) is inner is criterion.criterion
    inputs, targets = np.log([[[0.5, 0.5]], [[0.25, 0.75]]]), np.array([[1], [2]])
    assert criterion.forward(inputs, targets) == pytest.approx(-np.log(0.5) - np.log(0.75))
    inner.sizeAverage = False
    assert criterion.forward(inputs, targets) == pytest.approx(-np.log(0.5) - 3 * np.log(0.75))
    criterion.sizeAverage = True
    assert criterion.forward(inputs, targets) == pytest.approx((-np.log(0.5) - 3 * np.log(0.75)) / 2)
    assert criterion.double() is criterion and inner.weights.type() == "torch.DoubleTensor"
    with pytest.raises(TypeError, match="expecting step at arg 1"):
        criterion.getStepCriterion(None)
    assert nn.RepeaterCriterion(nn.MSECriterion()).getStepCriterion(1).typename() == "nn.MSECriterion"


def nested():
    return [torch.Tensor([1, 2]), {"a": torch.DoubleTensor([[3], [4]])}]


def test_recursive_helpers_have_two_names():
    for name in (
        "ResizeAs", "Set", "Copy", "Add", "TensorEq", "Normal", "Fill", "Type", "Sum", "New"
    ):  # fmt: skip
        assert getattr(nn.rnn, f"recursive{name}") is getattr(nn.utils, f"recursive{name}")


def test_recursiveSet_shares_elements():
    source = nested()
    made, given = nn.rnn.recursiveSet(None, source)
    assert given is source
    source[0].fill(7)
    source[1]["a"][1, 1] = 8
    same(made[0], [7, 7])
    same(made[1]["a"], [[8], [4]])
    target = torch.Tensor(5)
    assert nn.rnn.recursiveSet(target, source[0])[0] is target and target.isSetTo(source[0])


def test_recursiveTensorEq():
    table = nested()
    assert nn.rnn.recursiveTensorEq(table, nested())
    table[1]["a"].add(0.9e-5)
    assert nn.rnn.recursiveTensorEq(table, nested())
    table[1]["a"].add(0.2e-5)
    assert not nn.rnn.recursiveTensorEq(table, nested())
    assert not nn.rnn.recursiveTensorEq(nested(), nested()[:1])
    assert not nn.rnn.recursiveTensorEq(torch.Tensor(1), nested())
    assert not nn.rnn.recursiveTensorEq(torch.Tensor(2), torch.Tensor(2, 1))
    with pytest.raises(TypeError, match=r"expecting nested tensors or tables. Got list and Tensor instead"):
        nn.rnn.recursiveTensorEq(nested(), torch.Tensor(1))


def test_recursiveNormal_recursiveSum_and_recursiveNew():
    table = [torch.Tensor(2000), {"a": torch.DoubleTensor(2000, 2)}]
    assert nn.rnn.recursiveNormal(table) is table
    drawn = np.concatenate([np.array(table[0]), np.array(table[1]["a"]).reshape(-1)])
    assert abs(drawn.mean()) < 0.1 and abs(drawn.std() - 1) < 0.1
    assert nn.rnn.recursiveSum(table) == pytest.approx(drawn.sum())
    assert nn.rnn.recursiveSum([torch.HalfTensor(3).fill(60000)]) == 180000  # more than a HalfTensor holds
    empty = nn.rnn.recursiveNew(table)
    assert empty[0].nElement() == empty[1]["a"].nElement() == 0
    assert empty[1]["a"].type() == "torch.DoubleTensor" and table[0].size() == [2000]
    for helper in (nn.rnn.recursiveNormal, nn.rnn.recursiveSum, nn.rnn.recursiveNew):
        with pytest.raises(TypeError, match=r"expecting tensor or table thereof. Got str instead"):
            helper(["text"])


def test_masks_of_zeros():
    batch = torch.Tensor([[[0, 0], [0, 1]], [[0, 0], [0, 0]], [[1, -1], [0, 0]]])
    mask = nn.utils.getZeroMaskBatch([[batch], torch.Tensor(3)])
    assert mask.type() == "torch.ByteTensor" and mask.totable() == [0, 1, 0]
    assert nn.utils.getZeroMaskSequence(batch).totable() == [[1, 0], [1, 1], [0, 1]]
    into = torch.ByteTensor(1)
    assert nn.utils.getZeroMaskBatch(batch, into) is into and into.totable() == [0, 1, 0]
    with pytest.raises(TypeError, match="getZeroMaskSequence expecting tensor for arg 1"):
        nn.utils.getZeroMaskSequence([batch])
    with pytest.raises(ValueError, match=r"expecting seqlen x batchsize \[x ...\] tensor for arg 1"):
        nn.utils.getZeroMaskSequence(torch.Tensor(3))


def test_measures_take_tables_and_tensors():
    candidate, reference = torch.LongTensor([1, 2, 4]), [1, 2, 3, 4]
    assert nn.get_rougeN(candidate, reference, 1) == pytest.approx(3 / 4)
    assert nn.get_rougeN(candidate, reference, 2, []) == pytest.approx(1 / 3)
    assert nn.get_rougeN(candidate, reference, 2, [1, 1]) == pytest.approx((3 / 4 + 1 / 3) / 2)
    assert nn.get_bleu(["a", "b"], ["a", "b", "c", "d"], 2) == pytest.approx(np.exp(-1))
    lin = "police killed the gunman".split()
    assert nn.get_rougeS("police kill the gunman".split(), lin) == pytest.approx(0.5)


def test_a_fast_lstm_gives_as_many_numbers_as_it_takes():
    assert str(nn.FastLSTM(4)) == "nn.FastLSTM(4 -> 4)" == str(nn.FastLSTM(4, None))


def test_batch_normalisation_in_a_fast_lstm_is_found_as_such(monkeypatch):
    monkeypatch.setattr(nn.FastLSTM, "bn", True)
    cell = nn.FastLSTM(3, 4)
    found, around = cell.findModules("nn.BatchNormalization")
    assert len(found) == 3 and all(each is cell for each in around)
    assert found[0].typename() == "nn.BatchNormalization" and isinstance(found[0], nn.BatchNormalization)


STEPS = [values(2, 3, seed=seed) for seed in range(3)]


def attention():
    look = nn.Sequential(nn.JoinTable(1, 1), nn.Linear(5, 3))
    return nn.RecurrentAttention(nn.Recurrent(3, look, nn.Linear(3, 3)), nn.Linear(3, 2), 2, [3])


@pytest.mark.parametrize(
    "make, input",
    [
        (lambda: nn.BiSequencer(nn.FastLSTM(3, 2)), STEPS),
        (lambda: nn.BiSequencerLM(nn.FastLSTM(3, 2)), STEPS),
        (lambda: nn.Repeater(nn.GRU(3, 2), 3), STEPS[0]),
        (attention, STEPS[0]),
    ],
    ids=["BiSequencer", "BiSequencerLM", "Repeater", "RecurrentAttention"],
)
@pytest.mark.parametrize("inside", [False, True])
def test_these_start_anew_whatever_they_are_told_to_remember(make, input, inside):
    """As rnn's, which tell no Sequencer inside, or forget before each call."""
    net = make()
    around = nn.Sequential().add(net) if inside else net
    expected = np.array(around.forward(input))
    assert around.remember("both") is around
    for _ in range(2):
        np.testing.assert_array_equal(np.array(around.forward(input)), expected)
    with pytest.raises(ValueError, match="unrecognized value for remember: 'always'"):
        net.remember("always")


@pytest.mark.parametrize("make, begins_anew", [(nn.LSTM, True), (nn.FastLSTM, True), (nn.GRU, False)])
def test_casts_begin_a_sequence_anew_in_lstms_alone(make, begins_anew):
    """As rnn's, whose other cells cast their state."""
    net = nn.Sequencer(make(3, 2)).remember("both")
    first, second, third = (np.array(net.forward(STEPS)) for _ in range(3))
    net.forget()
    net.forward(STEPS)
    same(net.double().forward(STEPS), first if begins_anew else second, 1e-5)
    same(net.forward(STEPS), second if begins_anew else third, 1e-5)


def test_trimming_behind_a_lookup_equals_masking():
    """The lookup's check of its indices reports from the same compiled program."""
    masked = nn.Sequential().add(nn.LookupTableMaskZero(7, 4)).add(nn.SplitTable(2)).add(nn.Sequencer(nn.GRU(4, 3)))
    masked.double()
    trimmed = masked.clone()
    masked.get(3).module.maskZero(1)
    trimmed.get(3).module.trimZero(1)
    x, gradient = torch.DoubleTensor([[1, 2], [0, 4], [0, 0]]), torch.DoubleTensor(3, 3).fill(0.5)
    for network in (masked, trimmed):
        network.zeroGradParameters()
        network.forward(x)
        network.backward(x, [gradient, gradient])
    for wanted, found in zip(masked.output, trimmed.output, strict=True):
        same(found, wanted.numpy(), atol=1e-12)
    for wanted, found in zip(masked.parameters()[1], trimmed.parameters()[1], strict=True):
        same(found, wanted.numpy(), atol=1e-12)


def test_the_gradient_at_a_given_state_is_the_slope_there():
    layer, x, step = nn.SeqLSTM(D, H).double(), torch.DoubleTensor(XS), 1e-6
    ones = torch.DoubleTensor(T, B, H).fill(1)

    def loss(output, cell):
        layer.forget()
        layer.userPrevOutput, layer.userPrevCell = torch.DoubleTensor(output), torch.DoubleTensor(cell)
        return layer.forward(x).sum()

    start, up, down = np.full((B, H), 0.3), np.full((B, H), 0.3), np.full((B, H), 0.3)
    up[0, 1] += step
    down[0, 1] -= step
    slopes = [(loss(up, start) - loss(down, start)) / 2 / step, (loss(start, up) - loss(start, down)) / 2 / step]
    loss(start, start)
    layer.backward(x, ones)
    same([layer.grad_h0[1][2], layer.grad_c0[1][2]], slopes, atol=1e-7)


def test_sizes_may_be_given_as_torchs_documentation_says():
    joined = nn.Sequential().add(nn.JoinTable(1, 1)).add(nn.Linear(D + H, H))
    for size in (torch.LongStorage([H]), torch.LongTensor([H]), [H], H):
        start = nn.Recurrent(size, nn.Linear(D, H), nn.Linear(H, H)).startModule
        assert str(start) == "nn.Add" and start.bias.size() == [H]
        assert nn.Recurrence(joined, size, 1).forward(values(B, D)).size() == [B, H]
    before = nn.Recurrence(nn.SelectTable(2), [[torch.LongStorage([D])], H], 1).forward(values(B, D))
    assert before[0][0].size() == [B, D] and before[1].size() == [B, H]


def test_the_abstract_class_takes_rho():
    assert nn.AbstractRecurrent().rho == 99999 and nn.AbstractRecurrent(7).rho == 7
    module = nn.AbstractRecurrent(7)
    module.maxBPTTstep(3)
    assert (module.rho, module.step) == (3, 1)


def test_the_language_model_of_rnns_documentation_reads_single_words():
    words, linear = nn.LookupTable(9, H), nn.Linear(H, H)
    both = nn.ParallelTable().add(words).add(linear)
    step = nn.Sequential().add(both).add(nn.CAddTable()).add(nn.Sigmoid())
    model = nn.Sequencer(nn.Recurrence(step, H, 1)).double()
    embedded, weight, bias = (np.array(each) for each in (words.weight, linear.weight, linear.bias))
    state, outputs = np.zeros(H), model.forward([torch.LongTensor([word]) for word in (3, 9, 1)])
    for word, output in zip((3, 9, 1), outputs, strict=True):
        state = sigmoid(embedded[word - 1] + weight @ state + bias)
        same(output, state[None])
