"""Gradients against numerical differentiation, of whole programs: operations one by one would each be compiled."""

import jax
import numpy as np
from jax.test_util import check_vjp


def check_gradient(function, *args, compiled=True, **tolerance):
    """Reverse-mode gradients along a random direction against difference quotients (in float64, to be exact).

    One program is compiled, and the function traced once: its value, and its value with the pullback of a cotangent.
    """
    if compiled:
        function = jax.jit(function)

    def both(args, cotangent):
        value, back = jax.vjp(function, *args)
        return function(*args), value, back(cotangent)

    program = jax.jit(both) if compiled else both
    like = jax.eval_shape(function, *args) if compiled else function(*args)
    none = jax.tree.map(lambda output: np.zeros(output.shape, output.dtype), like)

    def run(args, cotangent=none):
        return jax.tree.map(np.asarray, program(args, cotangent))  # what NumPy adds up needs no program

    def differentiate(*args):
        return run(args)[1], lambda cotangent: run(args, cotangent)[2]

    check_vjp(lambda *args: run(args)[0], differentiate, jax.tree.map(np.asarray, args), **tolerance)
