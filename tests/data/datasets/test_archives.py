"""Archives are unpacked whole, and never outside their folder."""

import gzip
import io
import tarfile
import zipfile

import numpy as np
import pytest

from functorch7 import data

from .conftest import names

FILES = {"a.txt": b"one", "inner/b.txt": b"two" * 1000}


def tar_bytes(files, mode="w:gz", link=None):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
        if link:
            member = tarfile.TarInfo("link")
            member.type, member.linkname = tarfile.SYMTYPE, link
            archive.addfile(member)
    return buffer.getvalue()


def zip_bytes(files, packing=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return buffer.getvalue()


PACKED = {
    "files.tar": tar_bytes(FILES, "w"),
    "files.tar.gz": tar_bytes(FILES),
    "files.tgz": tar_bytes(FILES),
    "files.zip": zip_bytes(FILES),
}


@pytest.mark.parametrize("name", PACKED)
def test_an_archive_is_unpacked_into_the_folder(name, tmp_path):
    (tmp_path / name).write_bytes(PACKED[name])
    data.decompressfile(tmp_path, name, dstfile="to")
    assert {path: (tmp_path / "to" / path).read_bytes() for path in names(tmp_path / "to")} == FILES
    (tmp_path / "to" / "a.txt").write_bytes(b"mine")
    data.decompressfile(tmp_path, name, existfile=tmp_path / "to" / "a.txt", dstfile="to")
    assert (tmp_path / "to" / "a.txt").read_bytes() == b"mine"


def test_gunzip_unpacks_beside_the_file(tmp_path, capsys):
    (tmp_path / "words.txt.gz").write_bytes(gzip.compress(b"words"))
    data.decompressfile(tmp_path, "words.txt.gz", verbose=True)
    assert (tmp_path / "words.txt").read_bytes() == b"words"
    assert f"decompressing file: {tmp_path / 'words.txt.gz'}" in capsys.readouterr().out
    with pytest.raises(ValueError, match="destination path not supported with gunzip"):
        data.decompressfile(tmp_path, "words.txt.gz", dstfile="to")
    whole = gzip.compress(b"more words" * 9)
    for length in range(len(whole)):
        (tmp_path / "cut.gz").write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"gunzip: .*cut.gz is damaged or of another format"):
            data.gunzip(tmp_path / "cut.gz")
    assert names(tmp_path) == ["cut.gz", "words.txt", "words.txt.gz"]


@pytest.mark.parametrize("name", ["files.tar.xz", "files.tar.bz2", "files.zip"])
def test_an_archive_that_is_damaged_inside_is_named(name, tmp_path):
    noise = {"noise": np.random.default_rng(0).bytes(100_000)}
    packed = zip_bytes(noise, zipfile.ZIP_LZMA) if name.endswith("zip") else tar_bytes(noise, f"w:{name[10:]}")
    (tmp_path / name).write_bytes(packed[:50_000] + bytes(100) + packed[50_100:])
    with pytest.raises(ValueError, match=f"{name} is damaged or of another format"):
        data.decompressfile(tmp_path, name, dstfile="to")
    assert names(tmp_path / "to") == []


def test_other_files_are_refused(tmp_path):
    (tmp_path / "file.rar").touch()
    with pytest.raises(ValueError, match=r"Don't know how to decompress file: .*file\.rar"):
        data.decompressfile(tmp_path, "file.rar")
    with pytest.raises(FileNotFoundError, match=r"untar: no file .*none\.tar"):
        data.untar(tmp_path / "none.tar", tmp_path)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("evil.tar", tar_bytes({"good.txt": b"1", "../evil.txt": b"2"}, "w")),
        ("evil.tar", tar_bytes({"good.txt": b"1"}, "w", link="../../secret")),
        ("evil.zip", zip_bytes({"good.txt": b"1", "../evil.txt": b"2"})),
        ("evil.zip", zip_bytes({"good.txt": b"1", "/tmp/evil.txt": b"2"})),
    ],
    ids=["tar above", "tar link", "zip above", "zip absolute"],
)
def test_members_outside_the_folder_are_refused(name, body, tmp_path):
    (tmp_path / name).write_bytes(body)
    with pytest.raises(ValueError, match=rf"{name} has a member outside its folder"):
        data.decompressfile(tmp_path, name, dstfile="to")
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("name", [*PACKED, "words.gz"])
def test_a_truncated_archive_is_an_error_that_names_it_and_leaves_nothing(name, tmp_path):
    body = PACKED.get(name, gzip.compress(b"words" * 100))
    (tmp_path / name).write_bytes(body[: len(body) // 5])
    with pytest.raises(ValueError, match=rf"{name} is damaged"):
        data.decompressfile(tmp_path, name)
    assert names(tmp_path) == [name]


def test_an_encrypted_archive_is_an_error_that_names_it(tmp_path):
    packed = bytearray(zip_bytes({"a.txt": b"one"}))
    for header in (b"PK\x03\x04", b"PK\x01\x02"):  # the bit that says so, in both places
        packed[packed.index(header) + (6 if header[2] == 3 else 8)] |= 1
    (tmp_path / "locked.zip").write_bytes(packed)
    with pytest.raises(ValueError, match=r"locked.zip cannot be unpacked: .*encrypted"):
        data.unzip(tmp_path / "locked.zip", tmp_path / "there")
    assert names(tmp_path) == ["locked.zip"]
