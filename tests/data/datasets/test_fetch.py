"""Downloads are whole or not there; cut ones are continued."""

import gzip
import hashlib
import os

import pytest

from functorch7 import data

from .conftest import names

BODY = bytes(range(256)) * 1000
MD5 = "md5:" + hashlib.md5(BODY).hexdigest()


def test_a_file_is_downloaded_into_a_folder_that_is_made(server, tmp_path):
    server.files["deep/file.bin"] = BODY
    folder = data.downloadfile(tmp_path / "new", server.url + "deep/file.bin?version=2", known_hash=MD5, progress=False)
    assert folder == tmp_path / "new"
    assert (folder / "file.bin").read_bytes() == BODY
    assert names(tmp_path) == ["new/file.bin"]


def test_nothing_is_downloaded_if_existfile_exists(server, tmp_path):
    (tmp_path / "there").touch()
    data.downloadfile(tmp_path, server.url + "file.bin", tmp_path / "there")
    assert server.ranges == []


def test_a_cut_download_is_an_error_and_leaves_nothing(server, tmp_path):
    server.files["file.bin"], server.cut_after = BODY, 70_000
    with pytest.raises(OSError, match=r"cannot download http://127.*file\.bin into"):
        data.downloadfile(tmp_path, server.url + "file.bin")
    assert names(tmp_path) == []
    server.cut_after = None
    data.downloadfile(tmp_path, server.url + "file.bin")
    assert (tmp_path / "file.bin").read_bytes() == BODY


def test_a_cut_download_goes_on_where_it_stopped(server, tmp_path):
    server.files["file.bin"], server.cut_after, server.tag = BODY, 70_000, '"first"'
    for _ in range(2):
        with pytest.raises(OSError, match="file.bin"):
            data.downloadfile(tmp_path, server.url + "file.bin")
        assert not (tmp_path / "file.bin").exists()
    server.cut_after = None
    data.downloadfile(tmp_path, server.url + "file.bin", known_hash=MD5)
    assert [asked for asked in server.ranges if asked] == ["bytes=70000-", "bytes=140000-"]
    assert (tmp_path / "file.bin").read_bytes() == BODY
    assert names(tmp_path) == ["file.bin"]


def test_a_file_that_has_changed_is_not_put_together_from_two(server, tmp_path):
    server.files["file.bin"], server.cut_after, server.tag = b"old" * 100_000, 70_000, '"first"'
    with pytest.raises(OSError, match="file.bin"):
        data.downloadfile(tmp_path, server.url + "file.bin")
    server.files["file.bin"], server.cut_after, server.tag = BODY, None, '"second"'
    data.downloadfile(tmp_path, server.url + "file.bin")
    assert (tmp_path / "file.bin").read_bytes() == BODY
    assert names(tmp_path) == ["file.bin"]


def test_what_is_there_of_a_download_outlives_a_server_that_is_away(server, tmp_path):
    server.files["file.bin"], server.cut_after, server.tag = BODY, 70_000, '"first"'
    for refuses in (False, True):
        server.refuses_ranges = refuses
        with pytest.raises(OSError, match="file.bin"):
            data.downloadfile(tmp_path, server.url + "file.bin")
        (part,) = tmp_path.iterdir()
        assert part.read_bytes() == BODY[:70_000]


def test_a_packed_file_stays_packed_whatever_the_server_calls_it(server, tmp_path):
    body = gzip.compress(BODY)
    server.files["file.gz"], server.encoding = body, "gzip"
    data.downloadfile(tmp_path, server.url + "file.gz")
    assert (tmp_path / "file.gz").read_bytes() == body


def test_another_checksum_is_an_error_and_leaves_nothing(server, tmp_path):
    server.files["file.bin"] = BODY[::-1]
    with pytest.raises(OSError, match=r"file\.bin.*does not match the known hash"):
        data.downloadfile(tmp_path, server.url + "file.bin", known_hash=MD5)
    assert names(tmp_path) == []


def test_a_missing_file_is_an_error_that_names_it(server, tmp_path):
    with pytest.raises(OSError, match=r"cannot download .*/none\.zip.*404"):
        data.downloadfile(tmp_path, server.url + "none.zip")
    with pytest.raises(OSError, match="names no file"):
        data.downloadfile(tmp_path, server.url)


@pytest.mark.parametrize("name", ["..%2f..%2fevil", "..", "a%5cb", "%2e%2e", ""])
def test_names_that_lead_elsewhere_are_refused(server, tmp_path, name):
    with pytest.raises(OSError, match="names no file"):
        data.downloadfile(tmp_path / "folder", server.url + name)
    assert names(tmp_path) == [] and server.ranges == []


def test_scp_is_run_for_its_urls(tmp_path, monkeypatch):
    command = tmp_path / "bin" / "scp"
    command.parent.mkdir()
    command.write_text('#!/bin/sh\nshift 2\necho "from $1" > "$2"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    data.downloadfile(tmp_path / "data", "scp://user@host:folder/file.txt")
    assert (tmp_path / "data" / "file.txt").read_text() == "from user@host:folder/file.txt\n"
