"""Bad input is refused at once, by a message that names the module, what was expected and what was given."""

import inspect
import re
from functools import partial

import jax
import numpy as np
import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.objects import named_calls

from .helpers import same, values

WRONG_INPUT = {
    "feature size": (lambda: nn.Linear(10, 5), (3, 7),
                     r"nn.Linear\(10 -> 5\): expected input of size 10 in the last dimension, got shape \(3, 7\)"),
    "planes": (lambda: nn.SpatialConvolution(3, 8, 5, 5), (2, 4, 9, 9),
               r"nn.SpatialConvolution\(3 -> 8, 5x5\): expected .* 3 planes in dimension -3, got shape \(2, 4, 9, 9\)"),
    "rank": (lambda: nn.SpatialConvolution(3, 8, 5, 5), (9, 9),
             r"nn.SpatialConvolution\(3 -> 8, 5x5\): expected a 3D or 4D tensor .*, got shape \(9, 9\)"),
    "image smaller than the kernel": (lambda: nn.SpatialConvolution(1, 1, 5, 5), (1, 3, 3),
                                      r"nn.SpatialConvolution\(1 -> 1, 5x5\): .*got shape \(1, 3, 3\)"),
    "rank of a pooling": (lambda: nn.SpatialMaxPooling(2, 2), (5,),
                          r"nn.SpatialMaxPooling\(2x2, 2,2\): expected a 3D or 4D tensor, got shape \(5,\)"),
    "features of a normalisation": (lambda: nn.BatchNormalization(3), (4, 2),
                                    r"nn.BatchNormalization.*3 features in dimension 2, got shape \(4, 2\)"),
    "one example to normalise": (lambda: nn.BatchNormalization(3), (3,),
                                 r"nn.BatchNormalization.*expected a mini-batch .*, got shape \(3,\)"),
    "rank of a softmax": (lambda: nn.SoftMax(), (1, 1, 1, 1, 1),
                          r"nn.SoftMax: expected a 1D, 2D, 3D or 4D tensor, got shape \(1, 1, 1, 1, 1\)"),
    "elements of a reshape": (lambda: nn.Reshape(2, 3), (4, 5), r"nn.Reshape\(2x3\): expected .*, got shape \(4, 5\)"),
    "elements of a view": (lambda: nn.View(-1, 3), (2, 5), r"nn.View\(-1, 3\): expected .*, got shape \(2, 5\)"),
    "slices of a parallel": (lambda: nn.Parallel(1, 1).add(nn.Identity()), (2, 3),
                             r"nn.Parallel: expected 1 to 1 slices \(one for each module\) in dimension 1, got shape"),
    "dimension of a parallel": (lambda: nn.Parallel(3, 1).add(nn.Identity()), (2, 3),
                                r"nn.Parallel: expected a dimension from 1 to 2 or -2 to -1, got 3"),
    "parallel without dimensions": (lambda: nn.Parallel().add(nn.Identity()), (2, 3),
                                    r"nn.Parallel: expected a dimension .*, got None"),
    "features of an LSTM": (lambda: nn.FastLSTM(3, 4), (2, 5),
                            r"nn.FastLSTM\(3 -> 4\): expected input of size 3 .*, got shape \(2, 5\)"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG_INPUT)
def test_input_of_a_wrong_shape(wrong):
    make, shape, message = WRONG_INPUT[wrong]
    with pytest.raises(ValueError, match=message):
        make().forward(values(*shape))


NOTHING_FOR_MODULES = ["hello", object(), len, {1, 2}, np.array(["a"]), 1j, np.ones((2, 3), np.complex64)]


@pytest.mark.parametrize("wrong", [None, [], *NOTHING_FOR_MODULES], ids=lambda wrong: type(wrong).__name__)
def test_input_that_is_no_tensor(wrong):
    network = nn.Sequential().add(nn.Linear(3, 2))
    for run in (
        lambda: network.forward(wrong),
        lambda: nn.MSECriterion().forward(wrong, values(2)),
        lambda: nn.MSECriterion().forward(values(2), wrong),
        lambda: nn.CriterionTable(nn.ClassNLLCriterion()).forward([values(2), wrong]),
    ):
        with pytest.raises(
            (TypeError, ValueError), match=r"^nn\.\w+.*: expected (a tensor|tensors|a table|real numbers)"
        ):
            run()


def test_a_complex_grad_output():
    network = nn.Linear(3, 2)
    network.forward(values(1, 3))
    with pytest.raises(TypeError, match="nn.Linear.*: expected real numbers, got complex64"):
        network.backward(values(1, 3), np.ones((1, 2), np.complex64))


DPNN_REFUSES = {
    "a glimpse's size": (lambda: nn.SpatialGlimpse("a"), "nn.SpatialGlimpse: expected a size, a number or .*, got 'a'"),
    "three sizes": (lambda: nn.SpatialGlimpse([3, 4, 5]), "nn.SpatialGlimpse: expected a size, .*, got a table of 3"),
    "two devices": (lambda: nn.NCEModule(4, 7, 2, torch.ones(7)).multicuda(1), "nn.NCEModule.*: specify two devices"),
    "two elements": (lambda: nn.ZipTableOneToMany().forward([values(1), values(2)]),
                     r"nn.ZipTableOneToMany: expected a table of an element and a table, got a table of 2"),
    "a sequence of nothing": (lambda: nn.SequencerCriterion(nn.MSECriterion()).forward([], []),
                              "nn.SequencerCriterion: expected a sequence of at least one step, got an empty table"),
    "a table of probabilities": (lambda: nn.BinaryClassReward(nn.ReinforceBernoulli()).forward(values(2), [1, 1]),
                                 r"nn.BinaryClassReward: expected a table of probabilities and baseline, got shape"),
    "log-probabilities": (lambda: nn.TreeNLLCriterion().forward(values(2, 2), None),
                          r"nn.TreeNLLCriterion: expected a vector of log-probabilities, .*, got shape \(2, 2\)"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", DPNN_REFUSES)
def test_what_dpnns_modules_refuse(wrong):
    run, message = DPNN_REFUSES[wrong]
    with pytest.raises(ValueError, match=message):
        run()


@pytest.mark.parametrize("make", [lambda: nn.Linear(2, 2), nn.Tanh, nn.SoftMax, lambda: nn.BatchNormalization(2),
                                  nn.Dropout, lambda: nn.L1Penalty(1), lambda: nn.SpatialMaxPooling(2, 2)])  # fmt: skip
def test_a_table_where_a_tensor_is_expected(make):
    with pytest.raises((ValueError, TypeError), match=r"nn\.\w+.*: expected a tensor, got a table of 2"):
        make().forward([values(2), values(2)])


@pytest.mark.parametrize("make", [nn.CAddTable, lambda: nn.JoinTable(1), nn.MaskedSelect])
def test_a_tensor_where_a_table_is_expected(make):
    with pytest.raises(ValueError, match=r"nn\.\w+.*: expected a table of at least \d, got shape \(2,\)"):
        make().forward(values(2))


@pytest.mark.parametrize("make", [lambda: nn.Linear(2, 2), nn.Tanh, nn.ReLU, lambda: nn.BatchNormalization(2),
                                  lambda: nn.Add(2, fill=0.5), lambda: nn.CMul(2, fill=0.5), nn.PReLU,
                                  lambda: nn.RReLU().evaluate()])  # fmt: skip
def test_integer_tensors_are_refused_and_plain_numbers_are_floating_point(make):
    with pytest.raises(TypeError, match=r"nn\.\w+.*: expected a floating-point tensor, got int"):
        make().forward(torch.LongTensor([[1, 2], [3, 5]]))
    same_numbers = [[1, 2], [3, 5]], torch.Tensor([[1, 2], [3, 5]])
    module = make()
    listed, given = (np.asarray(module.forward(x)) for x in same_numbers)
    np.testing.assert_array_equal(listed, given)


def test_the_way_to_the_error_is_told():
    net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Sequential().add(nn.Tanh()).add(nn.Linear(5, 2)))
    with pytest.raises(ValueError, match=r"nn.Linear\(5 -> 2\): expected input of size 5") as caught:
        net.forward(values(2, 3))
    assert caught.value.__notes__[:2] == ["In 2 module of nn.Sequential:"] * 2


@pytest.mark.parametrize("make", [lambda: nn.Concat(0), lambda: nn.JoinTable(0), lambda: nn.Parallel(0, 1),
                                  lambda: nn.Parallel(1, 0), lambda: nn.Concat(1.5)])  # fmt: skip
def test_dimensions_count_from_one(make):
    with pytest.raises(ValueError, match=r"nn\.\w+.*: expected a dimension counted from 1"):
        make()


@pytest.mark.parametrize("make, argument", [(lambda: nn.Linear(0, 2), "input_size"),
                                            (lambda: nn.Linear(2, -1), "output_size"),
                                            (lambda: nn.SpatialConvolution(1, 1, 0, 3), "kw"),
                                            (lambda: nn.FastLSTM(2.5, 3), "input_size")])  # fmt: skip
def test_sizes_are_whole_and_positive(make, argument):
    with pytest.raises(ValueError, match=rf"nn\.\w+: expected {argument} >= 1, got"):
        make()


def test_a_drop_probability_is_one():
    for p in (-0.1, 1, 1.5):
        with pytest.raises(ValueError, match="nn.Dropout: expected 0 <= p < 1"):
            nn.Dropout(p)


PEOPLE = [nn.Linear(3, 2), nn.Sequential(), nn.gModule([x := nn.Identity()()], [x]), nn.FastLSTM(3, 2),
          nn.Sequencer(nn.Identity()), nn.MSECriterion(), nn.MultiCriterion()]  # fmt: skip


@pytest.mark.parametrize("object", PEOPLE, ids=lambda each: each.typename())
def test_methods_that_are_given_too_much_say_what_they_take(object):
    for name in (each for each in dir(object) if "_" not in each and each not in named_calls.ASKED):
        method = inspect.getattr_static(object, name, None)
        if not inspect.isfunction(method) or "VAR_POSITIONAL" in {
            each.kind.name for each in inspect.signature(method).parameters.values()
        }:
            continue
        with pytest.raises((TypeError, NotImplementedError)) as error:  # of methods that Torch has given up
            getattr(object, name)(*[0] * 20)
        said = f"{object.typename()}.{name}: expected ("
        assert error.type is NotImplementedError or str(error.value).startswith(said), str(error.value)


class TwoFactors(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x, y):
        return x * y * self.factor


def test_too_few_arguments_to_run_a_module_or_a_criterion():
    for call, said in (
        (nn.Linear(3, 2).forward, "nn.Linear.forward: expected (input), got ()"),
        (nn.Linear(3, 2).backward, "nn.Linear.backward: expected (input, [gradOutput], [scale]), got ()"),
        (nn.MSECriterion().forward, "nn.MSECriterion.forward: expected (input, [target]), got ()"),
        (partial(TwoFactors(2), np.ones(3)), "TwoFactors.forward: expected (x, y), got (a tensor of size 3)"),
        (TwoFactors, "TwoFactors.__init__() missing 1 required positional argument"),  # in the user's own code
    ):
        with pytest.raises(TypeError, match=re.escape(said)):
            call()


def test_too_many_or_too_few_arguments():
    with pytest.raises(
        TypeError, match=r"nn.Linear: expected \(inputSize, outputSize, \[bias\]\), got \(1, 2, True, 4\)"
    ):
        nn.Linear(1, 2, True, 4)
    with pytest.raises(TypeError, match=r"nn.Linear: expected \(inputSize, outputSize, \[bias\]\), got \(1\)"):
        nn.Linear(1)


@pytest.mark.parametrize("module", [nn.Dropout(0.3), nn.LSTM(2, 2)], ids=["draws", "has state"])
def test_backward_before_a_forward_that_it_depends_on(module):
    with pytest.raises(RuntimeError, match=rf"{module.typename()}.*: backward called before forward"):
        module.backward(values(4, 2), values(4, 2))


def test_backward_with_another_input_needs_a_gradient_of_its_outputs_shape():
    module = nn.Linear(2, 3)
    module.forward(values(4, 2))
    with pytest.raises(ValueError, match=r"nn.Linear\(2 -> 3\): expected a gradOutput of shape \(5, 3\)"):
        module.backward(values(5, 2), values(4, 3))


def test_backward_with_a_gradient_of_another_shape():
    module = nn.Linear(2, 3)
    module.forward(values(4, 2))
    for wrong in (values(4, 2), values(3), values(1, 1)):
        with pytest.raises(ValueError, match=r"nn.Linear\(2 -> 3\): expected a gradOutput of shape \(4, 3\), as the"):
            module.backward(values(4, 2), wrong)


@pytest.mark.parametrize("wrong, said", [("text", "'text'"), (["text"], "a table of 1: 'text'"), (1.5, "shape ()")])
def test_backward_with_what_is_no_gradient_says_what_it_was(wrong, said):
    module = nn.Linear(2, 3)
    module.forward(values(4, 2))
    with pytest.raises(ValueError, match=re.escape(f"of shape (4, 3), as the output, got {said}")):
        module.backward(values(4, 2), wrong)


@pytest.mark.parametrize(
    "wrong, said",
    [
        ("text", "'text'"),
        (np.array(["text"]), "<U4 of shape \\(1,\\)"),
        (np.array([0], "m8[s]"), "timedelta64\\[s\\] of shape \\(1,\\)"),
        (np.ma.masked_array([1.0], True), "a numpy.MaskedArray; its filled"),
        (torch.DoubleStorage(1), "a functorch7.Storage"),
    ],
    ids=["a text", "an array of texts", "durations", "a masked array", "a storage"],
)
def test_what_holds_no_numbers_is_neither_a_gradient_nor_an_input(wrong, said):
    module, table = nn.Identity(), nn.CAddTable()
    module.forward(values(1)), table.forward([values(1), values(1)])
    with pytest.raises(
        ValueError, match=rf"nn.Identity: expected a gradOutput of shape \(1,\), as the output, got {said}"
    ):
        module.backward(values(1), wrong)
    with pytest.raises(TypeError, match=rf"nn.Tanh: expected a tensor, got {said}"):
        nn.Tanh().forward(wrong)  # an Identity hands texts on
    with pytest.raises(TypeError, match=rf"nn.CAddTable: expected a table of tensors, got {said}"):
        table.forward([values(1), wrong])


@pytest.mark.parametrize("wrong", [1j, np.complex64(1j), "a", [1], np.ones(2), torch.ones(2), object()], ids=type)
def test_gradients_are_multiplied_by_real_numbers_alone(wrong):
    net, x, slope = nn.Sequential(nn.Linear(2, 3)), values(4, 2), values(4, 3)
    for call, name in (
        (lambda: net.updateParameters(wrong), "learningRate"),
        (lambda: net.backward(x, slope, wrong), "scale"),
        (lambda: net.accGradParameters(x, slope, wrong), "scale"),
        (lambda: net.accUpdateGradParameters(x, slope, wrong), "lr"),
    ):
        net.forward(x)
        net.backward(x, slope)
        before = [list(map(np.array, tensors)) for tensors in net.parameters()]
        with pytest.raises(TypeError, match=rf"^nn.Sequential: expected a number as {name}, got "):
            call()
        same(net.parameters(), before)
    with pytest.raises(TypeError, match="torch.mul: expected"):
        torch.ones(2).mul(1j)


@pytest.mark.parametrize("transform", [jax.jit, jax.vmap, lambda f: jax.grad(lambda x: f(x).sum())])
@pytest.mark.parametrize("make", [lambda: nn.Linear(2, 3), lambda: nn.Sequential().add(nn.LSTM(2, 3))])
def test_what_jax_traces_is_refused_and_changes_nothing(make, transform):
    module, x = make(), values(4, 2)
    expected = np.array(module.forward(x))
    with pytest.raises(TypeError, match=r"changes with each call, so that JAX cannot trace it; .*functional\(\)"):
        transform(module.forward)(x)
    module.forget()
    np.testing.assert_array_equal(module.forward(x), expected)
    criterion = nn.MSECriterion()
    with pytest.raises(TypeError, match="nn.MSECriterion: the object changes with each call"):
        transform(lambda x: criterion.forward(x, np.zeros(x.shape)))(x)


def test_an_error_leaves_the_module_as_it_was():
    module = nn.Linear(2, 3).double()
    x, g = values(4, 2), values(4, 3)
    expected = np.array(module.forward(x))
    with pytest.raises(ValueError, match="expected input of size 2"):
        module.forward(values(4, 5))
    np.testing.assert_array_equal(module.forward(x), expected)
    module.backward(x, g)
    gradient = np.array(module.gradWeight)
    with pytest.raises(ValueError, match="expected a gradOutput of shape"):
        module.backward(x, values(4, 2))
    np.testing.assert_array_equal(module.gradWeight, gradient)


@pytest.mark.parametrize("wrong", [values(2), {1: values(2), 2: values(3)}, [values(2)]])
def test_backward_at_another_kind_of_input_than_a_table_of_unequal_tensors(wrong):
    module = nn.ParallelTable().add(nn.Linear(2, 2)).add(nn.Linear(3, 2))
    outputs = module.forward([values(2), values(3)])
    with pytest.raises(ValueError, match=r"nn.ParallelTable: expected a table of at least 2, got"):
        module.backward(wrong, outputs)


@pytest.mark.skipif(jax.default_backend() == "gpu", reason="there is a GPU")
def test_cuda_without_a_gpu():
    for subject in (nn.Linear(2, 3), nn.Sequential().add(nn.Tanh()), nn.MSECriterion(), torch.Tensor(2)):
        move = getattr(subject, "cuda", None) or (lambda t=subject: t.type("torch.CudaTensor"))
        with pytest.raises(RuntimeError, match=r"cuda\(\) needs a GPU, but JAX sees only"):
            move()
    assert nn.Linear(2, 3).type() == "torch.FloatTensor"


def test_unknown_fields_and_methods():
    with pytest.raises(AttributeError, match="nn.Linear has no attribute 'wieght'"):
        _ = nn.Linear(2, 3).wieght
    with pytest.raises(AttributeError, match="Liner"):
        _ = nn.Liner


def test_a_masked_select_under_a_sequencer_works_step_by_step():
    """Its output's size depends on values: never compiled, but no error either."""
    masked = nn.Sequencer(nn.MaskedSelect())
    x, mask = values(2, 3), np.array([[1, 0, 1], [0, 1, 1]])
    outputs = masked.forward([[x, mask], [x + 1, mask]])
    np.testing.assert_allclose(outputs[1], (x + 1)[mask > 0], rtol=1e-6)


def test_share_wants_a_network_of_the_same_structure():
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    for given, shown in ((nn.Linear(2, 3), "nn.Linear(2 -> 3)"), (nn.Sequential(nn.Linear(2, 3)), "nn.Sequential")):
        with pytest.raises(ValueError, match=re.escape(f"share: expected a module with 2 modules inside, got {shown}")):
            net.share(given, "weight")
    with pytest.raises(ValueError, match="nn.Sequential: share: expected a module with 2 modules inside, got 3"):
        net.share(3, "weight")


def _own_error(module):
    raise TypeError("the user's own")


@pytest.mark.parametrize(("call", "said"), [
    (lambda net: net.updateParameters("0.1"), "nn.Sequential: expected a number as learningRate, got '0.1'"),
    (lambda net: net.updateParameters(), "nn.Sequential.updateParameters: expected (learningRate), got ()"),
    (lambda net: net.add(), "nn.Sequential.add: expected (module), got ()"),
    (lambda net: net.apply(None), "nn.Sequential.apply: expected (callback), got (None)"),
    (lambda net: net.replace("nn.Tanh"), "nn.Sequential.replace: expected (callback), got ('nn.Tanh')"),
    (lambda net: net.clone(["weight"]), "nn.Sequential.clone: expected (names...), got (['weight'])"),
    (lambda net: net.get(1).weightDecay("x"), "nn.Linear.weightDecay: expected (wdFactor, [wdMinDim]), got ('x')"),
    (lambda net: net.get(1).gradParamClip(None), "nn.Linear.gradParamClip: expected (cutoffNorm, [moduleLocal]), got"),
    (lambda net: setattr(net.get(1), "bias", 0), "nn.Linear(3 -> 2): expected a tensor as bias, got 0"),
    (lambda net: setattr(net.get(1), "gradWeight", "x"), "nn.Linear(3 -> 2): expected a tensor as gradWeight, got 'x'"),
    (lambda net: setattr(nn.BatchNormalization(2), "running_var", None), 
     "nn.BatchNormalization (2D) (2): expected a tensor as running_var, got None"),
    (lambda net: net.get(1).reset("x"), "nn.Linear.reset: expected ([stdv]), got ('x')"),
    (lambda net: nn.Module.flatten(), "nn.Module.flatten: expected (tensors), got ()"),
    (lambda net: net.flatten([1]), "nn.Sequential.flatten: expected (tensors), got (a tensor of size 1)"),
    (lambda net: nn.AbstractRecurrent.recursiveCopy(3), "nn.AbstractRecurrent.recursiveCopy: expected (t1, t2), got"),
    (lambda net: nn.LinearWeightNorm.fromLinear(), "nn.LinearWeightNorm.fromLinear: expected (linear), got ()"),
    (lambda net: nn.Jacobian.testJacobian(net), "nn.Jacobian.testJacobian: expected (module, input, [minval],"),
    (lambda net: nn.tables.full(3), "nn.tables.full: expected (nin, nout), got (3)"),
    (lambda net: net.apply(_own_error), "the user's own"),
    (lambda net: net.add(3), "nn.Sequential: expected a module, got 3"),
])  # fmt: skip
def test_calls_of_methods_that_do_not_fit_are_named(call, said):
    """Nothing changes by them. What users' functions raise, and what is named already, stays."""
    net = nn.Sequential().add(nn.Linear(3, 2))
    weight = net.get(1).weight.clone()
    with pytest.raises(TypeError, match="^" + re.escape(said)):
        call(net)
    assert net.size() == 1 and (net.get(1).weight.numpy() == weight.numpy()).all()
