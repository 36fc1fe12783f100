"""Text from language models: of a recipe's run, and of a checkpoint as char-rnn saves it."""

import re
from pathlib import Path

import alternating
import numpy as np
import pytest
from click.testing import CliRunner

from functorch7 import recipes
from functorch7.legacy import torch, zoo
from functorch7.recipes.run import kept
from functorch7_cli import main
from functorch7_cli.sample import Speaker, chosen


def said(*arguments, code=0):
    result = CliRunner().invoke(main, ["sample", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.stderr if code else result.stdout.removesuffix("\n")


def test_tokens_are_as_frequent_as_the_temperature_says():
    scores, random = np.log([0.5, 0.3, 0.2]), np.random.default_rng(0)
    found = np.bincount([chosen(scores, 0.5, random) for _ in range(4000)])[1:] / 4000
    np.testing.assert_allclose(found, np.array([0.25, 0.09, 0.04]) / 0.38, atol=0.03)
    assert chosen(scores, 0, random) == 1


def test_a_run_goes_on_with_the_text(tmp_path):
    """A model of a text of two alternating lines knows how it goes on; words have spaces between them."""
    run = alternating.trained(tmp_path)
    assert said(run, "--prime", "ab c", "--length", 10, "--temperature", 0) == "ab cd\nef gh\nab"
    assert "the model has no 'x'" in said(run, "--prime", "x", code=1)
    assert "expected the folder of a run" in said(tmp_path, code=1)
    settings = kept(run)
    text = Path(settings["text"])
    text.write_text(text.read_text().replace("h", "z"))  # as many letters, of which the numbers mean others
    wrong = r"10 tokens, checksum \w+.*10 tokens, checksum"
    assert re.search(f"the run has learned a text of {wrong}", said(run, code=1))
    with pytest.raises(
        ValueError, match=f"the run in .* has vocabulary = '{wrong}.*; another one needs another folder"
    ):
        recipes.run(recipes.made(settings), run, verbose=False)


def test_a_checkpoint_of_char_rnns(tmp_path):
    """The likeliest characters, each found by the network that was saved from all before it."""
    file, letters = tmp_path / "lm_lstm.t7", "xyz\n"
    torch.manualSeed(2)
    network = zoo.char_rnn(4, hidden=5)
    vocabulary = {letter: number + 1 for number, letter in enumerate(letters)}
    options = {"model": "lstm", "num_layers": 2, "rnn_size": 5}
    torch.save(str(file), {"protos": {"rnn": network}, "vocab": vocabulary, "opt": options})
    state, text = [torch.zeros(1, 5)] * 4, "xz"
    for place in range(6):
        *state, scores = network.forward([torch.Tensor([vocabulary[text[place]]]), *state])
        if place >= 1:
            text += letters[int(np.asarray(scores).argmax())]
    assert said(file, "--prime", "xz", "--length", 5, "--temperature", 0) == text
    assert said(file, "--length", 30, "--seed", 1) == said(file, "--length", 30, "--seed", 1)
    assert "'nan'" in said(file, "--temperature", "nan", code=2)


def test_characters_of_several_bytes_are_tokens_of_char_rnns_for_each_byte():
    """For Lua a text is bytes; what is drawn may be half a character."""
    e, acute = "é".encode().decode("ascii", "surrogateescape")
    speaker = Speaker(lambda *_: None, None, {1: "a", 2: e, 3: acute, 4: "ü"}, words=False)
    assert speaker.read("aéaü") == [1, 2, 3, 1, 4] and speaker.written([1, 2, 3, 1, 4]) == "aéaü"
    assert speaker.written([2, 1]) == "\N{REPLACEMENT CHARACTER}a"
    for unknown in "bèö":
        with pytest.raises(ValueError, match=f"the model has no '{unknown}', which is in the text"):
            speaker.read("a" + unknown)
