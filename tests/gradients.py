"""Gradients against numerical differentiation, of whole programs: operations one by one would each be compiled."""

import jax
from jax.test_util import check_vjp


def check_gradient(function, *args, compiled=True, **tolerance):
    """Reverse-mode gradients along a random direction against difference quotients (in float64, to be exact).

    Two programs are compiled: the function, and its value together with the pullback of a cotangent.
    """
    compile = jax.jit if compiled else lambda function: function
    evaluate = compile(function)

    @compile
    def pull(args, cotangent):
        value, back = jax.vjp(function, *args)
        return value, back(cotangent)

    def differentiate(*args):
        value = evaluate(*args)
        return pull(args, value)[0], lambda cotangent: pull(args, cotangent)[1]

    check_vjp(evaluate, differentiate, args, **tolerance)
