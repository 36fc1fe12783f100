"""Recurrent objects inside networks: states handed over, users' own gates, conversions, and errors."""

import numpy as np
import pytest

from functorch7.interop import t7
from functorch7.legacy import nn, torch

from .helpers import arrays, same, sigmoid, slopes, values

T, B, D, H = 4, 2, 3, 2
XS, GS = values(T, B, D, seed=1), values(T, B, H, seed=2)


# Handing states over -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [nn.LSTM, nn.FastLSTM])
def test_a_sequence_starts_from_what_the_user_gives(make):
    cell = make(D, H).double()
    net = nn.Sequencer(cell).double().remember("both")
    whole = np.array(net.forward(XS))
    net.forget()
    net.forward(XS[:2])
    state = [np.array(s) for s in cell.getHiddenState()]
    net.remember("neither")
    cell.setHiddenState(0, state)
    same(net.forward(XS[2:]), whole[2:])
    same(net.forward(XS[2:]), nn.Sequencer(cell.clone()).double().forward(XS[2:]))  # once only
    cell.userPrevOutput, cell.userPrevCell = state
    for _ in range(2):  # until it is taken away
        same(net.forward(XS[2:]), whole[2:])
    cell.userPrevOutput = cell.userPrevCell = None
    assert not np.allclose(net.forward(XS[2:]), whole[2:])


@pytest.mark.parametrize("make", [nn.SeqLSTM, nn.SeqGRU])
def test_whole_layers_start_from_a_given_state_once(make):
    layer = make(D, H).double()
    start = {"userPrevOutput": values(B, H, seed=3)} | (
        {"userPrevCell": values(B, H, seed=4)} if make is nn.SeqLSTM else {}
    )
    given = [start[name] for name in sorted(start, reverse=False)]
    for name, value in start.items():
        setattr(layer, name, value)
    output = np.array(layer.forward(XS))
    same(layer.forward([*given, XS]), output)
    assert not np.allclose(layer.forward(XS), output)


@pytest.mark.parametrize("kind", ["SeqLSTM", "Sequencer"])
def test_gradients_cross_from_decoder_to_encoder(kind):
    """The pair, coupled by fields, has the gradients of one network that runs both parts."""

    def part():
        return nn.SeqLSTM(D, H).double() if kind == "SeqLSTM" else nn.FastLSTM(D, H).double()

    def network(module):
        return module if kind == "SeqLSTM" else nn.Sequencer(module).double()

    first, second = part(), part()
    encoder, decoder = network(first), network(second)
    start = [np.array(v) for v in arrays(first.parameters()[0])]

    def loss(_=None):
        encoder.remember("both").forget()
        encoder.forward(XS[:2])
        state = first.getHiddenState() if kind == "Sequencer" else [first.output[2], first.cell[2]]
        second.userPrevOutput, second.userPrevCell = (np.array(s) for s in state)
        return float((np.array(decoder.forward(XS[2:])) * GS[2:]).sum())

    loss()
    decoder.backward(XS[2:], GS[2:])
    first.gradPrevOutput, first.userNextGradCell = second.userGradPrevOutput, second.userGradPrevCell
    encoder.zeroGradParameters()
    encoder.backward(XS[:2], np.zeros((2, B, H)))
    got = [np.array(g) for g in arrays(first.parameters()[1])]
    for parameter, value, gradient in zip(first.parameters()[0], start, got, strict=True):

        def moved(now, parameter=parameter):
            parameter.copy(now)
            return loss()

        same(gradient, slopes(moved, value), 1e-5, 1e-8)
        parameter.copy(value)


def test_a_gradient_is_sent_into_a_sequencers_last_state():
    cell, xs = nn.GRU(D, H).double(), XS.copy()
    net, sent = nn.Sequencer(cell).double(), values(B, H, seed=5)
    net.forward(xs)
    cell.setGradHiddenState(T, sent)
    got = np.array(net.backward(xs, np.zeros((T, B, H))))
    same(got, slopes(lambda _: float((np.array(net.forward(xs))[-1] * sent).sum()), xs), 1e-6, 1e-9)


# What objects offer --------------------------------------------------------------------------------------------------


def test_users_build_their_own_gates():
    class Carousel(nn.LSTM):
        """An LSTM that forgets nothing."""

        def buildForgetGate(self):
            self.built = nn.Sequential().add(nn.SelectTable(1)).add(nn.Linear(self.inputSize, self.outputSize))
            return self.built.add(nn.MulConstant(0)).add(nn.AddConstant(1))

    cell = Carousel(D, H).double()
    assert cell.forgetGate is cell.built
    for _ in range(2):
        cell.forward(XS[0])
    cells = [np.array(cell.getHiddenState(step)[1]) for step in (1, 2)]
    assert len(cell.parameters()[0]) == 15 - 4 + 2
    gate, hidden = cell.inputGate, cell.hiddenLayer
    h, c = (np.array(s) for s in cell.getHiddenState(1))
    let_in = np.array(gate.forward([XS[0], h, c])) * np.array(hidden.forward([XS[0], h, c]))
    same(cells[1], cells[0] + let_in)
    assert nn.LSTM(D, H).typename() == "nn.LSTM" and str(nn.LSTM(D, H)) == "nn.LSTM(3 -> 2)"


def test_a_user_builds_the_whole_step():
    class Adder(nn.LSTM):
        def buildModel(self):
            total = nn.Sequential().add(nn.ConcatTable().add(nn.SelectTable(1)).add(nn.SelectTable(3)))
            return (
                nn.Sequential()
                .add(total.add(nn.CAddTable()))
                .add(nn.ConcatTable().add(nn.Identity()).add(nn.Identity()))
            )

    cell = Adder(D, D).double()
    for t in range(T):
        same(cell.forward(XS[t]), XS[: t + 1].sum(0))


def test_files_of_a_normalized_fast_lstm_need_not_say_so(monkeypatch, tmp_path):
    """Torch's have the step's modules alone, as the switch is the class's."""
    monkeypatch.setattr(nn.FastLSTM, "bn", True)
    cell = nn.FastLSTM(D, H).double()
    monkeypatch.undo()
    expected = cell.evaluate().forward(XS[0])
    cell.forget()
    torch.save(str(tmp_path / "cell.t7"), cell)
    record = t7.read(tmp_path / "cell.t7")
    del record.fields["bn"]
    t7.write(tmp_path / "cell.t7", record)
    loaded = torch.load(str(tmp_path / "cell.t7"))
    same(loaded.forward(XS[0]), expected)
    assert loaded.recurrentModule.typename() == "nn.gModule"


def test_batch_normalisation_is_a_switch_of_the_class():
    nn.FastLSTM.bn = True
    try:
        cell = nn.FastLSTM(D, H).double()
    finally:
        nn.FastLSTM.bn = False
    assert cell.bn_wx.weight.numpy()[0] == pytest.approx(0.1) and not hasattr(nn.FastLSTM(D, H), "bn_wx")
    net = nn.Sequencer(cell).double()
    net.forward(XS)
    sums = np.einsum("tbd,gd->tbg", XS, np.array(cell.i2g.weight)) + np.array(cell.i2g.bias)
    mean = np.zeros(4 * H)
    for step in sums:
        mean = 0.9 * mean + 0.1 * step.mean(0)
    same(cell.bn_wx.running_mean, mean)
    before = np.array(cell.bn_wx.running_mean)
    net.evaluate()
    net.forward(XS)
    same(cell.bn_wx.running_mean, before)


@pytest.mark.parametrize("make, convert", [(nn.SeqLSTM, "toFastLSTM"), (nn.SeqGRU, "toGRU")])
def test_layers_become_steps_with_copied_parameters(make, convert):
    layer = make(D, H).double()
    layer.forward(XS)
    layer.backward(XS, GS)
    cell = getattr(layer, convert)()
    gradients = arrays(cell.parameters()[1])
    net = nn.Sequencer(cell).double()
    same(net.forward(XS), layer.output, 1e-10)
    net.zeroGradParameters()
    same(net.backward(XS, GS), layer.gradInput, 1e-10)
    same(cell.parameters()[1], gradients, 1e-10)
    layer.weight.zero()
    assert np.abs(arrays(cell.parameters()[0])[0]).sum() > 0
    with pytest.raises(TypeError, match="not supported for SeqLSTMP"):
        nn.SeqLSTMP(D, 4, H).toFastLSTM()


def test_a_gru_with_dropout_takes_the_parameters_of_one_without():
    plain, dropping = nn.GRU(D, H).double(), nn.GRU(D, H, None, 0.5).double()
    dropping.migrate(plain.parameters()[0])
    same(dropping.evaluate().forward(XS[0]), plain.forward(XS[0]))
    with pytest.raises(ValueError, match="only support for BGRUs"):
        plain.migrate(plain.parameters()[0])


def test_the_stabilizers_loss_is_the_documented_one():
    module = nn.NormStabilizer(0.5).double()
    net = nn.Sequencer(module).double()
    net.forward(XS)
    norms = np.linalg.norm(XS, axis=-1)
    assert module.updateLoss() == pytest.approx(0.5 * (np.diff(norms, axis=0) ** 2).mean(1).sum() / T)
    got = np.array(net.backward(XS, np.zeros(XS.shape)))
    same(
        got,
        slopes(lambda x: 0.5 * (np.diff(np.linalg.norm(x, axis=-1), axis=0) ** 2).mean(1).sum(), XS.copy()),
        1e-5,
        1e-8,
    )


def test_steps_of_variable_number():
    """A Sequencer takes sequences of any length, one after the other; gradients add up."""
    net = nn.Sequencer(nn.GRU(D, H)).double()
    apart = []
    for length in (4, 1, 3):
        net.zeroGradParameters()
        net.forward(XS[:length])
        net.backward(XS[:length], GS[:length])
        apart.append(arrays(net.parameters()[1]))
    net.zeroGradParameters()
    for length in (4, 1, 3):
        net.forward(list(XS[:length]))
        net.backward(list(XS[:length]), list(GS[:length]))
    same(net.parameters()[1], [sum(each) for each in zip(*apart, strict=True)])


def test_the_parts_of_both_directions_have_names():
    both = nn.BiSequencer(nn.GRU(D, H), nn.LSTM(D, H))
    assert both.fwdSeq.get(1).typename() == "nn.GRU" and both.bwdSeq.get(1).typename() == "nn.LSTM"
    model = nn.BiSequencerLM(nn.GRU(D, H))
    assert model.bwdSeq.get(1).typename() == "nn.GRU" and model.mergeSeq.get(1).get(1).typename() == "nn.JoinTable"
    layer = nn.SeqBRNN(D, H, True)
    assert layer.forwardModule.typename() == layer.backwardModule.typename() == "nn.SeqLSTM"
    assert layer.forwardModule is not layer.backwardModule


def test_the_output_of_a_step_that_is_gone():
    cell = nn.GRU(D, H).double()
    outputs = [np.array(cell.forward(x)) for x in XS]
    cell.setOutputStep(2)
    same(cell.output, outputs[1])
    with pytest.raises(ValueError, match="no output for step 9"):
        cell.setOutputStep(9)


# Errors --------------------------------------------------------------------------------------------------------------


def remembering():
    net = nn.Sequencer(nn.GRU(D, H)).remember()
    net.forward(XS)
    return net


def in_forward_order():
    cell, inputs = nn.GRU(D, H), [np.array(x) for x in XS]
    for x in inputs:
        cell.forward(x)
    cell.backward(inputs[0], GS[0])


def without_bias(cell):
    for layer in cell.findModules("nn.Linear")[0]:
        layer.noBias()
    return cell


WRONG = {
    **{
        f"no bias in {name}": (lambda make=make: without_bias(make()).forward(XS[0]), f"expected {linear} to stay")
        for name, make, linear in (
            ("FastLSTM", lambda: nn.FastLSTM(D, H), r"nn.Linear\(3 -> 8\)"),
            ("GRU", lambda: nn.GRU(D, H), r"nn.Linear\(3 -> 4\)"),
            ("GRU with dropout", lambda: nn.GRU(D, H, 9, 0.5), r"nn.Linear\(3 -> 2\)"),
        )
    },
    "steps in forward order": (in_forward_order, "reverse order: expected the input of step 4, got that of step 1"),
    "a step that is no tensor": (lambda: nn.LSTM(D, H).forward([XS[0], XS[0]]), "nn.LSTM.*expected"),
    "another batch while remembering": (lambda: remembering().forward(XS[:, :1]), "forget"),
    "unequal batches": (lambda: nn.Sequencer(nn.GRU(D, H)).forward([XS[0], XS[1, :1]]), "the remembered state"),
    "backward first": (lambda: nn.Sequencer(nn.GRU(D, H)).backward(XS, GS), "backward called before forward"),
    "another input": (lambda: remembering().backward(XS[:2], GS[:2]), "backward needs an input of forward's shape"),
    "fewer gradients": (lambda: remembering().backward(XS, GS[:2]), "expected a gradOutput of shape"),
    "a Recurrent, masked": (
        lambda: nn.Recurrent(H, nn.Linear(D, H), nn.Linear(H, H)).maskZero(1), "doesn't support maskZero",
    ),
    "two dimensions for a layer": (lambda: nn.SeqLSTM(D, H).forward(XS[0]), "expected a batch of sequences"),
    "a criterion of a module": (
        lambda: nn.SequencerCriterion(nn.ModuleCriterion(nn.MSECriterion())), "shouldn't decorate a ModuleCriterion",
    ),
    "fewer targets": (lambda: nn.SequencerCriterion(nn.MSECriterion()).forward(XS, XS[:2]), "4 targets"),
    "no module": (lambda: nn.Sequencer(3), "expecting nn.Module instance at arg 1"),
    "a stateless mask of a wrong rank": (lambda: nn.MaskZero(nn.Identity(), 1).forward(XS), "nInputDim"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_makes_no_sense_is_refused(name):
    act, message = WRONG[name]
    with pytest.raises((ValueError, TypeError, RuntimeError), match=message):
        act()


def test_masked_criterions_ignore_the_targets_of_padding():
    scores = np.float64([[-1.6, -0.2], [0, 0], [-0.7, -0.7]])
    criterion = nn.MaskZeroCriterion(nn.ClassNLLCriterion(), 1).double()
    assert criterion.forward(scores, np.array([2, 0, 1])) == pytest.approx((0.2 + 0.7) / 2)
    same(criterion.backward(scores, np.array([2, 0, 1])), [[0, -0.5], [0, 0], [-0.5, 0]])
    with pytest.raises(ValueError, match="target 3 at position 2"):
        criterion.forward(scores, np.array([2, 0, 3]))
    assert criterion.forward(np.zeros((2, 2)), np.array([0, 0])) == 0


def test_sigmoid_of_a_peephole():
    """An LSTM's input gate, written out."""
    cell = nn.LSTM(D, H).double()
    gate = cell.inputGate
    w, b, u, p = arrays(gate.parameters()[0])
    x, h, c = XS[0], values(B, H, seed=8), values(B, H, seed=9)
    same(gate.forward([x, h, c]), sigmoid(x @ w.T + b + h @ u.T + c * p))
