# Everyday commands; `make` alone lists them. They need Python 3.11 or newer and a package index.
PYTHON ?= python3
PY := .venv/bin/python
PYTEST := $(PY) -m pytest -n auto
QUICK := not site and not slow and not long
# One thread per process: notebooks and tests already run in parallel.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1
export PYDEVD_DISABLE_FILE_VALIDATION = 1

.DEFAULT_GOAL := help
.PHONY: help book check test test-all anywhere readers coverage paper lab plain pdf jupyter notebooks results bench stale lint format pins pinned clean environment

help: ## list these commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

book: environment ## build the site into _build/html
	@$(PY) tools/fetch_assets.py
	@test -f _build/.complete || rm -rf _build/html _build/.doctrees
	@rm -f _build/.complete
	@.venv/bin/jupyter-book build . -q -W -n --keep-going
	@touch _build/.complete
	@echo "The book is built. Open $(CURDIR)/_build/html/index.html"

check: lint ## style, types, the quick tests, the examples of docstrings, one notebook
	$(PYTEST) -m "$(QUICK)" -q tests/laws tests/doors tests/book rnmf_tutorial book/figures book/checks.ipynb $(ARGS)

# Linux keeps the memory of a freed array for the next one: new pages cost as much as arithmetic.
check test coverage: export MALLOC_MMAP_THRESHOLD_ ?= 33554432
check test coverage: export MALLOC_TRIM_THRESHOLD_ ?= 268435456

test: environment ## the notebooks and the tests, but for those that make test-all runs
	$(PYTEST) -m "not site and not long" $(ARGS)

test-all: book jupyter ## what make test leaves out: browsers, clusters, kills, another processor
	$(PY) tools/anywhere.py --kernels Nehalem --threads 1 tests/laws rnmf_tutorial
	$(PYTEST) -m "site or long" $(ARGS)

anywhere: environment ## quick tests and notebooks, as older and newer processors compute
	$(PY) tools/anywhere.py $(ARGS)

readers: ## every notebook, with no more installed than its readers have
	test -x _build/readers/bin/python || $(PYTHON) -m venv _build/readers
	_build/readers/bin/python -m pip install --quiet ".[figures]" "pytest<10" nbval pytest-xdist
	_build/readers/bin/python -m pytest -n auto book $(ARGS)

coverage: environment ## which lines the tests and the notebooks together run
	$(PYTEST) -m "not site" --cov=rnmf_tutorial --cov=figures --cov=studies --cov-report=term:skip-covered $(ARGS)

lab: export RNMF_BOOK ?= page
lab: jupyter ## open the notebooks in JupyterLab; RNMF_BOOK=source to edit their text
	.venv/bin/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) book/start.ipynb $(ARGS)

plain: environment ## write the notebooks without MyST, for Colab and others, into _build/plain
	@rm -rf _build/plain
	@PYTHONPATH=tools $(PY) -m rnmf_book _build/plain

pdf: book ## print the built book into _build/book.pdf, by Chromium
	@$(PY) tools/pdf.py

jupyter: environment ## install what make lab opens
	@$(PY) -c "import jupyterlab" 2>/dev/null || $(PY) -m pip install --quiet -e ".[notebooks]"

notebooks: environment ## run notebooks again and store their outputs; NB=book/nmf.ipynb for one
	$(PY) tools/notebooks.py $(or $(NB),--all)

# As they were typed: make would run a $(shell ...) in them.
override NAME := $(value NAME)
override TITLE := $(value TITLE)
override KEY := $(value KEY)
export NAME TITLE KEY

paper: environment ## files and questions of a new paper; NAME=gao TITLE="Gao et al." KEY=gao2015
	$(PY) tools/paper.py "$$NAME" "$$TITLE" "$$KEY"

results: environment ## finish the paper-scale results; FRESH=1 remakes them (hours)
	cd book && ../$(PY) -m studies all --scale paper $(if $(FRESH),--fresh)

bench: environment ## measure speed and memory (minutes, quiet machine); STORE=1 for the book
	$(PY) -m benchmarks $(if $(STORE),--store)

stale: ## what to look at after a default has changed: rows, studies, pages; NAME=CauchyNMF
	@git grep -cwF -e "$${NAME:?}" -- book benchmarks paper || echo "Nothing names $$NAME."

lint: environment ## check style and types
	$(PY) -m ruff check . && $(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) tools/notebooks.py --check

format: environment ## repair style
	$(PY) -m ruff check --fix-only -q . && $(PY) -m ruff format .
	$(PY) tools/notebooks.py --normalize

pins: environment ## upgrade .venv, and write the files that workflows install, with their hashes
	$(PY) -m pip install --quiet --upgrade --upgrade-strategy eager -e ".[book,test]"
	$(PY) tools/pins.py site ".[book,test]"
	$(PY) tools/pins.py release build twine "setuptools>=77"

pinned: ## a new .venv with the files in requirements/site.txt, each checked by its hash
	@test ! -L .venv || { echo ".venv is a link: it belongs to somebody else." >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(PY) -m pip install --quiet --require-hashes --only-binary=:all: -r requirements/site.txt
	$(PY) -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch .venv/.installed

clean: ## remove everything that was built, but not .venv
	rm -rf _build book/_static/fetched book/api/models .hypothesis .coverage build dist *.egg-info
	find . -path ./.venv -prune -o -type d \( -name __pycache__ -o -name .pytest_cache -o -name .ruff_cache -o -name .mypy_cache \) \
		-prune -exec rm -rf {} +

# One environment serves all commands. It is installed when pyproject.toml has changed, and again
# where it was moved, broke, or was left unfinished. One that is a link belongs to somebody else.
environment: $(if $(shell test -L .venv && echo link),,.venv/.installed) ## make or renew .venv

HERE := grep -qF "$(CURDIR)/.venv" .venv/bin/activate && $(PY) -c "import pip"
$(shell { $(HERE); } >/dev/null 2>&1 || test -L .venv || rm -f .venv/.installed)

.venv/.installed: pyproject.toml setup.py
	@echo "Installing into .venv: a minute or two, 1.1 GB ..."
	@{ $(HERE); } >/dev/null 2>&1 || { \
		for python in "$(PYTHON)" python3.14 python3.13 python3.12 python3.11 none; do \
			"$$python" -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && break; \
		done; \
		test "$$python" != none || { echo "Python 3.11 or newer is needed, and $(PYTHON) is not:" \
			"install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }; \
		"$$python" -m venv --clear .venv; }
	@$(PY) -m pip install --quiet --disable-pip-version-check -e ".[book,test]"
	@touch $@
