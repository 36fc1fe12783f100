"""Torch7's files as Python values, both ways: files of real Torch7, and files written out byte by byte here."""

import gzip
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from test_golden import assert_same, decoded

from benchmarks.t7_fuzz.mutants import fuzz
from functorch7.interop import t7
from functorch7.legacy import torch

FOLDER = Path(__file__).parent.parent / "golden" / "t7"
FILES = sorted(FOLDER.glob("*.t7"))
with gzip.open(FOLDER / "cases.jsonl.gz", "rt") as lines:
    CASES = [json.loads(line) for line in lines]


def integer(value):
    return struct.pack("<i", value)


def text(value):
    return integer(len(value)) + value


VERSION = text(b"V 1")


def tensor(index, kind, shape, strides, offset, storage, long="<i8", header=VERSION):
    """A tensor's bytes; `storage` is its index, or its elements, in which case its index is the tensor's plus one."""

    def longs(*found):
        return np.array(found, long).tobytes()

    head = integer(4) + integer(index) + header + text(b"torch.%sTensor" % kind) + integer(len(shape))
    head += longs(*shape, *strides, offset) + integer(4)
    if isinstance(storage, int):
        return head + integer(storage)
    return (
        head + integer(index + 1) + header + text(b"torch.%sStorage" % kind) + longs(storage.size) + storage.tobytes()
    )


@pytest.mark.parametrize("case", [c for c in CASES if c["kind"] == "t7_value"], ids=lambda case: case["file"])
def test_recorded_values(case):
    assert_same(t7.read(FOLDER.parent / case["file"]), decoded(case["value"]), 0)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_was_read_is_written_byte_by_byte_as_torch_wrote_it(path):
    file = t7.read_file(path)
    assert t7.serialize(file.value, file.format) == path.read_bytes()
    for format in ("binary", "ascii"):
        data = t7.serialize(file.value, format)
        assert t7.serialize(t7.deserialize(data), format) == data


def test_the_format_is_found_out():
    assert t7.read_file(FOLDER / "table_ascii.t7").format == "ascii"
    file = t7.read_file(FOLDER / "table_binary.t7")
    assert (file.format, file.long_size) == ("binary", 8)


@pytest.mark.parametrize("long", ["<i4", "<i8"])
def test_longs_of_both_sizes_and_files_without_versions(tmp_path, long):
    elements = np.arange(6, dtype=long)
    path = tmp_path / "old.t7"
    path.write_bytes(
        integer(3) + integer(1) + integer(2)
        + integer(1) + struct.pack("<d", 1) + tensor(2, b"Long", (2, 3), (3, 1), 1, elements, long, b"")
        + integer(1) + struct.pack("<d", 2) + tensor(4, b"Float", (2,), (1,), 1, np.array([7, 8], "<f4"), long)
    )  # fmt: skip
    file = t7.read_file(path)
    assert file.long_size == np.dtype(long).itemsize
    assert file.value[0].dtype == np.int64
    np.testing.assert_array_equal(file.value[0], [[0, 1, 2], [3, 4, 5]])
    np.testing.assert_array_equal(file.value[1], np.array([7, 8], np.float32), strict=True)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [(b"Cuda", "<f4"), (b"CudaDouble", "<f8"), (b"CudaHalf", "<f2"), (b"Half", "<f2"), (b"CudaLong", "<i8"),
     (b"CudaByte", "u1"), (b"CudaChar", "i1"), (b"CudaShort", "<i2"), (b"CudaInt", "<i4"), (b"Cl", "<f4")],
)  # fmt: skip
def test_tensors_of_graphics_cards_and_halves_are_arrays(kind, dtype):
    elements = np.array([3, 5, 7], dtype)
    got = t7.deserialize(tensor(1, kind, (3,), (1,), 1, elements))
    np.testing.assert_array_equal(got, elements, strict=True)


def test_tensors_over_one_storage_are_views_of_one_array():
    whole, same, part = t7.read(FOLDER / "shared.t7")
    assert whole is same
    part[0] = 99
    assert whole[1] == 99


def test_a_table_may_hold_itself():
    table = t7.read(FOLDER / "cycle.t7")
    assert table["me"] is table


def test_functions_are_bytes():
    function = t7.read(FOLDER / "function.t7")["f"]
    assert isinstance(function, t7.LuaFunction) and function.bytecode.startswith(b"\x1bLJ") and function.upvalues == []


def test_other_classes_are_records():
    network = t7.read(FOLDER / "mlp.t7")
    assert (network.class_name, network.version) == ("nn.Sequential", 1)
    assert [module.class_name for module in network.fields["modules"]][:2] == ["nn.Linear", "nn.Tanh"]
    assert network.fields["modules"][0].fields["weight"].shape == (6, 4)


def test_values_that_torch_never_wrote_here_survive():
    own = t7.T7Object("my.Class", 3, {"x": 1})
    shared = [1.5, True]
    value = {
        "none inside": [1, None, 3], "empty": {}, "bytes": b"\xff\x00", 0.5: -0.0, True: "yes", own: shared, -2: shared,
        "storage": t7.T7Storage(np.arange(3, dtype=np.int64)), "half": np.array([1.5], np.float16),
        t7.Key((1, 2)): own, "bool": np.array([True, False]), "backwards": np.arange(3.0)[::-1],
        "big endian": np.array([1.0, 2.0], ">f8"), "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    }  # fmt: skip
    for format in ("binary", "ascii"):
        got = t7.deserialize(t7.serialize(value, format))
        assert got["none inside"] == {1: 1, 3: 3}  # a table has no nil inside
        assert got["empty"] == []  # Lua does not tell empty lists from empty dicts
        assert got["bytes"].encode("utf-8", "surrogateescape") == b"\xff\x00"
        assert str(got[0.5]) == "-0.0"
        assert got[True] == "yes"
        (same,) = (key for key in got if isinstance(key, t7.T7Object))
        assert (same.class_name, same.version, same.fields) == ("my.Class", 3, {"x": 1})
        assert got[same] is got[-2] and got[-2] == [1.5, True]
        (key,) = (key for key in got if isinstance(key, t7.Key))
        assert key.value == [1, 2] and got[key] is same
        np.testing.assert_array_equal(got["storage"].array, np.arange(3), strict=True)
        for name in ("half", "backwards", "columns"):
            np.testing.assert_array_equal(got[name], value[name], strict=True)
        np.testing.assert_array_equal(got["big endian"], [1.0, 2.0])
        np.testing.assert_array_equal(got["bool"], np.array([1, 0], np.uint8), strict=True)


def test_a_boolean_key_beside_the_number_it_equals():
    data = integer(3) + integer(1) + integer(2)
    data += integer(5) + integer(1) + integer(2) + text(b"true") + integer(1) + struct.pack("<d", 1) + integer(2)
    got = t7.deserialize(data + text(b"one"))
    assert got[1] == "one"
    assert [got[key] for key in got if isinstance(key, t7.Key) and key.value is True] == ["true"]


def test_tables_nest_as_deep_as_the_file_says():
    deep = []
    for _ in range(20_000):
        deep = [deep]
    data = t7.serialize(deep)
    assert t7.serialize(t7.deserialize(data)) == data


def test_nesting_has_an_end(monkeypatch):
    monkeypatch.setattr("functorch7.interop.t7.reader.DEEPEST", 50)
    deep = []
    for _ in range(60):
        deep = [deep]
    with pytest.raises(t7.T7FormatError, match="nested more than 50 deep"):
        t7.deserialize(t7.serialize(deep))


def test_large_storages_stay_in_the_file(tmp_path):
    path = tmp_path / "large.t7"
    values = np.arange(1 << 18, dtype=np.float32)
    t7.write(path, [values, values[5:9]])
    before = zlib.crc32(path.read_bytes())
    whole, part = t7.read(path)
    np.testing.assert_array_equal(whole, values)
    part[0] = -1
    assert whole[5] == -1 and zlib.crc32(path.read_bytes()) == before


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "model.t7"
    t7.write(path, [1, 2])
    with pytest.raises(TypeError, match="no type for object"):
        t7.write(path, [np.zeros(1000), object()])
    assert t7.read(path) == [1, 2]
    assert list(tmp_path.iterdir()) == [path]


def test_a_GPU_is_saved_behind_its_type_and_device():
    """As GPU.lua's `write` does, whose `read` needs both before the fields."""

    def named(key, value):
        return integer(2) + text(key) + value

    cuda, first = integer(2) + text(b"torch.CudaTensor"), integer(1) + struct.pack("<d", 1)
    second = integer(1) + struct.pack("<d", 2)
    header = integer(3) + integer(2) + integer(2) + first + cuda + second + second
    fields = integer(3) + integer(3) + integer(2) + named(b"_type", cuda) + named(b"device", second)
    data = integer(4) + integer(1) + text(b"V 1") + text(b"nn.GPU") + header + fields
    value = t7.deserialize(data)
    assert (value.class_name, value.fields) == ("nn.GPU", {"_type": "torch.CudaTensor", "device": 2})
    assert t7.serialize(value) == data


@pytest.mark.parametrize("long", ["<i4", "<i8"])
def test_classes_that_save_more_than_one_table(long):
    """tds.Hash and tds.Vec have a count and entries; DataParallelTable a field before all."""

    def number(value):
        return integer(1) + struct.pack("<d", value)

    def head(index, name, version):
        return integer(4) + integer(index) + text(version) + text(name)

    packed = head(2, b"tds.Vec", b"V 0") + np.array([2], long).tobytes() + number(7) + number(8)
    hashed = head(3, b"tds.Hash", b"V 0") + np.array([1], long).tobytes() + number(1) + integer(2) + text(b"one")
    gpus = integer(3) + integer(5) + integer(1) + number(1) + number(1)
    fields = integer(3) + integer(6) + integer(1) + integer(2) + text(b"gpuAssignments") + integer(3) + integer(5)
    parallel = head(4, b"nn.DataParallelTable", b"V 3") + gpus + fields
    data = integer(3) + integer(1) + integer(4) + number(1) + packed + number(2) + hashed + number(3) + parallel
    value = t7.deserialize(data + number(4) + tensor(9, b"Long", (1,), (1,), 1, np.array([5], long), long))
    assert [each.fields for each in value[:3]] == [[7, 8], {1: "one"}, {"gpuAssignments": [1]}]
    again = t7.deserialize(t7.serialize(value))
    assert [(e.class_name, e.version, e.fields) for e in again[:3]] == [
        (e.class_name, e.version, e.fields) for e in value[:3]
    ]
    assert torch.deserialize(t7.serialize(value[:2])) == [[7, 8], {1: "one"}]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (2**53 + 1, ValueError, "cannot hold 9007199254740993"),
        (10**400, ValueError, "cannot hold 1000"),
        ({None: 1}, ValueError, "cannot have nil, or what is not a number, as a key"),
        ({float("nan"): 1}, ValueError, "cannot have nil, or what is not a number, as a key"),
        (np.zeros(2, np.complex64), TypeError, "no tensors of complex64"),
        ({1, 2}, TypeError, "no type for set"),
        (np.ndarray, TypeError, "no type for type: <class 'numpy.ndarray'>"),
        (np.array(None), TypeError, "no tensors of None"),
        (np.ma.masked_array([1.0], True), TypeError, "no tensors of a numpy.MaskedArray"),
    ],
)
def test_what_torch_has_no_type_for(value, error, message):
    with pytest.raises(error, match=message):
        t7.serialize(value)


def test_an_unknown_format():
    with pytest.raises(ValueError, match='"binary" or "ascii", got \'text\''):
        t7.serialize(1, "text")


@pytest.mark.parametrize(
    ("data", "message", "offset"),
    [
        (b"", "expected 4 bytes of an integer, 0 are left", 0),
        (integer(7), "expected 4 bytes of an integer, 0 are left", 4),
        (b"\x08\x00\x00\x80", "expected the tag of an object", 0),
        (integer(2) + integer(1 << 30), "expected 1073741824 bytes of a string, 0 are left", 8),
        (integer(2) + integer(-1), "expected -1 bytes of a string", 8),
        (integer(3) + integer(1) + integer(1 << 30), "a table of 1073741824 entries, 0 bytes are left", 8),
        (tensor(1, b"Float", (1 << 40,), (1,), 1, np.ones(3, "<f4")), "needs 1099511627776 elements", 0),
        (tensor(1, b"Float", (2, 2), (2, 1), 1, np.ones(3, "<f4")), "needs 4 elements of a storage of 3", 0),
        (tensor(1, b"Float", (1 << 40,), (0,), 1, np.ones(3, "<f4")), "over a storage of 3 elements", 0),
        (tensor(1, b"Float", (2,), (1,), 0, np.ones(3, "<f4")), "offset 0", 36),
        (tensor(1, b"Float", (-2,), (1,), 1, np.ones(3, "<f4")), r"sizes \(-2,\)", 36),
        (tensor(1, b"Float", (2,), (1,), 1, np.ones(3))[:-30], "expected 8 bytes of long integers", 101),
        (integer(3) + integer(1) + integer(1) + integer(0) + integer(0), "key is nil", 12),
        (b"3\n1\n99999\n", "a table of 99999 entries", 4),
        (b"1\nabc\n", "expected a number, got b.abc. ", 2),
        (b"1\n", "expected a number, found the end of the file", 2),
        (b"hello" * 9, "expected an integer, got b.hellohellohelloh.\\.\\.\\. ", 0),
    ],
)
def test_damaged_files(data, message, offset):
    with pytest.raises(t7.T7FormatError, match=message) as raised:
        t7.deserialize(data)
    assert raised.value.offset == offset


def test_an_error_names_the_file(tmp_path):
    (tmp_path / "empty.t7").touch()
    with pytest.raises(t7.T7FormatError, match="empty.t7: an empty file"):
        t7.read(tmp_path / "empty.t7")
    (tmp_path / "page.t7").write_text("<html>")
    with pytest.raises(t7.T7FormatError) as raised:
        t7.read(tmp_path / "page.t7")
    assert "page.t7" in raised.value.__notes__[-1]


def test_mutated_files_are_read_or_refused():
    originals = [path.read_bytes() for path in FILES if path.stat().st_size < 8000]
    outcomes = fuzz(originals, 400, seed=7)
    assert outcomes["read"] > 20 and outcomes["refused"] > 100


def test_mutated_networks_are_made_or_refused():
    networks = [path.read_bytes() for path in FILES if path.name in ("mlp.t7", "convnet.t7", "more_seqgru.t7")]
    outcomes = fuzz(networks, 300, seed=7, read=torch.deserialize)
    assert outcomes["refused"] > 50


def test_texts_have_numbers_as_c_prints_them():
    """As Torch7 wrote them: Lua's 0/0 is a NaN with a sign."""
    values = np.array([-np.nan, np.nan, np.inf, -np.inf, 0.1, -0.0, 1e22])
    written = b"-nan nan inf -inf 0.10000000000000001 -0 1e+22\n"
    assert t7.serialize(values, "ascii").endswith(written)
    assert [t7.serialize(each, "ascii").split()[1] for each in values.tolist()] == written.split()
    narrow = t7.serialize(values.astype(np.float32), "ascii")
    assert narrow.endswith(b"-nan nan inf -inf 0.100000001 -0 9.99999978e+21\n")
