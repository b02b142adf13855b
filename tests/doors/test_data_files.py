"""Where files are sought, and what happens when they are missing, damaged or out of reach."""

import hashlib
import io
import re
import zipfile
from pathlib import Path

import numpy as np
import pooch
import pytest
import requests

from rnmf_tutorial import data
from rnmf_tutorial.data import DatasetNotAvailable, files
from rnmf_tutorial.data.files import (
    INSTALLED,
    SOURCES,
    Source,
    cache_folder,
    content_hash,
)
from tests.project import ROOT

CONTENT = b"faces" * 1000


class Network:
    """Stands in for the downloader of pooch: sends `sent`, then raises `failure` if any."""

    sent = CONTENT
    failure = None
    calls = 0

    def __call__(self, **options):
        assert options["timeout"] == files.TIMEOUT
        return self.download

    def download(self, url, output_file, pooch):
        self.calls += 1
        Path(output_file).write_bytes(self.sent)
        if self.failure:
            raise self.failure


@pytest.fixture
def network(monkeypatch):
    network = Network()
    monkeypatch.setattr(pooch, "HTTPDownloader", network)
    return network


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache, no data folder, and a small made-up file under the name "yale64"."""
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    source = Source("made-up faces", "faces.mat", "a/b", sha256, also=["yours.mat"])
    monkeypatch.setitem(SOURCES, "yale64", source)
    monkeypatch.delenv("RNMF_TUTORIAL_DATA", raising=False)
    monkeypatch.setenv("RNMF_TUTORIAL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty folder that RNMF_TUTORIAL_DATA names."""
    path = tmp_path / "mine"
    path.mkdir()
    monkeypatch.setenv("RNMF_TUTORIAL_DATA", str(path))
    return path


def message(name="yale64"):
    with pytest.raises(DatasetNotAvailable) as caught:
        data.fetch(name)
    return str(caught.value)


def test_downloads_once_then_reads_the_cache(cache, network):
    assert not data.available("yale64")
    assert data.fetch("yale64").read_bytes() == CONTENT
    assert data.available("yale64")
    network.failure = requests.ConnectionError("no network")
    assert data.fetch("yale64") == cache / "faces.mat"
    assert network.calls == 1


def test_the_data_folder_comes_first_and_a_damaged_file_in_it_is_told(
    cache, folder, network
):
    for name in ("yours.mat", "faces.mat"):
        (folder / name).write_bytes(CONTENT)
        assert data.available("yale64")
        assert data.fetch("yale64") == folder / name
    for content in (CONTENT[:-1], b"", CONTENT[:-1] + b"!"):
        (folder / "faces.mat").write_bytes(content)
        assert not data.available("yale64")
        text = message()
        assert (
            f"(its SHA-256 is not {hashlib.sha256(CONTENT).hexdigest()[:12]}…)" in text
        )
        for words in (str(folder / "faces.mat"), "damaged", "delete it"):
            assert words in text
    assert network.calls == 0 and not cache.exists()


def test_interrupted_download_leaves_nothing(cache, network):
    network.sent = CONTENT[:100]
    network.failure = OSError(28, "No space left on device")
    assert "No space left" in message()
    network.failure = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        data.fetch("yale64")
    assert list(cache.iterdir()) == []


def test_damaged_cache_is_downloaded_again(cache, network):
    network.failure = requests.ConnectionError("no network")
    text = message()
    assert "RNMF_TUTORIAL_DATA is not set" in text
    assert "does not hold it, and" in text and "damaged copy" not in text
    cache.mkdir(exist_ok=True)
    (cache / "faces.mat").write_bytes(CONTENT[:100])
    assert not data.available("yale64")
    assert "holds a damaged copy" in message()
    network.failure = None
    assert data.fetch("yale64").read_bytes() == CONTENT


def test_unwritable_cache(cache, network):
    # A file where the folder should be fails for every user, also for one who may write
    # anywhere.
    cache.write_text("in the way")
    assert not data.available("yale64")
    text = message()
    assert str(cache) in text and "set RNMF_TUTORIAL_CACHE" in text


def test_unknown_name():
    for function in (data.available, data.fetch, data.report_missing):
        with pytest.raises(ValueError, match=r"choose one of .*yale64"):
            function("mnist")


def test_reports_what_is_missing_and_downloads_nothing(cache, network, capsys):
    data.report_missing("orl", "yale64")
    line = capsys.readouterr().out
    assert line.startswith("The made-up faces are not here") and line.count("\n") == 1
    assert 'data.fetch("yale64")' in line and network.calls == 0
    data.fetch("yale64")
    data.report_missing("orl", "yale64")
    assert capsys.readouterr().out == ""


def test_sources_are_pinned():
    for source in SOURCES.values():
        assert re.match(r"https://.*/[0-9a-f]{40}(/|\.zip$)", source.url)
    for source in [*SOURCES.values(), *INSTALLED.values()]:
        assert re.fullmatch("[0-9a-f]{64}", source.sha256)
    assert len({source.file for source in SOURCES.values()}) == len(SOURCES)


# -------------------------------------------------------- an archive, pinned by content

PIXELS = np.random.default_rng(0).integers(256, size=(3, 192, 168), dtype=np.uint8)


def archive(pixels=PIXELS, folder="x-1/CroppedYale"):
    """A zip file as the network sends it: three pictures, and files that do not belong."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        names = ["yaleB02/yaleB02_P00A+000E-20", "yaleB01/yaleB01_P00A+000E+00"]
        for i, name in zip(
            (2, 0, 1), [*names, "yaleB01/yaleB01_P00A-005E+10"], strict=True
        ):
            made.writestr(
                f"{folder}/{name}.pgm", b"P5\n168 192\n255\n" + pixels[i].tobytes()
            )
        made.writestr(f"{folder}/yaleB01/yaleB01_P00_Ambient.pgm", b"other light")
        made.writestr(f"{folder}/yaleB01/yaleB01_P00A+000E+20.pgm.bad", b"bad")
        made.writestr("x-1/README.md", b"faces")
    return file.getvalue()


@pytest.fixture
def pictures(cache, monkeypatch):
    pinned = content_hash((PIXELS, np.array([1, 1, 2])))
    pinned = SOURCES["yaleb_full"]._replace(sha256=pinned)
    monkeypatch.setitem(SOURCES, "yaleb_full", pinned)
    return cache / "CroppedYaleB.zip"


def test_an_archive_is_known_by_its_pixels_and_not_by_its_bytes(pictures, network):
    for sent in (archive(), archive() + b"\0"):
        network.sent = sent
        assert data.fetch("yaleb_full") == pictures
        assert data.available("yaleb_full")
        faces = data.load_yaleb((192, 168))
        np.testing.assert_array_equal(faces.images, PIXELS / 255)
        assert faces.target.tolist() == [0, 0, 1]
        pictures.unlink()


OTHERS = [archive(PIXELS[::-1]), archive()[:-300], b"", archive(folder="x-1/other")]
OTHERS += [archive().replace(b"yaleB02_", b"yaleB03_")]  # other labels


@pytest.mark.parametrize("sent", OTHERS)
def test_another_archive_never_stays_in_the_cache(pictures, network, sent):
    network.sent = sent
    assert "incomplete or another version" in message("yaleb_full")
    assert list(pictures.parent.iterdir()) == []


# ------------------------------------------------------------------ nothing goes stale


def test_the_data_page_names_every_set_and_every_loader():
    """A new data set is in the registry first; this says what else to write."""
    page = (ROOT / "book" / "data.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = page[page.index("## The sets") : page.index("Which set serves which page")]
    says = [(page, f"`{name}`") for name in [*INSTALLED, *SOURCES]]
    says += [
        (page, f"| `{name}` | `{source.file}` | ") for name, source in SOURCES.items()
    ]
    says += [(page, source.url) for source in SOURCES.values()]
    for source in INSTALLED.values():
        says += [
            (page, f"installed package `{source.package}`"),
            (project, f'"{source.package}>='),
        ]
    says += [(table, f"`{name}(") for name in dir(data) if name.startswith("load_")]
    owed = [words for text, words in says if words not in text]
    assert not owed, (
        f"add to book/data.md, or to the requirements in pyproject.toml: {owed}"
    )


def test_the_cache_is_the_systems_unless_told(monkeypatch, tmp_path):
    monkeypatch.delenv("RNMF_TUTORIAL_CACHE", raising=False)
    assert cache_folder() == Path(pooch.os_cache("rnmf_tutorial"))
    monkeypatch.setenv("RNMF_TUTORIAL_CACHE", "~/faces")
    assert cache_folder() == Path.home() / "faces"
