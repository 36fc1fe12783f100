"""What no class can have as a field: constructors and `replace` say what is wrong, naming the class and the field."""

import dataclasses
import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES
from criterion_cases import CRITERIONS

import functorch7 as f7
from functorch7.legacy import manualSeed, nn
from functorch7.legacy.objects.generated import class_of

KEY = jax.random.key(7)
OF_EACH_CLASS = {type(case.module): case.module for case in reversed(MODULES)}


@pytest.mark.parametrize("given, shown", [(None, "None"), ("a", "'a'"), ([1], "[1]")], ids=str)
@pytest.mark.parametrize(
    "make, sizes, field",
    [
        (f7.Dropout, (2, 3), "a number as p"),
        (lambda wrong: f7.BatchNormalization(3, 1e-5, wrong), (2, 3), "a number as momentum"),
        (lambda wrong: f7.SpatialConvolution(2, 3, 2, 2, 1, 1, wrong), (2, 3, 3), "a whole number as padw"),
        (lambda wrong: f7.SpatialMaxPooling(2, 2, 1, 1, wrong), (2, 3, 3), "a whole number as padw"),
        (lambda wrong: f7.Narrow(1, 1, wrong), (2, 3), "a whole number as length"),
        (f7.OneHot, (2,), "a whole number as output_size"),
    ],
)
def test_a_field_that_is_no_number_is_named(make, sizes, field, given, shown):
    """When the module is made, or where it is called, in a network, too."""
    with pytest.raises(TypeError) as caught:
        network = f7.Sequential(make(given))
        jax.eval_shape(lambda: network.apply(*network.init(KEY), jnp.ones(sizes), key=KEY, train=True))
    assert re.fullmatch(rf"nn\.\w+: expected {field}, got {re.escape(shown)}", str(caught.value))


ARGUMENTS = ("no", [1, [2]], {"a": 1}, b"x", nn.Tanh, object())
CONSTRUCTED = [kind for kind in f7.core.registry.values() if kind.__module__.startswith("functorch7.")]


@pytest.mark.parametrize("kind", CONSTRUCTED, ids=lambda kind: kind.__name__)
def test_constructors_name_the_class_whatever_they_are_given(kind):
    """Or make what can be printed; so do those of the stateful interface, under Torch's names."""
    numbers = [(3,) * count for count in range(5)]
    for given in [(), (object(),) * 40, *((*sizes, wrong) for sizes in numbers for wrong in ARGUMENTS)]:
        for make in (kind, class_of(kind)):
            try:
                str(make(*given))
            except Exception as error:
                assert type(error).__name__ in ("TypeError", "ValueError", "RuntimeError", "KeyError"), error
                assert str(error).startswith((f"{kind.torch_name()}:", f"{kind.torch_name()}(")), error


def test_a_field_that_is_to_be_a_module_is_one():
    with pytest.raises(TypeError, match="^nn.WeightNorm: expected a module, got 3$"):
        f7.WeightNorm(3)
    with pytest.raises(TypeError, match="^nn.CriterionTable: expected a criterion, got nn.Tanh$"):
        f7.CriterionTable(f7.Tanh())
    with pytest.raises(TypeError, match="^nn.AddConstant: expected numbers as constant_scalar, got None$"):
        f7.AddConstant(None)
    with pytest.raises(TypeError, match="^nn.Dropout: expected a number as p, got 'much'$"):
        f7.Dropout(0.5).replace(p="much")


@pytest.mark.parametrize(
    "make, sizes, said",
    [
        (nn.Unsqueeze, (2, 3), "nn.Unsqueeze: expected a whole number as pos, got 1.5"),
        (lambda size: nn.Narrow(1, 1, size), (2, 3), "nn.Narrow: expected a whole number as length, got 1.5"),
        (lambda pad: nn.SpatialZeroPadding(pad, 1, 1, 1), (1, 3, 3), "nn.SpatialZeroPadding: .* as pad_l, got 1.5"),
        (nn.Squeeze, (1, 3), "nn.Squeeze: expected a whole number as dim, got 1.5"),
        (lambda dim: nn.Transpose([dim, 2]), (2, 3), "nn.Transpose: expected a dimension counted from 1"),
        (lambda size: nn.View(size, 6), (2, 3), "nn.View: expected sizes"),
        (lambda size: nn.LSTM(size, 3), (2, 1), "expected input_size >= 1, got 1.5"),
    ],
)
def test_a_fraction_as_a_size_is_named_and_a_whole_number_is_taken_however_it_is_written(make, sizes, said):
    """As in programs that divide a size by two: Torch's numbers are all of one type."""
    given = np.arange(math.prod(sizes)).reshape(sizes) / 7
    with pytest.raises((TypeError, ValueError), match=said):
        make(1.5).forward(given)
    manualSeed(3)
    expected = make(1).forward(given).numpy()
    for one in (1.0, np.float32(1), np.int64(1), jnp.ones((), int)):
        manualSeed(3)
        np.testing.assert_array_equal(make(one).forward(given).numpy(), expected)


@pytest.mark.parametrize(
    "make, one, other, kind",
    [
        (lambda size: f7.Linear(size, 2).input_size, 3, 3.0, int),
        (lambda p: f7.Dropout(p).p, 0, np.int64(0), float),
        (lambda rho: f7.Recursor(f7.Linear(2, 2), rho).rho, np.uint8(4), 4.0, int),
        (lambda slope: f7.LeakyReLU(slope).negval, 1, jnp.asarray(1), float),
        (lambda size: f7.Reshape(size, 2).size[0], 3, jnp.asarray(3.0), int),
    ],
)
def test_equal_numbers_make_equal_descriptions(make, one, other, kind):
    """Which share programs, so that a number is of the type that its field declares, whatever was given."""
    assert type(make(one)) is type(make(other)) is kind and make(one) == make(other)


@pytest.mark.parametrize("wrong", ["sum", 0.5, np.ones(2), [True]], ids=str)
def test_what_is_neither_true_nor_false_is_refused_by_every_class(wrong):
    """As in MSECriterion("sum"), which would have averaged: what is no boolean counts as one."""
    checked = set()
    for module in [*OF_EACH_CLASS.values(), *(criterion for criterion, *_ in CRITERIONS)]:
        for each in dataclasses.fields(module):
            if each.init and each.type in (bool, "bool") and type(module) is not f7.LinearNoBias:
                with pytest.raises(TypeError, match=rf"^(cud)?nn\.\w+: expected True or False as {each.name}, got "):
                    module.replace(**{each.name: wrong})
                checked.add(type(module))
    assert {f7.MSECriterion, f7.Linear, f7.BatchNormalization, f7.MultiHeadAttention} <= checked


@pytest.mark.parametrize("make", [
    f7.Dropout, f7.Normalize, lambda wrong: f7.Clamp(wrong, 3), lambda wrong: f7.Kmeans(3, 2, wrong),
    f7.MultiMarginCriterion, lambda wrong: f7.FastLSTM(3, 4, p=wrong),
    lambda wrong: f7.AffineGridGeneratorBHWD(wrong, 3),
])  # fmt: skip
def test_an_array_in_the_place_of_a_number_is_named(make):
    with pytest.raises(TypeError, match=r"^nn\.\w+: expected a (whole )?number as \w+, got array"):
        make(np.ones(2))


@pytest.mark.parametrize("make", [f7.WeightedMSECriterion, f7.ClassNLLCriterion, f7.CrossEntropyCriterion])
def test_weights_that_are_no_numbers_are_refused(make):
    for wrong, said in (("both", "'both'"), (np.ma.masked_array([1.0, 2.0], [0, 1]), "a numpy.MaskedArray")):
        with pytest.raises(TypeError, match=rf"nn.{make.__name__}: expected numbers, got {said}"):
            make(wrong)
