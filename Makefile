# Everyday commands; `make` alone lists them. They need Python 3.11 or newer and a package index.
PYTHON ?= $(shell command -v python3 || command -v python)
BIN := .venv/bin
# One thread per process: notebooks and tests already run in parallel.
export OMP_NUM_THREADS = 1
export OPENBLAS_NUM_THREADS = 1
export MKL_NUM_THREADS = 1
export PYDEVD_DISABLE_FILE_VALIDATION = 1

.DEFAULT_GOAL := help
.PHONY: help coverage book pdf check test lab notebooks results bench lint format pins clean environment lab-environment

help: ## list these commands
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

book: environment ## build the site into _build/html
	@$(BIN)/python tools/fetch_assets.py
	@test -f _build/.complete || rm -rf _build/html _build/.doctrees
	@rm -f _build/.complete
	@$(BIN)/jupyter-book build . -q -W -n --keep-going
	@touch _build/.complete
	@echo "The book is built. Open $(CURDIR)/_build/html/index.html"

pdf: book ## print the whole book into _build/html/rnmf_tutorial.pdf (needs Chromium)
	$(BIN)/python tools/print_book.py

test: book ## run every test and every notebook, in parallel
	$(BIN)/python -m pytest -n auto --dist loadscope $(ARGS)

check: lint ## an answer in a minute: style, the quick tests, one notebook
	$(BIN)/python -m pytest -n auto -m "not site and not slow" -q tests book/checks.ipynb $(ARGS)

coverage: book ## measure which lines the tests and the notebooks together run
	$(BIN)/python -m pytest -n auto --dist loadscope --cov=rnmf_tutorial --cov=studies --cov-report=term:skip-covered $(ARGS)

lab: lab-environment ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab book

notebooks: environment ## run notebooks again and store their outputs; NB=book/nmf.ipynb for one
	$(BIN)/python tools/notebooks.py $(or $(NB),--all)

results: environment ## finish the paper-scale results; FRESH=1 remakes them (hours)
	cd book && ../$(BIN)/python -m studies all --scale paper $(if $(FRESH),--fresh)

bench: environment ## measure speed and memory (minutes, quiet machine); STORE=1 for the book
	$(BIN)/python -m benchmarks $(if $(STORE),--store)

lint: environment ## check style
	@$(BIN)/python tools/exports.py --check
	@$(BIN)/python tools/api_pages.py --check
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/python tools/notebooks.py --check

format: environment ## repair style, and export every estimator
	@$(BIN)/python tools/exports.py
	@$(BIN)/python tools/api_pages.py
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

mutants: environment ## change the code bit by bit, list what no test notices (hours); ONLY=models.weights or ONLY=--alive
	@$(BIN)/python -m mutmut --version >/dev/null 2>&1 || \
		(echo "mutmut is missing: $(BIN)/python -m pip install -e .[mutants]"; false)
	$(BIN)/python tools/mutants.py $(ONLY)

pins: environment ## renew the versions that the published site is built with
	$(BIN)/python tools/pins.py

clean: ## remove everything that was built, but not .venv
	rm -rf _build book/_static/fetched .pytest_cache .ruff_cache .hypothesis .coverage build dist *.egg-info
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +

# One environment serves all commands; the script does nothing when it is up to date.
environment:
	@$(PYTHON) tools/environment.py book test

lab-environment:
	@$(PYTHON) tools/environment.py book test lab
