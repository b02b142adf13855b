"""The reader of one's own copy of the AR faces, on pictures that are made here."""

import shutil

import numpy as np
import pytest
from PIL import Image

from rnmf_tutorial.data import DatasetNotAvailable
from studies.faces import load_ar


@pytest.fixture
def ar_folder(tmp_path):
    """Uniform pictures: w-001 and m-002 in subfolders, with files that do not belong."""
    folder = tmp_path / "ar"
    (folder / "women").mkdir(parents=True)
    Image.new("RGB", (94, 128), "white").save(folder / "women" / "w-001-02.bmp")
    Image.new("RGB", (60, 70), "black").save(folder / "women" / "W-001-01.PNG")
    for name, value in {"m-002-14": 51, "thumbnail": 99, "m-2-14": 99}.items():
        Image.new("L", (94, 128), value).save(folder / f"{name}.png")
    (folder / "m-002-15.txt").write_text("notes")
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_or_a_zip_of_ar(ar_folder, tmp_path, packed):
    place = (
        shutil.make_archive(str(tmp_path / "faces"), "zip", ar_folder)
        if packed
        else ar_folder
    )
    faces = load_ar(place)
    assert faces.images.shape == (3, 64, 47) and faces.data.shape == (3, 64 * 47)
    assert faces.target_names == ["m-002", "w-001"]
    assert faces.target.tolist() == [0, 1, 1]
    assert faces.image_number.tolist() == [14, 1, 2]
    np.testing.assert_array_equal(
        faces.data, np.repeat([[51 / 255], [0], [1]], 64 * 47, axis=1)
    )
    assert "3 images of 2 people" in faces.DESCR
    assert load_ar(place, size=9).images.shape == (3, 9, 9)
    assert "to 10×7 gray" in load_ar(place, size=(10, 7)).DESCR


def test_what_holds_no_pictures_of_ar_or_damaged_ones_is_named(tmp_path, ar_folder):
    (tmp_path / "empty").mkdir()
    picture = ar_folder / "m-002-14.png"
    picture.write_bytes(picture.read_bytes()[:60])
    for place, told in (
        ("nowhere", "neither a folder nor a zip"),
        ("empty", "no image named like m-001-01"),
        ("ar", "m-002-14.png in .* cannot be read"),
    ):
        with pytest.raises(DatasetNotAvailable, match=told):
            load_ar(tmp_path / place)
