# Two commands are all a newcomer needs: `make run` and `make test`.
# Both make an environment in .venv first, with uv where it is installed, else with pip.

PYTHON ?= python3
ENV := .venv
BIN := $(ENV)/bin
UV := $(shell command -v uv 2>/dev/null)

.PHONY: run test check fix bench demo clean

run: $(ENV)/run.stamp
	$(BIN)/toolkit app

test: $(ENV)/dev.stamp
	$(BIN)/python -m pytest

check: $(ENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .

fix: $(ENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(ENV)/dev.stamp
	$(BIN)/python bench/run.py $(SECTIONS)

demo: $(ENV)/dev.stamp
	$(BIN)/python data/demo/record.py

clean:
	rm -rf $(ENV) dist

$(BIN)/python:
ifneq ($(UV),)
	$(UV) venv --quiet --python $(PYTHON) $(ENV)
else
	$(PYTHON) -m venv $(ENV)
endif

$(ENV)/run.stamp: pyproject.toml constraints.txt | $(BIN)/python
ifneq ($(UV),)
	$(UV) pip install --quiet --python $(BIN)/python -c constraints.txt -e .
else
	$(BIN)/python -m pip install --quiet -c constraints.txt -e .
endif
	touch $@

$(ENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
ifneq ($(UV),)
	$(UV) pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev]'
else
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
endif
	touch $@ $(ENV)/run.stamp
