"""Downloads ImageNet and unpacks it: python -m functorch7.data downloadimagenet --savePath FOLDER.

All of it takes 360 GB; 150 GB if the training set comes first and its .tar files are deleted before the rest.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..archives import decompressfile, untar
from ..fetch import fetch, file_name
from ..folders import data_path

ILSVRC = "https://image-net.org/data/ILSVRC/2012"
URLS = {
    "train": f"{ILSVRC}/ILSVRC2012_img_train.tar",
    "train3": f"{ILSVRC}/ILSVRC2012_img_train_t3.tar",
    "valid": f"{ILSVRC}/ILSVRC2012_img_val.tar",
    "test": f"{ILSVRC}/ILSVRC2012_img_test_v10102019.tar",
    "devkit": f"{ILSVRC}/ILSVRC2012_devkit_t12.tar.gz",
    "devkit3": f"{ILSVRC}/ILSVRC2012_devkit_t3.tar.gz",
    "meta": "https://stife076.files.wordpress.com/2015/02/metadata.zip",
}
CHECKSUMS = {
    URLS["train"]: "md5:1d675b47d978889d74fa0da5fadfb00e",
    URLS["train3"]: "md5:ccaf1013018ac1037801578038d370da",
    URLS["valid"]: "md5:29b22e2961454d5413ddabcf34fc5622",
    URLS["test"]: "md5:e1b8681fff3d63731c599df9b4b6fc02",
    URLS["devkit"]: "md5:fa75699e90414af021442c21a62c3abf",
}
ALL = ("train", "valid", "test", "devkit", "meta")


def downloadimagenet(
    save_path: str | os.PathLike, what: str = "all", squash: bool = False, urls: Mapping[str, str] | None = None
) -> None:
    """Downloads parts of ImageNet into save_path and unpacks each in a folder there, named as its archive.

    what: "all" (train, valid, test, devkit and meta), or one of these, train3 or devkit3. The archives for each class,
    inside the training set's, are unpacked too. What is there already is left alone, unless `squash`. `urls` has other
    addresses for parts; files from there are not checked.
    ImageNet's site asks for a login; archives that were had there, put into save_path, are taken.
    Raises: ValueError for another `what`, or damaged archives; OSError for what cannot be downloaded.
    Source: dataload, scripts/downloadimagenet.lua.
    """
    addresses = {**URLS, **(urls or {})}
    if what != "all" and what not in addresses:
        raise ValueError(f"downloadimagenet: expected one of all, {', '.join(URLS)}, got {what!r}")
    for part in ALL if what == "all" else (what,):
        _one(Path(save_path), addresses[part], squash)


def _one(folder: Path, url: str, squash: bool) -> None:
    archive = folder / file_name(url)
    unpacked = folder / archive.name.split(".")[0]
    if squash:
        archive.unlink(missing_ok=True)
    if archive.is_file():
        print(f"skipping download, as {archive} exists; use squash to replace it")
    else:
        wanted = f"{archive.name} (image-net.org asks for a login)"
        fetch("downloadimagenet", url, folder, known_hash=CHECKSUMS.get(url), wanted=wanted, argument="urls")
    if unpacked.is_dir() and not squash:
        print(f"skipping extraction, as {unpacked} exists; use squash to replace it")
        return
    print("extracting", archive)
    with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=folder) as temporary:
        stage = Path(temporary, unpacked.name)
        decompressfile(folder, archive.name, dstfile=str(stage))
        if (stage / unpacked.name).is_dir():  # the archive has a folder of its own, as the devkit's
            stage = stage / unpacked.name
        for inner in sorted(stage.glob("*.tar")):
            untar(inner, inner.with_suffix(""))
        if unpacked.is_dir():
            shutil.rmtree(unpacked)
        stage.rename(unpacked)


def main(arguments: list[str] | None = None) -> None:
    """The command line: see the top of this file."""
    parser = argparse.ArgumentParser(
        prog="python -m functorch7.data downloadimagenet", description="Downloads and unpacks ImageNet (ILSVRC)."
    )
    parser.add_argument(
        "--savePath", type=Path, default=data_path() / "ImageNet", help="the folder for it (%(default)s)"
    )
    parser.add_argument("--what", default="all", choices=["all", *URLS], help="which part (%(default)s)")
    parser.add_argument("--squash", action="store_true", help="replace what is there")
    for part, url in URLS.items():
        parser.add_argument(f"--{part}URL", default=url, metavar="URL", help=f"where {part} is ({url})")
    options = vars(parser.parse_args(arguments))
    urls = {part: options[f"{part}URL"] for part in URLS}
    downloadimagenet(options["savePath"], options["what"], options["squash"], urls)
