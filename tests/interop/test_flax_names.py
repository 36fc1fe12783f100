"""What Flax, Equinox and Keras call otherwise is told by the name that it has here."""

import re

import pytest

import functorch7 as f7
from functorch7.interop.flax_names import OF_FLAX


@pytest.mark.parametrize("name", OF_FLAX)
def test_a_name_of_flax_says_what_is_written_here(name):
    with pytest.raises(AttributeError, match=re.escape(f"functorch7 has no {name!r}: here it is {OF_FLAX[name]}")):
        getattr(f7, name)
    for written in re.findall(r"f7\.(\w+)", OF_FLAX[name]):
        assert hasattr(f7, written)


@pytest.mark.parametrize(("name", "meant"), [("relu", "ReLU"), ("log_softmax", "LogSoftMax"), ("softmax", "SoftMax")])
def test_a_name_that_differs_in_capitals_or_underscores_alone_is_recognised(name, meant):
    with pytest.raises(AttributeError, match=f"functorch7 has no {name!r}; did you mean {meant}"):
        getattr(f7, name)
