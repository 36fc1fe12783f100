"""Files that no program has saved: each is read, or refused by T7FormatError, soon and in little memory."""

import itertools
import re
import struct
import tracemalloc
from pathlib import Path

import jax
import numpy as np
import pytest

import functorch7 as f7
from benchmarks.t7_fuzz.mutants import mutants, used
from functorch7.interop import t7
from functorch7.interop.torch7 import Reader, load_model
from functorch7.interop.torch7.extent import DEEPEST
from functorch7.legacy.objects.files import from_file, load_t7
from functorch7_cli.contents import contents_of
from functorch7_cli.show import shown

ORIGINALS = [path.read_bytes() for path in sorted(Path(__file__).parents[1].glob("golden/t7/*.t7"))]


def linear():
    return t7.T7Object("nn.Linear", 1, {"weight": np.ones((3, 3), "<f4"), "bias": np.ones(3, "<f4")})


def chain(*modules):
    return t7.T7Object("nn.Sequential", 1, {"modules": list(modules)})


def test_all_uses_of_hostile_files_end_well(tmp_path):
    """Other bytes, other values, cycles, shared parts, and every class with absurd fields: as `benchmarks.t7_fuzz`."""
    small = [data for data in ORIGINALS if len(data) < 6000]
    counts, faults = used(mutants(small, 3000, seed=1), tmp_path)
    assert not faults and {kind for _, kind in counts} == {"read", "refused"}
    assert min(counts.values()) > 200


# Cycles and depth -----------------------------------------------------------------------------------------------------


def inside_itself():
    around = chain()
    around.fields["modules"].append(around)
    return around


def recurrent_cycle():
    return t7.T7Object("nn.GRU", 1, {"modules": [inside_itself()], "i2g": linear(), "o2g": linear(), "p": 0})


def nested(depth):
    module = linear()
    for _ in range(depth):
        module = chain(module)
    return module


def doubled(times):
    """Few modules in very many places."""
    module = t7.T7Object("nn.Tanh", 1, {})
    for _ in range(times):
        module = chain(module, module)
    return module


@pytest.mark.parametrize(
    "value, message",
    [
        (inside_itself(), "a module inside itself"),
        (recurrent_cycle(), "itself|expected .* linear layers"),
        (nested(DEEPEST + 1), f"nested more than {DEEPEST} deep"),
        (doubled(30), "modules in .* places"),
    ],
    ids=["itself", "recurrent", "deep", "doubled"],
)
def test_what_cannot_be_a_network_is_refused(tmp_path, value, message):
    path = tmp_path / "bad.t7"
    t7.write(path, value)
    for use in (load_t7, load_model):
        with pytest.raises(t7.T7FormatError, match=message):
            use(path)
    assert "object" in contents_of(str(path))["value"]["kind"]


def test_what_is_nested_as_deep_as_may_be_can_be_used(tmp_path):
    path = tmp_path / "deep.t7"
    t7.write(path, nested(DEEPEST - 1))
    assert "nn.Linear" in shown(contents_of(str(path))) and "nn.Linear" in str(load_t7(path))
    module, params, buffers = load_model(path)
    output = jax.eval_shape(lambda x: module.apply(params, buffers, x)[0], jax.ShapeDtypeStruct((2, 3), np.float32))
    assert output.shape == (2, 3)


@pytest.mark.parametrize("name", ["Decorator", "BiSequencer", "BiSequencerLM", "DontCast", "Inception", "MaskZero",
                                  "NaN", "Profile", "ReverseUnreverse", "SeqBGRU", "SeqBLSTM", "SeqBRNN", "Serial",
                                  "TrimZero", "Sequencer", "Repeater"])  # fmt: skip
def test_decorators_need_what_they_decorate(name):
    fields = {"rho": 2, "nInputDim": 1, "v2": True, "module": None, "modules": []}
    with pytest.raises(t7.T7FormatError, match=r"expected [13] modules inside, got 0|no field|linear layers"):
        Reader().read(t7.T7Object(f"nn.{name}", 1, fields))


@pytest.mark.parametrize(
    "name, fields, message",
    [
        ("nn.VRClassReward", {}, "VRClassReward at the top"),
        ("nn.DataParallelTable", {"modules": 5}, "no field dimension"),
        ("nn.Tanh", {"_type": [1]}, "the field _type has a list"),
        ("nn.Dropout", {"p": linear()}, "expected number as p, got T7Object"),
        ("nn.CriterionTable", {"criterion": linear()}, "expected a criterion, got nn.Linear"),
    ],
)  # fmt: skip
def test_fields_of_other_kinds_are_named(name, fields, message):
    with pytest.raises(t7.T7FormatError, match=message):
        from_file(t7.T7Object(name, 1, fields))


def test_long_version_numbers_are_refused():
    name = b"V " + b"1" * 5000
    data = struct.pack("<iii", 4, 1, len(name)) + name + struct.pack("<i", 7) + b"nn.Tanh" + struct.pack("<i", 0)
    with pytest.raises(t7.T7FormatError, match="a version of 5000 digits"):
        t7.deserialize(data)


# Memory ---------------------------------------------------------------------------------------------------------------


def repeated(rows, columns):
    return np.ndarray((rows, columns), "<f4", np.ones(1, "<f4"), 0, (0, 0))


def test_memory_is_limited_for_the_whole_file(tmp_path):
    path = tmp_path / "large.t7"
    layers = [t7.T7Object("nn.Linear", 1, {"weight": repeated(3000, 1000)}) for _ in range(20)]  # 12 MB each
    t7.write(path, chain(*layers))
    assert path.stat().st_size < 10_000
    with pytest.raises(t7.T7FormatError, match=r"such tensors would take \d+ bytes, of a file of \d+"):
        load_model(path)
    t7.write(path, layers[0])
    assert load_model(path)[1]["weight"].shape == (3000, 1000)


def test_bytes_are_limited_as_the_numbers_that_they_become(tmp_path):
    """Printed, or as a weight, each byte of a tensor takes eight."""
    path = tmp_path / "large.t7"
    t7.write(path, np.ndarray((10_000, 1000), np.uint8, np.ones(1, np.uint8), 0, (0, 0)))
    with pytest.raises(t7.T7FormatError, match=r"\(10000, 1000\) over a storage of 1 elements: .* 79999992 bytes"):
        load_t7(path)


def test_views_of_one_storage_do_not_multiply_it():
    """Buffers are copied for each module, and so are weights at different places of a storage."""
    storage = np.zeros(1_000_100, "<f4")
    views = [storage[i : i + 1_000_000].reshape(1000, 1000) for i in range(30)]
    layers = [t7.T7Object("nn.Linear", 1, {"weight": each}) for each in views]
    with pytest.raises(t7.T7FormatError, match=r"its arrays would take \d+ bytes, of the \d+ in the file"):
        Reader().read(chain(*layers))


def table_of_tables(n):
    return struct.pack("<iii", 3, 1, n) + b"".join(struct.pack("<idiii", 1, i + 1, 3, i + 2, 0) for i in range(n))


def ascii_tables(n):
    return b"3\n1\n%d\n" % n + b"".join(b"5\n1\n3\n%d\n0\n" % (i + 2) for i in range(n))


def ascii_numbers(n):
    return b"4\n1\n3\nV 1\n19\ntorch.DoubleStorage\n%d\n" % n + b"1 " * n + b"\n"


@pytest.mark.parametrize("make, count", [(table_of_tables, 8000), (ascii_tables, 8000), (ascii_numbers, 100_000)])
def test_files_of_little_things_take_at_most_ten_times_their_size(make, count):
    data = make(count)
    tracemalloc.start()
    t7.deserialize(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * len(data) + (2 << 20), peak / len(data)


# Several objects ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_several_objects_in_a_file_are_all_read_if_asked(tmp_path, format):
    path, values = tmp_path / "several.t7", [{"a": 1}, np.arange(3.0), "text"]
    pieces = [t7.serialize(value, format) for value in values]
    path.write_bytes(b"".join(pieces))
    rest = len(b"".join(pieces[1:]))
    with pytest.warns(UserWarning, match=f"{rest} bytes follow the first object"):
        assert load_t7(path) == values[0]
    with pytest.warns(UserWarning, match=re.escape("load_t7(path, all=True) reads them, too")):
        assert f7.load_t7(path) == values[0]
    assert f"{rest} bytes follow" in shown(contents_of(str(path)))
    (tmp_path / "none.lua").write_text("")
    for options in ({}, {"lua": [tmp_path / "none.lua"]}):
        first, second, third = f7.load_t7(path, all=True, **options)
        assert (first, list(second), third) == (values[0], [0, 1, 2], "text")


def test_objects_that_refer_to_earlier_ones_are_read_as_one_file(tmp_path):
    from io import BytesIO

    file, shared = BytesIO(), np.arange(4.0)
    writer = t7.Writer(t7.sink_for("binary")(file))
    for value in (shared, {"again": shared}):
        writer.write(value)
    source = t7.Binary(file.getvalue(), 8)
    parser = t7.Parser(source)
    first, second = parser.read(), parser.read()
    assert second["again"] is first and not source.rest()
    (tmp_path / "one.t7").write_bytes(file.getvalue())
    first, second = load_t7(tmp_path / "one.t7", all=True)
    assert list(second["again"]) == list(first) == [0, 1, 2, 3]


def test_permuted_and_mixed_keys_keep_their_places():
    for order in itertools.permutations([(1, "a"), (2, "b"), (3, "c")]):
        assert t7.deserialize(t7.serialize(dict(order))) == ["a", "b", "c"]
    mixed = {2: "b", 1.5: "x", "k": [1, {}]}
    assert t7.deserialize(t7.serialize(mixed)) == {2: "b", 1.5: "x", "k": [1, []]}
