"""Gradients against numerical differentiation, of whole programs: operations one by one would each be compiled."""

import jax
import numpy as np
from jax.test_util import check_vjp


def check_gradient(function, *args, compiled=True, **tolerance):
    """Reverse-mode gradients along a random direction against difference quotients (in float64, to be exact).

    Two programs are compiled: the function, and its value together with the pullback of a cotangent.
    """

    def program(function):
        run = jax.jit(function) if compiled else function
        return lambda *args: jax.tree.map(np.asarray, run(*args))  # what NumPy adds up needs no program

    @program
    def pull(args, cotangent):
        value, back = jax.vjp(function, *args)
        return value, back(cotangent)

    def differentiate(*args):
        value = evaluate(*args)
        return pull(args, value)[0], lambda cotangent: pull(args, cotangent)[1]

    evaluate = program(function)
    check_vjp(evaluate, differentiate, jax.tree.map(np.asarray, args), **tolerance)
