"""The Penn Tree Bank and Billion Words, from small texts in their formats."""

import hashlib

import numpy as np
import pytest

from functorch7 import data
from functorch7.data.datasets import gbw, ptb
from functorch7.interop import t7
from functorch7.legacy import dl

from .conftest import names
from .test_archives import tar_bytes

PTB = {
    "ptb.train.txt": b" the cat <unk> sat \n on N mats \n the cat \n",
    "ptb.valid.txt": b" the mats sat \n on the cat \n",
    "ptb.test.txt": b" cat cat \n sat on N \n",
}
VOCABULARY = ["<eos>", "<unk>", "N", "cat", "mats", "on", "sat", "the"]  # sorted by code points


def numbers(name):
    return [VOCABULARY.index(word) + 1 for word in PTB[name].decode().replace("\n", "<eos>").split()]


def test_ptb_is_downloaded_and_numbered_by_the_training_set(server, tmp_path, monkeypatch):
    monkeypatch.setenv("DEEP_DATA_PATH", str(tmp_path))
    server.files = {f"data/{name}": body for name, body in PTB.items()}
    loaders = data.load_ptb([2, 1, 1], srcurl=server.url + "data/")
    assert names(tmp_path) == sorted(f"PennTreeBank/{name}" for name in PTB)
    for loader, name, size in zip(loaders, PTB, [2, 1, 1], strict=True):
        words = np.array(numbers(name))
        columns = words[: len(words) // size * size].reshape(size, -1).T
        inputs, targets = loader.sub(1, loader.size())
        np.testing.assert_array_equal(inputs, columns[:-1])
        np.testing.assert_array_equal(targets, columns[1:])
        assert inputs.dtype == np.int32
        assert loader.ivocab == dict(enumerate(VOCABULARY, 1))
        assert loader.vocab == {word: number for number, word in loader.ivocab.items()}
    assert loaders[2].wordfreq == {"the": 2, "cat": 2, "<unk>": 1, "sat": 1, "<eos>": 3, "on": 1, "N": 1, "mats": 1}


def write_ptb(folder, **changed):
    for name, body in {**PTB, **{f"ptb.{key}.txt": value for key, value in changed.items()}}.items():
        (folder / name).write_bytes(body)


def test_ptb_takes_a_vocabulary_and_then_knows_unknown_words(tmp_path):
    write_ptb(tmp_path, valid=b" a new word \n")
    with pytest.raises(ValueError, match=r"ptb\.valid\.txt: .*neither 'a' nor '<OOV>'"):
        data.load_ptb(1, tmp_path)
    vocab = {"cat": 1, "<eos>": 2, "<OOV>": 3}
    with pytest.raises(ValueError, match="needs its ivocab and wordfreq"):
        data.load_ptb(1, tmp_path, vocab=vocab)
    _, valid, _ = data.load_ptb(1, tmp_path, None, vocab, {1: "cat", 2: "<eos>", 3: "<OOV>"}, {"cat": 9})
    assert valid.data[:, 0].tolist() == [3, 3, 3, 2]
    assert valid.wordfreq == {"cat": 9}


def test_ptb_refuses_bad_files_and_batch_sizes(server, tmp_path, monkeypatch):
    with pytest.raises(OSError, match=r"load_ptb: .*ptb\.train\.txt, ptb\.valid\.txt, ptb\.test\.txt into .*srcurl"):
        data.load_ptb(1, tmp_path, server.url)
    server.files = dict(PTB)
    monkeypatch.setattr(ptb, "SOURCE", server.url)
    with pytest.raises(OSError, match="does not match the known hash"):
        data.load_ptb(1, tmp_path)
    assert names(tmp_path) == []
    write_ptb(tmp_path, test="caf\xe9 \n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"ptb\.test\.txt: not in UTF-8"):
        data.load_ptb(1, tmp_path)
    with pytest.raises(ValueError, match="one batch size, or three"):
        data.load_ptb([1, 2], tmp_path)


def test_ptb_in_torchs_interface(tmp_path):
    write_ptb(tmp_path)
    train, _, _ = dl.loadPTB([1, 1, 1], str(tmp_path))
    assert train.size() == 11
    assert train.vocab["the"] == 8
    inputs, targets = train.sub(1, 2)
    assert (inputs[1][1], targets[1][1]) == (8, 4)
    bigrams = dl.buildBigrams(train)
    np.testing.assert_array_equal(bigrams[4]["index"], [1, 2])  # after "cat" come "<eos>" and "<unk>"
    assert dl.text2tensor(["the", "cat"], train.vocab).size() == [2]


# Billion Words. Words that occur less than three times in the training set are <UNK>.
SHARDS = {
    "training-monolingual.tokenized.shuffled/news.en-00001-of-00100": "a b a c\nb a\n\n",
    "training-monolingual.tokenized.shuffled/news.en-00002-of-00100": "b d a \u00e9\n",
    "heldout-monolingual.tokenized.shuffled/news.en.heldout-00000-of-00050": "a e\n",
    "heldout-monolingual.tokenized.shuffled/news.en.heldout-00001-of-00050": "b\nb d b\n",
    "heldout-monolingual.tokenized.shuffled/news.en.heldout-00002-of-00050": "not read\n",
}
A, B, UNK, S, E = 1, 2, 3, 4, 5
TRAIN = [[S, A, B, A, UNK, E], [S, B, A, E], [S, B, UNK, A, UNK, E]]
VALID, TEST = [[S, B, E], [S, B, UNK, B, E]], [[S, A, UNK, E]]
ARCHIVE = {f"{gbw.CORPUS}/{name}": text.encode() for name, text in SHARDS.items()}


def check_gbw(train, valid, test):
    for loader, sentences in ((train, TRAIN), (valid, VALID), (test, TEST)):
        assert [sentence.tolist() for sentence in loader.sequences] == sentences
        assert loader.ivocab == {1: "a", 2: "b", 3: "<UNK>", 4: "<S>", 5: "</S>"}
        assert loader.vocab["</S>"] == 5
        assert loader.wordfreq.tolist() == [4, 3, 3, 3, 3]


def test_billion_words_are_made_of_the_benchmarks_text_once(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DEEP_DATA_PATH", str(tmp_path))
    server.files["corpus.tar.gz"] = tar_bytes(ARCHIVE)
    loaders = data.load_gbw(2, srcurl=server.url + "corpus.tar.gz")
    check_gbw(*loaders)
    said = capsys.readouterr().out
    assert "news.en-00002-of-00100" in said and "loading" in said
    server.files.clear()
    check_gbw(*data.load_gbw([1, 2, 3], srcurl=server.url, verbose=False))
    assert capsys.readouterr().out == ""
    # The first column: mask, then the first sentence as pairs; the second goes on with the second sentence.
    inputs, targets = loaders[0].sub(1, 6)
    assert inputs[:, 0].tolist() == [0, *TRAIN[0][:-1]]
    assert targets[:, 0].tolist() == [1, *TRAIN[0][1:]]
    assert inputs[:4, 1].tolist() == [0, *TRAIN[1][:-1]]


def test_billion_words_in_torchs_files(tmp_path):
    rows, start = [], 1
    for sentence in ([A, B, UNK, E], [B, E], [A, E]):
        rows += [[start, word] for word in sentence]
        start += len(sentence)
    t7.write(tmp_path / "train_tiny.th7", np.array(rows, np.int32))
    for name in ("valid_data.th7", "test_data.th7"):
        t7.write(tmp_path / name, np.array([[1, A], [1, E]], np.float64))
    t7.write(tmp_path / "word_map.th7", ["a", "b", "<UNK>", "<S>", "</S>"])
    t7.write(tmp_path / "word_freq.th7", np.array([2, 2, 1, 3, 3], np.int64))
    train, valid, _ = dl.loadGBW(1, "train_tiny.th7", str(tmp_path), None, False)
    sentences = [np.asarray(sentence).tolist() for sentence in train.sequences]
    assert sentences == [[S, A, B, UNK, E], [S, B, E], [S, A, E]]
    assert [np.asarray(sentence).tolist() for sentence in valid.sequences] == [[S, A, E]]
    assert np.asarray(train.wordfreq).tolist() == [2, 2, 1, 3, 3]
    with pytest.raises(OSError, match=r"there is no file .*train_data\.th7"):
        data.load_gbw(1, datapath=tmp_path, verbose=False)


def test_one_file_of_billion_words_has_the_whole_corpus_marks(tmp_path):
    t7.write(tmp_path / "some.th7", np.array([[1, 7], [1, 793471], [3, 793471]], np.int32))
    loader = data.multi_sequence_gbw(tmp_path, "some.th7", 1, verbose=False)
    assert [sentence.tolist() for sentence in loader.sequences] == [[793470, 7, 793471], [793470, 793471]]
    t7.write(tmp_path / "some.th7", np.array([[1, 7], [1, 793471], [3, 8]], np.int32))
    with pytest.raises(ValueError, match=r"some\.th7: sentence 2 does not end with word 793471, but 8 \(row 3\)"):
        data.multi_sequence_gbw(tmp_path, "some.th7", 1, verbose=False)
    t7.write(tmp_path / "some.th7", np.arange(6))
    with pytest.raises(ValueError, match=r"some\.th7: expected a tensor with 2 columns, got \(6,\)"):
        data.multi_sequence_gbw(tmp_path, "some.th7", 1, verbose=False)


def test_billion_words_refuse_bad_files(server, tmp_path, monkeypatch):
    with pytest.raises(OSError, match=r"load_gbw: .*word_map\.th7, .* into .*srcurl"):
        data.load_gbw(1, datapath=tmp_path, srcurl=server.url + "corpus.tar.gz")
    server.files["corpus.tar.gz"] = body = tar_bytes(ARCHIVE)
    monkeypatch.setattr(gbw, "SOURCE", server.url + "corpus.tar.gz")
    with pytest.raises(OSError, match="does not match the known hash"):
        data.load_gbw(1, datapath=tmp_path)
    assert names(tmp_path) == []
    monkeypatch.setattr(gbw, "CHECKSUM", "sha256:" + hashlib.sha256(body).hexdigest())
    check_gbw(*data.load_gbw(1, datapath=tmp_path / "good", verbose=False))
    shard = next(name for name in ARCHIVE if "00002-of-00100" in name)
    server.files["corpus.tar.gz"] = tar_bytes({**ARCHIVE, shard: b"caf\xe9\n"})
    with pytest.raises(ValueError, match=r"news\.en-00002-of-00100: not in UTF-8"):
        data.load_gbw(1, datapath=tmp_path / "bad", srcurl=server.url + "corpus.tar.gz?", verbose=False)
    assert not list(tmp_path.glob("bad/*.th7"))
    server.files["corpus.tar.gz"] = tar_bytes({name: body for name, body in ARCHIVE.items() if "heldout" not in name})
    with pytest.raises(OSError, match=r"has no text for valid_data\.th7: heldout"):
        data.load_gbw(1, datapath=tmp_path / "part", srcurl=server.url + "corpus.tar.gz?", verbose=False)
