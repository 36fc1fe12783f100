"""ImageNet, from a few small photographs: downloading, harmonizing, loading."""

import io
import shutil

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from functorch7 import data
from functorch7.data.__main__ import main
from functorch7.interop import t7
from functorch7.legacy import dl

from .conftest import names
from .test_archives import tar_bytes, zip_bytes

WNIDS = {"n01": 2, "n02": 1, "n03": 10}
TRUTH = [10, 2, 1, 2]


def jpeg(shade, size=(20, 16)):
    buffer = io.BytesIO()
    Image.new("RGB", size, (shade, shade, shade)).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


def synsets():
    """json.th7: the devkit's MATLAB structure as nested tables."""
    return [
        [[[number]], [wnid], [f"words {number}"], [f"gloss {number}"], [[0]], [], [[0]], [[2]]]
        for wnid, number in WNIDS.items()
    ]


TRAIN = {
    f"{wnid}.tar": tar_bytes({f"{wnid}_{i}.JPEG": jpeg(20 * number) for i in range(2)}, "w")
    for wnid, number in WNIDS.items()
}
VALID = {f"ILSVRC2012_val_{i:08}.JPEG": jpeg(20 * number) for i, number in enumerate(TRUTH, 1)}
TRUTH_FILE = "ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt"
ARCHIVES = {
    "ILSVRC2012_img_train.tar": tar_bytes(TRAIN, "w"),
    "ILSVRC2012_img_val.tar": tar_bytes(VALID, "w"),
    "ILSVRC2012_devkit_t12.tar.gz": tar_bytes({TRUTH_FILE: "".join(f"{i}\n" for i in TRUTH).encode()}),
    "metadata.zip": zip_bytes({"json.th7": t7.serialize({"synsets": [synsets()]})}),
}
PARTS = dict(zip(("train", "valid", "devkit", "meta"), ARCHIVES, strict=True))


@pytest.fixture
def downloaded(server, tmp_path):
    server.files = dict(ARCHIVES)
    for part, name in PARTS.items():
        data.downloadimagenet(tmp_path, part, urls={part: server.url + name})
    return tmp_path


HARMONIZED = sorted(
    [f"ILSVRC2012_img_train/class{number}/{wnid}_{i}.JPEG" for wnid, number in WNIDS.items() for i in range(2)]
    + [f"ILSVRC2012_img_val/class{number}/ILSVRC2012_val_{i:08}.JPEG" for i, number in enumerate(TRUTH, 1)]
)


def images(folder):
    return [name for name in names(folder) if name.endswith("JPEG")]


def test_archives_are_downloaded_and_unpacked_and_what_is_there_is_left_alone(downloaded, server, capsys):
    train = [f"ILSVRC2012_img_train/{wnid}/{wnid}_{i}.JPEG" for wnid in WNIDS for i in range(2)]
    assert images(downloaded) == [*train, *(f"ILSVRC2012_img_val/{name}" for name in VALID)]
    assert set(ARCHIVES) | {"metadata/json.th7", TRUTH_FILE} < set(names(downloaded))
    server.files.clear()
    (downloaded / "metadata" / "mine").touch()
    capsys.readouterr()
    main(["downloadimagenet", "--savePath", str(downloaded), "--what", "meta"])
    assert capsys.readouterr().out.count("skipping") == 2
    server.files = dict(ARCHIVES)
    url = server.url + "metadata.zip"
    main(["downloadimagenet", "--savePath", str(downloaded), "--what", "meta", "--metaURL", url, "--squash"])
    assert names(downloaded / "metadata") == ["json.th7"]
    with pytest.raises(OSError, match=r"downloadimagenet: .*Put ILSVRC2012_img_test\.tar .*login\) into .*with urls"):
        data.downloadimagenet(downloaded, "test", urls={"test": server.url + "ILSVRC2012_img_test.tar"})
    with pytest.raises(ValueError, match="expected one of all, train, "):
        data.downloadimagenet(downloaded, "everything")


def test_a_damaged_archive_leaves_no_folder(server, tmp_path):
    server.files["ILSVRC2012_img_train.tar"] = tar_bytes({**TRAIN, "n03.tar": TRAIN["n03.tar"][:700]}, "w")
    with pytest.raises(ValueError, match=r"n03\.tar is damaged"):
        data.downloadimagenet(tmp_path, "train", urls={"train": server.url + "ILSVRC2012_img_train.tar"})
    assert names(tmp_path) == ["ILSVRC2012_img_train.tar"]


def test_sets_are_harmonized_for_real_only(downloaded, capsys):
    before = names(downloaded)
    main(["harmonizeimagenet", "--dataPath", str(downloaded)])
    assert "would move 7 files and folders" in capsys.readouterr().out
    assert names(downloaded) == before
    main(["harmonizeimagenet", "--dataPath", str(downloaded), "--forReal", "--progress"])
    assert images(downloaded) == HARMONIZED
    classes = data.load(downloaded / "metadata" / "classInfo.th7")
    assert classes[2][:4] == ["n01", "words 2", "gloss 2", 0]
    assert data.harmonizeimagenet(downloaded, for_real=True).keys() == {1, 2, 10}
    assert images(downloaded) == HARMONIZED


def test_classes_are_read_from_the_devkit_where_there_is_no_json(downloaded):
    (downloaded / "metadata" / "json.th7").unlink()
    with pytest.raises(OSError, match=r"there is no file .*meta_clsloc\.mat or .*meta\.mat"):
        data.harmonizeimagenet(downloaded)
    kinds = [
        ("ILSVRC2012_ID", float), ("WNID", object), ("words", object), ("gloss", object), ("num_children", float),
        ("children", object), ("wordnet_height", float),
    ]  # fmt: skip
    records = np.array(
        [(number, wnid, f"words {number}", "a gloss", 0, np.array([]), 0) for wnid, number in WNIDS.items()]
        + [(1001, "n99", "all", "everything", 2, np.array([1, 2]), 1), (1002, "n98", "a", "b", 1, np.array([10]), 1)],
        kinds,
    )
    savemat(downloaded / "ILSVRC2012_devkit_t12" / "data" / "meta.mat", {"synsets": records[:, None]})
    classes = data.harmonizeimagenet(downloaded, for_real=True)
    assert images(downloaded) == HARMONIZED
    assert classes[10] == ["n03", "words 10", "a gloss", 0, []]
    assert classes[1001] == ["n99", "all", "everything", 2, [1, 2]]
    assert classes[1002][4] == [10]


def test_nothing_is_moved_where_something_is_wrong(downloaded):
    truth = downloaded / TRUTH_FILE
    before = images(downloaded)
    for text, message in (("1\n2\n", "has 2 lines, but .* 4 images"), ("1\n2\n3\n1001\n", "from 1 to 1000, got 1001")):
        truth.write_text(text)
        with pytest.raises(ValueError, match=message):
            data.harmonizeimagenet(downloaded, for_real=True)
    truth.write_text("".join(f"{i}\n" for i in TRUTH))
    (downloaded / "ILSVRC2012_img_train" / "class2").mkdir()
    with pytest.raises(OSError, match="class2 already exists"):
        data.harmonizeimagenet(downloaded, for_real=True)
    (downloaded / "ILSVRC2012_img_train" / "class2").rmdir()
    (downloaded / "metadata" / "json.th7").write_bytes(t7.serialize({"other": 1}))
    with pytest.raises(ValueError, match=r"json\.th7: expected the synsets"):
        data.harmonizeimagenet(downloaded, for_real=True)
    shutil.rmtree(downloaded / "metadata")
    with pytest.raises(OSError, match=r"there is no folder .*metadata"):
        data.harmonizeimagenet(downloaded, for_real=True)
    assert images(downloaded) == before


def test_imagenet_is_loaded_with_ten_views_of_validation_images(downloaded, capsys):
    data.harmonizeimagenet(downloaded, for_real=True)
    train, valid = data.load_imagenet(downloaded, loadsize=(3, 12, 12), samplesize=(3, 8, 8))
    with train, valid:
        assert (train.size(), valid.size()) == (6, 4)
        assert train.classinfo[10][0] == "n03"
        assert train.loader.classes == ["class1", "class2", "class10"]
        shades = {1: 20, 2: 40, 3: 200}
        for _, inputs, targets, _ in train.sampleiter(4, 8, seed=0):
            assert inputs.shape == (4, 3, 8, 8)
            np.testing.assert_allclose(inputs.mean((1, 2, 3)) * 255, [shades[t] for t in targets], atol=2)
        views, targets = [], []
        for _, inputs, target, _ in valid.subiter(2):
            assert inputs.shape == (20, 3, 8, 8)
            views.append(inputs.mean((2, 3)))
            targets.append(target)
        predictions = data.average_views(np.concatenate(views))
        assert predictions.shape == (4, 3)
        kinds = np.concatenate(targets)[::10]
        assert kinds.tolist() == [1, 2, 2, 3]  # one validation image of class 1, two of class 2, one of class 10
        np.testing.assert_allclose(predictions * 255, [[shades[kind]] * 3 for kind in kinds], atol=2)
    with pytest.raises(ValueError, match="a multiple of 10"):
        data.average_views(np.ones((7, 2)))
    with pytest.raises(ValueError, match="a multiple of 0"):
        data.average_views(np.ones((7, 2)), 0)


def test_imagenet_in_torchs_interface_and_without_metadata(downloaded, capsys):
    data.harmonizeimagenet(downloaded, for_real=True)
    train, valid = dl.loadImageNet(str(downloaded), None, [3, 12, 12], [3, 8, 8])
    assert train.classinfo[2][0] == "n01"
    _, inputs, targets, *_ = next(iter(valid.subiter(1)))
    assert (inputs.size(), targets.size()) == ([10, 3, 8, 8], [10])
    (downloaded / "metadata" / "classInfo.th7").unlink()
    capsys.readouterr()
    train, _ = data.load_imagenet(downloaded)
    assert train.classinfo is None
    assert "skipping" in capsys.readouterr().out
    data.load_imagenet(downloaded, verbose=False)
    assert capsys.readouterr().out == ""


def test_imagenet_refuses_other_folders(tmp_path):
    with pytest.raises(OSError, match="Expecting path to ILSVRC2012 data at arg one, got .*none"):
        data.load_imagenet(tmp_path / "none")
    with pytest.raises(OSError, match=r"there is no folder .*ILSVRC2012_img_train"):
        data.load_imagenet(tmp_path, verbose=False)
    (tmp_path / "ILSVRC2012_img_train" / "cats").mkdir(parents=True)
    (tmp_path / "ILSVRC2012_img_train" / "cats" / "1.jpg").write_bytes(jpeg(9))
    with pytest.raises(ValueError, match="expected folders class1, class2, ..., got cats"):
        data.load_imagenet(tmp_path, verbose=False)
