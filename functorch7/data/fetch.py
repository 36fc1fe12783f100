"""Downloads: a file appears only whole and with the right checksum; a cut download continues where it stopped."""

import contextlib
import glob
import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ..interop.packages import package
from .archives import decompressfile

SECONDS_WITHOUT_ANSWER = 60
CHUNK = 1 << 16


def downloadfile(
    dstdir: str | os.PathLike,
    srcurl: str,
    existfile: str | os.PathLike | None = None,
    *,
    known_hash: str | None = None,
    progress: bool = True,
) -> Path:
    """Downloads srcurl into dstdir, which is made if needed and returned, unless existfile exists.

    srcurl begins with http, https, ftp, or scp (scp://user@host:folder/file, by the command scp). known_hash is
    the file's checksum, such as "md5:d53e105ee54ea40749a09fcbcd1e9432"; an existing file of the URL's name is kept if
    it matches. What a cut download has read is kept as <name>.<...>.part if the server can continue it.
    Raises: OSError naming the URL if the download fails, is cut, or has another checksum; no file is left then.
    Source: dataload, utils.lua.
    """
    folder = Path(dstdir)
    if existfile is None or not Path(existfile).is_file():
        try:
            _retrieve(srcurl, folder, known_hash, progress)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:  # requests' errors are OSErrors
            raise OSError(f"downloadfile: cannot download {srcurl} into {folder}: {error}") from error
    return folder


def fetch(
    title: str, srcurl: str, folder: Path, *, known_hash: str | None, wanted: str, argument: str = "srcurl"
) -> Path:
    """The path of srcurl's file in folder, downloaded if needed.

    Errors name the files that `title` wants there, and the argument that names another source.
    """
    try:
        return downloadfile(folder, srcurl, known_hash=known_hash) / file_name(srcurl)
    except OSError as error:
        raise OSError(
            f"{title}: {error}. Put {wanted} into {folder}, or name another source with {argument}."
        ) from error


def fetch_archive(title: str, srcurl: str, folder: Path, *, known_hash: str | None, wanted: str) -> None:
    """Downloads srcurl's archive into folder if needed, and unpacks it there; a damaged download is removed."""
    archive = folder / file_name(srcurl)
    was_there = archive.is_file()
    fetch(title, srcurl, folder, known_hash=known_hash, wanted=wanted)
    try:
        decompressfile(folder, archive.name)
    except ValueError:
        if not was_there:
            archive.unlink()
        raise


def file_name(url: str) -> str:
    """The last part of a URL's path. Raises: ValueError unless it is a plain file name."""
    name = unquote(urlsplit(url).path.rpartition("/")[2])
    if name in ("", ".", "..") or any(character in name for character in "/\\\0"):
        raise ValueError(f"the URL {url} names no file: {name!r}")
    return name


def _retrieve(url: str, folder: Path, known_hash: str | None, progress: bool) -> None:
    pooch = package("pooch", "functorch7[datasets]", "a download")
    name, scheme = file_name(url), urlsplit(url).scheme
    downloader: Callable[..., Any] | None = None  # pooch's own choice, such as for ftp
    if scheme == "scp":
        downloader = _secure_copy
    elif scheme in ("http", "https"):
        downloader = _Continued(folder / name, progress)
    cache = pooch.create(path=folder, base_url="", registry={name: known_hash}, urls={name: url})
    cache.fetch(name, downloader=downloader, progressbar=progress and downloader is None)


def _secure_copy(url: str, output_file: str, _: Any) -> None:
    subprocess.run(["scp", "-q", "--", url.removeprefix("scp://"), output_file], check=True)


class _Continued:
    """A downloader for pooch that continues an earlier, cut download of the same content."""

    def __init__(self, target: Path, progress: bool) -> None:
        self.target, self.progress = target, progress

    def __call__(self, url: str, output_file: str, _: Any) -> None:
        output = Path(output_file)
        with _get(url) as whole:
            part = self._part(url, whole)
            if part is None:
                return self._write(whole, output)
            with _kept(output, part):
                if not part.exists() or part.stat().st_size >= int(whole.headers.get("Content-Length", 0)):
                    return self._write(whole, output)
                os.replace(part, output)  # claims it: another process now begins a file of its own
                ranges = {"Range": f"bytes={output.stat().st_size}-", "If-Range": whole.headers["ETag"]}
                with _get(url, **ranges) as rest:
                    if rest.status_code != 206:  # the file has changed since
                        output.write_bytes(b"")
                    self._write(rest, output)

    def _part(self, url: str, response: Any) -> Path | None:
        """The file that keeps a cut download of this content; None if the server cannot continue one."""
        tag = response.headers.get("ETag", "")
        if response.headers.get("Accept-Ranges") != "bytes" or not tag.startswith('"'):
            return None
        digest = hashlib.sha256(f"{url} {tag}".encode()).hexdigest()[:16]
        return self.target.with_name(f"{self.target.name}.{digest}.part")

    def _write(self, response: Any, output: Path) -> None:
        from tqdm import tqdm
        from urllib3.exceptions import HTTPError

        start, length = output.stat().st_size, response.headers.get("Content-Length")
        total = None if length is None else start + int(length)
        name, hidden = self.target.name, not self.progress
        bar = tqdm(total=total, initial=start, unit="B", unit_scale=True, desc=name, disable=hidden)
        try:
            with bar, output.open("ab") as file:
                # The bytes as they are: some servers call a .gz file an encoding, which would be undone.
                for chunk in response.raw.stream(CHUNK, decode_content=False):
                    bar.update(file.write(chunk))
        except HTTPError as error:
            raise OSError(f"the connection was cut: {error}") from error
        if total is not None and output.stat().st_size != total:
            raise OSError(f"the connection was cut after {output.stat().st_size} of {total} bytes")
        for older in self.target.parent.glob(f"{glob.escape(self.target.name)}.*.part"):
            older.unlink(missing_ok=True)


def _get(url: str, **headers: str) -> Any:
    import requests

    headers["Accept-Encoding"] = "identity"
    response = requests.get(url, headers=headers, stream=True, timeout=SECONDS_WITHOUT_ANSWER)
    response.raise_for_status()
    return response


@contextlib.contextmanager
def _kept(output: Path, part: Path) -> Iterator[None]:
    """Keeps what was written to `output` as `part` if the rest fails."""
    try:
        yield
    except BaseException:
        if output.stat().st_size:
            os.replace(output, part)
        raise
