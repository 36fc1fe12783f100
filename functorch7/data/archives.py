"""Unpacking archives: all of an archive's files appear in the folder, or none, and none outside it."""

import contextlib
import gzip
import lzma
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

ZIPPED = (".zip",)
TARRED = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError)


def is_archive(name: str) -> bool:
    """Whether a file of this name is one that holds files."""
    return name.endswith(ZIPPED + TARRED)


def untar(srcpath: str | os.PathLike, dstpath: str | os.PathLike = ".") -> None:
    """Unpacks a .tar, .tgz or .tar.gz file (or one packed by bzip2 or xz) into the folder dstpath.

    Raises: ValueError naming the archive if it is damaged or has a member that lies, or links, outside the folder.
    Source: dataload, utils.lua.
    """
    with _unpacking("untar", srcpath, dstpath) as stage, tarfile.open(srcpath) as archive:
        archive.extractall(stage, filter="data")


def unzip(srcpath: str | os.PathLike, dstpath: str | os.PathLike = ".") -> None:
    """Unpacks a .zip file into the folder dstpath.

    Raises: ValueError naming the archive if it is damaged or has a member that lies outside the folder.
    Source: dataload, utils.lua.
    """
    with _unpacking("unzip", srcpath, dstpath) as stage, zipfile.ZipFile(srcpath) as archive:
        for name in archive.namelist():
            if not (stage / name).resolve().is_relative_to(stage.resolve()):
                raise ValueError(f"unzip: {srcpath} has a member outside its folder: {name}")
        archive.extractall(stage)


def gunzip(srcpath: str | os.PathLike, dstpath: None = None) -> None:
    """Unpacks a .gz file beside itself, under its name without the ending; the packed file stays.

    Raises: ValueError for a dstpath, which Torch does not support either, and if the file is damaged.
    Source: dataload, utils.lua.
    """
    if dstpath is not None:
        raise ValueError("gunzip: destination path not supported with gunzip")
    source = Path(srcpath)
    with _unpacking("gunzip", source, source.parent) as stage, gzip.open(source) as packed:
        if not source.stat().st_size:
            raise EOFError("an empty file")  # for which gzip gives an empty one, without a word
        with (stage / source.stem).open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)


def decompressfile(
    dstdir: str | os.PathLike,
    srczip: str | os.PathLike,
    existfile: str | os.PathLike | None = None,
    verbose: bool | None = None,
    dstfile: str | None = None,
) -> None:
    """Unpacks a .zip, .tar, .tgz, .gz or .gzip file into dstdir, or its folder dstfile, unless existfile is there.

    srczip is seen from dstdir, if it is no absolute path. A .gz file is unpacked beside itself.
    Raises: ValueError for other files, and as the functions above.
    Source: dataload, utils.lua.
    """
    if existfile is not None and Path(existfile).is_file():
        return
    source, folder = Path(dstdir, srczip), Path(dstdir, dstfile or "")
    if verbose:
        print("decompressing file:", source)
    if source.name.endswith(ZIPPED):
        unzip(source, folder)
    elif source.name.endswith(TARRED):
        untar(source, folder)
    elif source.name.endswith((".gz", ".gzip")):
        gunzip(source, None if dstfile is None else folder)  # pyright: ignore[reportArgumentType]
    else:
        raise ValueError(f"decompressfile: Don't know how to decompress file: {source}")


@contextlib.contextmanager
def _unpacking(title: str, source: str | os.PathLike, folder: str | os.PathLike) -> Iterator[Path]:
    """A folder to unpack into, whose files move to `folder` when all went well."""
    if not Path(source).is_file():
        raise FileNotFoundError(f"{title}: no file {source}")
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=folder) as temporary:
        try:
            yield Path(temporary)
        except tarfile.FilterError as error:
            raise ValueError(f"{title}: {source} has a member outside its folder: {error}") from error
        except RuntimeError as error:  # zipfile's, for what is encrypted, and for packings that it has not
            raise ValueError(f"{title}: {source} cannot be unpacked: {error}") from error
        except DAMAGED as error:
            raise ValueError(f"{title}: {source} is damaged or of another format: {error}") from error
        _move_files(Path(temporary), Path(folder))


def _move_files(stage: Path, folder: Path) -> None:
    for above, folders, names in os.walk(stage):
        target = folder / Path(above).relative_to(stage)
        target.mkdir(exist_ok=True)
        links = [name for name in folders if Path(above, name).is_symlink()]
        for name in [*names, *links]:
            os.replace(Path(above, name), target / name)
