"""A module computes the same however it is held: each row of `cases.py`, and what is made of it in 8 bits.

Nearly all ways of holding add nothing to the program; programs that read the same compute the same, and are not run.
"""

import pickle
import re
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES
from jax.extend.core import Literal
from jax.interpreters import partial_eval
from test_every_module import arrays, assert_close, halved, initial_shapes

import functorch7 as f7
from functorch7.checks.errors import title
from functorch7.core import recording
from functorch7.core.watching import Watch, Watcher, watching
from functorch7.legacy.engine import compiled
from functorch7.legacy.engine.foreign import InMode
from functorch7.legacy.engine.plan import with_modules
from functorch7.legacy.objects.functional import wrap
from functorch7.legacy.objects.own_fields import own_fields
from functorch7.legacy.tensors.values import as_input

KEY = jax.random.key(7)

every = pytest.mark.parametrize("case", MODULES, ids=lambda case: case.id)
wrong = pytest.mark.parametrize("case", [c for c in MODULES if c.bad is not None], ids=lambda case: case.id)


# Ways to hold a module: each makes apply(params, buffers, input, key) -------------------------------------------------


def run(module, train):
    return lambda params, buffers, input, key: module.apply(params, buffers, input, key=key, train=train)


def look(*_):
    """A hook that returns nothing."""


def recorded(module, train):
    def apply(*given):
        with recording():
            return run(module, train)(*given)

    return apply


def hooked(module, train):
    return run(f7.hooked(module, "*", forward_pre=look, forward=look), train)


def watched(module, train):
    looked_at = f7.hooked(module, "*", forward_pre=Watch(1), forward=Watch(2))

    def apply(*given):
        with watching(Watcher()):
            return run(looked_at, train)(*given)

    return apply


def each_child_frozen(module, train):
    """Each module inside, but those of which only the arrays are used, stays in the mode in which it is."""
    uncalled, children = module.traits.uncalled, module.children()
    named = enumerate(children) if isinstance(children, tuple) else children.items()
    return run(with_modules(module, [c if n in uncalled else InMode(c, train) for n, c in named]), train)


ALONE = {
    "with a recorder open": recorded,
    "with hooks that look": hooked,
    "watched": watched,
    "named": lambda module, train: run(module.named("name"), train),
    "frozen": lambda module, train: run(InMode(module, train), not train),
    "with each child frozen": each_child_frozen,
}
TRANSFORMED = {
    "compiled": lambda module, train: jax.jit(run(module, train)),
    "under checkpoint": lambda module, train: jax.checkpoint(run(module, train)),
}
INSIDE = {
    "Sequential": f7.Sequential,
    "Decorator": f7.Decorator,
    "Serial": f7.Serial,
    "DontCast": f7.DontCast,
    "GPU": lambda module: f7.GPU(module, 1),
    "Shared": lambda module: f7.Shared(module, ()),
    "ConcatTable": f7.ConcatTable,
    "Recursor": f7.Recursor,
    "Graph": lambda module: f7.Graph([node := f7.Node(module)], [node]),
}


def inside(outer, train):
    """A module around one; the parameters and buffers given are those of the one."""

    def apply(params, buffers, input, key):
        children = outer.children()
        if isinstance(children, tuple):
            return run(outer, train)([params], [buffers], input, key)
        (name,) = children
        return run(outer, train)({name: params}, {**outer.init_buffers(), name: buffers}, input, key)

    return apply


def first_child(module, train):
    """The module with the key that it has as the first child."""

    def apply(params, buffers, input, key):
        return run(module, train)(params, buffers, input, jax.random.fold_in(key, 0))

    return apply if module.traits.draws(train) else run(module, train)


# Programs as text -----------------------------------------------------------------------------------------------------

shown = cache(str)
CALLS = ("jit", "remat2", "checkpoint", "closed_call")
PASSING = ("device_put", "optimization_barrier")


def text(jaxpr):
    """The operations that matter for the results, with numbers for values in the order in which they are used.

    Calls are written out, and operations that only pass values on left out.
    """
    jaxpr, _ = partial_eval.dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))
    values, numbers, lines = {}, {}, []

    def value(atom):
        return atom if isinstance(atom, Literal) else values.setdefault(atom, object())

    def name(atom):
        of = value(atom)
        return f"{of.val if isinstance(of, Literal) else numbers.setdefault(of, len(numbers))}:{shown(atom.aval)}"

    def walk(jaxpr):
        for equation in jaxpr.eqns:
            given, kind = equation.invars, equation.primitive.name
            if kind in CALLS:
                inner = getattr(equation.params["jaxpr"], "jaxpr", equation.params["jaxpr"])
                values.update(zip(inner.invars, map(value, given), strict=True))
                walk(inner)
                given = inner.outvars
            if kind in CALLS + PASSING:
                values.update(zip(equation.outvars, map(value, given), strict=True))
                continue
            params = {
                key: text(getattr(p, "jaxpr", p)) if hasattr(p, "eqns") else p for key, p in equation.params.items()
            }
            values.update((out, object()) for out in equation.outvars)
            lines.append(f"{kind} {params}: {[*map(name, given)]} -> {[*map(name, equation.outvars)]}")

    walk(jaxpr)
    lines.append(str([*map(name, jaxpr.outvars)]))
    return re.sub(r" at 0x[0-9a-f]+", "", "\n".join(lines))


def equations(jaxpr):
    """All equations, inner ones too."""
    for equation in jaxpr.eqns:
        yield equation
        for value in jax.tree.leaves(equation.params, is_leaf=lambda each: hasattr(each, "eqns")):
            inner = getattr(value, "jaxpr", value)
            yield from equations(inner) if hasattr(inner, "eqns") else ()


def program(apply, given):
    return text(jax.make_jaxpr(apply)(*given).jaxpr)


def program_in_a_scan(apply, given):
    """That of a step of a scan over the arguments."""
    rows = jax.tree.map(lambda array: jax.ShapeDtypeStruct((1, *array.shape), array.dtype), given)

    def step(_, each):
        return None, jax.lax.optimization_barrier(apply(*each))  # so that what only passes is part of the step, too

    (scan,) = jax.make_jaxpr(lambda *given: jax.lax.scan(step, None, given))(*rows).eqns[-1:]
    return text(scan.params["jaxpr"].jaxpr)


# The same numbers and draws -------------------------------------------------------------------------------------------


class Expected:
    """What is expected of a module however it is held: its program, and its numbers where they are asked for."""

    def __init__(self, case, module, apply):
        self.case, self.module, self.apply = case, module, apply
        self.given = *initial_shapes(module), arrays(case.input), KEY  # only the shapes count
        self.program = program(apply, self.given) if case.traceable else None

    def check(self, way, apply):
        """Compares another function of the same arguments: the programs, and where these differ, the numbers."""
        if self.program is not None and program(apply, self.given) == self.program:
            return
        both = lambda *given: [jax.tree.leaves(each(*given)) for each in (apply, self.apply)]  # noqa: E731
        got, wanted = (jax.jit(both) if self.case.traceable else both)(*self.module.init(KEY), *self.given[2:])
        assert_close(got, wanted, rtol=1e-5, atol=1e-6, err_msg=f"{self.module} {way}")


@pytest.mark.one_in(5)
@every
def test_a_module_computes_the_same_however_it_is_held(case):
    module = case.module
    expected = Expected(case, module, run(module, case.train))
    for way, held in ALONE.items():
        expected.check(way, held(module, case.train))
    as_child = Expected(case, module, first_child(module, case.train))
    for name, around in INSIDE.items():
        as_child.check(f"inside {name}", inside(around(module), case.train))
    if case.traceable:
        for way, held in TRANSFORMED.items():
            expected.check(way, held(module, case.train))
        assert program_in_a_scan(expected.apply, expected.given) == expected.program


OF_8_BITS = [c for c in MODULES if c.module.traits.scaled_axes]


@pytest.mark.parametrize("case", OF_8_BITS, ids=lambda case: case.id)
def test_a_module_of_8_bits_computes_the_same_however_it_is_held(case):
    module = f7.Quantized(case.module)
    expected = Expected(case, module, run(module, case.train))
    for way, held in ALONE.items():
        expected.check(way, held(module, case.train))
    Expected(case, module, first_child(module, case.train)).check("inside", inside(f7.Sequential(module), case.train))


@pytest.mark.parametrize(
    "case", [c for c in MODULES if isinstance(c.module, f7.core.Container)], ids=lambda case: case.id
)
def test_a_container_whose_modules_are_all_frozen_computes_as_in_evaluation(case):
    module = case.module
    expected = Expected(case, module, run(module, False))
    expected.check("frozen", run(with_modules(module, [InMode(c, False) for c in module.child_modules()]), True))


# Over time: which is another program, so that numbers are compared ----------------------------------------------------

SEQUENCES = [c for c in MODULES if c.traceable and (c.module.traits.draws(c.train) or c.module.traits.is_step)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", SEQUENCES, ids=lambda case: case.id)
def test_a_sequencer_gives_what_its_module_gives_step_by_step(case):
    """With hooks that look, too (`test_traits.py` has more ways); all in one program."""
    sequencer = f7.Sequencer(case.module)
    steps = [arrays(case.input), jax.tree.map(halved, arrays(case.input))]

    @jax.jit
    def all_ways(params, buffers, steps):
        expected, (buffer,) = [], buffers
        for time, input in enumerate(steps):
            key = jax.random.fold_in(jax.random.fold_in(KEY, time), 0)
            output, buffer = sequencer.modules[0].apply(params[0], buffer, input, key=key, train=case.train)
            expected.append(output)
        return expected, [way(sequencer, case.train)(params, buffers, steps, KEY)[0] for way in (run, hooked)]

    expected, outputs = all_ways(*sequencer.init(KEY), steps)
    for output in outputs:
        assert_close(output, expected, rtol=1e-5, atol=1e-6)


# The same errors ------------------------------------------------------------------------------------------------------


def error_of(call):
    with pytest.raises(ValueError) as caught:
        call()
    return str(caught.value)


def modules_inside(module):
    for child in (*module.child_modules(), *(v for v in vars(module).values() if isinstance(v, f7.Module))):
        yield child
        yield from modules_inside(child)


@wrong
def test_a_wrong_input_is_refused_by_name_with_the_same_words_however_it_is_held(case):
    module, bad = case.module, arrays(case.bad)
    params, buffers = jax.tree.map(lambda like: jnp.zeros(like.shape, like.dtype), initial_shapes(module))
    held = {way: make(module, case.train) for way, make in ALONE.items()}
    held |= {name: inside(around(module), case.train) for name, around in INSIDE.items()}
    if not module.traits.checks_values:  # in compiled programs values are looked at where this is asked for
        held |= {way: make(module, case.train) for way, make in TRANSFORMED.items()}
    expected = error_of(lambda: run(module, case.train)(params, buffers, bad, KEY))
    names = [title(each) for each in (module, *modules_inside(module))]
    assert any(expected.startswith(f"{name}: expected ") for name in names) and " got " in expected, expected
    for way, apply in held.items():
        got = error_of(lambda apply=apply: apply(params, buffers, bad, KEY))
        assert got.endswith(expected), way


# In the stateful interface -------------------------------------------------------------------------------------------


@every
def test_an_object_of_the_stateful_interface_is_its_description(case):
    module = case.module
    params, buffers = jax.tree.map(lambda like: np.ones(like.shape, like.dtype), initial_shapes(module))
    held = wrap(module, params, buffers)
    for way in (held, held.clone(), pickle.loads(pickle.dumps(held)), held.evaluate()):
        description, variables = way.functional()
        assert description == (module.replace(dtype="float32") if isinstance(module, f7.Convert) else module)
        assert_close(variables.params, params)
    assert not any(own_fields(each) for each in held.listModules())  # all that it has is its class's


def as_a_call(plan):
    """The function that a call of an object compiles, with the arguments of `apply`, but a seed in place of the key."""

    def apply(params, buffers, input, seed):
        treedef, order = plan.program.params
        placed = dict(zip(order, treedef.flatten_up_to(params), strict=True))
        draw = (seed, np.uint32(1)) if plan.draws else None
        given = [*plan.program.buffers.flatten_up_to(buffers), *plan._numbers_now()]
        network = compiled.network_of(plan.program, given, draw)
        arrays = [placed[number] for number in range(len(placed))]
        (output, _), new = network(arrays, input, compiled.state_of(plan.program.spec, buffers))
        return output, plan.program.buffers.unflatten(new)

    return apply


# Shared is a tie between tensors there, and no module.
IN_CALLS = [c for c in MODULES if c.traceable and not isinstance(c.module, f7.Shared)]


@pytest.mark.parametrize("case", IN_CALLS, ids=lambda case: case.id)
def test_a_call_of_an_object_computes_what_its_description_does(case):
    """What sequences leave in the buffers is another matter: an object's calls hand all state out, and forget it then.

    Backward is the derivative of this function, by `jax.vjp`.
    """
    module, train = case.module, case.train
    params, buffers = jax.tree.map(lambda like: np.ones(like.shape, like.dtype), initial_shapes(module))
    held = wrap(module, params, buffers)
    plan = (held.training() if train else held.evaluate())._planned()
    call, count = as_a_call(plan), 1 if plan.sequencers else 2

    def expected(params, buffers, input, seed):
        own = jax.random.fold_in(jax.random.key(seed), np.uint32(1)) if plan.draws else None
        floats = jax.tree.map(lambda x: x.astype("float32") if jnp.issubdtype(x.dtype, jnp.inexact) else x, input)
        return run(module, train)(params, buffers, floats, own)[:count]

    given = *initial_shapes(module), arrays(as_input(case.input, plan.takes_table)), np.uint32(7)
    traced = jax.make_jaxpr(expected)(*given).jaxpr
    assert program(lambda *given: call(*given)[:count], given) == text(traced)
    # checkify takes arrays that a function with a derivative of its own keeps for what it has found wrong.
    assert not [each for each in equations(traced) if each.params.get("num_consts") and "custom" in each.primitive.name]
