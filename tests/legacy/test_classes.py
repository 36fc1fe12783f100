"""torch.class and its kin: beside torch7/doc/utility.md; and what packages around Torch add to torch."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch, torchx

from .helpers import same


@pytest.fixture
def shop():
    """The documentation's two classes, in a module of their own."""
    names = {}
    Foo = torch.class_("Foo", names)

    def begin(self):
        self.contents = "this is some text"

    Foo.__init__ = begin
    Foo.said = lambda self: self.contents
    Foo.bip = lambda self: "bip"
    Bar, parent = torch.class_("Bar", "Foo", names)

    def begin_below(self, stuff):
        parent.__init__(self)
        self.stuff = stuff

    Bar.__init__ = begin_below
    Bar.boing = lambda self: "boing!"
    Bar.said = lambda self: self.contents + self.stuff
    return names


def test_classes_have_their_own_methods_and_their_parents(shop):
    foo, bar = shop["Foo"](), shop["Bar"](" ha ha!")
    assert (foo.said(), foo.bip()) == ("this is some text", "bip")
    assert (bar.said(), bar.boing(), bar.bip()) == ("this is some text ha ha!", "boing!", "bip")
    assert torch.type(foo) == torch.typename(foo) == "Foo" and torch.type(bar) == "Bar"
    assert torch.typename(shop["Foo"]) is torch.typename(torch.Tensor) is None  # classes, which are tables in Torch
    assert torch.isTypeOf(bar, "F[a-z]+") and torch.isTypeOf(bar, shop["Foo"]) and not torch.isTypeOf(foo, "Bar")
    assert torch.isTypeOf(bar, "F[a-z]+") and torch.isclass(shop["Bar"]) and not torch.isclass(bar)
    assert getattr(torch, "class") is torch.class_


def test_names_are_put_where_programs_look_for_them():
    made = torch.class_("InThisFile")
    assert globals().pop("InThisFile") is made
    try:
        made, parent = torch.class_("nn.Twice", "nn.Module")
        made.updateOutput = lambda self, input: input * 2
        assert parent is nn.Module and nn.Twice is made and torch.type(nn.Twice()) == "nn.Twice"
        network = nn.Sequential().add(nn.Twice()).add(nn.Twice())
        same(network.forward(torch.ones(2)), [4, 4])
        same(network.backward(torch.ones(2), torch.ones(2)), [4, 4])
        assert torch.getmetatable("nn.Twice") is made
    finally:
        del nn.Twice
    other, _ = torch.class_("shapes.Square", "nn.Linear", shapes := type(torch)("shapes"))
    assert shapes.Square is other and torch.typename(shapes.Square(2, 2)) == "shapes.Square"
    with pytest.raises(ValueError, match="no package 'nowhere'"):
        torch.class_("nowhere.Foo")
    with pytest.raises(ValueError, match=r"torch.class: Foo: there is no class 'no.Parent'"):
        torch.class_("Foo", "no.Parent")
    for wrong in ((3,), ("A", "B", "C"), ("A", 3, {})):
        with pytest.raises(TypeError, match="torch.class: expected"):
            torch.class_(*wrong)


def test_a_name_means_the_class_that_was_made_last():
    class Base(nn.Module):
        def updateOutput(self, input):
            return input

    deep = type("Repeated", (Base,), {"updateOutput": lambda self, input: input})
    made, _ = torch.class_("nn.Repeated", "nn.Module")
    try:
        assert torch.getmetatable("nn.Repeated") is made
        deeper = type("Repeated", (deep,), {"updateOutput": lambda self, input: input})
        assert torch.getmetatable("nn.Repeated") is deeper
    finally:
        del nn.Repeated


def test_objects_are_saved_with_their_fields(shop, tmp_path):
    bar = shop["Bar"]("!")
    bar.tensor, bar.inside, bar.self_ = torch.Tensor([1, 2]), nn.Tanh(), bar
    bar.again = bar.tensor
    torch.save(str(tmp_path / "bar.t7"), [bar, bar])
    one, other = torch.load(str(tmp_path / "bar.t7"))
    assert one is other and one.self_ is one and one.again is one.tensor and one.said() == bar.said()
    assert torch.type(one) == "Bar" and torch.type(one.inside) == "nn.Tanh"
    same(one.tensor, [1, 2])


@pytest.mark.parametrize("name", ["Bar", "nn.Linear", "nn.Module", "torch.FloatTensor", "torch.LongStorage"])
def test_a_class_by_its_name(shop, name):
    kind = torch.getmetatable(name)
    assert kind is torch.getmetatable(name) is torch.getconstructortable(name)
    empty = torch.factory(name)()
    assert torch.type(empty) == name and torch.id(empty) == torch.typename2id(name) != torch.typename2id("nn.Tanh")
    assert torch.version(empty) == 1


def test_names_of_no_class():
    assert torch.getmetatable("no.Class") is torch.factory("no.Class") is torch.typename2id("no.Class") is None
    assert torch.id(3) is torch.version({}) is None
    with pytest.raises(ValueError, match=r"torch.setmetatable: there is no class 'no.Class'"):
        torch.setmetatable({}, "no.Class")


def test_a_table_becomes_an_object(shop):
    table = {"contents": "hers"}
    foo = torch.setmetatable(table, "Foo")
    assert foo.said() == "hers" and isinstance(foo, shop["Foo"])
    table["contents"] = "his"
    assert foo.said() == "his"
    weight, bias = torch.Tensor([[1, 2]]), torch.Tensor([10])
    linear = torch.setmetatable({"weight": weight, "bias": bias}, "nn.Linear")
    same(linear.forward(torch.Tensor([1, 1])), [13])
    pair = torch.newmetatable("Pair", None, lambda a, b: (a, b))
    assert globals().pop("Pair")(1, 2) == (1, 2) and torch.getmetatable("Pair") is pair


def test_one_and_the_same():
    x = torch.Tensor(2)
    assert torch.isequal(x, x) and not torch.isequal(x, x.clone()) and not torch.isequal(3, 3)


def test_the_names_that_a_function_sees():
    def seen():
        return hidden  # noqa: F821 - it is what the test is about

    assert torch.getenv(seen) is globals()
    assert torch.setenv(seen, {"hidden": 5})() == 5


def test_constructors_of_types_tell_tensors_apart():
    x = torch.LongTensor([1, 2])
    assert torch.LongTensor is torch.LongTensor and str(torch.LongTensor) == "torch.LongTensor"
    assert isinstance(x, torch.LongTensor) and isinstance(x.storage(), torch.LongStorage)
    assert not isinstance(x, torch.IntTensor) and not isinstance(x, torch.LongStorage)
    assert torch.isTypeOf(x, torch.LongTensor) and not torch.isTypeOf(x, torch.FloatTensor)
    same(torch.LongTensor.add(torch.LongTensor(), x, 1), [2, 3])  # as a function


def test_a_packages_file_is_run_with_the_callers_names(tmp_path, monkeypatch):
    folder = tmp_path / "ported"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "part.py").write_text("included = torch.Tensor(3).nElement()")
    monkeypatch.syspath_prepend(tmp_path)
    torch.include("ported", "part.py")
    assert globals().pop("included") == 3
    with pytest.raises(ModuleNotFoundError, match="no package 'unported'"):
        torch.include("unported", "part.py")


def test_what_other_packages_add(tmp_path):
    a, b = torch.ones(2, 3), torch.zeros(1, 3)
    same(torch.concat([a, b]), [[1] * 3, [1] * 3, [0] * 3])
    result = torch.Tensor()
    assert torch.concat(result, [a, a], 2) is result and result.size() == [2, 6]
    assert torch.protoClone(a, 4).size() == [4] and torch.type(torch.protoClone(nn.Linear(2, 3), 4, 5)) == "nn.Linear"
    assert torch.AliasMultinomial is torchx.AliasMultinomial
    path, made = str(tmp_path / "there" / "data.t7"), []
    for overwrite, count in ((False, 1), (False, 1), (True, 2)):
        kept = torch.checkpoint(path, lambda: made.append(1) or [len(made)], overwrite)
        assert kept == [count] and len(made) == count


def test_draws_by_the_alias_method_follow_the_weights():
    weights = np.array([0.1, 0, 0.4, 0.5])
    state = torch.multinomialAliasSetup(torch.DoubleTensor(weights))
    alias, share = map(np.asarray, state)
    assert [each.type() for each in state] == ["torch.LongTensor", "torch.DoubleTensor"]
    spread = share / 4 + [((1 - share) / 4)[alias == place].sum() for place in range(1, 5)]
    np.testing.assert_allclose(spread, weights, atol=1e-8)  # what each column keeps, and what others leave to it
    again = [torch.LongTensor(), torch.DoubleTensor()]
    assert torch.DoubleTensor(weights).multinomialAliasSetup(again) is again
    same(again, state)

    torch.manualSeed(123)
    output = torch.LongTensor(2, 3)
    assert torch.multinomialAlias(output.view(-1), state).size() == [6]
    points = np.random.RandomState(123).randint(0, 2**32, 12, np.uint64).reshape(6, 2) / 2**32
    columns = (points[:, 0] * 4).astype(int)
    same(output.view(-1), np.where(points[:, 1] <= share[columns], columns + 1, alias[columns]))
    generator = torch.Generator()
    torch.manualSeed(generator, 123)
    same(torch.LongTensor(6).multinomialAlias(generator, state), output.view(-1))
    for wrong in ([], [[1]], [-1, 2], [0, 0]):
        with pytest.raises(ValueError, match="torch.multinomialAliasSetup: expected a vector of weights"):
            torch.multinomialAliasSetup(torch.DoubleTensor(wrong))


def test_classes_below_a_layer_print_under_their_own_names():
    class Wide(nn.Linear):
        """One that says no more."""

    class Spoken(nn.Linear):
        def __repr__(self):
            return f"<{super().__repr__()}>"

    network = nn.Sequential().add(Wide(3, 2)).add(Spoken(2, 4))
    assert str(network).split("\n")[2:4] == ["  (1): nn.Wide(3 -> 2)", "  (2): <nn.Spoken(2 -> 4)>"]
    with pytest.raises(ValueError, match=r"^nn.Wide\(3 -> 2\): expected input of size 3"):
        network.forward(np.ones((1, 5)))
