"""Networks in files: whole or not at all, by path and by URL, with or without their weights."""

import contextlib
import copy
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import fsspec
import jax
import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop import remote, safetensors, stablehlo, t7
from functorch7.legacy import image, nn, torch
from functorch7.legacy.objects.own_fields import own_fields
from functorch7_cli.inputs import write_output

from .helpers import same, values

X = values(5, 3, seed=1).astype("f")


def net():
    return nn.Sequential(nn.Linear(3, 4).setName("first"), nn.BatchNormalization(4), nn.Tanh())


def test_a_network_is_saved_and_loaded(tmp_path):
    model, path = net(), str(tmp_path / "model.t7")
    model.forward(X)
    assert model.save(path) is model and model.output.nElement() == 0  # clearState came first
    loaded = nn.Module.loadModule(path)
    assert loaded["first"].getName() == "first" and str(loaded) == str(model)
    same(loaded.evaluate().forward(X), model.evaluate().forward(X))
    description, params, _ = f7.load_model(path)
    assert f7.find(description, "first") == (0,)
    same(params[0]["weight"], model["first"].weight)
    for save in (model.save, model.saveModule, model.saveTorch, model.saveDefinition):
        with pytest.raises(FileExistsError, match="model.t7 exists; overWrite=True replaces it"):
            save(path)
    model["first"].weight.fill(1)
    model.saveTorch(path, True)
    assert (np.array(nn.loadTorch(path)["first"].weight) == 1).all()
    with pytest.raises(FileNotFoundError):
        nn.load(tmp_path / "nothing.t7")
    torch.save(path, [1, 2])
    with pytest.raises(TypeError, match="holds no network"):
        nn.load(path)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.SeqLSTM])
def test_recurrent_modules_have_tables_definitions_and_shared_copies(kind, tmp_path):
    model, path = nn.Sequential(kind(2, 3)), str(tmp_path / "model.t7")
    shared = model.clone(False)
    model.parameters()[0][0].fill(2)
    same(shared.parameters()[0][0], model.parameters()[0][0])
    tables = model.getParametersTable().values()
    assert {id(t) for table in tables for t in table.values()} >= set(map(id, model.parameters()[0]))
    assert str(nn.load(model.saveDefinition(path) and path)) == str(model)


def test_names_of_the_functional_interface_are_in_files(tmp_path):
    node = f7.Node(f7.Linear(2, 2))
    kept = f7.Profile(f7.Tanh(), 9, "shown", 1).named("timed")  # a class that has a name for something else
    network = f7.Sequential(f7.Linear(3, 2).named("conv1"), f7.Graph([node], [node]).named("top"), kept)
    f7.save_model(tmp_path / "m.t7", network, *network.init(jax.random.key(0)))
    *_, timed = loaded = f7.load_model(tmp_path / "m.t7")[0]
    assert loaded[:2] == network[:2] and timed.own_name == "timed" and timed.name == "shown"
    assert nn.load(tmp_path / "m.t7")["conv1"].getName() == "conv1"


def test_definition_and_weights_in_two_files(tmp_path):
    model = nn.Sequential(nn.Linear(300, 300), nn.Tanh(), nn.Linear(300, 300), nn.BatchNormalization(300)).double()
    model.get(4).running_mean.fill(3)
    model.get(3).share(model.get(1), "weight", "gradWeight")
    definition, weights = tmp_path / "definition.t7", tmp_path / "weights.t7"
    assert model.saveModule(definition, weights) is model
    assert definition.stat().st_size < 10_000 < 8 * 300 * 300 < weights.stat().st_size < 1.1 * 8 * 300 * 300
    loaded = nn.loadModule(definition, weights)
    same(loaded.getWeightsBias(), model.getWeightsBias())
    same(loaded.getExtraParameter(), model.getExtraParameter())
    loaded.get(1).weight.fill(2)
    assert (np.array(loaded.get(3).weight) == 2).all() and (np.array(loaded.get(1).bias) != 2).all()
    x = values(2, 300)
    loaded.forward(x)
    loaded.backward(x, x)  # gradients are tensors of their own, too
    assert loaded.get(1).gradBias.shape == (300,) and (np.array(loaded.get(1).gradWeight) != 0).any()
    fresh = nn.load(definition)  # without weights: new initial values
    first = np.array(fresh.get(1).weight)
    assert len(np.unique(first)) > 1000 and abs(first).max() <= 300**-0.5
    torch.save(weights, [np.zeros((2, 2))])
    with pytest.raises(ValueError, match="does not hold its weights"):
        nn.load(definition, weights)


def test_bfloat16_is_saved_as_float32(tmp_path):
    model = net().bfloat16()
    weight = model.get(1).weight.numpy().astype(np.float32)
    loaded = nn.load(model.save(tmp_path / "model.t7") and tmp_path / "model.t7")
    assert {module.type() for module in loaded.listModules()} == {"torch.FloatTensor"}
    same(loaded.get(1).weight, weight)
    model.saveWeights(tmp_path / "weights.t7")
    assert model.reset().loadWeights(tmp_path / "weights.t7").get(1).weight.dtype.name == "bfloat16"
    same(model.get(1).weight.numpy().astype(np.float32), weight)


def test_what_cannot_be_saved_or_taken_says_where(tmp_path):
    model = net()
    with pytest.raises(FileNotFoundError, match=r"nowhere.model\.t7"):
        model.save(tmp_path / "nowhere" / "model.t7")
    with pytest.raises(ValueError, match=r"two files for definition and weights, got .*model\.t7 twice"):
        model.saveModule(tmp_path / "model.t7", tmp_path / "model.t7", overWrite=True)
    (tmp_path / "link.t7").symlink_to(tmp_path / "model.t7")
    for other in (f"{tmp_path}/./model.t7", tmp_path / "link.t7"):
        with pytest.raises(ValueError, match=r"two files for definition and weights"):
            model.saveModule(tmp_path / "model.t7", other, overWrite=True)
    model.save(tmp_path / "model.t7")
    with pytest.raises(ValueError, match=r"does not hold its weights: .*, got nn\.Sequential$"):
        nn.loadModule(tmp_path / "model.t7", tmp_path / "model.t7")


def test_urls_are_files_of_fsspec(tmp_path):
    model, url = net(), "memory://models/model.t7"
    model.saveModule(url, overWrite=True)
    same(nn.load(url)["first"].weight, model["first"].weight)
    same(f7.load_model(url)[1][0]["weight"], model["first"].weight)
    with pytest.raises(FileExistsError):
        model.save(url)
    model.saveWeights("memory://models/weights.t7", True)
    net().loadWeights("memory://models/weights.t7", matchAll=False)
    module, (params, buffers) = model.functional()
    safetensors.save("memory://models/m.safetensors", module, params, buffers)
    same(safetensors.load("memory://models/m.safetensors", module).params[0]["weight"], model["first"].weight)
    names = {name.rpartition("/")[2] for name in fsspec.filesystem("memory").ls("/models", detail=False)}
    assert names == {"model.t7", "weights.t7", "m.safetensors"}  # nothing is left of the writing
    large = net().save(f"file://{tmp_path}/local.t7")
    same(nn.load(tmp_path / "local.t7")["first"].weight, large["first"].weight)


def test_a_url_without_fsspec_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImportError, match="this needs fsspec: pip install 'functorch7\\[remote\\]'"):
        net().save("s3://bucket/model.t7")
    with pytest.raises(ImportError, match="functorch7\\[remote\\]"):
        f7.load_model("s3://bucket/model.t7")


def with_own_fields():
    """A network into which a program has put values of every kind, some of which are parts of it."""
    model = nn.Sequential(nn.Linear(3, 2), nn.Sequencer(nn.LSTM(2, 2)), nn.MapTable(nn.Identity()))
    linear, criterion = model.get(1), nn.MSECriterion()
    criterion.unit = "mm"
    linear.rows, linear.mask = linear.weight.select(1, 1), torch.ByteTensor([1, 0])
    model.epoch, model.best, model.note, model.done = 3, 0.25, "a b", False
    model.options = {"sizes": [1, 2], "last": model.get(2), "inner": {"model": model}}
    model.get(2).name, model.get(2).loss, model.sizes = "steps", criterion, torch.LongStorage([4, 5])
    model._first = linear
    return model


def copied_by_a_file(model):
    return torch.deserialize(torch.serialize(model))


def copied_by_a_loaded_file(model):
    return copied_by_a_file(copied_by_a_file(model))


COPIES = [copied_by_a_file, copied_by_a_loaded_file, nn.Module.clone, nn.Module.sharedClone]


@pytest.mark.parametrize("copied", COPIES, ids=lambda each: each.__name__)
def test_copies_and_files_have_the_fields_that_a_program_has_set(copied):
    model = with_own_fields()
    copy = copied(model)
    assert (copy.epoch, copy.best, copy.note, copy.done) == (3, 0.25, "a b", False)
    assert copy.options["sizes"] == [1, 2] and copy.options["last"] is copy.get(2)
    assert copy.options["inner"]["model"] is copy is not model
    assert copy._first is copy.get(1) is not model.get(1)
    assert copy.get(2).name == "steps" and copy.get(2).loss.unit == "mm" and list(copy.sizes) == [4, 5]
    assert copy.get(1).mask.type() == "torch.ByteTensor" and list(copy.get(1).mask) == [1, 0]
    copy.get(1).weight.fill(5)
    assert list(copy.get(1).rows) == [5, 5, 5]  # still a part of the weight
    assert len(copy.parameters()[0]) == len(model.parameters()[0])


def test_a_file_goes_on_in_the_sequence_in_which_it_was_saved():
    """As Torch7 went on with what it had written to this file, and after writing it again here."""
    for each in copied_by_a_file(torch.load(Path(__file__).parents[1] / "golden" / "remembered.t7")):
        network = each["network"]
        forgotten = copied_by_a_file(network.clone().forget())
        assert all(value is None for module in forgotten.listModules() for value in module._state.values())
        same(network.forward(each["input"]), each["output"], rtol=1e-12)


def test_what_calls_leave_in_objects_is_no_field_of_the_programs():
    binary, table, normal = nn.SpatialBinaryConvolution(1, 1, 1, 1), nn.FlattenTable(), nn.NormStabilizer()
    binary.binarizeWeight()
    table.forward([torch.randn(2), [torch.randn(2)]])
    normal.updateLoss()
    linear = nn.Linear(2, 2)
    linear.toBatch(torch.randn(2), 1)
    linear.contiguousInput(torch.randn(2))
    reward = nn.VRClassReward(nn.ReinforceBernoulli())
    for each in (binary, table, normal, linear, reward, nn.MultiCriterion().add(nn.MSECriterion())):
        assert own_fields(each) == {}


def test_files_of_torch_keep_plain_fields_that_no_class_knows():
    """And what lists of names in hostile files say cannot stand in the place of what a class defines."""
    fields = {"epoch": 3, "_count": 4, "labels": ["a", "b"]}
    fields |= {"scratch": np.zeros(3), "clones": [t7.T7Object("nn.Tanh", 1)]}
    record = t7.deserialize(torch.serialize(nn.Linear(3, 2)))
    record.fields |= fields
    loaded = torch.deserialize(t7.serialize(record))
    assert own_fields(loaded) == {"epoch": 3, "labels": ["a", "b"]}
    record.fields |= {"forward": 1, "_spec": 2, "depth": 3, "_plans": 4, "_history": 5}
    record.fields["functorch7_fields"] = ["forward", "_spec", "depth", "_plans", "_history"]
    loaded = torch.deserialize(t7.serialize(record))
    assert own_fields(loaded) == {"depth": 3} and loaded.forward(X).size() == [5, 2]
    record.fields["functorch7_fields"] = [True]  # numbers are names: of `module[1] = x`
    with pytest.raises(t7.T7FormatError, match="expected names as functorch7_fields, got list"):
        torch.deserialize(t7.serialize(record))


def test_a_field_that_no_file_can_hold_is_refused_by_its_place():
    model = nn.Sequential(nn.Linear(3, 2))
    model.get(1).tools = {"a": [1, object()]}
    with pytest.raises(TypeError, match=r"no type for object: .*, at nn.Linear\['tools'\]\['a'\]\[2\]"):
        torch.serialize(model)


@pytest.mark.parametrize("place", ["{}/model.t7", "memory://failing/model.t7"])
def test_a_save_that_fails_leaves_the_old_file(place, tmp_path):
    path = place.format(tmp_path)
    model = net().save(path, True)
    broken = {"fine": model["first"].weight, "not": object()}
    with pytest.raises(TypeError, match="Torch7 has no type for object"):
        torch.save(path, broken)
    with pytest.raises(TypeError, match=r"objects of torch.Timer are not written to files here, at \['timer'\]"):
        torch.save(path, {"timer": torch.Timer()})
    same(nn.load(path)["first"].weight, model["first"].weight)
    with pytest.raises(RuntimeError, match="in the middle"):
        with remote.replacing(path) as draft:
            draft.write_bytes(b"half a file")
            raise RuntimeError("in the middle")
    same(nn.load(path)["first"].weight, model["first"].weight)
    if "memory" not in path:
        assert os.listdir(tmp_path) == ["model.t7"]


LINEAR = f7.Linear(3, 2)
ARRAYS = LINEAR.init(jax.random.key(0))
SAVERS = {
    "a.t7": lambda path: torch.save(path, [1, 2]),
    "b.t7": lambda path: f7.save_model(path, LINEAR, *ARRAYS),
    "c.safetensors": lambda path: safetensors.save(path, LINEAR, *ARRAYS),
    "d.stablehlo": lambda path: stablehlo.save_exported(path, LINEAR, *ARRAYS, (2, 3)),
    "e.npy": lambda path: write_output(path, np.ones(3)),
    "f.npz": lambda path: write_output(path, [np.ones(3)]),
    "g.png": lambda path: image.save(path, torch.ones(1, 2, 2)),
    "h.svg": lambda path: f7.viz.draw(LINEAR).write(path),
    "i.t7": lambda path: torch.save(f"file://{path}", [1, 2]),
}


@pytest.mark.parametrize("name", SAVERS)
def test_a_symbolic_link_leads_to_what_is_written(name, tmp_path):
    """The link stays, and what it leads to has what a file of its own has, and its own permissions."""
    places, link = [tmp_path / "far" / each for each in ("there", "new")], tmp_path / name
    places[0].parent.mkdir()
    places[0].write_text("old")
    places[0].chmod(0o640)
    SAVERS[name](str(tmp_path / f"plain-{name}"))
    for place in places:
        link.symlink_to(place)
        SAVERS[name](str(link))
        assert link.is_symlink() and link.resolve() == place
        assert place.read_bytes() == (tmp_path / f"plain-{name}").read_bytes()
        link.unlink()
    assert stat.S_IMODE(places[0].stat().st_mode) == 0o640
    assert {each.name for each in (tmp_path / "far").iterdir()} == {"there", "new"}


def test_a_failed_save_leaves_what_a_link_leads_to(tmp_path):
    place, link = tmp_path / "place", tmp_path / "link.t7"
    place.write_text("old")
    link.symlink_to(place)
    with pytest.raises(TypeError, match="no type"):
        torch.save(str(link), object())
    assert link.is_symlink() and place.read_text() == "old" and len(list(tmp_path.iterdir())) == 2
    link.unlink()
    link.symlink_to(tmp_path / "no folder" / "file")
    with pytest.raises(FileNotFoundError, match="link.t7"):
        torch.save(str(link), 1)


SAVER = """
import os, sys
import numpy as np
from functorch7.interop import t7

for line in sys.stdin:  # each line starts a process that saves over the file until it is killed
    saver = os.fork()
    number = int(line)
    while saver == 0:
        number += 1
        t7.write(sys.argv[1], {"number": number, "array": np.full(500_000, number, np.float32)})
    print(saver, flush=True)
    os.waitpid(saver, 0)
    print("gone", flush=True)
"""


def test_a_process_killed_while_it_saves_leaves_a_whole_file(tmp_path):
    path, numbers, parts = tmp_path / "model.t7", [0], 0
    t7.write(path, {"number": 0, "array": np.full(500_000, 0, np.float32)})
    command = [sys.executable, "-c", SAVER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        for wait in (None, 0.003, 0.007, None, 0.011):
            before, known = path.stat().st_ino, _parts(tmp_path)
            print(numbers[-1], file=parent.stdin, flush=True)
            saver = int(parent.stdout.readline())
            try:
                if wait is None:  # killed in the middle of writing
                    parts += _until(lambda known=known: any(0 < size < 2_000_000 for size in _new(tmp_path, known)))
                else:  # killed at any time after the first save
                    assert _until(lambda before=before: path.stat().st_ino != before)
                    time.sleep(wait)
            finally:
                os.kill(saver, signal.SIGKILL)
            assert parent.stdout.readline() == "gone\n"
            found = t7.read(path)
            assert found["array"].shape == (500_000,) and (found["array"] == found["number"]).all()
            numbers.append(found["number"])
    assert numbers == sorted(numbers) and numbers[-1] > 0 and parts == 2


def _parts(folder):
    """The files that are being written, and those that earlier rounds left."""
    return {f"{each}/model.t7" for each in os.listdir(folder) if each.startswith(".writing-")}


def _new(folder, known):
    for part in _parts(folder) - known:
        with contextlib.suppress(FileNotFoundError):
            yield os.stat(folder / part).st_size


def _until(true):
    """Waits until something is true, 20 seconds at most; whether it became so."""
    limit = time.monotonic() + 20
    while time.monotonic() < limit:
        if true():
            return True
        time.sleep(0.0002)
    return False


@pytest.mark.parametrize(
    "make, name", [(lambda: nn.Linear(2, 3), "accGradParameters"), (nn.MSECriterion, "updateOutput")]
)
def test_an_objects_own_method_is_named_where_a_file_has_no_place_for_it(make, name, tmp_path):
    """It is in copies, as the layer is frozen there, too."""
    frozen = make()
    setattr(frozen, name, lambda *given: None)
    assert vars(copy.deepcopy(frozen))[name] is vars(frozen)[name]
    said = rf"Torch7 has no type for function: .*, at {frozen.typename()}\['{name}'\]; delete it before saving"
    with pytest.raises(TypeError, match=said):
        torch.save(tmp_path / "frozen.t7", frozen)
    if name == "accGradParameters":
        with pytest.raises(TypeError, match="^nn.Linear.*: a module with its own accGradParameters has no functional"):
            nn.Sequential().add(frozen).functional()
