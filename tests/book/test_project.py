"""The files around the code agree with each other, and say only what is so."""

import inspect
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from textwrap import indent
from urllib.parse import urlparse

import nbformat
import nbval.kernel
import nbval.plugin
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rnmf_book.questions import with_keys
from sklearn.base import clone

import rnmf_tutorial
from rnmf_tutorial import CauchyNMF, models, papers, published
from rnmf_tutorial.measures import relative_error
from tests.project import ROOT, toc_files, tracked


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(text("pyproject.toml"))["project"]
YAML = "_config.yml", "_toc.yml", "CITATION.cff"
CONFIG, TOC, CITATION = (yaml.safe_load(text(name)) for name in YAML)


def test_the_project_has_one_version():
    assert rnmf_tutorial.__version__ == PROJECT["version"] == CITATION["version"]


def test_every_file_has_the_address_of_citation_cff():
    """The repository and the site, also as Binder and Colab name them, and the path of page 404."""
    repository = CITATION["repository-code"]
    site = CITATION["url"]
    owner = urlparse(repository).path
    hosts = ("mybinder.org/v2/gh", "colab.research.google.com/github")
    ours = repository, site.rstrip("/"), *(f"https://{host}{owner}" for host in hosts)
    other = []
    for name in tracked():
        if Path(name).suffix in {
            ".md",
            ".ipynb",
            ".py",
            ".yml",
            ".toml",
            ".json",
            ".cff",
            ".js",
        }:
            found = re.findall(r"https?://[\w./-]*rnmf[-_]tutorial[\w./-]*", text(name))
            other += [
                (name, x) for x in found if not x.startswith(ours) and "OWNER" not in x
            ]
    config = text("_config.yml")
    path = urlparse(site).path
    paths = re.findall(
        r'notfound_urls_prefix: (\S+)|"(/.*?)(?:search|book/index)\.html"', config
    )
    other += [("_config.yml", found) for found in map("".join, paths) if found != path]
    assert not other and len(paths) == 3
    assert CONFIG["repository"]["url"] == PROJECT["urls"]["Repository"] == repository
    assert (
        CONFIG["html"]["baseurl"] == PROJECT["urls"]["Book"].rstrip("/") + "/" == site
    )


def test_the_table_of_contents_names_existing_files_and_every_notebook():
    names = list(toc_files(TOC))
    assert len(names) == len(set(names))
    assert [name for name in names if not list(ROOT.glob(f"{name}.*"))] == []
    notebooks = {
        p
        for p in (ROOT / "book").rglob("*.ipynb")
        if ".ipynb_checkpoints" not in p.parts
    }
    assert {p.relative_to(ROOT).with_suffix("").as_posix() for p in notebooks} <= set(
        names
    )


def test_every_estimator_is_in_the_glossary_and_in_the_table_that_says_when_to_take_it():
    """A model of no paper may be absent: other lists find it by themselves."""
    of_papers = {name for paper in published.PAPERS.values() for name in paper.__all__}
    listed = {
        x
        for x in rnmf_tutorial.__all__
        if x not in vars(models) and not x.startswith("_")
    }
    listed = sorted(listed | of_papers)
    glossary = text("book/methods.md")
    assert [name for name in listed if f"`~rnmf_tutorial.{name}`" not in glossary] == []
    reference = re.findall(
        r"rnmf_tutorial\.(\w+)(?:`|$)", text("book/api/models.md"), re.M
    )
    assert [name for name in listed if name not in reference] == []


def test_no_data_and_nothing_built_is_tracked():
    data = r".*\.(mat|pgm|npy|npz|pkl|h5|zip|tgz|gz|jpe?g|bmp)"
    built = r"(\.venv|_build|book/api/models)/.*"
    assert [
        name for name in tracked() if re.fullmatch(f"(?i){data}|{built}", name)
    ] == []


@pytest.mark.slow
def test_wheel_holds_the_package_and_nothing_else(tmp_path):
    source = tmp_path / "source"
    left_out = (".*", "_build", "__pycache__", "book", "paper", "*.egg-info")
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*left_out))

    def built(kind):
        build = (
            f"from setuptools import build_meta; build_meta.build_{kind}('../{kind}')"
        )
        subprocess.run(
            [sys.executable, "-c", build], cwd=source, check=True, capture_output=True
        )
        (wheel,) = (tmp_path / kind).glob("*.whl")
        return zipfile.ZipFile(wheel)

    held = built("wheel").namelist()
    files = (p for p in source.joinpath("rnmf_tutorial").rglob("*") if p.is_file())
    package = {path.relative_to(source).as_posix() for path in files}
    assert {x for x in held if ".dist-info/" not in x} == package
    assert {Path(x).name for x in held if "/licenses/" in x} == {
        "LICENSE",
        "LICENSE-text",
    }
    held = built("editable")  # it tells a Jupyter server of the book's pages
    (config,) = (
        x for x in held.namelist() if "/etc/jupyter/jupyter_server_config.d/" in x
    )
    assert b'"rnmf_book": true' in held.read(config)
    (finder,) = (x for x in held.namelist() if x.endswith("_finder.py"))
    assert f"'rnmf_book': '{source}/tools/rnmf_book'" in held.read(finder).decode()


def test_make_lists_every_command():
    """Alone, by what stands behind ## in its line."""
    commands = re.search(r"^\.PHONY: help (.*)$", text("Makefile"), re.M)[1].split()
    assert commands and all(
        re.search(rf"^{x}:.*## ", text("Makefile"), re.M) for x in commands
    )


def test_nbval_has_what_conftest_changes():
    """It replaces two parts of a kernel, and reads and writes what cells and files carry."""
    start = nbval.kernel.start_new_kernel
    assert "KernelManager" in start.__code__.co_names and start.__globals__ is vars(
        nbval.kernel
    )
    assert "execute_cell_input" in vars(nbval.kernel.RunningKernel)
    source = inspect.getsource(nbval.plugin)
    names = ("class IPyNbCell(", "self.cell ", "self.options['check']", "self.nb ")
    assert [x for x in (*names, "self.parent.skip_compare") if x not in source] == []


# The code that README.md shows runs, and is what the first page of the book shows.

PAPER, LOOP, TABLE, ESTIMATOR = re.findall(
    r"^```python\n(.*?)^```", text("README.md"), re.S | re.M
)
SEARCH = "MaskedSearchCV(n_components=7, random_state=0)"
guide = pytest.mark.filterwarnings(
    "error"
)  # a first example that warns puts people off


@guide
def test_the_algorithm_of_a_paper_prints_what_is_shown(capsys):
    """The lines run in one go, and the objective that they print falls."""
    assert len([line for line in PAPER.splitlines() if line]) == 10
    exec(PAPER, {})
    printed = capsys.readouterr().out
    assert (
        re.search(r"^```text\n(.*?)^```", text("README.md"), re.S | re.M)[1] == printed
    )
    objectives = [int(line.split()[1]) for line in printed.splitlines()]
    assert objectives == sorted(objectives, reverse=True)


def test_the_loop_that_is_shown_is_that_of_the_algorithm():
    assert indent(LOOP, "    ") in inspect.getsource(papers.zhang.robust_nmf)


@pytest.mark.filterwarnings(
    "ignore::UserWarning"
)  # errors of plain NMF lie together: the point
def test_the_example_with_a_table_runs():
    """One candidate says whether the lines around the search do; the search itself is below."""
    assert TABLE.count(SEARCH) == 1
    one = "MaskedSearchCV([NMF(7, random_state=0)], n_repeats=1, random_state=0)"
    exec(f"from rnmf_tutorial import NMF\n{TABLE.replace(SEARCH, one)}", names := {})
    assert names["components"].shape == (7, 1024)
    assert names["coefficients"].shape == (300, 7)


@guide
@pytest.mark.long
def test_its_search_chooses_what_the_first_page_draws():
    exec(TABLE, names := {})
    best = names["search"].best_estimator_
    page = nbformat.read(ROOT / "book" / "index.ipynb", as_version=4)
    (seed,) = {
        int(s)
        for c in page.cells
        for s in re.findall(r'"random_state": (\d+)', c.source)
    }
    made = clone(best).set_params(callback=None)
    assert repr(made) == repr(CauchyNMF(7, max_iter=100, tol=1e-4, random_state=seed))


@guide
@pytest.mark.slow
def test_the_example_with_an_estimator_factors_faces():
    exec(ESTIMATOR, names := {})
    faces = names["faces"].data
    model = names["model"]
    assert names["coefficients"].shape == (400, 40)
    assert names["errors"].shape == faces.shape
    assert relative_error(faces, model.inverse_transform(names["coefficients"])) < 0.15


# Pages.


def prose(name):
    """Return the text of a page, or of the Markdown cells of a notebook, with the keys."""
    page = ROOT / f"{name}.ipynb"
    if not page.exists():
        return text(f"{name}.md")
    cells = with_keys(nbformat.read(page, as_version=4)).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def minutes(prose):
    """Return how long a text takes: 200 words a minute, half a minute for a displayed formula."""
    return len(prose.split()) / 200 + len(re.findall(r"^\$\$", prose, re.M)) / 4


def test_the_minutes_that_a_page_states_are_those_of_its_words_and_formulas():
    """A page may state the minutes with its folds, without them, or something between."""
    off = {}
    for name in toc_files(TOC):
        if name.startswith("book/api"):
            continue
        page = prose(name)
        without_folds = re.sub(r"(?ms)^(`{3,}|:{3,})\{dropdown\}.*?^\1$", "", page)
        least = minutes(without_folds)
        most = minutes(page)
        for x in re.findall(
            r"(?:^|[Aa]bout |\. )(\d+) minutes(?:\.| to read|, )", page, re.M
        ):
            if not 0.8 * least - 1 < int(x) < 1.2 * most + 1:
                off[name] = f"{x} stated, {least:.0f} to {most:.0f} measured"
    assert not off


# A release: authors, citation, papers, references.


def test_all_files_take_their_authors_from_citation_cff():
    """The owner fills in `authors` of CITATION.cff, runs tools/metadata.py, and is done."""
    tool = runpy.run_path(str(ROOT / "tools" / "metadata.py"))
    wanted = tool["files"]()
    assert {name: text(name) for name in wanted} == wanted
    person = {"given-names": "Ada", "family-names": "Lovelace", "affiliation": "London"}
    cff = CITATION | {
        "authors": [person | {"orcid": "https://orcid.org/0000-0001"}, {"name": "A"}]
    }
    front = yaml.safe_load(tool["front_matter"](cff))
    assert front["authors"][0] == {
        "name": "Ada Lovelace",
        "affiliation": 1,
        "orcid": "0000-0001",
    }
    assert [author["name"] for author in front["authors"]] == ["Ada Lovelace", "A"]


@pytest.mark.parametrize("name", ["paper", "rescience"])
def test_the_papers_are_short_enough_and_type_no_result_by_hand(name):
    _, _, body = text(f"paper/{name}.in.md").split("---\n", 2)
    body = re.sub(r"\{\{\w+\}\}|@\w+", "", body)
    assert re.findall(r"(?<![\w.])\d{2,}", body) == []
    assert (
        name != "paper"
        or len(text("paper/paper.md").split("---\n", 2)[2].split()) <= 1000
    )


ENTRIES = re.finditer(r"^@\w+\{(\w+),.*?^\}$", text("book/references.bib"), re.M | re.S)
ENTRIES = {entry[1]: entry[0] for entry in ENTRIES}


def test_every_reference_has_an_address_and_is_cited():
    lost = [
        k for k, e in ENTRIES.items() if not re.search(r"^  (doi|url|isbn) ", e, re.M)
    ]
    assert lost == ["regularized"]  # its authors are unknown
    pages = [p for kind in ("md", "ipynb") for p in (ROOT / "book").rglob(f"*.{kind}")]
    pages = "\n".join(
        page.read_text(encoding="utf-8") for page in pages if page.is_file()
    )
    groups = re.findall(r"cite(?::\w+)?\}`([^`]*)`", pages)
    assert set(ENTRIES) == {key.strip() for group in groups for key in group.split(",")}


# Workflows: with which rights they run, and from which versions the site is built.

WORKFLOWS = {
    path.stem: text(path) for path in (ROOT / ".github" / "workflows").glob("*.yml")
}


def test_actions_are_pinned_each_to_one_commit_and_say_their_version():
    """A tag can be moved to other code; a commit cannot."""
    used = set(re.findall(r"uses: *(.*)", "".join(WORKFLOWS.values())))
    for action in used:
        assert re.fullmatch(
            r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action
        ), action
    assert len(used) == len({action.split("@")[0] for action in used})


#: The jobs that may write something, each after a build.
WRITES = {
    "publish": {"id-token": "write"},
    "deploy": {"pages": "write", "id-token": "write"},
}
WRITES |= {name: {"contents": "write"} for name in ("plain", "attach")}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_only_the_deployment_may_write(name):
    workflow = yaml.safe_load(WORKFLOWS[name])
    assert workflow["permissions"] == {"contents": "read"}
    for job_name, job in workflow["jobs"].items():
        assert job.get("permissions") == WRITES.get(job_name)
        assert job_name not in WRITES or job["needs"] == "build"
        actions = {
            step["uses"].split("@")[0]: step for step in job["steps"] if "uses" in step
        }
        assert job_name != "deploy" or list(actions) == ["actions/deploy-pages"]
        if "actions/checkout" in actions:
            assert (
                actions["actions/checkout"]["with"]["persist-credentials"] is False
            ), job_name


def test_nothing_but_a_tag_publishes_and_no_password_is_kept():
    release = WORKFLOWS["release"]
    assert yaml.safe_load(release)[True] == {
        "push": {"tags": ["v*"]}
    }  # "on" is true in YAML
    assert "secrets" not in release
    assert [name for name in WORKFLOWS if "pypi-publish" in WORKFLOWS[name]] == [
        "release"
    ]


def pins_of(name):
    """Package -> version of a list; each line has a hash, and none an address or a path."""
    _, *lines = text(f"requirements/{name}.txt").splitlines()
    found = [
        re.fullmatch(r"([\w.-]+)==([\w.!+]+) --hash=sha256:[0-9a-f]{64}", x)
        for x in lines
    ]
    return {canonicalize_name(line[1]): line[2] for line in found}


def test_a_release_and_the_site_are_built_with_pinned_packages_that_the_project_takes():
    build = yaml.safe_load(WORKFLOWS["pages"])["jobs"]["build"]
    assert "make pinned" in [step.get("run") for step in build["steps"]]
    (python,) = (
        x["with"]["python-version"] for x in build["steps"] if "setup-python" in str(x)
    )
    assert f'python-version: "{python}"' in WORKFLOWS["release"]
    pinned = pins_of("release")
    assert "--require-hashes" in WORKFLOWS["release"] and {"build", "twine"} <= set(
        pinned
    )
    first = text("requirements/site.txt").splitlines()[0]
    pinned = pins_of("site")
    assert first.startswith(f"# Python {python}:")
    extras = PROJECT["optional-dependencies"]
    for line in (
        PROJECT["dependencies"] + extras["figures"] + extras["book"] + extras["test"]
    ):
        requirement = Requirement(line)
        if requirement.name == PROJECT["name"]:  # which asks for figures
            continue
        version = pinned.get(canonicalize_name(requirement.name))
        assert version and version in requirement.specifier, f"{line}: run `make pins`"
