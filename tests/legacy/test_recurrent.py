"""Recurrent modules time step by time step, and whole sequences at once."""

import gc

import jax
import numpy as np
import pytest

from functorch7.legacy import nn

from .helpers import arrays, same, sigmoid, slopes, values

T, B, D, H = 4, 2, 3, 2
XS, GS = values(T, B, D, seed=1), values(T, B, H, seed=2)


def lstm(*more):
    return nn.FastLSTM(D, H, *more).double()


def unrolled(cell, xs, state=None):
    """The outputs and cells of an LSTM, written out."""
    w, b, u = arrays(cell.parameters()[0])
    h, c = state if state is not None else (np.zeros((len(xs[0]), H)), np.zeros((len(xs[0]), H)))
    hs, cs = [], []
    for x in xs:
        i, g, f, o = np.split(x @ w.T + b + h @ u.T, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        hs.append(h)
        cs.append(c)
    return hs, cs


def backward_through_time(cell, xs, gs):
    """The step-by-step protocol: forward in order, backward in reverse order; gradInputs in order."""
    for x in xs:
        cell.forward(x)
    return [np.array(cell.backward(x, g)) for x, g in zip(xs[::-1], gs[::-1], strict=True)][::-1]


def test_steps_compute_the_formula():
    cell = lstm()
    hs, _ = unrolled(cell, XS)
    for x, h in zip(XS, hs, strict=True):
        same(cell.forward(x), h)


def test_the_sequencer_computes_the_same_for_tensors_and_tables():
    cell = lstm()
    hs, _ = unrolled(cell, XS)
    net = nn.Sequencer(cell).double()
    same(net.forward(XS), hs)
    same(net.forward(list(XS)), hs)


def test_backward_step_by_step_equals_the_sequencers():
    cell = lstm()
    net = nn.Sequencer(cell.clone()).double()
    stepwise = backward_through_time(cell, XS, GS)
    net.forward(XS)
    same(net.backward(XS, GS), stepwise)
    same(net.parameters()[1], cell.parameters()[1])


def test_gradients_through_time_agree_with_differences():
    cell, xs = lstm(), XS.copy()
    grad_inputs = backward_through_time(cell, xs, GS)

    def loss(_):
        return sum(float((h * g).sum()) for h, g in zip(unrolled(cell, xs)[0], GS, strict=True))

    same(grad_inputs, list(slopes(loss, xs)), 1e-6, 1e-9)
    gradients = arrays(cell.parameters()[1])
    for parameter, gradient in zip(cell.parameters()[0], gradients, strict=True):
        at = np.array(parameter)

        def moved(now, parameter=parameter):
            parameter.copy(now)
            return loss(None)

        same(gradient, slopes(moved, at), 1e-5, 1e-8)
        parameter.copy(at)


def test_forget_starts_a_new_sequence():
    cell = lstm()
    first = np.array(cell.forward(XS[0]))
    assert not np.allclose(cell.forward(XS[0]), first)
    assert cell.forget() is cell
    same(cell.forward(XS[0]), first)


def test_two_sequences_after_another_give_the_same_gradients():
    cell = lstm()
    first = backward_through_time(cell, XS, GS)
    grads = arrays(cell.parameters()[1])
    cell.forget()
    cell.zeroGradParameters()
    same(backward_through_time(cell, XS, GS), first)
    same(cell.parameters()[1], grads)


def test_rho_truncates_backward():
    cell = lstm(2)
    for x in XS:
        cell.forward(x)
    last = np.array(cell.backward(XS[3], GS[3]))
    cell.backward(XS[2], GS[2])
    with pytest.raises(
        RuntimeError, match=r"nn.FastLSTM\(3 -> 2\): backward called more often than forward \(rho = 2\)"
    ):
        cell.backward(XS[1], GS[1])
    whole = cell.clone().forget()
    whole.rho = 99
    whole.zeroGradParameters()
    same(backward_through_time(whole, XS, GS)[3], last)


def test_truncated_gradients_are_those_from_the_state_that_was_there():
    cell = lstm(2)
    for x in XS:
        cell.forward(x)
    for x, g in ((XS[3], GS[3]), (XS[2], GS[2])):
        cell.backward(x, g)
    grads = arrays(cell.parameters()[1])
    hs, cs = unrolled(cell, XS)

    def loss():
        outputs, _ = unrolled(cell, XS[2:], (hs[1], cs[1]))
        return sum(float((h * g).sum()) for h, g in zip(outputs, GS[2:], strict=True))

    bias = cell.parameters()[0][1]
    at = np.array(bias)

    def moved(now):
        bias.copy(now)
        return loss()

    same(grads[1], slopes(moved, at), 1e-5, 1e-8)


def test_backward_more_often_than_forward_is_an_error():
    cell = lstm()
    backward_through_time(cell, XS[:2], GS[:2])
    with pytest.raises(RuntimeError, match="backward called more often than forward"):
        cell.backward(XS[0], GS[0])
    cell.evaluate()
    with pytest.raises(RuntimeError, match="in evaluation, only the last step is kept"):
        backward_through_time(cell, XS[:2], GS[:2])


def test_updateGradInput_and_accGradParameters_can_be_called_apart():
    together, apart = lstm(), None
    apart = together.clone()
    expected = backward_through_time(together, XS, GS)
    for x in XS:
        apart.forward(x)
    got = [np.array(apart.updateGradInput(x, g)) for x, g in zip(XS[::-1], GS[::-1], strict=True)][::-1]
    for gradient in apart.parameters()[1]:
        same(gradient, np.zeros(gradient.shape))
    for x, g in zip(XS[::-1], GS[::-1], strict=True):
        apart.accGradParameters(x, g)
    same(got, expected)
    same(apart.parameters()[1], together.parameters()[1])


def test_accGradParameters_before_updateGradInput_is_an_error():
    cell = lstm()
    cell.forward(XS[0])
    with pytest.raises(RuntimeError, match="accGradParameters called before the step's updateGradInput"):
        cell.accGradParameters(XS[0], GS[0])


def test_step_counts_from_one():
    cell = lstm()
    assert cell.step == 1
    cell.forward(XS[0])
    cell.forward(XS[1])
    assert cell.step == 3
    assert cell.forget().step == 1


@pytest.mark.parametrize(
    "mode, in_training, in_evaluation",
    [
        (None, True, True),
        ("both", True, True),
        ("train", True, False),
        ("eval", False, True),
        ("neither", False, False),
    ],
)
def test_remember_modes(mode, in_training, in_evaluation):
    net = nn.Sequencer(lstm()).double()
    hs, _ = unrolled(net.get(1), np.concatenate([XS, XS]))
    assert net.remember(mode) is net
    for train, keeps in ((True, in_training), (False, in_evaluation)):
        net.training() if train else net.evaluate()
        net.forget()
        same(net.forward(XS), hs[:T])
        same(net.forward(XS), hs[T:] if keeps else hs[:T])


def test_by_default_every_call_is_a_new_sequence():
    net = nn.Sequencer(lstm()).double()
    first = np.array(net.forward(XS))
    same(net.forward(XS), first)


def test_what_is_remembered_from_now_on_begins_with_the_last_sequence():
    """In Torch sequences are forgotten where the next begins, not where they end."""
    net = nn.Sequential(nn.Sequencer(lstm()), nn.Sequencer(nn.Identity())).double()
    cell = net.get(1).get(1)
    hs, cs = unrolled(cell, np.concatenate([XS, XS]))
    net.forward(XS)
    net.forward(XS)
    assert cell.step == T + 1
    assert net.get(1).remember("neither") is net.get(1)  # as before
    net.remember()
    same(net.forward(XS), hs[T:])
    assert cell.step == 2 * T + 1 and list(cell.outputs) == list(range(T, 2 * T + 1))
    same(cell.outputs[T], hs[T - 1])
    same(cell.cells[T], cs[T - 1])
    same(cell.outputs[T + 1], hs[T])
    net.evaluate()  # which begins anew
    same(net.forward(XS), hs[:T])
    net.remember("neither")
    net.forward(XS)
    net.forget()
    net.remember()
    same(net.forward(XS), hs[:T])


def test_two_sequencers_go_on_when_both_remember():
    net = nn.Sequential(nn.Sequencer(nn.FastLSTM(D, H)), nn.Sequencer(nn.FastLSTM(H, H))).double()
    always = net.clone().remember()
    net.forward(XS)
    always.forward(XS)
    same(net.remember().forward(XS), always.forward(XS), 1e-12)


def test_an_unknown_mode_is_an_error():
    with pytest.raises(ValueError, match="unrecognized value for remember"):
        nn.Sequencer(lstm()).remember("always")


def test_remembering_does_not_carry_gradients_across_calls():
    """Truncation: the gradient of the second call stops at its first step."""
    net = nn.Sequencer(lstm()).double()
    net.remember("both")
    net.forward(XS)
    net.forward(XS)
    cell = net.get(1)
    hs, cs = unrolled(cell, XS)
    xs = XS.copy()

    def loss(_):
        outputs, _ = unrolled(cell, xs, (hs[-1], cs[-1]))
        return sum(float((h * g).sum()) for h, g in zip(outputs, GS, strict=True))

    same(net.backward(XS, GS), slopes(loss, xs), 1e-6, 1e-9)


def test_the_hidden_state_can_be_read_and_set():
    cell = lstm()
    hs, cs = unrolled(cell, XS)
    for x in XS[:2]:
        cell.forward(x)
    same(cell.getHiddenState(), [hs[1], cs[1]])
    same(cell.getHiddenState(1), [hs[0], cs[0]])
    same(cell.getHiddenState(0, XS[0]), [np.zeros((B, H))] * 2)
    other = cell.clone().forget()
    other.setHiddenState(0, [hs[1], cs[1]])
    same(other.forward(XS[2]), hs[2])


def test_states_of_other_steps_than_are_kept_are_errors():
    cell = lstm()
    cell.forward(XS[0])
    with pytest.raises(ValueError, match="expected the number of steps so far, 1, got 3"):
        cell.setHiddenState(3, [np.zeros((B, H))] * 2)
    for step in (0, 3):  # before backward, and after the last step
        with pytest.raises(ValueError, match=f"no gradient of the state is kept for step {step}"):
            cell.getGradHiddenState(step)


def test_without_a_step_it_is_the_last_one_and_backward_the_next():
    """As rnn's `step == nil and (_step - 1)`, where _step is updateGradInputStep once backward has begun."""
    cell = lstm()
    by_number = cell.clone()
    state = [values(B, H, seed=5), values(B, H, seed=6)]
    for module, count in ((cell, None), (by_number, 2)):
        module.forward(XS[0])
        module.forward(XS[1])
        module.setHiddenState(count, state)
        module.forward(XS[2])
        module.setGradHiddenState(count and 3, state)
        module.backward(XS[2], GS[2])
    same(cell.output, by_number.output)
    same(cell.gradInput, by_number.gradInput)
    same(cell.getGradHiddenState(), by_number.getGradHiddenState(2))


def test_the_gradient_of_the_initial_state():
    cell, start = lstm(), [values(B, H, seed=5), values(B, H, seed=6)]
    cell.setHiddenState(0, start)
    backward_through_time(cell, XS, GS)
    got = [np.array(g) for g in cell.getGradHiddenState(0)]

    def loss(_):
        return sum(float((h * g).sum()) for h, g in zip(unrolled(cell, XS, start)[0], GS, strict=True))

    same(got, [slopes(loss, start[0]), slopes(loss, start[1])], 1e-6, 1e-9)


def test_a_gradient_can_be_sent_into_the_last_state():
    """As the encoder of an encoder-decoder pair gets it."""
    cell, sent, xs = lstm(), [values(B, H, seed=5), values(B, H, seed=6)], XS.copy()
    for x in xs:
        cell.forward(x)
    cell.setGradHiddenState(T, sent)
    got = [np.array(cell.backward(x, np.zeros((B, H)))) for x in xs[::-1]][::-1]

    def loss(_):
        hs, cs = unrolled(cell, xs)
        return float((hs[-1] * sent[0]).sum() + (cs[-1] * sent[1]).sum())

    same(got, list(slopes(loss, xs)), 1e-6, 1e-9)


def test_a_stack_of_steps_works_like_a_sequencer_of_the_stack():
    stack = nn.Sequential().add(nn.FastLSTM(D, H)).add(nn.Tanh()).add(nn.FastLSTM(H, H)).double()
    net = nn.Sequencer(stack.clone()).double()
    got = backward_through_time(stack, XS, GS)
    net.forward(XS)
    same(net.backward(XS, GS), got)
    same(net.parameters()[1], stack.parameters()[1])


def test_a_sequencer_of_a_stateless_module_applies_it_to_every_step():
    net = nn.Sequencer(nn.Linear(D, H)).double()
    w, b = arrays(net.parameters()[0])
    same(net.forward(XS), XS @ w.T + b)
    net.backward(XS, GS)
    same(net.parameters()[1], [np.einsum("tbh,tbd->hd", GS, XS), GS.sum((0, 1))])


def test_evaluation_keeps_nothing_of_earlier_steps(little_to_collect):
    cell = lstm().evaluate()
    hs, _ = unrolled(cell, XS)
    for x, h in zip(XS, hs, strict=True):
        same(cell.forward(x), h)

    def live():
        gc.collect()
        return len(jax.live_arrays())

    before = live()
    for _ in range(20):
        cell.forward(XS[0])
    assert live() <= before


def test_training_keeps_no_more_than_rho_steps(little_to_collect):
    cell = lstm(3)
    for _ in range(6):
        cell.forward(XS[0])
    gc.collect()
    before = len(jax.live_arrays())
    for _ in range(20):
        cell.forward(XS[0])
    gc.collect()
    assert len(jax.live_arrays()) <= before


def test_another_batch_size_without_forget_is_an_error():
    cell = lstm()
    cell.forward(XS[0])
    with pytest.raises(ValueError, match=r"nn.FastLSTM\(3 -> 2\).*forget"):
        cell.forward(values(B + 1, D))
    cell.forget()
    assert cell.forward(values(B + 1, D)).size() == [B + 1, H]


def test_methods_of_gates_are_refused_which_would_never_run():
    cell = lstm()
    cell.i2g.accGradParameters = lambda *_: None
    with pytest.raises(TypeError, match=r"^nn.FastLSTM\(3 -> 2\): uses the arrays of nn.Linear\(3 -> 8\) alone, whose"):
        cell.forward(XS[0])


def test_lstm_dropout_uses_one_mask_for_the_whole_sequence():
    cell = nn.FastLSTM(D, H, None, None, None, None, 0.5).double()
    cell.forward(XS[0])
    state = [np.array(s) for s in cell.getHiddenState()]
    first = np.array(cell.forward(XS[1]))
    cell.setHiddenState(2, state)
    same(cell.forward(XS[1]), first)
