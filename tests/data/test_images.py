"""Loaders of image files: classes, sample functions, sequences, and what they say of bad files."""

import os

import numpy as np
import pytest
from PIL import Image

from functorch7.data import ImageClass, MultiImageSequence, MultiSequence
from functorch7_cli.inputs import input_from


def save(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def ramp(height, width):
    """An image whose red is the row, whose green is the column, and whose blue is 200."""
    rows, columns = np.mgrid[:height, :width].astype(np.uint8)
    return np.stack([rows, columns, np.full_like(rows, 200)], -1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Classes bird (1 image), cat (3, one of them in a folder inside) and dog (2)."""
    root = tmp_path_factory.mktemp("images")
    for name, size in {"cat/a.png": (20, 30), "cat/b.PNG": (40, 40), "cat/more/c.bmp": (20, 20),
                       "dog/a.ppm": (24, 20), "dog/b.png": (20, 20), "bird/a.png": (20, 26)}.items():  # fmt: skip
        save(root / name, ramp(*size))
    (root / "cat" / "notes.txt").write_text("no image")
    (root / ".hidden").mkdir()
    return root


def names(paths):
    return ["/".join(path.split("/")[-2:]) for path in paths]


def test_classes_are_folders_in_the_order_of_their_names(folder):
    loader = ImageClass(folder, (3, 20, 20))
    assert loader.classes == ["bird", "cat", "dog"] and loader.class_index == {"bird": 1, "cat": 2, "dog": 3}
    assert (loader.size(), loader.size("cat"), loader.size(3)) == (6, 3, 2)
    assert (loader.isize(), loader.tsize(), loader.isize(False)) == ([3, 20, 20], [], [6, 3, 20, 20])
    inputs, targets, paths = loader.sub(1, 6)
    assert inputs.shape == (6, 3, 20, 20) and inputs.dtype == np.float32
    assert targets.tolist() == [1, 2, 2, 2, 3, 3]
    assert names(paths) == ["bird/a.png", "cat/a.png", "cat/b.PNG", "more/c.bmp", "dog/a.ppm", "dog/b.png"]
    assert [list(loader.class_list(name)) for name in loader.classes] == [[1], [2, 3, 4], [5, 6]]


def test_classes_may_be_sorted_otherwise_and_files_left_out(folder):
    by_last_letter = ImageClass(folder, (3, 20, 20), sort_function=lambda name: name[::-1])
    assert by_last_letter.classes == ["bird", "dog", "cat"]
    assert ImageClass(folder, (3, 20, 20), exclude_file="b.*").size() == 4
    assert ImageClass(folder, (3, 20, 20), exclude_dir="*/more/*").size("cat") == 2


def test_folders_are_merged_by_class(folder, tmp_path):
    save(tmp_path / "cat" / "z.png", ramp(20, 20))
    save(tmp_path / "eel" / "z.png", ramp(20, 20))
    loader = ImageClass([folder, tmp_path], (3, 20, 20))
    assert loader.classes == ["bird", "cat", "dog", "eel"] and loader.size("cat") == 4


def test_the_smallest_side_becomes_that_of_load_size(folder):
    loader = ImageClass(folder, (3, 12, 10))
    assert [loader.load_image(path).size for path in loader.index([1, 2, 3])[2]] == [(13, 10), (15, 10), (10, 10)]


def test_sample_default_resizes_and_scales_to_one(folder):
    inputs = ImageClass(folder, (3, 20, 20), (3, 20, 10)).index([4])[0][0]
    np.testing.assert_allclose(inputs[2], 200 / 255, rtol=1e-6)
    np.testing.assert_allclose(inputs[0], np.repeat(np.arange(20)[:, None] / 255, 10, 1), atol=1 / 255)
    grey = ImageClass(folder, (3, 20, 20), (1, 20, 20)).index([4])[0][0]
    luma = ramp(20, 20) @ [0.299, 0.587, 0.114] / 255  # ITU-R 601
    np.testing.assert_allclose(grey[0], luma, atol=1 / 255)


def corner(sample):
    """The place of a sample in its ramp, and whether it is mirrored."""
    rows, columns = np.rint(sample[:2] * 255).astype(int)
    mirrored = columns[0, 0] > columns[0, -1]
    return rows[0, 0], columns[0, -1 if mirrored else 0], mirrored


def test_sample_train_takes_every_part_of_the_size(folder):
    loader = ImageClass(folder, (3, 20, 20), (3, 18, 19), "sample_train")
    samples = loader.index([4] * 200, seed=0)[0]
    tops, lefts, mirrored = map(np.array, zip(*map(corner, samples), strict=True))
    # ceil(U(0, 2)) and ceil(U(0, 1)), as in Torch: 0 has no probability
    assert set(tops) == {1, 2} and set(lefts) == {1} and 60 < mirrored.sum() < 140
    np.testing.assert_array_equal(samples, loader.index([4] * 200, seed=0)[0])
    with pytest.raises(ValueError, match="ImageClass.sample_train: draws random numbers; pass seed="):
        loader.index([4])


def test_sample_test_gives_ten_views_of_any_size(folder):
    loader = ImageClass(folder, (3, 20, 20), (3, 13, 10))
    views, targets, paths = loader.index([2, 6], sample_function="sample_test")
    assert views.shape == (20, 3, 13, 10) and targets.tolist() == [2] * 10 + [3] * 10 and len(paths) == 2
    places = [(4, 10), (0, 0), (0, 20), (7, 0), (7, 20)]  # of 20 x 30; the centre is ceil(7 / 2), ceil(20 / 2)
    assert [corner(view) for view in views[:10]] == [(*place, flip) for place in places for flip in (False, True)]


def test_a_sample_function_of_ones_own(folder):
    def mean(loader, path, random):
        assert random is None
        return loader.sample_default(path).mean((1, 2), keepdims=True)

    loader = ImageClass(folder, (3, 20, 20), sample_function=mean)
    np.testing.assert_allclose(loader.sub(1, 2)[0][:, 2, 0, 0], 200 / 255, rtol=1e-6)


def test_sample_draws_classes_uniformly(folder):
    loader = ImageClass(folder, (3, 20, 20), sample_function=lambda loader, path, random: np.zeros((1, 1, 1)))
    _, targets, paths = loader.sample(900, seed=0)
    assert (abs(np.bincount(targets)[1:] - 300) < 75).all()
    _, counts = np.unique([path for path in paths if "/cat/" in path], return_counts=True)
    assert len(counts) == 3 and (abs(counts - 100) < 50).all()


# Bad files ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path):
    """Classes a (a good image, half a JPEG and a text that is called .png) and b (empty)."""
    save(tmp_path / "a" / "1.jpg", ramp(60, 60))
    half = (tmp_path / "a" / "1.jpg").read_bytes()
    (tmp_path / "a" / "2.jpg").write_bytes(half[: len(half) // 2])
    (tmp_path / "a" / "3.png").write_text("no image")
    return tmp_path


@pytest.mark.parametrize("index, name", [(2, "2.jpg"), (3, "3.png")], ids=["truncated", "no image"])
def test_bad_images_are_named(damaged, index, name):
    with pytest.raises(ValueError, match=f"ImageClass: cannot read image .*{name}: "):
        ImageClass(damaged, (3, 20, 20)).index([1, index])
    with pytest.raises(ValueError, match="ImageClass: expected at least one index, got none"):
        ImageClass(damaged, (3, 20, 20)).index([])


def test_bad_images_are_skipped_and_counted_where_asked(damaged):
    (damaged / "b").mkdir()
    with pytest.raises(ValueError, match="Class has zero samples: no images in .*/b"):
        ImageClass(damaged, (3, 20, 20))
    with pytest.warns(UserWarning, match=r"Class has zero samples.*\(skipped; 1 so far\)"):
        loader = ImageClass(damaged, (3, 20, 20), on_error="skip")
    with pytest.warns(UserWarning) as warnings:
        inputs, targets, paths = loader.sub(1, 3)
    assert inputs.shape == (1, 3, 20, 20) and targets.tolist() == [1] and names(paths) == ["a/1.jpg"]
    assert (
        loader.skipped.total() == 3 and "3.png" in str(warnings[-1].message) and "3 so far" in str(warnings[-1].message)
    )
    assert set(loader.sample(20, seed=0, sample_function=lambda *_: np.zeros((1, 1, 1)))[1]) == {1}


@pytest.mark.filterwarnings("ignore:ImageClass")
def test_a_batch_of_bad_images_alone_does_not_end_a_run(damaged):
    save(damaged / "b" / "1.jpg", ramp(60, 60))
    loader = ImageClass(damaged, (3, 20, 20), on_error="skip")
    batches = [targets.tolist() for _, targets in loader.batches(1)]
    assert batches == [[1], [2], [2], [2]]  # in the places of the second and third there is the next that can be read
    (damaged / "b" / "1.jpg").write_text("no image")
    assert loader.index([4])[2] == [str(damaged / "a" / "1.jpg")]
    (damaged / "a" / "1.jpg").write_text("no image")
    with pytest.raises(ValueError, match="none of the images could be read"):
        loader.index([4])


def test_samples_of_unequal_sizes_and_small_images_are_named(folder):
    loader = ImageClass(folder, (3, 20, 20))
    with pytest.raises(ValueError, match=r"samples of one size, got \(3, 20, 26\) of .*bird/a.png, but \(3, 20, 30\)"):
        loader.sub(1, 2, sample_function=lambda loader, path, _: np.zeros((3, *loader.load_image(path).size[::-1])))
    for made, given in ((lambda *_: None, "None"), (lambda *_: [1], "a table of 1")):
        with pytest.raises(TypeError, match=f"expected an array C x H x W, .* for .*a.png, got {given}"):
            loader.sub(1, 2, sample_function=made)
    with pytest.raises(ValueError, match=r"bird/a.png: cannot crop 30 x 20 from an image of 20 x 26"):
        ImageClass(folder, (3, 20, 20), (3, 30, 20)).index([1], seed=0, sample_function="sample_train")


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda path: ImageClass(path / "nowhere", (3, 2, 2)), "nowhere is not a folder"),
        (lambda path: ImageClass(path, (3, 2, 2)), "Could not find any image file in the given input paths: .*"),
        (lambda path: ImageClass(path, (2, 2)), r"expected a load_size of \(1 or 3 channels, height, width\)"),
        (lambda path: ImageClass(path, 32), r"expected a load_size of \(1 or 3 channels, height, width\), got 32"),
        (lambda path: ImageClass(path, (3, 2.5, 2)), "expected a load_size of .*, got .3, 2.5, 2"),
        (
            lambda path: ImageClass(path, (3, 2, 2), sample_function="sample_tset"),
            "one of sample_default, sample_test, ",
        ),
        (
            lambda path: MultiImageSequence(path, 2, SIZES, sample_function="size"),
            "one of sample_default, sample_train,",
        ),
        (lambda path: ImageClass(path, (3, 2, 2), on_error="ignore"), 'on_error "raise" or "skip", got \'ignore\''),
        (lambda path: MultiImageSequence(path, 2, ((3, 2, 2), (1, 2, 2))).size(), "no folder in .* has input1.jpg and"),
        (lambda path: MultiImageSequence(path, 2, (3, 2, 2)), "expected load sizes of inputs and of targets"),
        (lambda path: MultiImageSequence(path, 2, ((3, 2, 2), (1, 2, 2)), (3, 4, 2)), "is larger than load_size"),
    ],
)
def test_folders_and_sizes_that_make_no_sense_are_refused(tmp_path, make, message):
    with pytest.raises(ValueError, match=message):
        make(tmp_path)


# Sequences ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def frames(tmp_path):
    """Sequences a (3 frames) and b (5): inputs of 28 x 28 in RGB, targets of 8 x 8 in grey; a folder without frames."""
    for name, count in (("a", 3), ("b", 5)):
        for t in range(1, count + 1):
            save(tmp_path / name / f"input{t}.jpg", np.full((28, 28, 3), 40 * t, np.uint8))
            save(tmp_path / name / f"target{t}.jpg", np.full((8, 8), 40 * t, np.uint8))
    (tmp_path / "empty").mkdir()
    return tmp_path


SIZES = ((3, 28, 28), (1, 8, 8))


def test_image_sequences_stream_with_masks(frames):
    loader = MultiImageSequence(frames, 2, SIZES, (3, 24, 24))
    assert loader.size() == 5 and loader.isize() == [3, 24, 24]  # ceil((8 frames + 2 masks) / 2)
    assert loader.tsize() == [1, 7, 7]  # 8 * 24 / 28, rounded
    inputs, targets = loader.sub(1, 7)
    assert inputs.shape == (7, 2, 3, 24, 24) and targets.shape == (7, 2, 1, 7, 7)
    # the first column takes a, a mask, and the beginning of b; then it is a's turn again
    shades = np.rint(inputs[:, :, 0, 0, 0].T * 255 / 40)
    np.testing.assert_array_equal(shades, [[0, 1, 2, 3, 0, 1, 2], [0, 1, 2, 3, 0, 1, 2]])
    np.testing.assert_allclose(targets[:, :, 0, 3, 3], inputs[:, :, 0, 0, 0], atol=1 / 255)
    np.testing.assert_array_equal(np.rint(loader.sub(1, 3)[0][:, 0, 0, 0, 0] * 255 / 40), [3, 4, 5])


def test_grain_sees_whole_sequences_of_images(frames):
    records = MultiImageSequence(frames, 2, SIZES, (3, 24, 24), "sample_train").to_grain(seed=1)
    inputs, targets = records[1]
    assert len(records) == 2 and inputs.shape == (5, 3, 24, 24) and targets.shape == (5, 1, 7, 7)
    np.testing.assert_array_equal(np.rint(inputs[:, 0, 0, 0] * 255 / 40), [1, 2, 3, 4, 5])


def test_sequences_and_steps_that_are_not_there_are_refused_as_those_of_arrays(frames):
    for loader in (MultiImageSequence(frames, 2, SIZES), MultiSequence([np.arange(3), np.arange(4)], 2)):
        count = loader.n_records()
        for wrong in (0, count + 1):
            with pytest.raises(IndexError, match=rf"\.record: expected indices from 1 to {count}, got {wrong}"):
                loader.record(wrong)
        with pytest.raises(IndexError, match=r"\.sub: expected at least one step, got 3 to 2"):
            loader.sub(3, 2)


def test_frames_are_cropped_at_one_place_per_sequence_or_at_every_step(tmp_path):
    for t in range(1, 7):
        save(tmp_path / "s" / f"x{t}.png", ramp(20, 20))
        save(tmp_path / "s" / f"y{t}.png", ramp(40, 40))
    loader = MultiImageSequence(tmp_path, 1, ((3, 20, 20), (3, 40, 40)), (3, 8, 8), "sample_train")
    loader.input_pattern, loader.target_pattern = "x%d.png", "y%d.png"
    inputs, targets = loader.sub(1, 7, seed=0)
    places = {corner(each)[:2] for each in inputs[1:, 0]}
    assert len(places) == 1
    (top, left), (below, right) = places.pop(), corner(targets[1, 0])[:2]
    assert abs(below / 24 - top / 12) <= 1 / 12 and abs(right / 24 - left / 12) <= 1 / 12 and targets.shape[-1] == 16
    loader.reset()
    loader.crop_every_step = True
    assert len({corner(each)[:2] for each in loader.sub(1, 7, seed=0)[0][1:, 0]}) > 2
    with pytest.raises(ValueError, match="sample_train: draws random numbers"):
        loader.sub(1, 3)


def test_load_sizes_vary_with_the_sequence_or_the_step(frames):
    seen = []

    def sizes(loader, input_path, target_path, tracker, random):
        seen.append(loader.load_image(input_path, 0, tracker).size + loader.load_image(target_path, 1, tracker).size)
        return loader.sample_default(input_path, target_path, tracker)

    loader = MultiImageSequence(frames, 1, SIZES, (3, 14, 14), sizes)
    loader.vary_load_size = True
    loader.sub(1, 4, seed=1)
    assert len(set(seen)) == 1 and 14 <= seen[0][0] <= 28 and 4 <= seen[0][2] <= 8
    seen.clear()
    loader.scale_every_step = True
    loader.sub(5, 10, seed=1)
    assert len(set(seen)) > 2


def test_the_index_is_kept_in_a_file_and_bad_frames_are_named(frames):
    loader, cache = MultiImageSequence(frames, 1, SIZES, (3, 24, 24)), frames / "index.json"
    loader.build_index(cache)
    (frames / "b" / "input5.jpg").unlink()
    again = MultiImageSequence(frames, 1, SIZES, (3, 24, 24))
    again.build_index(cache)
    assert again.sequences == loader.sequences == [("a", 3), ("b", 5)]
    again.build_index(cache, overwrite=True)
    assert again.sequences == [("a", 3), ("b", 4)]
    for damaged in ("", "{", "null", "3", '["a"]', '[["a", "b"]]', '{"a": 1}', b"\xff"):
        cache.write_bytes(damaged if isinstance(damaged, bytes) else damaged.encode())
        with pytest.raises(ValueError, match=r"index.json is no index that build_index kept"):
            MultiImageSequence(frames, 1, SIZES).build_index(cache)
    (frames / "a" / "input2.jpg").write_bytes(b"no image")
    with pytest.raises(ValueError, match=r"cannot read image .*a/input2.jpg"):
        again.sub(1, 4)


def test_image_sequences_go_on_from_a_saved_state(frames):
    loader = MultiImageSequence(frames, 2, SIZES, (3, 24, 24), "sample_train")
    loader.randseq = True
    loader.sub(1, 3, seed=0)
    state = loader.get_state()
    after = loader.sub(1, 4, seed=1)[0]
    loader.reset()
    loader.set_state(state)
    np.testing.assert_array_equal(loader.sub(1, 4, seed=1)[0], after)


def test_a_link_to_the_folder_around_the_classes_is_no_class(tmp_path):
    (tmp_path / "cats").mkdir()
    save(tmp_path / "cats" / "one.png", ramp(4, 4))
    for name, target in (("again", tmp_path), ("above", tmp_path.parent)):
        (tmp_path / name).symlink_to(target, target_is_directory=True)
    loader = ImageClass(tmp_path, (3, 4, 4))
    assert loader.classes == ["cats"] and loader.size() == 1


def test_a_pipe_among_the_images_is_named(tmp_path):
    (tmp_path / "cats").mkdir()
    os.mkfifo(tmp_path / "cats" / "one.png")
    with pytest.raises(ValueError, match=r"one.png.*this is a pipe|this is a pipe.*one.png"):
        ImageClass(tmp_path, (3, 4, 4)).index([1])


@pytest.mark.parametrize("planes", [1, 3])
@pytest.mark.parametrize("size", [(6, 8), (12, 16)])
def test_grey_images_of_16_bits_are_from_0_to_1(planes, size, tmp_path):
    """A ramp, which bilinear interpolation keeps inside; with one plane more exact than 8 bits are."""
    wide = np.linspace(0, 65535, 8).round().astype(np.uint16)[None].repeat(6, 0)
    save(tmp_path / "grey" / "a.png", wide)
    loader = ImageClass(str(tmp_path), (planes, 6, 8), sample_size=(planes, *size))
    found, *_ = loader.index([1])
    assert found.shape == (1, planes, *size) and (found == found[:, :1]).all()
    if size == wide.shape:
        np.testing.assert_allclose(found[0, 0], wide / 65535, atol=1e-6 if planes == 1 else 0.5 / 255 + 1e-6)
    assert found.min() == 0 and found.max() == 1 and (np.diff(found[0, 0], axis=1) >= 0).all()
    pixels = input_from(str(tmp_path / "grey" / "a.png"), np.float32)
    assert pixels.shape == (1, 1, 6, 8)
    np.testing.assert_allclose(pixels[0, 0], wide / 65535, atol=1e-6)
