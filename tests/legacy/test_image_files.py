"""Files of images, drawings and grids, beside Pillow; what is shown is written where there is no notebook."""

import io
import struct
import sys
import types
import zlib

import numpy as np
import pytest
from full_disk import files_of_at_most
from matplotlib.figure import Figure
from PIL import Image, ImageFont

from functorch7.legacy import image, itorch, torch
from functorch7.legacy.optim import pictures
from functorch7.lua.packages import graphicsmagick
from functorch7.viz import style

GENERATOR = np.random.default_rng(4)
MODES = {"L": (1, 0), "LA": (2, 0), "RGB": (3, 0), "RGBA": (4, 0)}


def pixels(mode):
    planes = MODES[mode][0]
    shape = (6, 5) if planes == 1 else (6, 5, planes)
    return GENERATOR.integers(0, 256, shape, np.uint8)


def planes_of(pixels):
    return pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("tensortype", "name", "factor"), [
    (None, "torch.FloatTensor", 255), ("float", "torch.FloatTensor", 255), ("double", "torch.DoubleTensor", 255),
    ("byte", "torch.ByteTensor", 1),
])  # fmt: skip
def test_files_are_loaded_as_pillow_reads_them(tmp_path, mode, tensortype, name, factor):
    array, path = pixels(mode), str(tmp_path / "a.png")
    Image.fromarray(array).save(path)
    found = image.load(path, None, tensortype)
    assert found.type() == name
    np.testing.assert_allclose(found.numpy() * factor, planes_of(array), rtol=1e-6)
    assert image.getSize(path).totable() == [MODES[mode][0], 6, 5]
    np.testing.assert_array_equal(image.loadPNG(path, None, tensortype).numpy(), found.numpy())


@pytest.mark.parametrize("mode", MODES)
def test_a_depth_is_forced(tmp_path, mode):
    array, path = pixels(mode), str(tmp_path / "a.png")
    Image.fromarray(array).save(path)
    planes = planes_of(array) / 255
    grey = image.load(path, 1, "double").numpy()
    expected = planes[:1] if len(planes) < 3 else np.tensordot([0.299, 0.587, 0.114], planes[:3], 1)
    np.testing.assert_allclose(grey, expected, atol=1e-6)
    assert grey.shape == expected.shape  # H x W of colours, as in Torch
    color = image.load(path, 3, "double").numpy()
    np.testing.assert_allclose(color, planes[:3] if len(planes) > 2 else planes[[0, 0, 0]])


def png_of_16_bits(array, kind):
    """A file as the format's specification has it: rows without a filter, the most significant byte first."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", array.shape[1], array.shape[0], 16, kind, 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in array)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("count", [1, 3, 4])
def test_what_has_16_bits_is_written_and_read_again(count, tmp_path):
    wide = GENERATOR.integers(0, 65536, (4, 5, count)).astype(np.uint16)
    (tmp_path / "theirs.png").write_bytes(png_of_16_bits(wide, {1: 0, 3: 2, 4: 6}[count]))
    loaded = image.load(str(tmp_path / "theirs.png"))
    image.savePNG(str(tmp_path / "ours.png"), loaded, 16)
    np.testing.assert_array_equal(image.load(str(tmp_path / "ours.png")).numpy(), loaded.numpy())
    np.testing.assert_array_equal(image.decompress(image.compressPNG(loaded, 16)).numpy(), loaded.numpy())
    seen = np.asarray(Image.open(tmp_path / "ours.png"))
    np.testing.assert_array_equal(seen, wide[:, :, 0] if count == 1 else wide >> 8)
    image.savePNG(str(tmp_path / "ours.png"), loaded)
    narrow = image.load(str(tmp_path / "ours.png"), None, "double").numpy()
    np.testing.assert_allclose(narrow, planes_of(wide) / 65535, atol=1 / 255)


def test_16_bits_are_refused_where_they_cannot_be(tmp_path):
    for given, bits, said in (
        (torch.rand(2, 4, 5), 16, "C 1, 3 or 4, for 16 bits, got size 2x4x5"),
        (torch.Tensor(3, 0, 5), 16, "for 16 bits, got size 3x0x5"),
        (torch.Tensor(3, 0, 5), 8, "expected an image of size HxW or CxHxW, C 1 to 4, got 3x0x5"),
        (torch.rand(3, 4, 5).mul(255).byte(), 16, "for 16 bits, got bytes"),
        (torch.rand(4, 5), 12, "image.savePNG: expected 8 or 16 bits, got 12"),
    ):
        with pytest.raises(ValueError, match=said):
            image.savePNG(str(tmp_path / "a.png"), given, bits)
    assert not any(tmp_path.iterdir())


def test_files_of_16_bits_palettes_and_one_bit(tmp_path):
    wide = GENERATOR.integers(0, 65536, (4, 3)).astype(np.uint16)
    Image.fromarray(wide).save(tmp_path / "wide.png")
    np.testing.assert_allclose(image.load(str(tmp_path / "wide.png"), None, "double").numpy()[0], wide / 65535)
    for kind, count in ((2, 3), (6, 4)):
        wide = GENERATOR.integers(0, 65536, (4, 5, count)).astype(np.uint16)
        (tmp_path / "colors.png").write_bytes(png_of_16_bits(wide, kind))
        for depth in (None, 3):
            found = image.load(str(tmp_path / "colors.png"), depth, "double").numpy()
            np.testing.assert_allclose(found, planes_of(wide)[:depth] / 65535, rtol=1e-15)
        found = image.loadPNG(str(tmp_path / "colors.png"), None, "byte").numpy()
        np.testing.assert_array_equal(found, planes_of(wide) // 256)
    colors = Image.fromarray(pixels("RGB")).convert("P")
    colors.save(tmp_path / "palette.png")
    found = image.load(str(tmp_path / "palette.png"), None, "byte")
    np.testing.assert_array_equal(found.numpy(), planes_of(np.asarray(colors.convert("RGB"))))
    assert image.getSize(str(tmp_path / "palette.png")).totable() == [3, 6, 5]
    bits = GENERATOR.integers(0, 2, (4, 3)).astype(bool)
    Image.fromarray(bits).save(tmp_path / "bits.png")
    np.testing.assert_array_equal(image.load(str(tmp_path / "bits.png")).numpy()[0], bits)


@pytest.mark.parametrize(("ending", "mode"), [
    ("png", "L"), ("png", "LA"), ("png", "RGBA"), ("ppm", "RGB"), ("pgm", "L"), ("PNG", "RGB"),
])  # fmt: skip
def test_what_is_saved_is_loaded_and_read_by_pillow(tmp_path, ending, mode):
    array, path = pixels(mode), str(tmp_path / f"a.{ending}")
    image.save(path, torch.Tensor.of(planes_of(array)))
    np.testing.assert_array_equal(np.asarray(Image.open(path)), array)
    np.testing.assert_array_equal(image.load(path, None, "byte").numpy(), planes_of(array))
    by_name = tmp_path / "by_name"
    getattr(image, f"save{ending.upper()}")(str(by_name), torch.Tensor.of(planes_of(array)))
    assert by_name.read_bytes() == (tmp_path / f"a.{ending}").read_bytes()


def test_numbers_are_cut_off_at_their_range_and_to_whole_ones(tmp_path):
    path = str(tmp_path / "a.png")
    image.save(path, torch.Tensor([[-1, 0, 0.5], [0.999, 1, 2]]))
    assert np.asarray(Image.open(path)).tolist() == [[0, 0, 127], [254, 255, 255]]
    for kind in (torch.CharTensor, torch.ShortTensor, torch.IntTensor):
        image.save(path, kind([[-1, 0, 1, 2]]))
        assert np.asarray(Image.open(path)).tolist() == [[0, 0, 255, 255]]


def test_compressed_images_are_what_pillow_writes():
    array = np.asarray(Image.linear_gradient("L").resize((32, 24)))
    tensor = torch.Tensor.of(planes_of(np.stack([array, array, array], 2)))
    for quality in (30, 75):
        file = io.BytesIO()
        Image.fromarray(tensor.numpy().transpose(1, 2, 0)).save(file, "JPEG", quality=quality)
        data = image.compressJPG(tensor, quality)
        assert data.type() == "torch.ByteTensor" and data.numpy().tobytes() == file.getvalue()
        decoded = np.asarray(Image.open(file)).transpose(2, 0, 1)
        for decompress in (image.decompress, image.decompressJPG):
            np.testing.assert_array_equal(decompress(data, 3, "byte").numpy(), decoded)
    least = [image.compressJPG(tensor, quality).numpy().tobytes() for quality in (1, 0, -5)]  # as libjpeg takes them
    assert least == [least[0]] * 3
    np.testing.assert_array_equal(image.decompress(image.compressPNG(tensor), None, "byte").numpy(), tensor.numpy())
    np.testing.assert_array_equal(image.decompressPNG(image.compressPNG(tensor), None, "byte").numpy(), tensor.numpy())


def test_the_photograph_has_torchs_size():
    assert image.lena().size() == [3, 512, 512] and 0 <= image.lena().min() < image.lena().max() <= 1


def size_of(path):
    with Image.open(path) as picture:
        return picture.size


def bad_file(tmp_path):
    (tmp_path / "bad.png").write_bytes(b"\x89PNG nothing")
    return str(tmp_path / "bad.png")


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda path: image.load(bad_file(path)), ValueError, "image.load: cannot read"),
    (lambda path: image.load(str(path / "none.png")), FileNotFoundError, "none.png"),
    (lambda path: image.save("a.gif", torch.Tensor(2, 2)), ValueError, "image.save: unknown image type: 'gif'"),
    (lambda path: image.save("a.ppm", torch.Tensor(2, 2)), ValueError, "can only save 3xHxW images as PPM, got 2x2"),
    (lambda path: image.save("a.pgm", torch.Tensor(3, 2, 2)), ValueError, "HxW images as PGM, got 3x2x2"),
    (lambda path: image.save("a.png", torch.Tensor(5, 2, 2)), ValueError, "CxHxW, C 1 to 4, got 5x2x2"),
    (lambda path: image.decompress(torch.Tensor(8)), TypeError, "image.decompress: expected a ByteTensor"),
    (lambda path: image.decompress(torch.ByteTensor(8)), ValueError, "the bytes of a JPEG or PNG file"),
    (lambda path: image.toDisplayTensor(torch.Tensor(2, 2, 2, 2)), ValueError, "image.toDisplayTensor: expected"),
    (lambda path: image.drawText(torch.Tensor(1, 2, 2), "a"), ValueError, "image.drawText: input image has to be"),
    (lambda path: image.drawRect(torch.Tensor(3, 2, 2), 1, 1, 2, 2, {"colour": 1}), TypeError, "unknown options"),
    (lambda path: image.display(torch.Tensor(2, 2), window=1), TypeError, "image.display: unknown arguments"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(tmp_path, call, error, says):
    with pytest.raises(error) as raised:
        call(tmp_path)
    assert says in str(raised.value)


@pytest.mark.parametrize(("call", "missing", "extra"), [
    (lambda: image.load("a.png"), "PIL", "functorch7[images]"),
    (lambda: image.drawText(torch.Tensor(3, 9, 9), "a"), "PIL", "functorch7[images]"),
    (lambda: image.lena(), "matplotlib.cbook", "functorch7[viz]"),
    (lambda: image.Camera(), "cv2", "opencv-python"),
])  # fmt: skip
def test_a_missing_package_is_named_with_its_extra(monkeypatch, call, missing, extra):
    for each in [missing, *(module for module in sys.modules if module.startswith(f"{missing}."))]:
        monkeypatch.setitem(sys.modules, each, None)
    with pytest.raises(ImportError) as raised:
        call()
    assert extra in str(raised.value)


def test_a_camera_gives_red_first_from_0_to_1(monkeypatch):
    frame = GENERATOR.integers(0, 256, (4, 6, 3), np.uint8)  # blue, green, red
    cv2 = types.SimpleNamespace(CAP_PROP_FRAME_WIDTH=3, CAP_PROP_FRAME_HEIGHT=4)
    seen = {}

    class VideoCapture:
        def __init__(self, number):
            seen["number"] = number

        def set(self, what, value):
            seen[what] = value

        def read(self):
            return (True, frame) if "released" not in seen else (False, None)

        def release(self):
            seen["released"] = True

    cv2.VideoCapture = VideoCapture
    monkeypatch.setitem(sys.modules, "cv2", cv2)
    camera = image.Camera(1, 6, 4)
    np.testing.assert_allclose(camera.forward().numpy() * 255, frame[..., ::-1].transpose(2, 0, 1), rtol=1e-6)
    camera.stop()
    assert seen == {"number": 1, 3: 6, 4: 4, "released": True}
    with pytest.raises(RuntimeError, match="no picture"):
        camera.forward()


# Drawings -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["torch.ByteTensor", "torch.FloatTensor"])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_rectangles_are_lines_around(kind, width):
    source = torch.zeros(3, 12, 14).type(kind)
    found = image.drawRect(source, 3, 4, 9, 8, {"color": [255, 51, 0], "lineWidth": width}).numpy()
    before = width // 2 + 1
    expected = np.zeros((12, 14), bool)
    rows, columns = ([range(max(0, n - before), n - before + width) for n in ends] for ends in ((4, 8), (3, 9)))
    for y in range(rows[0].start, rows[1].stop):
        for x in range(columns[0].start, columns[1].stop):
            expected[y, x] = any(y in each for each in rows) or any(x in each for each in columns)
    full = 255 if kind == "torch.ByteTensor" else 1
    np.testing.assert_allclose(found, expected * np.array([1, 0.2, 0])[:, None, None] * full, rtol=1e-6)
    assert source.max() == 0
    assert image.drawRect(source, 3, 4, 99, 99, {"inplace": True}) is source and source.max() == full


def test_text_is_pillows_letters_in_cells():
    font = ImageFont.load_default_imagefont()
    cells = [np.asarray(font.getmask(letter)).reshape(font.getmask(letter).size[::-1]) > 0 for letter in "Hi"]
    height, width = cells[0].shape
    black = torch.zeros(3, 40, 60)
    found = image.drawText(black, "Hi\nHi", 2, 3, {"color": [0, 255, 0], "bg": [0, 0, 255]}).numpy()
    line = np.concatenate(cells, 1)
    for top in (3, 3 + height):
        np.testing.assert_array_equal(found[1, top : top + height, 2 : 2 + 2 * width], line)
        np.testing.assert_array_equal(found[2, top : top + height, 2 : 2 + 2 * width], ~line)
    assert found[0].max() == 0 and found[1].sum() == 2 * line.sum() and black.max() == 0
    double = image.drawText(black, "H", 0, 0, {"size": 2}).numpy()[0]
    np.testing.assert_array_equal(double[: 2 * height : 2, : 2 * width : 2], cells[0])
    wrapped = image.drawText(torch.zeros(3, 40, 3 * width), "HHHH", 0, 0).numpy()[0]
    np.testing.assert_array_equal(wrapped[height : 2 * height, :width], cells[0])
    assert image.drawText(black, "  ").max() == 0
    assert image.drawText(black, "H", 56, 34, {"wrap": False}).max() == 1  # what is outside is not drawn


# Shown ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "expected"), [
    ({}, lambda a: (a - a.min()) / (a.max() - a.min())),
    ({"min": -1}, lambda a: (a + 1) / (a + 1).max()),
    ({"max": 2}, lambda a: (a - a.min()) / (2 - a.min())),
    ({"min": -0.5, "max": 0.5, "saturate": True}, lambda a: np.clip(a + 0.5, 0, 1)),
    ({"symm": True}, lambda a: (a + abs(a).max()) / (2 * abs(a).max())),
])  # fmt: skip
def test_minmax_is_the_formula(options, expected):
    array = GENERATOR.normal(size=(3, 4, 5))
    source = torch.Tensor.of(array.copy())
    np.testing.assert_allclose(image.minmax(source, **options).numpy(), expected(array))
    np.testing.assert_array_equal(source.numpy(), array)
    other = torch.DoubleTensor()
    assert image.minmax(source, tensorOut=other, **options) is other
    np.testing.assert_allclose(other.numpy(), expected(array))
    assert image.minmax(source, inplace=True, **options) is source
    np.testing.assert_allclose(source.numpy(), expected(array))


def test_images_lie_in_a_grid_row_by_row():
    array = GENERATOR.uniform(size=(5, 3, 4, 6))
    images = [torch.Tensor.of(each) for each in array]
    scaled = (array - array.min()) / (array.max() - array.min())
    expected = np.ones((3, 2 * 6, 3 * 8))  # the largest value between
    for i, each in enumerate(scaled):
        top, left = i // 3 * 6 + 1, i % 3 * 8 + 1
        expected[:, top : top + 4, left : left + 6] = each
    for given in (images, torch.Tensor.of(array)):
        found = image.toDisplayTensor(given, padding=2, nrow=3)
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)
    each = image.toDisplayTensor(images, scaleeach=True).numpy()
    np.testing.assert_allclose(each[:, :4, :6], (array[0] - array[0].min()) / np.ptp(array[0]), atol=1e-6)
    assert image.toDisplayTensor(torch.rand(5, 4, 6)).size() == [4, 30]  # filters: a grid of planes
    assert image.toDisplayTensor(torch.rand(4, 6)).size() == [4, 6]


def test_without_a_notebook_a_file_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    image.display(torch.rand(3, 4, 5), zoom=2, legend="filters", win=None)
    assert size_of(tmp_path / "filters.png") == (10, 8)
    image.save("one.png", torch.rand(4, 5))
    itorch.image([torch.rand(3, 4, 5)] * 2)
    assert size_of(tmp_path / "itorch.image.png") == (2 * 7, 6)
    itorch.image("one.png", {"padding": 0})
    assert size_of(tmp_path / "itorch.image.png") == (5, 4)
    itorch.html("<b>text</b>")
    (tmp_path / "drawing.svg").write_text("<svg></svg>")
    itorch.svg("drawing.svg")
    assert ((tmp_path / "itorch.html").read_text(), (tmp_path / "itorch.svg").read_text()) == (
        "<b>text</b>",
        "<svg></svg>",
    )
    assert "filters: written to filters.png" in capsys.readouterr().out


def _figure(size):
    figure = Figure(figsize=(size, size))
    figure.add_subplot().imshow(GENERATOR.random((90, 90)))
    return figure


@pytest.mark.parametrize("ending", ["jpg", "png", "ppm"])
@pytest.mark.parametrize("write", [
    lambda path: image.save(path, torch.rand(3, 90, 90)),
    lambda path: graphicsmagick.Image(torch.rand(3, 90, 90), "RGB", "DHW").save(path),
    lambda path: style.write(_figure(1), path),
    lambda path: pictures.write(_figure(1), path),
])  # fmt: skip
def test_a_picture_that_a_full_disk_does_not_take_is_an_error_and_the_last_one_stays(tmp_path, write, ending):
    """Pillow writes half a JPEG, and says nothing."""
    path = tmp_path / f"picture.{ending}"
    try:
        write(str(path))
    except ValueError as error:
        assert "ppm" in str(error) and not [*tmp_path.iterdir()]  # which Matplotlib does not write
        return
    before = path.read_bytes()
    with Image.open(path) as picture:
        picture.load()
    with files_of_at_most(len(before) // 2), pytest.raises(OSError):
        write(str(path))
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]


def test_a_notebook_shows_the_picture(monkeypatch):
    shown = []
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=True)
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display, ipython.display.HTML = shown.append, lambda text: ("HTML", text)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    image.display(torch.rand(3, 4, 5))
    itorch.html("<b>text</b>")
    assert shown[0].size == (5, 4) and shown[1] == ("HTML", "<b>text</b>")
