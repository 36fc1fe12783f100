"""The small packages around torch: paths, sys, xlua and tds, beside the standard library."""

import os
import subprocess
import sys as system
import threading

import pytest

import functorch7.legacy as legacy
from functorch7.interop import t7
from functorch7.legacy import cunn, cutorch, nn, paths, sys, tds, torch, xlua

NAMES = (
    "cudnn", "cunn", "cutorch", "display", "gnuplot", "hdf5", "image", "itorch", "loadcaffe", "matio", "mattorch",
    "npy4th", "paths", "sys", "tds", "xlua",
)  # fmt: skip


def test_companions_are_imported_when_they_are_asked_for():
    code = (
        "import sys, functorch7.legacy as legacy\n"
        f"late = [name for name in {NAMES} if f'functorch7.legacy.{{name}}' in sys.modules]\n"
        "assert not late and 'functorch7.legacy.program' not in sys.modules, late\n"
        "assert not {'PIL', 'matplotlib'} & set(sys.modules)\n"
        "from functorch7.legacy import image\n"
        "assert legacy.image is image and legacy.xlua.progress\n"
    )
    subprocess.run([system.executable, "-c", code], check=True, env=os.environ | {"JAX_PLATFORMS": "cpu"})
    assert {*NAMES} <= {*dir(legacy)} and legacy.cunn is cunn
    with pytest.raises(AttributeError, match="no attribute 'zlib'"):
        _ = legacy.zlib


# paths ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "expected"), [
    (lambda: paths.basename("/a/b.lua"), "b.lua"), (lambda: paths.basename("/a/b.lua", "lua"), "b"),
    (lambda: paths.basename("/a/b.lua", ".lua"), "b"), (lambda: paths.basename("/a/b/"), "b"),
    (lambda: paths.dirname("/a/b.lua"), "/a"), (lambda: paths.dirname("/a/b/"), "/a"),
    (lambda: paths.dirname("b"), "."), (lambda: paths.dirname("/b"), "/"),
    (lambda: paths.extname("/a.d/b.tar.gz"), "gz"), (lambda: paths.extname("b"), None),
    (lambda: paths.concat(), os.getcwd()),
    (lambda: paths.concat("/a", "b", "c.t7"), "/a/b/c.t7"), (lambda: paths.concat("/a", "../b", "."), "/b"),
    (lambda: paths.concat("a"), os.path.join(os.getcwd(), "a")), (lambda: paths.concat("/a", "/b"), "/b"),
    (lambda: sys.concat("/a", "b"), "/a/b"), (lambda: sys.dirname("/a/b"), "/a"), (lambda: paths.cwd(), os.getcwd()),
    (lambda: paths.uname()[0], os.uname().sysname), (lambda: paths.is_win(), os.name == "nt"),
    (lambda: paths.is_mac(), system.platform == "darwin"), (lambda: paths.home, os.path.expanduser("~")),
    (lambda: os.path.basename(paths.findprogram("no such program", "ls")), "ls"),
    (lambda: paths.findprogram("no such program"), None), (lambda: paths.thisfile(), __file__),
    (lambda: paths.thisfile("other.py"), os.path.join(os.path.dirname(__file__), "other.py")),
    (lambda: sys.fpath(), os.path.dirname(__file__)), (lambda: paths.execdir(), os.path.dirname(system.executable)),
])  # fmt: skip
def test_names_of_files_are_taken_apart_and_put_together(call, expected):
    assert call() == expected


def test_folders_are_made_listed_and_deleted(tmp_path):
    folder = str(tmp_path / "a" / "b")
    assert paths.mkdir(folder) and paths.dirp(folder) and not paths.filep(folder) and not paths.mkdir(folder)
    for name in ("one.png", "two.txt"):
        (tmp_path / "a" / name).write_text(name)
    above = str(tmp_path / "a")
    assert paths.filep(above + "/one.png") and not paths.dirp(above + "/one.png") and not paths.filep(above + "/three")
    assert paths.dir(above) == [".", "..", "b", "one.png", "two.txt"] == list(paths.files(above))
    assert list(paths.files(above, "txt$")) == list(paths.files(above, lambda name: name[0] == "t")) == ["two.txt"]
    assert list(paths.iterdirs(above)) == ["b"] and list(paths.iterfiles(above)) == ["one.png", "two.txt"]
    assert sys.ls(above) == "b\none.png\ntwo.txt"
    assert paths.dir(above + "/none") is None and list(paths.files(above + "/none")) == []
    found = paths.indexdir(str(tmp_path))
    assert (found.size(), found.filename(1)) == (1, above + "/one.png") and paths.indexdir(above, "txt").size() == 1
    with pytest.raises(IndexError, match="file 2 of 1"):
        found.filename(2)
    assert not paths.rmdir(above) and paths.rmdir(folder) and not paths.rmdir(folder)
    with pytest.raises(ValueError, match="'yes'"):
        paths.rmall(above, "no")
    assert paths.rmall(above, "yes") and not paths.dirp(above) and not paths.rmall(above, "yes")
    name = paths.tmpname()
    assert paths.filep(name) and paths.rmall(name, "yes")


def test_a_file_is_run_with_the_names_of_the_one_that_runs_it(tmp_path):
    (tmp_path / "main.py").write_text("rate = 3\npaths.dofile('inner/options.py')\nfound = (twice, where)\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "options.py").write_text("twice = rate * 2\nwhere = paths.thisfile('x')\n")
    names = {"paths": paths}
    path = str(tmp_path / "main.py")
    exec(compile((tmp_path / "main.py").read_text(), path, "exec"), names)
    assert names["found"] == (6, str(tmp_path / "inner" / "x"))
    with pytest.raises(FileNotFoundError):
        paths.dofile("no such file.py")


# sys ------------------------------------------------------------------------------------------------------------------


def test_colours_are_those_of_terminals():
    assert (sys.COLORS.none, sys.COLORS.red, sys.COLORS.Red, sys.COLORS._red) == (
        "\x1b[0m", "\x1b[0;31m", "\x1b[1;31m", "\x1b[41m",
    )  # fmt: skip
    assert len(sys.COLORS) == 25 and sys.COLORS["white"] == "\x1b[0;37m"


def test_clocks_and_the_rest_of_sys(capsys, monkeypatch):
    now = [100.0]
    slept = []
    monkeypatch.setattr("time.time", lambda: now[0])
    monkeypatch.setattr("time.sleep", slept.append)
    sys.tic()
    now[0] = 102.5
    assert sys.clock() == 102.5 and sys.toc() == 2.5 and sys.toc(True) == 2.5
    assert capsys.readouterr().out == "2.5\n"
    sys.sleep(2)
    sys.usleep(5e5)
    assert slept == [2, 0.5]
    assert sys.split("a,b,,c,", ",") == ["a", "b", "", "c"] and sys.split("a1b22c", r"\d+") == ["a", "b", "c"]
    assert sys.isNaN(float("nan")) and not sys.isNaN(1) and sys.uname() == sys.OS


# xlua -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "text"), [
    (0, "0ms"), (0.0129, "12ms"), (1.5, "1s500ms"), (61, "1m1s"), (3725, "1h2m"), (90000, "1D1h"), (86400, "1D"),
    (3600.5, "1h500ms"),
])  # fmt: skip
def test_times_have_two_units(seconds, text):
    assert xlua.formatTime(seconds) == text


def test_progress_is_drawn_as_torch_draws_it(monkeypatch, capsys):
    """Torch's text on a terminal of 80 columns: the bar, the times, and as many steps back as to the bar's middle."""
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setenv("COLUMNS", "80")
    for current, goal, seconds in ((1, 4, 0), (2, 4, 2), (4, 4, 6), (4, 4, 6), (1.5, 3, 6)):
        now[0] = seconds
        xlua.progress(current, goal)
    gap = " " * 30 + "\b" * 30

    def call(done, times, count):
        bar = "=" * (done - 1) + ">" + "." * (46 - done)
        return f" [{bar}] {gap}{times}" + "\b" * (28 + len(times)) + f" {count} "

    assert capsys.readouterr().out == "".join((
        call(11, " ETA: 0ms | Step: 0ms", "1/4"), "\r", "\r", call(23, " ETA: 4s | Step: 2s", "2/4"), "\r",
        "\r", call(46, " Tot: 6s | Step: 2s", "4/4"), "\n\r", "\r", call(23, " ETA: 0ms | Step: 0ms", "1.5/3"), "\r",
    ))  # fmt: skip
    xlua.progress(3, 3)


def test_arguments_are_unpacked_by_name_or_in_order(capsys):
    params = (
        {"arg": "size", "type": "number", "help": "the size", "req": True},
        {"arg": "width", "type": "number", "help": "the width", "defaulta": "size"},
        {"arg": "mode", "type": "string", "help": "how", "default": "fast"},
    )
    for args in ([3], [{"size": 3}]):
        found, size, width, mode = xlua.unpack(args, "f", "does it", *params)
        assert (size, width, mode) == (3, 3, "fast") == (found.size, found.width, found["mode"])
    assert xlua.unpack([3, None, "slow"], "f", "does it", *params)[1:] == (3, 3, "slow")
    for args in ([[]], [{}]):  # Lua's empty table: nothing by name
        assert xlua.unpack(args, "f", "does it", *params[1:])[1:] == (None, "fast")
    for args, says in (([], "f: missing argument: size"), ([1, 2, 3, 4], "f: expected at most 3 arguments, got 4")):
        with pytest.raises(TypeError, match=says):
            xlua.unpack(args, "f", "does it", *params)
        usage = capsys.readouterr().out
        assert "f{\n" in usage and "    size = number" in usage and "-- the width  [default == size]" in usage
        assert "    [mode = string]" in usage and "-- how  [default = fast]\n}\n" in usage


def test_the_rest_of_xlua(capsys, monkeypatch):
    with pytest.raises(RuntimeError, match="^<nn> no\nusage$"):
        xlua.error("no", "nn", "usage")
    assert xlua.require("math").pi > 3 and xlua.require("no_such_package") is False
    assert "warning: <no_such_package> could not be loaded" in capsys.readouterr().out
    caught = []
    xlua.trycatch(lambda: 1 / 0, caught.append)
    assert isinstance(caught[0], ZeroDivisionError)
    assert xlua.table2string([1, 'a"b', {"x": True, 5: None}]) == '{1,"a\\"b",{x=true,[5]=nil}}'
    assert xlua.table2string({"a": 1, "b c": 2}, True) == '{\n   a : 1\n   ["b c"] : 2\n}'
    for name, text in (("rate", "0.5"), ("deep", "true"), ("name", "net")):
        monkeypatch.setenv(name, text)
    found = xlua.envparams({"rate": 1, "deep": False, "name": "", "other_parameter": 3})
    assert found == {"rate": 0.5, "deep": True, "name": "net", "other_parameter": 3}


def option_parser():
    parser = xlua.OptionParser("%prog [options] file")
    parser.option("-s", "--save", dest="save", default="out", help="folder")
    parser.option("-v", "--verbose", dest="verbose", action="store_true", help="say more")
    parser.option("-q", "--quick", dest="exact", action="store_false", help="no care")
    parser.option("-n", "--net", dest="net", req=True, help="network", metavar="NAME")
    return parser


def test_an_option_parser_takes_flags_values_and_words(capsys, monkeypatch):
    parser = option_parser()
    options, rest = parser.parse(arg=["--save=there", "data", "-v", "-n", "a/b c", "-q"])
    assert options == {"save": "there", "verbose": True, "net": "a/b c", "exact": False} and rest == ["data"]
    assert parser.tostring(True) == "-s=there,-v=true,-n=a|b_c" and parser.tostring(True, ["-s"]) == "-s=there"
    parser.summarize()
    assert " + save = there\n" in capsys.readouterr().out
    monkeypatch.setattr(system, "argv", ["run.py", "-n", "x"])
    assert option_parser().parse()[0] == {"save": "out", "net": "x"}
    assert option_parser().parse({"save": "before"})[0].save == "before"
    for words, code, says in (
        (["-h"], 0, ""), (["-x"], 1, "invalid option -x"), (["-v"], 1, "option -n requires an argument"),
        (["-n"], 1, "option requires an argument -n"),
    ):  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            option_parser().parse(arg=words)
        printed = capsys.readouterr()
        assert ended.value.code == code and printed.err.startswith(says)
        assert printed.out.startswith("Usage: run.py [options] file\n\nOptions:\n")
        assert "  -s SAVE, --save=SAVE  folder [default = out]\n" in printed.out
        assert "  -n NAME, --net=NAME   network [REQUIRED]\n" in printed.out
    with pytest.raises(TypeError, match="action='count'"):
        parser.option("-c", dest="c", action="count")


def test_a_profiler_reports_what_it_measured(monkeypatch, capsys):
    now = [0.0, 0.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    monkeypatch.setattr("time.process_time", lambda: now[1])
    profiler = xlua.Profiler(verbose=True)
    profiler.start("load", "fps")
    now[:] = [2.0, 1.0]
    assert profiler.lap("load") == (2.0, 1.0) and profiler.real("load", 4) == 0.5 and profiler.cpu("load", 4) == 0.25
    assert profiler.formatAll().splitlines() == [
        "$ profiler report:", "$ real 0.500000 | cpu 0.250000 <load> = 2.000000 fps",
    ]  # fmt: skip
    profiler.printAll()
    assert capsys.readouterr().out.startswith("<load>\r$ real | cpu: 2.000000 | 1.000000 <load>\n$ profiler report:")
    silent = xlua.Profiler("off")
    silent.start("load")
    silent.print("load")
    silent.printAll()
    assert capsys.readouterr().out == ""
    with pytest.raises(KeyError):
        profiler.real("save")


# tds ------------------------------------------------------------------------------------------------------------------


def test_a_hash_is_a_table_whose_missing_keys_are_none():
    for make in (tds.Hash, tds.hash):
        table = make()
        table["a"], table[3] = 1, {"b": [1]}
        assert (table["a"], table["none"], len(table)) == (1, None, 2) and sorted(map(str, table)) == ["3", "a"]
        table["a"] = None
        assert len(table) == 1 and "a" not in table
    nested = tds.Hash({"list": [1, [2]], "table": {"x": 1}})
    assert isinstance(nested["list"], tds.Vec) and nested["list"][2][1] == 2 and isinstance(nested["table"], tds.Hash)
    assert tds.Hash([5, 6])[2] == 6
    assert str(tds.Hash({"a": 1, "bcd": True})) == "tds.Hash[2]{\na   : 1\nbcd : true\n}"
    nested["list"][1] = nested["me"] = nested  # as files may have it
    assert str(nested).count("tds.Hash{...}") == 2
    with pytest.raises(KeyError, match="hash index is nil"):
        nested[None] = 1
    with pytest.raises(TypeError, match="expected a table or nothing"):
        tds.Hash(1)


def test_a_vec_counts_from_1_and_grows():
    for made in (tds.Vec([5, 6, 7]), tds.vec(5, 6, 7)):
        assert (made[1], made[3], made[4], len(made), list(made)) == (5, 7, None, 3, [5, 6, 7])
        made[5] = 9
        assert list(made) == [5, 6, 7, None, 9]
        made.insert(10)
        made.insert(1, 4)
        made.remove()
        made.remove(2)
        assert list(made) == [4, 6, 7, None, 9]
        made.resize(3)
        made.sort(lambda a, b: a > b)
        assert list(made) == [7, 6, 4] and made.concat("-") == "7-6-4" and made.concat(",", 2, 3) == "6,4"
    assert str(tds.Vec(1, [2])) == "tds.Vec[2]{\n    1 : 1\n    2 : tds.Vec[1]{\n            1 : 2\n        }\n}"
    assert str(tds.Vec(list(range(30)))).endswith("   20 : 19\n...\n}")
    for position in (0, -1, 1.5, 9.5, "a"):
        with pytest.raises(IndexError, match="positive number expected as key"):
            tds.Vec(1)[position] = 2
        with pytest.raises(IndexError, match="positive number expected as key"):
            tds.Vec(1)[position]
    with pytest.raises(ValueError, match="expected a size that is not negative, got -1"):
        tds.Vec(1, 2).resize(-1)


def test_tables_of_tds_are_in_files_as_torch_has_them():
    vec = tds.Vec(4, torch.Tensor([1]), None, "x", None)
    kept = {"hash": tds.Hash({"a": vec, 3: True}), "vec": vec}
    records = t7.deserialize(torch.serialize(kept))
    assert [(each.class_name, each.version, len(each.fields)) for each in records.values()] == [
        ("tds.Hash", 0, 2), ("tds.Vec", 0, 5)
    ]  # fmt: skip
    loaded = torch.deserialize(torch.serialize(kept))
    assert type(loaded["hash"]) is tds.Hash and loaded["hash"][3] is True
    assert type(loaded["vec"]) is tds.Vec and loaded["hash"]["a"] is loaded["vec"]
    assert (len(loaded["vec"]), loaded["vec"][2][1], list(loaded["vec"])[2:]) == (5, 1, [None, "x", None])


def test_a_counter_is_counted_by_threads():
    for counter in (tds.AtomicCounter(), tds.atomic_counter()):
        threads = [threading.Thread(target=lambda c=counter: [c.inc() for _ in range(100)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counter.get() == 400 and counter.inc() == 400
        counter.set(7)
        assert str(counter) == "tds.AtomicCounter=7"


def test_cutorch_has_the_random_numbers_of_torch():
    cutorch.manualSeedAll(3)
    state, first = cutorch.getRNGState(1), torch.rand(3)
    assert cutorch.initialSeed() == 3
    cutorch.setRNGState(state, 1)
    assert torch.rand(3).equal(first)


def test_what_xla_does_itself_is_taken_and_warned_of():
    cutorch.Event().waitOn()
    for name in ("setKernelPeerToPeerAccess", "setHeapTracking", "setStream"):
        with pytest.warns(UserWarning, match=f"cutorch.{name} does nothing here"):
            getattr(cutorch, name)(1)


@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long", "Half", "Double"])
def test_casts_to_cudas_types(kind):
    with pytest.raises(RuntimeError, match="needs a GPU"):
        getattr(torch.ones(2), f"cuda{kind}")()
    cutorch.standIn(True)
    try:
        found = getattr(torch.FloatTensor([1.5, 2]), f"cuda{kind}")()
        assert found.dtype == getattr(torch, f"{kind}Tensor").dtype and found[2] == 2
        assert torch.zeros(2).copyAsync(torch.ones(2)).sum() == 2
    finally:
        cutorch.standIn(False)


@pytest.fixture
def stand_in():
    """The CPU does a GPU's work, with the host's types."""
    cutorch.standIn(True)
    yield
    cutorch.standIn(False)


@pytest.mark.parametrize(
    "moved",
    [
        lambda: torch.FloatTensor(3).cuda(),
        lambda: torch.CudaTensor(3),
        lambda: nn.Linear(2, 2).cuda().weight,
        lambda: nn.Linear(2, 2).cuda().getParameters()[0],
        lambda: nn.Linear(2, 2).cuda().clone().getParameters()[1],
    ],
)
def test_what_is_on_a_gpu_that_the_cpu_stands_in_for_stays_itself_there_and_is_copied_to_the_host(moved, stand_in):
    there = moved().fill(1)
    there.cuda().fill(2)
    there.float().fill(3)
    assert there.min() == there.max() == 2
    host = torch.FloatTensor(2).fill(1)
    host.cuda().fill(2)
    assert host.max() == 1
