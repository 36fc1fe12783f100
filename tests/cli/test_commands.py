"""The command line: what it finds, in files of real Torch7, and how it fails."""

import json
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from test_golden import assert_same, decoded

import functorch7 as f7
from functorch7 import recipes
from functorch7.interop import pytorch, t7
from functorch7.legacy import nn
from functorch7_cli import main
from functorch7_cli.bench import gradients_of
from functorch7_cli.files import Network
from tests.interop.test_t7 import CASES, FOLDER


def called(*arguments, code=0):
    """A command's output (stdout), or where it fails its message (stderr)."""
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.stderr if code else result.stdout


def as_json(*arguments):
    return json.loads(called(*arguments, "--json"))


def recorded(name):
    return next(case for case in CASES if case["file"] == f"t7/{name}.t7")


@pytest.fixture
def convnet(tmp_path):
    """(file, input, output) of a convolutional network that Torch7 ran."""
    case = recorded("convnet")
    np.save(tmp_path / "x.npy", decoded(case["input"]))
    return FOLDER / "convnet.t7", tmp_path / "x.npy", decoded(case["evaluate"])


def test_inspect_a_network(convnet):
    file = convnet[0]
    found = as_json("inspect", file)
    value = found["value"]
    assert (found["encoding"], found["long_size"], found["bytes"]) == ("binary", 8, file.stat().st_size)
    assert value["tree"] == recorded("convnet")["print"].strip()
    # 2 -> 4 planes of 3x3, normalised; 4 -> 3 of 2x2; 12 -> 5: weights and biases
    assert value["parameter_count"] == (4 * 2 * 9 + 4) + 2 * 4 + (3 * 16 + 3) + (5 * 12 + 5)
    assert (value["parameter_bytes"], value["dtypes"]) == (value["parameter_count"] * 8, ["float64"])
    assert value["parameters"][0] == {"name": "0.weight", "shape": [4, 2, 3, 3], "dtype": "float64"}
    module, params, buffers = f7.load_model(file)
    names = [each["name"] for each in value["parameters"] + value["buffers"]]
    assert names == list(f7.state_dict(module, f7.Variables(params, buffers)))
    text = called("inspect", file)
    assert value["tree"] in text and "0.weight  4x2x3x3  float64" in text and "200 parameters, float64, 1.6 kB" in text


def test_inspect_tied_parameters():
    value = as_json("inspect", FOLDER / "more_tied.t7")["value"]
    ties = {each["name"]: each.get("tied_to") for each in value["parameters"]}
    assert ties["2.weight"] == ties["4.weight"] == "0.weight" and ties["0.weight"] is None
    assert value["parameter_count"] == 3 * 3 + 3 + 3  # one weight for three layers, one bias for two of them


def test_inspect_a_graph():
    (graph,) = as_json("inspect", FOLDER / "gmodule.t7")["value"]["graphs"]
    assert graph["layer"] == "" and graph["wiring"][4] == "(5): nn.CAddTable <- (2), (4)"
    assert graph["wiring"][-1] == "output: (7), (6)"
    assert "(2): nn.Linear(3 -> 4) <- (1)" in called("inspect", FOLDER / "gmodule.t7")


def test_inspect_tables():
    entries = as_json("inspect", FOLDER / "table_binary.t7")["value"]["entries"]
    assert [entries[key].get("value") for key in ("1", "2", "3", "4")] == [1, 2.5, "three", True]
    assert entries["5"]["entries"]["a"] == {"kind": "tensor", "shape": [2], "dtype": "float64"}
    assert as_json("inspect", FOLDER / "cycle.t7")["value"]["entries"]["me"] == {"kind": "seen"}
    assert "Lua function, 44 bytes, never run" in called("inspect", FOLDER / "function.t7")


def test_inspect_unknown_classes(tmp_path):
    inside = t7.T7Object("my.Layer", 1, {"alpha": 2, "scale": np.zeros((3, 2))})
    network = t7.T7Object("nn.Sequential", 1, {"modules": [t7.T7Object("nn.Tanh", 1, {}), inside], "train": True})
    broken = t7.T7Object("nn.Narrow", 1, {"dimension": 1})
    t7.write(tmp_path / "strange.t7", {"net": network, "hash": t7.T7Object("tds.Hash", 2, {}), "broken": broken})
    entries = as_json("inspect", tmp_path / "strange.t7")["value"]["entries"]
    (unknown,) = entries["net"]["unknown"]
    assert (unknown["class"], unknown["layer"], unknown["fields"]["alpha"]["value"]) == ("my.Layer", "1", 2)
    assert entries["hash"]["class"] == "tds.Hash" and entries["hash"]["version"] == 2
    assert "no field index" in entries["broken"]["problem"]
    text = called("inspect", tmp_path / "strange.t7")
    assert "my.Layer at 1: functorch7 has no such class" in text and "scale: tensor 3x2 float64" in text


def test_names_in_files_do_not_steer_the_terminal(tmp_path):
    t7.write(tmp_path / "bell.t7", {"\x1b[31mred": 1, "class": t7.T7Object("my.\x07\udcff", 1, {})})
    text = called("inspect", tmp_path / "bell.t7")
    assert "\\x1b[31mred: 1" in text and "my.\\x07\\udcff, version 1" in text


def test_inspect_long_and_deep_tables(tmp_path):
    deep = []
    for _ in range(50):
        deep = [deep]
    t7.write(tmp_path / "table.t7", {"long": list(range(100)), "deep": deep})
    text = called("inspect", tmp_path / "table.t7")
    assert "table, 100 entries" in text and "... 80 more" in text and text.count("table, 1 entry") == 5


def test_run_gives_what_torch_gave(convnet, tmp_path):
    file, input, output = convnet
    found = as_json("run", file, "--input", input, "--output", tmp_path / "y.npy", "--top", 2)
    assert_same(np.load(tmp_path / "y.npy"), output, 1e-12)  # in double, as the network is
    assert (found["input"]["shape"], found["output"]["shape"]) == ([2, 2, 8, 8], [2, 5])
    for row, greatest in zip(np.asarray(output), found["output"]["top"], strict=True):
        assert [each["class"] for each in greatest] == [*(np.argsort(row)[::-1][:2] + 1)]
    text = called("run", file, "--input", input, "--output", tmp_path / "y.t7", "--dtype", "float32")
    assert "output 2x5 float32" in text and t7.read(tmp_path / "y.t7").dtype == np.float32


def test_the_network_of_a_checkpoint(convnet, tmp_path):
    file, input, expected = convnet
    networks = {"G": nn.Linear(2, 2), "D": f7.load_t7(file)}
    f7.save_t7(tmp_path / "two.t7", networks | {"epoch": 3})
    for chosen in ([], ["--entry", "E"]):
        assert "as entry: G, D" in called("run", tmp_path / "two.t7", "--input", input, *chosen, code=1)
    given = tmp_path / "two.t7", "--entry", "D"
    called("run", *given, "--input", input, "--output", tmp_path / "y.npy")
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected, rtol=1e-6)
    called("convert", *given[:1], tmp_path / "D.t7", *given[1:])
    assert as_json("inspect", tmp_path / "D.t7")["value"]["tree"] == str(networks["D"]).strip()


def test_run_on_an_image(tmp_path):
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 256, (3, 4, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "image.png")
    f7.save_t7(tmp_path / "same.t7", nn.Identity())
    options = ["--mean", "0.5,0.25,0", "--std", "2"]
    called("run", tmp_path / "same.t7", "--input", tmp_path / "image.png", "--output", tmp_path / "y.npy", *options)
    expected = (pixels / 255 - [0.5, 0.25, 0]) / 2
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected.transpose(2, 0, 1)[None], atol=1e-6)
    found = as_json("run", tmp_path / "same.t7", "--input", tmp_path / "image.png", "--size", "2x5")["output"]
    assert found["shape"] == [1, 3, 2, 5] and 0 <= found["min"] <= found["mean"] <= found["max"] <= 1
    message = called("run", tmp_path / "same.t7", "--input", tmp_path / "image.png", "--mean", "1,2", code=2)
    assert "image.png has 3 channels, --mean has 2 numbers" in message


def test_convert_for_pytorch(convnet, tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    module, params, buffers = f7.load_model(convnet[0])
    for options, names in (([], None), (["--by-kind"], {"0": "conv1", "1": "norm", "4": "conv2", "7": "linear"})):
        called("convert", convnet[0], tmp_path / "state.safetensors", "--to", "pytorch", *options)
        expected = pytorch.pytorch_arrays(module, params, buffers, names)
        found = numpy.load_file(tmp_path / "state.safetensors")
        assert {*found} == {*expected}
        for name, array in expected.items():
            assert_same(found[name], array, 1e-6)
    message = called("convert", convnet[0], tmp_path / "again.t7", "--by-kind", code=2)
    assert "--by-kind has no meaning here: it is about PyTorch's names" in message


def test_convert_to_onnx(convnet, tmp_path):
    reference = pytest.importorskip("onnx.reference")
    file, input, output = convnet
    called("convert", file, tmp_path / "net.onnx", "--input-shape", "batchx2x8x8")
    session = reference.ReferenceEvaluator(str(tmp_path / "net.onnx"))
    assert_same(session.run(None, {"input": np.load(input)})[0], output, 1e-12)
    assert "onnx is made for one shape" in called("convert", file, tmp_path / "net.onnx", code=2)


def test_draw(convnet, tmp_path):
    file, _, _ = convnet
    called("draw", file, tmp_path / "net.svg", "--input-shape", "2x2x8x8")
    text = (tmp_path / "net.svg").read_text()
    assert text.startswith("<svg") and text.count("<g>") == 1 + 9 and "2x5" in text  # the input and nine layers
    assert "pictures are SVG" in called("draw", file, tmp_path / "net.png", code=2)


def test_tables_in_and_out(tmp_path):
    np.savez(tmp_path / "x.npz", np.ones(2, np.float32), np.full(2, 3, np.float32))
    f7.save_t7(tmp_path / "both.t7", nn.ConcatTable().add(nn.CAddTable()).add(nn.CMulTable()))
    text = called("run", tmp_path / "both.t7", "--input", tmp_path / "x.npz", "--output", tmp_path / "y.t7")
    assert text.startswith("input  {2 float32, 2 float32}\noutput[1] 2 float32") and "output[2] 2 float32" in text
    assert [each.tolist() for each in t7.read(tmp_path / "y.t7")] == [[4, 4], [3, 3]]
    called("run", tmp_path / "both.t7", "--input", tmp_path / "y.t7")
    called("convert", tmp_path / "both.t7", tmp_path / "both.stablehlo", "--input-shape", "2,2")
    assert called("run", tmp_path / "both.stablehlo", "--input", tmp_path / "x.npz") == text
    times = as_json("bench", tmp_path / "both.t7", "--input-shape", "2x3,2x3", "--rounds", "1")
    assert times["input"] == [{"shape": [2, 3], "dtype": "float32"}] * 2 and times["parameter_count"] == 0


def test_convert_keeps_every_value(tmp_path):
    for name in ("convnet", "function", "cycle"):
        called("convert", FOLDER / f"{name}.t7", tmp_path / "text.t7", "--to", "t7-ascii")
        called("convert", tmp_path / "text.t7", tmp_path / "again.t7")
        assert t7.read_file(tmp_path / "text.t7").format == "ascii"
        assert (tmp_path / "again.t7").read_bytes() == t7.serialize(t7.read(FOLDER / f"{name}.t7"))
    called("convert", FOLDER / "convnet.t7", tmp_path / "float.t7", "--dtype", "float32")
    assert as_json("inspect", tmp_path / "float.t7")["value"]["dtypes"] == ["float32"]


@pytest.mark.parametrize("ending", [".safetensors", ".orbax"])
def test_there_and_back(convnet, tmp_path, ending):
    """The arrays of a network, whose own are others, come back exactly; parameters that are tied stay so."""
    for name in ("convnet", "more_tied"):
        module, params, buffers = _double(FOLDER / f"{name}.t7")
        other = module.init(jax.random.key(0))
        f7.save_model(tmp_path / "other.t7", module, *other)
        arrays = tmp_path / f"{name}{ending}"
        called("convert", FOLDER / f"{name}.t7", arrays)
        called("convert", arrays, tmp_path / "again.t7", "--like", tmp_path / "other.t7")
        again, *got = _double(tmp_path / "again.t7")
        assert again == module
        for old, new in zip(jax.tree.leaves((params, buffers)), jax.tree.leaves(tuple(got)), strict=True):
            np.testing.assert_array_equal(old, new, strict=True)
        state = f7.state_dict(module, f7.Variables(params, buffers))
        listed = {each["name"]: each["shape"] for each in as_json("inspect", arrays)["value"]["arrays"]}
        assert listed == {name: list(array.shape) for name, array in state.items()}
    if ending == ".orbax":  # a folder with several is none itself
        message = called("inspect", tmp_path, code=1)
        assert "there are checkpoints in it: convnet.orbax, more_tied.orbax" in message
    assert "--like model.t7" in called("bench", arrays, "--input-shape", "1", code=2)


def test_what_only_looks_like_another_form(tmp_path):
    (tmp_path / "damaged.safetensors").write_bytes(b"nothing")
    (tmp_path / "damaged.stablehlo").write_bytes(b"nothing")
    (tmp_path / "folder").mkdir()
    assert "no whole safetensors file" in called("inspect", tmp_path / "damaged.safetensors", code=1)
    assert "no exported program" in called("inspect", tmp_path / "damaged.stablehlo", code=1)
    assert "expected the folder of an orbax checkpoint" in called("inspect", tmp_path / "folder", code=1)


def _double(path):
    with jax.enable_x64(True):
        return f7.load_model(path)


def test_a_compiled_program(convnet, tmp_path):
    file, input, output = convnet
    program = tmp_path / "convnet.stablehlo"
    assert "name it, as in --input-shape" in called("convert", file, program, code=2)
    called("convert", file, program, "--input-shape", "batchx2x8x8")
    found = as_json("inspect", program)["value"]
    assert found["inputs"] == [{"shape": ["batch", 2, 8, 8], "dtype": "float64"}]
    assert found["outputs"] == [{"shape": ["batch", 5], "dtype": "float64"}]
    assert "compiled program for cpu: batchx2x8x8 float64 -> batchx5 float64" in called("inspect", program)
    called("run", program, "--input", input, "--output", tmp_path / "y.npy")
    assert_same(np.load(tmp_path / "y.npy"), output, 1e-12)
    np.save(tmp_path / "flat.npy", np.ones(3))
    assert "got (3,) float64" in called("run", program, "--input", tmp_path / "flat.npy", code=1)
    assert "can only be inspected and run" in called("bench", program, "--input-shape", "1", code=1)


def test_bench(convnet):
    found = as_json("bench", convnet[0], "--input-shape", "1x2x8x8", "--rounds", "2")
    assert found["parameter_count"] == 200 and found["input"] == {"shape": [1, 2, 8, 8], "dtype": "float64"}
    for times in (found["forward"], found["forward_backward"]):
        assert 0 < times["later"] < times["compile"] < times["first"]
        assert times["ratio"] == times["first"] / times["later"]
    lookup = called("bench", FOLDER / "lookup.t7", "--input-shape", "3x2", "--indices", "5", "--rounds", "1")
    assert lookup.startswith("input 3x2 int32") and "forward and backward" in lookup


def test_bench_gives_what_the_network_can_use(tmp_path):
    """Indices in a table beside real numbers; the precision that was asked for, where no parameter has one."""
    f7.save_t7(tmp_path / "both.t7", nn.ParallelTable().add(nn.LookupTable(5, 3)).add(nn.Tanh()))
    f7.save_t7(tmp_path / "tanh.t7", nn.Tanh())
    both = ("bench", tmp_path / "both.t7", "--rounds", "1", "--input-shape")
    assert [each["dtype"] for each in as_json(*both, "4,2x3", "--indices", "5,0")["input"]] == ["int32", "float32"]
    for wrong in ([], ["--indices", "0"], ["--indices", "6,0"]):
        message = called(*both, "40,2x3", *wrong, code=1)
        assert "nn.LookupTable: expected indices from 1 to 5" in message and "--indices N,0" in message
    assert "--indices has 2 numbers, --input-shape 1" in called(*both, "4", "--indices", "5,0", code=2)
    assert "such as 10000,0, got '-1'" in called(*both, "4", "--indices", "-1", code=2)
    double = as_json("bench", tmp_path / "tanh.t7", "--input-shape", "2", "--rounds", "1", "--dtype", "float64")
    assert double["input"]["dtype"] == "float64"


def test_bench_times_what_it_says():
    """For a linear layer, y x' is the weight's gradient of half the square of y, y the bias's and W' y the input's."""
    module, x = f7.Linear(3, 2), np.array([[1, 2, 3]], np.float32)
    params, buffers = module.init(jax.random.key(0))
    output, (gradients, (of_input,)) = gradients_of(Network(module, params, buffers))(params, buffers, x, None)
    weight, bias = np.asarray(params["weight"]), np.asarray(params["bias"])
    np.testing.assert_allclose(output, x @ weight.T + bias, rtol=1e-5)
    np.testing.assert_allclose(gradients["weight"], output.T @ x, rtol=1e-5)
    np.testing.assert_allclose(gradients["bias"], output[0], rtol=1e-5)
    np.testing.assert_allclose(of_input, output @ weight, rtol=1e-5)


def test_errors_name_the_file_and_what_was_expected(convnet, tmp_path):
    file, input, _ = convnet
    np.save(tmp_path / "flat.npy", np.ones(3))
    message = called("run", file, "--input", tmp_path / "flat.npy", code=1)
    assert str(file) in message and "expected a 3D or 4D tensor with 2 planes" in message
    assert "In 1 module of nn.Sequential:" in message and "Traceback" not in message
    (tmp_path / "cut.t7").write_bytes(file.read_bytes()[:3000])
    message = called("inspect", tmp_path / "cut.t7", code=1)
    assert message.startswith(f"Error: {tmp_path / 'cut.t7'}: expected ") and "(at byte " in message
    (tmp_path / "new.pth").write_bytes(b"PK\x03\x04")
    assert "but one of PyTorch" in called("inspect", tmp_path / "new.pth", code=1)
    assert "expected a file of Torch7" in called("inspect", input, code=1)
    assert "expected a network" in called("bench", FOLDER / "table_binary.t7", "--input-shape", "1", code=1)
    assert "x.txt: expected .npy" in called("run", file, "--input", _file(tmp_path / "x.txt"), code=1)
    assert "no array as NumPy saves it" in called("run", file, "--input", _file(tmp_path / "y.npy"), code=1)
    with pytest.raises(t7.T7FormatError):
        CliRunner().invoke(main, ["inspect", str(tmp_path / "cut.t7"), "--debug"], catch_exceptions=False)


def _file(path):
    path.write_bytes(b"text")
    return path


def test_wrong_calls(convnet, tmp_path):
    assert "Missing option '--input'" in called("run", convnet[0], code=2)
    assert "does not exist" in called("inspect", tmp_path / "none.t7", code=2)
    assert "expected sizes such as 1x3x224x224, got '1x0'" in called(
        "bench", convnet[0], "--input-shape", "1x0", code=2
    )
    assert "expected numbers such as" in called("run", convnet[0], "--input", convnet[1], "--mean", "a", code=2)
    assert "name it: --to t7" in called("convert", convnet[0], tmp_path / "out", code=2)


def completed(arguments, begun):
    found = ShellComplete(main, {}, "functorch7", "_FUNCTORCH7_COMPLETE").get_completions(arguments, begun)
    return [each.value for each in found if each.type == "plain"], any(each.type == "file" for each in found)


def test_shells_complete_commands_and_recipes():
    assert completed([], "tr") == (["train"], False)
    assert completed(["train"], "dig") == (["digits"], True)  # or a file of one's own
    assert set(completed(["train"], "")[0]) == set(recipes.shipped())
    assert "--folder" in completed(["train", "digits"], "--fo")[0]


def test_as_a_program(convnet):
    """In a process of its own: to a pipe, with an exit code, and in time for --help."""
    done = _process("-m", "functorch7", "inspect", convnet[0])
    assert (done.returncode, done.stderr) == (0, "") and "nn.LogSoftMax" in done.stdout
    asks = "import sys, functorch7_cli as cli\ntry: cli.main(['bench', '--help'])\nfinally: print('jax' in sys.modules)"
    done = _process("-c", asks)
    assert done.returncode == 0 and "Examples:" in done.stdout and done.stdout.endswith("False\n")


def _process(*arguments):
    root = Path(__file__).parents[2]
    return subprocess.run([sys.executable, *map(str, arguments)], cwd=root, capture_output=True, text=True)
