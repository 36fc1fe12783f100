"""torch's files: beside struct, the texts that torch7/doc/file.md describes, and torch.save."""

import contextlib
import io
import struct

import numpy as np
import pytest

from functorch7.interop import t7
from functorch7.legacy import nn, sys, torch

from .helpers import same

LETTERS = {"Byte": "B", "Char": "b", "Short": "h", "Int": "i", "Long": "q", "Float": "f", "Double": "d"}
ORDERS = {"native": "=", "littleEndian": "<", "bigEndian": ">"}


def in_memory(tmp_path):
    return torch.MemoryFile()


def on_disk(tmp_path):
    return torch.DiskFile(str(tmp_path / "file"), "rw")


BOTH = pytest.mark.parametrize("make", [in_memory, on_disk])


def content(file):
    """All bytes of a file."""
    file.synchronize()
    if isinstance(file, torch.MemoryFile):
        return np.asarray(file.storage()).tobytes()[:-1]
    with open(file._file.name, "rb") as opened:
        return opened.read()


@BOTH
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", LETTERS)
def test_binary_numbers_are_those_of_struct(tmp_path, make, kind, order):
    file, numbers = make(tmp_path).binary(), [3, 1, 100]
    assert getattr(file, f"{order}Encoding" if order != "native" else "nativeEndianEncoding")() is file
    assert getattr(file, f"write{kind}")(7) == 1
    assert getattr(file, f"write{kind}")(getattr(torch, f"{kind}Storage")(numbers)) == 3
    assert content(file) == struct.pack(f"{ORDERS[order]}4{LETTERS[kind]}", 7, *numbers)
    assert file.position() == 1 + 4 * struct.calcsize(f"={LETTERS[kind]}")
    read, filled = getattr(file.seek(1), f"read{kind}"), getattr(torch, f"{kind}Storage")(2)
    assert read() == 7 and read(filled) == 2 and filled == [3, 1]
    rest = read(1)
    assert rest == [100] and rest.type() == f"torch.{kind}Storage"
    file.close()


@BOTH
@pytest.mark.parametrize(("kind", "values", "text"), [
    ("Int", [3, -20], b"3 -20\n"), ("Long", [2**40], b"1099511627776\n"), ("Short", [1, 2, 3], b"1 2 3\n"),
    ("Float", [0.5, 0.1], b"0.5 0.100000001\n"),
    ("Double", [0.1, 1e300], b"0.10000000000000001 1.0000000000000001e+300\n"),
    ("Byte", [65, 66], b"AB\n"), ("Char", [104, 105], b"hi\n"),
])  # fmt: skip
def test_numbers_in_texts(tmp_path, make, kind, values, text):
    file, storage = make(tmp_path), getattr(torch, f"{kind}Storage")(values)
    getattr(file, f"write{kind}")(storage)
    file.writeBool(True)
    assert content(file) == text + b"1\n"
    read = getattr(file.seek(1), f"read{kind}")
    assert read(len(values)) == storage and file.readBool() is True and file.position() == len(text) + 3
    file.close()


@BOTH
def test_texts_and_numbers_one_after_the_other(tmp_path, make):
    file = make(tmp_path)
    assert file.writeString("first line\n") == 11
    file.writeInt(12)
    file.writeDouble(2.5)
    file.writeString("größer\nlast")
    file.seek(1)
    assert (file.readString("*l"), file.readInt(), file.readDouble()) == ("first line", 12, 2.5)
    assert (file.readString("*l"), file.readString("*a")) == ("größer", "last")
    assert file.seekEnd().position() == len(content(file)) + 1
    file.seek(12)
    assert file.readInt() == 12
    file.close()


def test_without_spaces_numbers_are_written_as_they_come():
    file = torch.MemoryFile().noAutoSpacing()
    assert not file.isAutoSpacing() and file.autoSpacing().isAutoSpacing()
    file.noAutoSpacing().writeInt(torch.IntStorage([1, 2]))
    file.writeString(" x")
    assert content(file) == b"12 x"


def test_longs_of_4_bytes():
    file = torch.MemoryFile().binary().longSize(4)
    file.writeLong(torch.LongStorage([1, -2]))
    assert content(file) == struct.pack("=2i", 1, -2)
    file.writeObject(torch.LongTensor([5, 6]))
    file.seek(1)
    assert file.readLong(2) == [1, -2] and file.readObject().totable() == [5, 6]
    with pytest.raises(ValueError, match="longSize: expected 0, 4 or 8, got 3"):
        file.longSize(3)


@BOTH
@pytest.mark.parametrize("form", ["ascii", "binary"])
def test_objects_that_occur_twice_in_a_file_are_one(tmp_path, make, form):
    file, x = getattr(make(tmp_path), form)(), torch.Tensor([1, 2])
    network = nn.Sequential().add(nn.Linear(2, 3)).add(nn.Tanh())
    expected = network.forward(x).numpy().copy()
    for each in ([x, x, "text", True, 3.5], x, {"net": network, "x": x}, network, 7):
        assert file.writeObject(each) is file
    file.writeString("end\n")
    file.seek(1)
    table, again, named, same_network, number = (file.readObject() for _ in range(5))
    assert table[0] is table[1] is again is named["x"] and table[2:] == ["text", True, 3.5] and number == 7
    assert named["net"] is same_network and file.readString("*l") == "end"
    same(same_network.forward(again), expected)
    again.fill(5)
    assert table[0].totable() == [5, 5] and x.totable() == [1, 2]
    file.close()


@pytest.mark.parametrize("form", ["ascii", "binary"])
def test_generators_go_on_from_a_file_as_from_their_state(form):
    generator, other = torch.Generator(), torch.Generator()
    torch.manualSeed(generator, 123)
    torch.randn(generator, 3)  # which leaves half a pair, and some of the bits
    text = torch.serialize({"one": generator, "two": [generator]}, form)
    state = torch.getRNGState(generator)
    assert text.count(bytes(state.totable())) == 1
    torch.setRNGState(other, state)
    loaded = torch.deserialize(text, form)
    assert loaded["one"] is loaded["two"][0]
    for draw in (torch.randn, torch.rand):
        same(draw(loaded["one"], 700), draw(other, 700), 0, 0)


def test_a_file_with_the_state_of_no_generator_is_refused(tmp_path):
    path = tmp_path / "generator.t7"
    t7.write(path, t7.T7Object("torch.Generator", 1, np.zeros(5048, np.uint8)))
    with pytest.raises(t7.T7FormatError, match=r"torch.Generator: expected what getRNGState gave"):
        torch.load(str(path))
    with pytest.raises(ValueError, match=r"torch.Generator: expected 5048 bytes, got 3"):
        t7.write(path, t7.T7Object("torch.Generator", 1, np.zeros(3, np.uint8)))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(t7.T7FormatError, match="expected 5048 bytes of torch.Generator, 5047 are left"):
        torch.load(str(path))


def test_unreferenced_objects_are_written_as_they_are_each_time():
    file, x = torch.MemoryFile().binary(), torch.Tensor([1])
    for referenced in (True, False):
        file.referenced(referenced)
        assert file.isReferenced() is referenced
        for value in (1, 2):
            file.writeObject(x.fill(value))
    file.seek(1)
    assert [file.readObject()[1] for _ in range(4)] == [1, 1, 1, 2]


def test_a_file_of_one_object_is_that_of_torch_save(tmp_path):
    value = {"x": torch.rand(2, 3), "list": [1, 2], "net": nn.Linear(2, 1)}
    for form in ("binary", "ascii"):
        file = getattr(torch.DiskFile(str(tmp_path / "mine"), "w"), form)()
        file.writeObject(value)
        file.close()
        torch.save(str(tmp_path / "theirs"), value, form)
        assert (tmp_path / "mine").read_bytes() == (tmp_path / "theirs").read_bytes()
        loaded = torch.load(str(tmp_path / "mine"))
        same(loaded["x"], value["x"])
        read = getattr(torch.DiskFile(str(tmp_path / "theirs")), form)().readObject()
        same(read["net"].weight, value["net"].weight)


def test_storages_of_bytes():
    value = [torch.Tensor([1, 2]), "text"]
    storage = torch.serializeToStorage(value)
    assert storage.type() == "torch.CharStorage"
    assert np.asarray(storage).tobytes() == torch.serialize(value)
    same(torch.deserializeFromStorage(storage)[0], value[0])
    with_zero = torch.CharStorage([*storage, 0])
    same(torch.MemoryFile(with_zero, "r").binary().readObject()[0], value[0])
    file = torch.MemoryFile()
    file.writeString("ab")
    assert file.storage() == [97, 98, 0]
    assert torch.MemoryFile(file.storage(), "w").storage() == [0]


def test_modes_on_disk(tmp_path):
    path = str(tmp_path / "file")
    assert torch.DiskFile(path, "r", True) is None
    with pytest.raises(FileNotFoundError):
        torch.DiskFile(path)
    torch.DiskFile(path, "w").writeString("abc")
    both = torch.DiskFile(path, "rw")
    assert both.readString("*a") == "abc" and both.isReadable() and both.isWritable() and not both.isQuiet()
    both.noBuffer().writeString("d")
    reader = torch.DiskFile(path)
    assert reader.readString() == "abcd" and reader.isReadable() and not reader.isWritable()
    both.close()
    assert not both.isOpen() and reader.isOpen()
    torch.DiskFile(path, "w").close()
    assert (tmp_path / "file").read_bytes() == b""


@pytest.mark.parametrize(("call", "says"), [
    (lambda file: file.readInt(), "readInt: read error: read 0 blocks instead of 1"),
    (lambda file: file.readInt(3), "readInt: read error: read 0 blocks instead of 3"),
    (lambda file: file.binary().readLong(), "readLong: read error: read 0 blocks instead of 1"),
    (lambda file: file.readString("*l"), "readString: read error"),
    (lambda file: file.seek(0), "unable to seek to position 0"),
    (lambda file: file.binary().readObject(), "readObject: "),
])  # fmt: skip
def test_errors_are_exceptions_or_signs(call, says):
    with pytest.raises(OSError, match=says):
        call(torch.MemoryFile())
    file = torch.MemoryFile().quiet()
    assert file.isQuiet() and not file.hasError()
    call(file)
    assert file.hasError() and not file.clearError().hasError() and not file.pedantic().isQuiet()


@pytest.mark.parametrize("kind", ["Short", "Int", "Long"])
def test_a_number_beyond_the_type_ends_what_is_read(kind):
    largest = np.iinfo({"Short": np.int16, "Int": np.int32, "Long": np.int64}[kind]).max
    file = torch.MemoryFile().quiet()
    file.writeString(f"{largest} {largest + 1} 3")
    file.seek(1)
    assert getattr(file, f"read{kind}")(3).totable() == [largest] and file.hasError()
    assert file.readString("*a").split() == [str(largest + 1), "3"]


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: torch.MemoryFile("x"), ValueError, "expected a mode of r, w, rw, got 'x'"),
    (lambda: torch.DiskFile("a", "a"), ValueError, "expected a mode of r, w, rw, got 'a'"),
    (lambda: torch.MemoryFile(torch.IntStorage(2)), TypeError, "expected a CharStorage, got a torch.IntStorage"),
    (lambda: torch.MemoryFile(torch.CharStorage([1])), ValueError, "must be terminated by 0"),
    (lambda: torch.MemoryFile("r").writeInt(1), OSError, "attempt to write in a file of mode 'r'"),
    (lambda: torch.MemoryFile("w").readInt(), OSError, "attempt to read in a file of mode 'w'"),
    (lambda: (file := torch.MemoryFile(), file.close(), file.position()), OSError, "attempt to use a closed file"),
    (lambda: torch.MemoryFile().writeInt(torch.FloatStorage(2)), TypeError, "expected a number or a IntStorage"),
    (lambda: torch.MemoryFile().readInt(torch.FloatStorage(2)), TypeError, "expected a IntStorage, got a torch.Float"),
    (lambda: torch.MemoryFile().readString("*n"), ValueError, "expected \"*l\" or \"*a\""),
    (lambda: torch.MemoryFile().binary().bigEndianEncoding().writeObject(1), ValueError, "littleEndianEncoding"),
])  # fmt: skip
def test_misuse_is_refused(call, error, says):
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)


def test_one_byte_counts_most():
    file = torch.MemoryFile()
    assert file.isLittleEndianCPU() != file.isBigEndianCPU()
    assert file.isLittleEndianCPU() == (struct.pack("=h", 1) == b"\1\0")


def test_commands_run_only_where_the_program_allows_it(tmp_path):
    for call in (lambda: torch.PipeFile("echo hello"), lambda: sys.execute("echo"), lambda: sys.fexecute("echo")):
        with pytest.raises(PermissionError, match="allow_commands"):
            call()
    sys.allow_commands()
    try:
        file = torch.PipeFile("echo hello; echo 12")
        assert (file.readString("*l"), file.readInt()) == ("hello", 12)
        with contextlib.closing(torch.PipeFile(f"cat > {tmp_path / 'out'}", "w")) as file:
            file.writeString("text")
        assert (tmp_path / "out").read_text() == "text"
        assert sys.execute("echo ' two words '; ls /nothing/there").startswith("two words \nls:")
        assert sys.fexecute("printf 'a\nb\n'") == "a\nb" and sys.fexecute("printf 'a\nb\n'", "*line") == "a"
        with pytest.raises(ValueError, match="expected a mode of r, w, got 'rw'"):
            torch.PipeFile("true", "rw")
    finally:
        sys.allow_commands(False)


def test_nothing_of_the_stream_is_left_open(tmp_path):
    file = torch.DiskFile(str(tmp_path / "a"), "w")
    stream = file._file
    del file
    assert stream.closed and isinstance(torch.MemoryFile()._file, io.BytesIO)


def test_files_are_shown_with_what_can_be_done_with_them(tmp_path):
    path = tmp_path / "numbers"
    file = torch.DiskFile(str(path), "w")
    assert repr(file) == f"torch.DiskFile on <{path}> [status: open -- mode  w]"
    file.close()
    assert repr(file) == f"torch.DiskFile on <{path}> [status: closed -- mode  w]"
    assert repr(torch.MemoryFile("r")) == "torch.MemoryFile [status: open -- mode: r ]"
    with pytest.raises(OSError, match="attempt to use a closed file"):
        file.close()
    with pytest.raises(FileNotFoundError, match="^torch.DiskFile: cannot open <no such> in mode r: "):
        torch.DiskFile("no such")
    with pytest.raises(FileNotFoundError, match="^torch.load: cannot open <no such> in mode r: No such file"):
        torch.load("no such")
    with pytest.raises(FileNotFoundError, match="^torch.save: cannot open </no such/file> in mode w: No such file"):
        torch.save("/no such/file", 1)
    with pytest.raises(IsADirectoryError, match="^torch.load: cannot open <.*> in mode r: .* this is a folder"):
        torch.load(str(tmp_path))
    assert [repr(each) for each in (torch.Timer(), torch.CmdLine(), torch.Generator())] == [
        "torch.Timer [status: running]", "torch.CmdLine", "torch.Generator"
    ]  # fmt: skip


def test_behind_the_end_of_a_file_in_memory_there_is_no_place():
    file = torch.MemoryFile().binary()
    file.writeByte(1)
    file.seek(2)  # where more can be written
    with pytest.raises(OSError, match="unable to seek to position 3"):
        file.seek(3)
    assert file.hasError()
    assert file.position() == 2
    assert file.quiet().seek(3) is file
