"""Sentiment140, from small CSV files as they are published."""

import csv
import io
from collections import Counter

import numpy as np
import pytest

from functorch7 import data
from functorch7.data.datasets import sentiment140
from functorch7.interop import t7
from functorch7.legacy import dl

from .conftest import names
from .test_archives import zip_bytes

TRAIN = [
    ("4", "good, good day"),
    ("0", 'the "bad" day'),
    ("4", "the caf\xe9 is good"),
    ("0", "a really bad bad day"),
]
TEST = [("4", "good film"), ("2", "a neutral day of the bad caf\xe9"), ("0", "bad")]


def csv_bytes(tweets, encoding="latin-1"):
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for i, (polarity, tweet) in enumerate(tweets):
        writer.writerow([polarity, 1000 + i, "Mon Apr 06 22:19:45 PDT 2009", "NO_QUERY", "someone", tweet])
    return text.getvalue().encode(encoding)


TRAINING_FILE, TEST_FILE = sentiment140.TRAINING, sentiment140.TEST
FILES = {TRAINING_FILE: csv_bytes(TRAIN), TEST_FILE: csv_bytes(TEST)}
TOKENS = {
    0: ["good", ",", "good", "day"], 1: ["the", '"', "bad", '"', "day"], 2: ["the", "caf\xe9", "is", "good"],
    3: ["a", "really", "bad", "bad", "day"],
}  # fmt: skip
FREQUENT = ['"', "bad", "day", "good", "the"]  # at least twice, sorted by code points; numbered from 2


def row(tokens, length):
    found = [FREQUENT.index(token) + 2 if token in FREQUENT else 1 for token in tokens][:length]
    return (*[0] * (length - len(found)), *found)


def write(folder, files=FILES):
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in files.items():
        (folder / name).write_bytes(body)


def check(train, valid, test, length=4):
    seen = [(tuple(x), y) for part in (train, valid) for x, y in zip(part.inputs.tolist(), part.targets, strict=True)]
    assert Counter(seen) == Counter((row(TOKENS[i], length), 2 if TRAIN[i][0] == "4" else 1) for i in range(4))
    assert (train.size(), valid.size()) == (3, 1)
    assert test.inputs.tolist() == [list(row(["good", "film"], length)), list(row(["bad"], length))]
    assert test.targets.tolist() == [2, 1]
    assert train.inputs.dtype == test.targets.dtype == np.int64
    for part in (train, valid, test):
        assert part.ivocab == dict(enumerate(["<OOV>", *FREQUENT], 1))
        assert part.vocab["good"] == 5
        assert part.unigram.tolist() == [5, 2, 3, 3, 3, 2]


def test_tweets_are_downloaded_tokenized_and_kept(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DEEP_DATA_PATH", str(tmp_path))
    server.files["tweets.zip"] = zip_bytes(FILES)
    made = data.load_sentiment140(minfreq=2, seqlen=4, validratio=0.25, srcurl=server.url + "tweets.zip")
    check(*made)
    said = capsys.readouterr().out
    for line in (
        "Number of tweets: 4", "Vocabulary size: 6", "Number of occurences replaced with <OOV> token: 5",
        "Tweet corpus size (in number of tokens): 18",
    ):  # fmt: skip
        assert line in said.splitlines()
    assert "Twitter/cache_2_4.t7" in names(tmp_path)
    server.files.clear()
    again = data.load_sentiment140(minfreq=2, seqlen=4, validratio=0.25)
    check(*again)
    np.testing.assert_array_equal(again[0].inputs, made[0].inputs)
    assert capsys.readouterr().out == ""


def test_tweets_become_text_again(tmp_path):
    write(tmp_path)
    _, _, test = data.load_sentiment140(tmp_path, 1, 6, progress=False)
    assert test.tensor2text(test.inputs[0]) == "good <OOV>"
    with pytest.raises(ValueError, match="expected a vector"):
        test.tensor2text(test.inputs)


def test_the_cache_is_a_torch_file_that_overwrite_replaces(tmp_path, capsys, monkeypatch):
    write(tmp_path)
    _train, _, test = dl.loadSentiment140(str(tmp_path), 2, 4, 0.25, None, True)
    assert [int(number) for number in np.asarray(test.targets)] == [2, 1]
    assert test.tensor2text(test.inputs[1]) == "good <OOV>"
    assert "Number of tweets: 4" in capsys.readouterr().out
    cached = t7.read(tmp_path / "cache_2_4.t7")
    assert [(found.class_name, found.fields["inputs"].shape) for found in cached] == [
        ("dl.TensorLoader", (4, 4)), ("dl.TensorLoader", (2, 4)),
    ]  # fmt: skip
    dl.loadSentiment140(str(tmp_path), 2, 4, 0.25)
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(dl, "overwrite", True)
    dl.loadSentiment140(str(tmp_path), 2, 4, 0.25)
    assert "Number of tweets: 4" in capsys.readouterr().out


def test_one_file_of_tokens(tmp_path):
    (tmp_path / "tokens.csv").write_bytes(csv_bytes([("0", "a b a"), ("4", "a c")]))
    loader, length = data.sentiment140_loader(tmp_path / "tokens.csv", 2, 3)
    assert length == 3
    assert loader.inputs.tolist() == [[2, 1, 2], [0, 2, 1]]
    assert loader.targets.tolist() == [1, 2]
    other, length = dl.Sentiment140Loader(str(tmp_path / "tokens.csv"), {"c": 9})
    assert length == 50
    assert np.asarray(other.inputs)[:, -3:].tolist() == [[1, 1, 1], [0, 1, 9]]
    with pytest.raises(ValueError, match="Expecting max tweet len at arg 3"):
        data.sentiment140_loader(tmp_path / "tokens.csv", 2, 0)


def test_files_in_utf8_are_read_as_such(tmp_path):
    write(tmp_path, {TRAINING_FILE: csv_bytes(TRAIN, "utf-8"), TEST_FILE: csv_bytes(TEST, "utf-8")})
    train, _, _ = data.load_sentiment140(tmp_path, 1, 4, progress=False)
    assert "caf\xe9" in train.vocab


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        (TRAINING_FILE, csv_bytes(TRAIN, "utf-16"), "row 1: got 7 fields; expected 6 .*in Latin-1 or UTF-8"),
        (TEST_FILE, csv_bytes([*TEST, ("3", "x")]), "row 4: Unrecognized target: '3'"),
        (TEST_FILE, b'"0","1","text"\n', "row 1: got 3 fields"),
        (TEST_FILE, b"<html>\n<body>\n", "row 1: got 1 fields"),
        (TEST_FILE, csv_bytes(TEST) + b'"0","1', "row 4: got 2 fields"),
    ],
    ids=["another encoding", "another polarity", "fewer fields", "no CSV", "cut"],
)
def test_bad_files_are_named_and_nothing_is_made_of_them(name, body, message, tmp_path):
    write(tmp_path, {**FILES, name: body})
    with pytest.raises(ValueError, match=rf"{name}, {message}"):
        data.load_sentiment140(tmp_path, progress=False)
    assert sentiment140.TOKENS[name] not in names(tmp_path)
    write(tmp_path)
    data.load_sentiment140(tmp_path, progress=False)


def test_files_of_tokens_in_another_encoding_and_damaged_caches_are_named(tmp_path):
    write(tmp_path)
    tokens = tmp_path / sentiment140.TOKENS[TEST_FILE]
    tokens.write_bytes(csv_bytes(TEST))
    with pytest.raises(ValueError, match=rf"{tokens.name}, after line .*: not a CSV file in utf-8"):
        data.load_sentiment140(tmp_path, progress=False)
    tokens.unlink()
    (tmp_path / "cache_3_50.t7").write_bytes(t7.serialize([1, 2]))
    with pytest.raises(ValueError, match=r"cache_3_50\.t7: not a cache of load_sentiment140.*overwrite"):
        data.load_sentiment140(tmp_path)


def test_what_cannot_be_downloaded_is_named(server, tmp_path, monkeypatch):
    with pytest.raises(OSError, match=rf"load_sentiment140: .*Put {TRAINING_FILE} and {TEST_FILE} into .*srcurl"):
        data.load_sentiment140(tmp_path, srcurl=server.url + "none.zip")
    server.files["tweets.zip"] = zip_bytes(FILES)
    monkeypatch.setattr(sentiment140, "SOURCE", server.url + "tweets.zip")
    with pytest.raises(OSError, match="does not match the known hash"):
        data.load_sentiment140(tmp_path)
    assert names(tmp_path) == []
