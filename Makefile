# make setup | demo | test | lint | bench | docs: each works from nothing on a Debian machine with Python 3.11.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test lint bench docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) 2>/dev/null || { rm -rf $(VENV); \
	  echo "the venv module is missing: installing Debian's package"; \
	  apt-get update -q && apt-get install -qy python3-venv && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

demo: setup
	@rm -rf demo
	$(BIN)/tokumei demo demo
	@echo "Report: demo/report.html"

lint: setup
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy

test: lint
	$(BIN)/pytest -q -n 2

bench: setup
	$(BIN)/python -m benchmarks

docs: setup
	$(BIN)/pytest -q tests/test_docs.py

clean:
	rm -rf $(VENV) demo bench build dist
