# make setup | demo | quick | test | coverage | campaign | lint | dead | house | bench | docs | lowest | dist: each works from nothing on a Debian machine with Python 3.11.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
COMMA := ,
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXTRAS := dev,arena,studio,postgres,s3,cluster,contests,dp,encrypt,pdf,excel,sql
# Install the project: into which Python, by which constraints, with which extras. uv takes a third of pip's time, but does
# not read pip's settings: where it fails, pip has the last word.
install = $(BIN)/uv pip install -q --python $(1) -c $(2) -e '.[$(3)]' \
	  || { echo "uv did not install everything: pip does it"; $(1) -m pip install -q --no-compile -c $(2) -e '.[$(3)]'; }
# Twice the two cores: some tests wait for other processes most of their time.
WORKERS ?= 4
# Written when the kernels were compiled as they are now.
COMPILED := $(VENV)/.compiled
KERNELS := $(shell grep -rl --include='*.py' numba src)
# Per cent of the lines.
COVERED := 90
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Hundreds of test processes load the same modules: each would compile them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo quick test suite servers campaign coverage lint dead house packages messages bench docs dist lowest clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) 2>/dev/null || { rm -rf $(VENV); \
	  echo "the venv module is missing: installing Debian's package"; \
	  apt-get update -q && apt-get install -qy python3-venv && $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install -q -c constraints.txt uv || true
	@$(call install,$(BIN)/python,constraints.txt,$(EXTRAS)$(COMMA)docs)
	@$(BIN)/python -m compileall -qq -j 0 -x '/tests?/' $(VENV)/lib || true
	@touch $(STAMP)

demo: setup
	@rm -rf demo
	$(BIN)/tokumei demo demo
	@echo "Report: demo/report.html"

lint: setup
	$(BIN)/ruff check .ci src tests benchmarks deploy docs
	$(BIN)/ruff format --check .ci src tests benchmarks deploy docs
	$(BIN)/vulture
	$(BIN)/mypy

# Code that nobody uses, and blocks of 12 lines or more that stand twice (a minute).
dead: setup
	$(BIN)/vulture
	$(BIN)/pylint src

# Draw the architecture pages from the code; a test fails when they are out of date.
house: setup
	$(BIN)/python docs/architecture_pages.py

# What tests need beyond Python: a browser, a database server, and the tools that check the translations.
packages:
	@missing=; test -x /usr/bin/chromium || missing="$$missing chromium"; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$$missing postgresql"; \
	command -v msgfmt >/dev/null || missing="$$missing gettext"; \
	if test -n "$$missing"; then \
	  if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	    echo "installing Debian's packages:$$missing"; \
	    apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$missing >/dev/null; \
	  else echo "not installed, their tests are skipped:$$missing"; fi; fi

# Everything that decides, on SQLite with files, and what a database or an object store decides on PostgreSQL with S3 too.
# All three at once: each waits for other processes now and then, and has an end in which not all its workers are busy. In
# a new environment mypy reads all packages while the kernels are compiled.
test: setup packages
	@$(MAKE) --no-print-directory --output-sync=target -j 3 lint suite servers

suite: setup $(COMPILED)
	$(BIN)/pytest -q -n $(WORKERS) --dist worksteal

servers: setup $(COMPILED)
	$(BIN)/python -m tests.arena.backends $(BIN)/pytest -q tests/arena -m database

# Every kernel is compiled once, by these tests in two processes, for all the processes that follow.
COMPILING := survives_its_files or that_exist or hands_in or ladder or identical_histories or unsafe_golden or strict_releases \
  or below_mdav or bound_is_the or scores_of_dozens or few_sets
$(COMPILED): $(KERNELS) | $(STAMP)
	$(BIN)/pytest -q -n 2 -k "$(COMPILING)" tests/test_parts.py tests/audits tests/contests/test_battery.py \
	  tests/methods tests/metrics/test_item_similarity.py tests/profiles/test_known_records.py
	@touch $(COMPILED)

# An answer within a minute: what takes less than half a second each, with fewer random examples, and no real servers.
quick: setup
	$(BIN)/ruff check .ci src tests benchmarks deploy docs
	$(BIN)/ruff format --check .ci src tests benchmarks deploy docs
	TOKUMEI_EFFORT=quick $(BIN)/pytest -q -n 2 --dist worksteal -m "not slow and not half_second"

# Which lines the tests run, with a floor. Beside 'make test': tracing takes half as long again.
coverage: setup packages $(COMPILED)
	$(BIN)/pytest -q -n $(WORKERS) --dist worksteal --cov --cov-report=term --cov-fail-under=$(COVERED)

# What is too long for every day, with its figures: full-size data, thousands of damaged files, series of kill -9, load, all server
# tests on PostgreSQL with S3, and every property with many more random examples.
campaign: setup packages
	TOKUMEI_EFFORT=campaign $(BIN)/pytest -q -n $(WORKERS) -m "campaign or effort or hypothesis"
	TOKUMEI_EFFORT=usual $(BIN)/python -m tests.arena.backends $(BIN)/pytest -q -n $(WORKERS) tests/arena
	$(BIN)/python -m benchmarks.arena

# Collect what the arena says; then translate the new entries of the Japanese catalogue and run this again.
messages: setup packages
	cd src/tokumei_arena && TOKUMEI_ARENA_SECRET=x DJANGO_SETTINGS_MODULE=tokumei_arena.settings \
	  ../../$(BIN)/django-admin makemessages -l ja --no-wrap --no-location --no-obsolete
	cd src/tokumei_arena/locale/ja/LC_MESSAGES && msgfmt --check -o django.mo django.po

bench: setup
	$(BIN)/python -m benchmarks

# The guide in both languages, side by side: docs/_build/en/index.html, docs/_build/ja/index.html. Warnings are errors.
docs: setup
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/en
	$(BIN)/sphinx-build -q -W --keep-going -b html -c docs -D language=ja docs/ja docs/_build/ja
	@echo "Guide: docs/_build/en/index.html, docs/_build/ja/index.html"

# The wheel and the sdist: built, looked into, installed into an empty environment and used there.
dist: setup
	rm -rf dist build/dist
	$(BIN)/python -m build -q -o dist
	$(BIN)/python .ci/check_dist.py dist
	$(PYTHON) -m venv build/dist
	build/dist/bin/pip install -q -c constraints.txt dist/*.whl
	cd build/dist && bin/tokumei --help >/dev/null && bin/tokumei methods >/dev/null \
	  && bin/tokumei synth purchases --subjects 20 --seed 1 -o purchases.csv \
	  && bin/tokumei anonymize purchases.csv --k 2 -o release && test -s release/data.csv
	build/dist/bin/pip install -q -c constraints.txt "$$(ls dist/*.whl)[arena]"
	cd build/dist && bin/tokumei arena --help >/dev/null
	build/dist/bin/pip install -q -c constraints.txt "$$(ls dist/*.whl)[studio]"
	cd build/dist && bin/tokumei studio --help >/dev/null
	@ls -l dist

# The lowest versions that pyproject.toml declares, in an environment of their own; with the newest of what those need in
# turn, old versions warn of much that is to come.
lowest: setup
	$(PYTHON) -m venv --clear build/lowest
	$(BIN)/python .ci/lowest_versions.py >build/lowest/constraints.txt
	@$(call install,build/lowest/bin/python,build/lowest/constraints.txt,$(EXTRAS))
	TOKUMEI_EFFORT=quick build/lowest/bin/pytest -q -n $(WORKERS) --dist worksteal -m "not slow" -o filterwarnings=ignore

clean:
	rm -rf $(VENV) demo bench build dist docs/_build
