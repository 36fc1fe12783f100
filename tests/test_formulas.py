"""Formulas of docstrings as MathML, and the pages of classes."""

from xml.dom import minidom

import pytest

from website import classes
from website.docstrings import parts
from website.formulas import mathml, parted
from website.public import modules

pytestmark = pytest.mark.structure


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "y = x^2": "<mi>y</mi><mo>=</mo><msup><mi>x</mi><mn>2</mn></msup>",
        "(a + b) / sqrt(c)": "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
        "<msqrt><mrow><mi>c</mi></mrow></msqrt></mfrac>",
        "sum_i x_i": "<munder><mo>\u2211</mo><mi>i</mi></munder><msub><mi>x</mi><mi>i</mi></msub>",
        "i dh + h'": '<mi>i</mi><mspace width="0.2em"/><mi>dh</mi><mo>+</mo><msup><mi>h</mi><mo>\u2032</mo></msup>',
        "max_k x": '<munder><mi>max</mi><mi>k</mi></munder><mspace width="0.2em"/><mi>x</mi>',
        "exp(a) / sum_j exp(b)": "<mfrac><mrow><mi>exp</mi><mrow><mo>(</mo><mrow><mi>a</mi></mrow><mo>)</mo></mrow>"
        "</mrow><mrow><munder><mo>\u2211</mo><mi>j</mi></munder><mrow><mi>exp</mi><mrow><mo>(</mo><mrow><mi>b</mi></mrow>"
        "<mo>)</mo></mrow></mrow></mrow></mfrac>",
        "W [x] / x[i]": "<mi>W</mi><mfrac><mrow><mo>[</mo><mrow><mi>x</mi></mrow><mo>]</mo></mrow>"
        "<mrow><mi>x</mi><mrow><mo>[</mo><mrow><mi>i</mi></mrow><mo>]</mo></mrow></mrow></mfrac>",
        "x1 . x2": "<msub><mi>x</mi><mn>1</mn></msub><mo>\u22c5</mo><msub><mi>x</mi><mn>2</mn></msub>",
        "1e-5 < eps": "<msup><mn>10</mn><mn>\u22125</mn></msup><mo>&lt;</mo><mi>\u03b5</mi>",
    }.items(),
)
def test_a_formula_is_set(text, expected):
    assert mathml(text).replace(' stretchy="false"', "") == f'<math display="block"><mrow>{expected}</mrow></math>'


def test_brackets_are_as_high_as_what_they_hold():
    assert mathml("f(x_i)").count('<mo stretchy="false">') == 2
    assert mathml("f(1 / n)").count("<mo>") == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "y = x: what it is.": (["y = x"], "What it is."),
        "i = s(x);  h' = i h. More.": (["i = s(x)", "h' = i h"], "More."),
        "[a, b] -> a.": (["[a, b] -> a"], ""),
        "r_n(i) = |i|: mirrored.": (["r_n(i) = |i|"], "Mirrored."),
        "y[i] = sum_{j < k} w[j] x[i + j], over the dimension.": (
            ["y[i] = sum_{j < k} w[j] x[i + j]"], "Over the dimension.",
        ),
        "Row y = 3 of a table.": ([], "Row y = 3 of a table."),
    }.items(),
)  # fmt: skip
def test_formulas_begin_a_paragraph_and_prose_comes_after_them(text, expected):
    assert parted(text) == expected


WITHOUT = {
    "Container": "computes nothing; its subclasses do",
    "Dictionary": "cannot be made",
}
"""The classes that have no formula, and why."""


def test_every_class_has_a_formula_but_for_those_that_compute_nothing():
    described = {kind: parts(kind.__doc__)[0].split("\n\n") for kind in modules().values()}
    bare = [kind.__name__ for kind, texts in described.items() if not any(parted(text)[0] for text in texts)]
    assert sorted(bare) == sorted(WITHOUT)


def test_every_formula_is_well_formed_and_has_all_the_names_of_its_text():
    for kind in modules().values():
        found = [each for text in parts(kind.__doc__)[0].split("\n\n") for each in parted(text)[0]]
        for formula in found:
            set_ = minidom.parseString(mathml(formula))
            shown = [node.firstChild.data.strip() for tag in ("mi", "mtext") for node in set_.getElementsByTagName(tag)]
            assert shown


def test_every_class_has_a_page_in_one_chapter():
    inside = [kind for kinds in classes.chapters().values() for kind in kinds]
    assert sorted(kind.__name__ for kind in inside) == sorted(kind.__name__ for kind in modules().values())


def test_a_page_says_what_the_class_is_elsewhere():
    page = classes.pages()["classes/SpatialConvolution.md"]
    for said in (
        "`nn.SpatialConvolution(nInputPlane, nOutputPlane, kW, kH, dW=1", "nn.Conv2d(", "`nnx.Conv`",
        "https://github.com/torch/nn/blob/master/doc/convolution.md#nn.SpatialConvolution",
    ):  # fmt: skip
        assert said in page
