"""What the command line says of a wrong file, or of one that cannot be: one sentence that names it."""

import json
import sys

import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop import stablehlo
from functorch7.legacy import nn
from tests.interop.test_t7 import FOLDER

from .test_commands import called

MLP = FOLDER / "mlp_float.t7"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, whose name has a space and an umlaut, with files for mistakes."""
    place = tmp_path / "für uns"
    (place / "folder").mkdir(parents=True)
    monkeypatch.chdir(place)
    f7.save_t7("words.t7", nn.LookupTable(5, 3))
    f7.save_t7("log.t7", nn.Log())
    (place / "damaged.t7").write_bytes(MLP.read_bytes()[:300])
    (place / "words.safetensors").write_bytes(b"")
    np.save("words.npy", np.array([[1, 5], [3, 0]]))
    np.save("ones.npy", -np.ones((2, 3)))
    np.save("texts.npy", np.array(["a"]))
    f7.save_t7("same.t7", nn.Identity())
    np.save("large.npy", np.array([1, 2**32 + 1]))
    np.savez("two.npz", np.ones(3), np.ones(3))
    (place / "classes.lua").write_text("local = 3")
    return place


MISTAKES = {
    ("convert", MLP, "folder/none/x.t7"): "folder/none/x.t7: No such file or directory",
    ("convert", MLP, "folder", "--to", "safetensors"): "folder: expected a file, this is a folder",
    ("run", MLP, "--input", "texts.npy"): "texts.npy: expected numbers, got <U1",
    ("run", MLP, "--input", "damaged.t7"): "damaged.t7: expected ",
    ("run", "words.safetensors", "--like", "damaged.t7", "--input", "words.npy"): "damaged.t7: expected ",
    ("inspect", "damaged.t7"): "damaged.t7: expected ",
    ("run", "words.t7", "--input", "words.npy"): "words.t7: nn.LookupTable: expected indices from 1 to 5, got 0 at",
    ("run", "same.t7", "--input", "large.npy"): "large.npy: expected whole numbers of 32 bits, got 4294967297; --dtype",
    ("run", "log.t7", "--input", "ones.npy", "--classes", "classes.lua"): "classes.lua:1:",
    ("train", MLP, "--no-tuning"): f"{MLP}: 'utf-8' codec can't decode byte",
    ("inspect", "ones.npy"): "ones.npy: expected a file of Torch7, safetensors or StableHLO: expected an integer, got",
}


@pytest.mark.parametrize("arguments", MISTAKES, ids=lambda each: " ".join(map(str, each[:2])).split("/")[-1])
def test_one_sentence_names_the_file_that_is_wrong(folder, arguments):
    message = called(*arguments, code=1)
    about = message.removeprefix("running classes.lua\n")  # which it says before it runs anything
    assert about.startswith("Error: " + MISTAKES[arguments]) and "Warning" not in message


WRONG_CALLS = {
    ("run", MLP, "--input", "ones.npy", "--output", "y.txt"): "y.txt: can write a tensor as .npy, .npz or .t7",
    ("run", "same.t7", "--input", "two.npz", "--output", "y.npy"): "y.npy: can write a table as .npz or .t7",
    ("run", MLP, "--input", "ones.npy", "--size", "2x3"): "--size has no meaning here: ones.npy is no image",
    ("run", MLP, "--input", "ones.npy", "--std", "1"): "--std has no meaning here: ones.npy is no image",
    ("run", MLP, "--input", "ones.npy", "--like", MLP): f"--like has no meaning here: {MLP} holds the network itself",
    ("run", MLP, "--input", "ones.npy", "--classes", "classes.lua", "--dtype", "float32"): "--dtype has no meaning",
    ("convert", MLP, "again.t7", "--like", MLP): f"--like has no meaning here: {MLP} holds the network itself",
    ("convert", MLP, "x.safetensors", "--input-shape", "3"): "--input-shape has no meaning here: safetensors is",
}


WRONG_CALLS |= {
    ("bench", MLP, *shape, *option): f"got '{given}'"
    for given in ("2147483648", "9" * 5000, "-1", "1.5", "")
    for shape, option in ((("--input-shape", given), ()), (("--input-shape", "3"), ("--indices", given)))
}


@pytest.mark.parametrize("arguments", WRONG_CALLS, ids=lambda each: " ".join(map(str, each[-2:])))
def test_what_a_command_would_ignore_or_cannot_write_is_a_wrong_call(folder, arguments):
    assert WRONG_CALLS[arguments] in called(*arguments, code=2)
    assert not {"y.txt", "y.npy", "again.t7", "x.safetensors"} & {each.name for each in folder.iterdir()}


@pytest.mark.parametrize("option", [("--dtype", "float64"), ("--like", "same.t7"), ("--entry", "a")])
def test_a_compiled_program_is_what_it_is(folder, option):
    stablehlo.save_exported("square.stablehlo", f7.Square(), {}, {}, (2, 3))
    said = called("run", "square.stablehlo", "--input", "ones.npy", *option, code=2)
    assert f"{option[0]} has no meaning here: square.stablehlo is one compiled program" in said


def test_json_is_json_whatever_the_numbers_are(folder):
    """JSON has no nan and no infinity: the logarithm of -1, and values in a table."""
    strict = {"parse_constant": lambda name: pytest.fail(f"{name} is no JSON")}
    output = json.loads(called("run", "log.t7", "--input", "ones.npy", "--json"), **strict)["output"]
    assert output["top"][0][0] == {"class": 1, "value": None}
    f7.save_t7("table.t7", {"least": -np.inf, "half": 0.5})
    entries = json.loads(called("inspect", "table.t7", "--json"), **strict)["value"]["entries"]
    assert (entries["least"]["value"], entries["half"]["value"]) == (None, 0.5)


def test_greatest_entries_are_those_of_bytes_and_truth_values_too(folder):
    for numbers in (np.array([[0, 200, 3]], np.uint8), np.array([[False, True, False]])):
        np.save("numbers.npy", numbers)
        found = json.loads(called("run", "same.t7", "--input", "numbers.npy", "--json"))["output"]["top"][0]
        assert found[0] == {"class": 2, "value": float(numbers[0, 1])} and found[-1]["value"] == 0


@pytest.mark.parametrize("option, given", [("--std", "0"), ("--std", "0.5,0"), ("--mean", "nan"), ("--mean", "a")])
def test_what_makes_an_image_infinite_is_refused(folder, option, given):
    assert f"got '{given}'" in called("run", MLP, "--input", "ones.npy", option, given, code=2)


def test_folders_are_no_files(folder):
    for use in (f7.load_t7, f7.load_model, stablehlo.load_exported):
        with pytest.raises(IsADirectoryError, match="this is a folder: 'folder'"):
            use("folder")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a RECIPE"),
        (["digits", "--set", "epochs"], "expected a setting as name=value, such as epochs=3, got 'epochs'"),
        (["digits", "--no-tuning", "--folder", ""], "--folder: expected a folder, got an empty text"),
        (["digits", "--set", "=3"], "expected a setting as name=value, such as epochs=3, got '=3'"),
    ],
)
def test_train_that_is_called_wrongly_says_so_before_anything_starts(arguments, said):
    assert said in called("train", *arguments, code=2)


@pytest.mark.parametrize("arguments", [(), ("program.lua",)])
def test_lua_without_lupa_says_what_to_install(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.lua").write_text("print(1)")
    monkeypatch.setitem(sys.modules, "lupa.luajit21", None)
    assert called("lua", *arguments, code=1) == "Error: Lua needs lupa: pip install 'functorch7[lua]'\n"
