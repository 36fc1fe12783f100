"""Where the time goes: attribution of operations, costs from formulas, and tables."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.viz.profiling import _cost
from functorch7.viz.scopes import SCOPE, Scopes
from functorch7.viz.trace import Operation, operations
from functorch7.viz.visits import visits

NETWORK = f7.Sequential(
    f7.Linear(32, 64), f7.Tanh(), f7.Sequential(f7.Dropout(0.5), f7.Linear(64, 8)), f7.SeqLSTM(8, 4)
)  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    params, buffers = NETWORK.init(jax.random.key(0))
    return f7.profile(NETWORK, params, buffers, np.ones((5, 3, 32), np.float32), repeats=2, trace=folder), folder


def test_every_operation_counts_once(found):
    rows = {row.path: row for row in found[0].rows}
    assert list(rows) == [(), (0,), (1,), (2,), (2, 0), (2, 1), (3,)]
    for path, row in rows.items():
        inside = [each for other, each in rows.items() if len(other) == len(path) + 1 and other[: len(path)] == path]
        for way in ("forward", "backward"):
            assert getattr(row, way) >= sum(getattr(each, way) for each in inside) - 1e-12
        both = row.forward + row.backward - sum(each.forward + each.backward for each in inside)
        assert row.own == pytest.approx(both, abs=1e-9)
    assert found[0].total == pytest.approx(rows[()].forward + rows[()].backward + found[0].unattributed)
    for path in ((0,), (2, 1), (3,)):  # products forward and backward, and a loop's
        assert rows[path].forward > 0 and rows[path].backward > 0
    assert found[0].call > 0 and found[0].unattributed < found[0].total / 2


def test_costs_are_those_of_the_formulas(found):
    rows = {row.path: row for row in found[0].rows}
    assert rows[0,].flops == 15 * 64 * (2 * 32 + 1)  # products, and a bias
    assert rows[0,].memory == 4 * (64 * 32 + 64 + 15 * 64) and rows[1,].memory == 4 * 15 * 64
    assert rows[1,].flops == 15 * 64
    assert rows[2,].memory == 4 * (8 * 64 + 8 + 15 * 8) and rows[1,].accessed == 2 * 4 * 15 * 64
    assert rows[0,].accessed >= 4 * (64 * 32 + 64 + 15 * (32 + 64))
    assert rows[3,].loops and not rows[0,].loops


def test_the_table_is_sorted_and_cut(found):
    table, folder = found
    text = str(table)
    assert text.splitlines()[0].split() == [
        "layer",
        "forward",
        "backward",
        "own",
        "share",
        "FLOPs",
        "accessed",
        "memory",
    ]
    assert "\n  2 nn.Sequential" in text and "\n    1 nn.Linear(64 -> 8)" in text and "not attributed" in text
    assert "* one step of each loop" in text and "100.0%" in text
    largest = table.table(sort_by="flops", row_limit=3)
    assert [row.path for row in largest.shown] == [(), (0,), (2,)]
    slowest = table.table(sort_by="own", row_limit=6)
    assert [row.own for row in slowest.shown] == sorted((row.own for row in table.rows), reverse=True)[:6]
    assert len(str(slowest)) < len(text)
    assert "<table>" in table._repr_html_() and "-&gt;" in table._repr_html_()
    with pytest.raises(ValueError, match="expected sort_by among forward, backward, own, .*, got 'cpu_time'"):
        table.table(sort_by="cpu_time")
    for error, wrong in ((ValueError, -1), (TypeError, "3")):  # a slice would leave out the last row
        with pytest.raises(error, match="table: expected .*row_limit"):
            table.table(row_limit=wrong)
    assert list(folder.rglob("*.xplane.pb")) and list(folder.rglob("*.trace.json.gz"))  # TensorBoard's, Perfetto's


@pytest.mark.parametrize(
    ("scopes", "place", "backward"),
    [
        (f"jit(f)/jvp({SCOPE})/Sequential/1/Sequential/0/vmap(Linear)/dot_general", (1, 0), False),
        (f"jit(f)/transpose(jvp({SCOPE}))/Sequential/1/jvp({SCOPE})/Sequential/1/jit(where)/mul", (1,), True),
        (f"jit(f)/jvp({SCOPE})/Sequential/2/while/body/closed_call/vmap(step)/Linear/add", (2, "step"), False),
        (f"jit(f)/jvp({SCOPE})/Sequential/7/add", (), False),
        ("jit(f)/reduce_sum", None, False),
        ("", None, False),
    ],
)
def test_scopes_say_places(scopes, place, backward):
    operation = Operation(scopes, 1.0)
    assert operation.place({(), (0,), (1,), (1, 0), (2,), (2, "step")}) == place and operation.backward == backward


PROGRAM = r"""HloModule jit_profiled, is_scheduled=true

%fused_computation.1 (param_0.1: f32[2]) -> f32[2] {
  %param_0.1 = f32[2]{0} parameter(0)
  ROOT %add.1 = f32[2]{0} add(%param_0.1, %param_0.1), metadata={op_name="jit(f)/jvp(SCOPE)/Sequential/1/ReLU/add"}
}

ENTRY %main.5 (input.1: f32[2], weight.1: f32[2], gradients_0_.1: f32[2]) -> (f32[2], f32[2]) {
  %input.1 = f32[2]{0} parameter(0), metadata={op_name="moving[0]"}
  %weight.1 = f32[2]{0} parameter(1), metadata={op_name="params[0][\'weight\']"}
  %gradients_0_.1 = f32[2]{0} parameter(2), metadata={op_name="gradients[0]"}
  %copy.1 = f32[2]{0} copy(%weight.1)
  %convolution.1 = f32[2]{0} convolution(%input.1, %copy.1), window={size=3}, dim_labels=bf_io->bf
  %fusion.1 = f32[2]{0} fusion(%convolution.1), kind=kLoop, calls=%fused_computation.1
  %copy.2 = f32[2]{0} copy(%gradients_0_.1)
  %convolution.2 = f32[2]{0} convolution(%copy.2, %copy.1), window={size=3}, dim_labels=bf_io->bf
  %convolution.3 = f32[2]{0} convolution(%input.1, %copy.2), window={size=3}, dim_labels=bf_io->bf
  %copy.3 = f32[2]{0} copy(%convolution.3)
  %while.1 = (s32[], f32[2]{0}) while(%tuple.1), condition=%region_1, body=%region_2
  ROOT %tuple.9 = (f32[2]{0}, f32[2]{0}) tuple(%copy.3, %convolution.2, %fusion.1)
}
"""


def test_operations_without_scopes_belong_to_weights():
    scopes = Scopes(PROGRAM.replace("SCOPE", SCOPE), ["[0]['weight']"])
    places = {(), (0,), (1,)}

    def found(name):
        operation = Operation(scopes.scope(name), 1.0)
        return operation.place(places), operation.backward

    assert found("convolution.1") == found("copy.1") == ((0,), False)  # reads the weight
    assert found("convolution.2") == ((0,), True)  # reads the weight and a gradient
    assert found("convolution.3") == found("copy.3") == ((0,), True)  # gives the weight's gradient
    assert found("fusion.1") == ((1,), False)  # says so inside
    assert found("nowhere") == (None, False)


FUSED = r"""HloModule jit_profiled, is_scheduled=true

%fused.1 (a.1: f32[4,6], b.1: f32[6,8]) -> f32[4,8] {
  %a.1 = f32[4,6]{1,0} parameter(0)
  %b.1 = f32[6,8]{1,0} parameter(1)
  %dot.1 = f32[4,8]{1,0} dot(%a.1, %b.1), metadata={op_name="jit(f)/jvp(SCOPE)/Sequential/0/Linear/dot"}
  %c.1 = f32[] constant(0)
  %c.2 = f32[4,8]{1,0} broadcast(%c.1), dimensions={}
  ROOT %max.1 = f32[4,8]{1,0} maximum(%dot.1, %c.2), metadata={op_name="jit(f)/jvp(SCOPE)/Sequential/1/ReLU/max"}
}

%body.1 (s.1: f32[4,8]) -> f32[4,8] {
  %s.1 = f32[4,8]{1,0} parameter(0)
  ROOT %tanh.1 = f32[4,8]{1,0} tanh(%s.1), metadata={op_name="jit(f)/transpose(jvp(SCOPE))/Sequential/2/Tanh/tanh"}
}

%branch.1 (s.2: f32[4,8]) -> f32[4,8] {
  %s.2 = f32[4,8]{1,0} parameter(0)
  ROOT %exp.1 = f32[4,8]{1,0} exponential(%s.2), metadata={op_name="jit(f)/jvp(SCOPE)/Sequential/3/Exp/exp"}
}

ENTRY %main.1 (x.1: f32[4,6], w.1: f32[6,8]) -> f32[4,8] {
  %x.1 = f32[4,6]{1,0} parameter(0)
  %w.1 = f32[6,8]{1,0} parameter(1)
  %fusion.1 = f32[4,8]{1,0} fusion(%x.1, %w.1), kind=kLoop, calls=%fused.1
  %call.1 = f32[4,8]{1,0} call(%fusion.1), to_apply=%body.1
  ROOT %while.1 = f32[4,8]{1,0} conditional(%p.1, %call.1, %call.1), branch_computations={%body.1, %branch.1}
}
"""


def field(number, value):
    """A field in protobuf's wire format: a whole number, or bytes."""
    number, value = (number << 3, value) if isinstance(value, int) else (number << 3 | 2, value)
    return varint(number) + (varint(value) if isinstance(value, int) else varint(len(value)) + value)


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def trace_of(times):
    """A profiler's file in which operations take so many nanoseconds; module and operation are named by reference."""
    names = ["hlo_op", "hlo_module", "jit_profiled", *times]
    named = [field(5, field(1, i) + field(2, field(1, i) + field(2, name.encode()))) for i, name in enumerate(names, 1)]
    module = field(4, field(1, 2) + field(7, 3))
    events = [
        field(4, field(1, 1) + field(3, 1000 * time) + field(4, field(1, 1) + field(7, i)) + module)
        for i, time in enumerate(times.values(), 4)
    ]
    return field(1, b"".join(named) + field(3, b"".join(events)))


def attributed(tmp_path, times):
    """Nanoseconds by place and direction."""
    (tmp_path / "a.xplane.pb").write_bytes(trace_of(times))
    found = {}
    for each in operations(tmp_path / "a.xplane.pb", FUSED.replace("SCOPE", SCOPE), [], 1):
        place = each.place({(), (0,), (1,), (2,), (3,)})[0], each.backward
        found[place] = found.get(place, 0) + each.seconds * 1e9
    return found


def test_what_is_fused_counts_for_each_module_by_what_it_computes(tmp_path):
    product, elementwise = 2 * 4 * 6 * 8, 4 * 8
    found = attributed(tmp_path, {"fusion.1": 1300})
    assert found == pytest.approx({(0, False): 1200, (1, False): 100}) and 1200 / 100 == product / elementwise


def test_what_runs_others_is_shared_out_unless_these_have_times(tmp_path):
    assert attributed(tmp_path, {"call.1": 10}) == pytest.approx({(2, True): 10})
    assert attributed(tmp_path, {"call.1": 10, "tanh.1": 7}) == pytest.approx({(2, True): 7})
    assert attributed(tmp_path, {"while.1": 10}) == pytest.approx({(2, True): 5, (3, False): 5})


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-3], lambda b: b"\xff" * 40, lambda b: b"\x0b" + b, lambda b: b"\x0a\x7f"]
)
def test_a_damaged_trace_is_an_error(tmp_path, damage):
    (tmp_path / "a.xplane.pb").write_bytes(damage(trace_of({"fusion.1": 1})))
    with pytest.raises(ValueError, match="no trace of the profiler"):
        operations(tmp_path / "a.xplane.pb", FUSED, [], 1)


def test_where_xla_gives_no_costs_operations_are_counted(monkeypatch):
    monkeypatch.setattr(jax.stages.Lowered, "cost_analysis", lambda self: None)
    params, buffers = NETWORK.init(jax.random.key(0))
    found = visits(NETWORK, params, buffers, np.ones((5, 3, 32), np.float32), jax.random.key(1), True)
    costs = {visit.path: _cost(visit, params) for visit in found}
    assert costs[0,]["flops"] == 15 * 64 * (2 * 32 + 1) and costs[1,] == {
        "flops": 15 * 64, "accessed": 2 * 4 * 15 * 64, "loops": False
    }  # fmt: skip
    assert costs[3,]["flops"] > 5 * 3 * 2 * 16 * 4 + 15 * 2 * 16 * 8  # all steps of the loop


def test_indices_and_what_cannot_be_profiled():
    module = f7.Sequential(f7.LookupTable(9, 4), f7.ArgMax(3))
    found = f7.profile(module, *module.init(jax.random.key(0)), jnp.ones((2, 3), jnp.int32), train=False, repeats=1)
    assert [row.path for row in found.rows] == [(), (0,), (1,)] and found.rows[1].memory == 4 * (9 * 4 + 2 * 3 * 4)
    with pytest.raises(ValueError, match=r"profile: nn\.MaskedSelect cannot be compiled"):
        f7.profile(f7.MaskedSelect(), {}, {}, [np.ones(2), np.ones(2)])
    with pytest.raises(ValueError, match="profile: expected repeats of at least 1, got 0"):
        f7.profile(NETWORK, *NETWORK.init(jax.random.key(0)), np.ones((5, 3, 32), np.float32), repeats=0)
    with pytest.raises(ValueError, match="expected input of size 32"):
        f7.profile(NETWORK, *NETWORK.init(jax.random.key(0)), np.ones((2, 3), np.float32))
