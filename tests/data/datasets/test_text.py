"""Words, tweets, and what is around them."""

import csv
import itertools
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from functorch7 import data
from functorch7.data.__main__ import main


def test_words_are_numbered_in_sorted_order():
    vocab, ivocab, wordfreq = data.build_vocab("the cat The cat <unk> the the".split())
    assert vocab == {"<unk>": 1, "The": 2, "cat": 3, "the": 4}
    assert ivocab == {1: "<unk>", 2: "The", 3: "cat", 4: "the"}
    assert wordfreq == {"<unk>": 1, "The": 1, "cat": 2, "the": 3}


def test_rare_words_are_oov_which_comes_last():
    vocab, ivocab, wordfreq = data.build_vocab("b a b c c d".split(), minfreq=2)
    assert vocab == {"b": 1, "c": 2, "<OOV>": 3}
    assert ivocab == {1: "b", 2: "c", 3: "<OOV>"}
    assert wordfreq["<OOV>"] == 2
    numbers = data.text2tensor(["c", "never", "b"], vocab)
    assert numbers.tolist() == [2, 3, 1]
    vocab, ivocab, wordfreq = data.build_vocab("<OOV> b <OOV> a <OOV> b".split(), minfreq=2)  # cleaned before
    assert (vocab, ivocab) == ({"b": 1, "<OOV>": 2}, {1: "b", 2: "<OOV>"}) and wordfreq["<OOV>"] == 4
    assert numbers.dtype == np.int32


def test_vocabularies_refuse_what_they_cannot_count():
    with pytest.raises(TypeError, match="Expecting table, got str"):
        data.build_vocab("a text")
    with pytest.raises(TypeError, match="Expecting table of strings"):
        data.build_vocab(["a", 1])
    with pytest.raises(ValueError, match="neither 'new' nor '<OOV>'"):
        data.text2tensor(["new"], {"old": 1})
    with pytest.raises(TypeError, match="build_vocab: expected a number as minfreq, got '2'"):
        data.build_vocab(["a"], "2")
    for wrong in (b"bytes", None):
        with pytest.raises(TypeError, match=f"tokenize: expected a text, got {wrong}"):
            data.tokenize(wrong)
    with pytest.raises(ValueError, match="split_string: expected at least one character"):
        data.split_string("a text", "")


@pytest.mark.parametrize("kind", ["sequence", "sentences"])
def test_bigrams_are_counted_over_an_epoch(kind):
    words = np.random.default_rng(0).integers(1, 5, 60)
    if kind == "sequence":
        loader = data.SequenceLoader(words, 3)
        columns = words.reshape(3, 20)
    else:
        loader = data.MultiSequence(np.split(words, 3), 1)
        columns = words.reshape(3, 20)
    pairs = Counter((a, b) for column in columns.tolist() for a, b in itertools.pairwise(column))
    bigrams = data.build_bigrams(loader)
    assert set(bigrams) == {a for a, _ in pairs}
    for word, found in bigrams.items():
        total = sum(n for (a, _), n in pairs.items() if a == word)
        expected = {b: n / total for (a, b), n in sorted(pairs.items()) if a == word}
        assert found["index"].tolist() == list(expected)
        np.testing.assert_allclose(found["prob"], list(expected.values()), rtol=1e-6)
        assert (found["index"].dtype, found["prob"].dtype) == (np.int64, np.float32)


def test_bigrams_refuse_other_batches():
    with pytest.raises(ValueError, match="1 x batchsize"):
        data.build_bigrams(data.TensorLoader(np.ones(4, int), np.ones(4, int)))


def test_strings_and_lines(tmp_path):
    assert data.split_string("a:b::c:") == ["a", "b", "c"]
    assert data.split_string("a, b;c", ",; ") == ["a", "b", "c"]
    assert data.split_string("") == []
    (tmp_path / "lines").write_bytes(b"1\n2\n3")
    assert data.get_number_of_lines(tmp_path / "lines") == 3


def test_folders_are_read_from_the_environment_when_asked_and_not_made(monkeypatch, tmp_path):
    for name in ("TORCH_DATA_PATH", "DEEP_DATA_PATH", "DEEP_SAVE_PATH"):
        monkeypatch.delenv(name, raising=False)
    assert (data.torch_path(), data.data_path(), data.save_path()) == (
        Path.home(), Path.home() / "data", Path.home() / "save",
    )  # fmt: skip
    monkeypatch.setenv("TORCH_DATA_PATH", str(tmp_path / "torch"))
    monkeypatch.setenv("DEEP_SAVE_PATH", str(tmp_path / "models"))
    assert (data.data_path(), data.save_path()) == (tmp_path / "torch" / "data", tmp_path / "models")
    assert not list(tmp_path.iterdir())


def test_unique_names_and_the_working_directory(tmp_path):
    first, second = data.uniqueid("run"), data.uniqueid("run")
    assert first.startswith("run:")
    assert int(second.split(":")[2]) == int(first.split(":")[2]) + 1
    assert data.uniqueid(separator="/").startswith(data.hostname() + "/")
    before = Path.cwd()
    assert data.withcwd(tmp_path, Path.cwd) == tmp_path
    with pytest.raises(ZeroDivisionError):
        data.withcwd(tmp_path, lambda: 1 / 0)
    assert Path.cwd() == before


TWEETS = json.loads((Path(__file__).parents[2] / "golden" / "tweets.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("tweet", "tokens"), TWEETS)
def test_tweets_are_split_as_dataload_splits_them(tweet, tokens):
    assert data.tokenize(tweet) == tokens


def test_nothing_is_dropped_before_contractions():
    assert data.tokenize("@bob's über-cool's") == ["@bob", "'s", "über-cool", "'s"]


def test_the_command_tokenizes_the_last_column(tmp_path, capsys):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes('"4","x, y","can\'t wait, ""really""!"\n0,b,caf\xe9 :-)\n'.encode("latin-1"))
    main(["twokenize", "-i", str(source), "-o", str(target)])
    text = target.read_text(encoding="utf-8")
    assert text.splitlines()[1] == '"0","b","café :-)"'
    assert next(csv.reader([text.splitlines()[0]])) == ["4", "x, y", 'ca n\'t wait , " really " !']
    source.write_text("")
    main(["twokenize", "--input", str(source), "--output", str(target)])
    assert "empty output" in capsys.readouterr().out
    missing = ["twokenize", "-i", str(tmp_path / "none.csv"), "-o", str(target)]
    for arguments, code in ((["unknown"], "2"), ([], "2"), (missing, "No such file or directory: .*none.csv")):
        with pytest.raises(SystemExit, match=code):
            main(arguments)
    assert capsys.readouterr().err.count("usage: python -m functorch7.data COMMAND") == 2
    main(["--help"])
    assert capsys.readouterr().out.startswith("usage: ")


def test_a_csv_in_another_encoding_is_an_error_that_names_it(tmp_path):
    (tmp_path / "in.csv").write_bytes("0,caf\xe9\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"in\.csv, after line 0: not a CSV file in utf-8"):
        data.tokenize_csv(tmp_path / "in.csv", tmp_path / "out.csv", "utf-8")
    assert not (tmp_path / "out.csv").exists()
