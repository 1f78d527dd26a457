# Everything that CI holds a change against: `make check`. BIN is where the tools lie; COVERAGE the percentage below which the tests fail.
BIN ?= .venv/bin
COVERAGE ?= 100
WHEEL = build/wheel

.PHONY: check lint types imports docs docs-check test slow wheel

check: lint types imports docs-check test wheel

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

imports:
	$(BIN)/lint-imports --no-logo

docs:
	$(BIN)/python -m libtool.cli.docs

docs-check:
	$(BIN)/python -m libtool.cli.docs --check

test:
	$(BIN)/pytest --cov --cov-report=term --cov-fail-under=$(COVERAGE)

# What takes minutes, or is timed: without coverage, which would slow it down.
slow:
	$(BIN)/pytest -m slow

# The built wheel in a fresh venv, away from the sources: only what strangers get, without the development tools.
wheel:
	rm -rf $(WHEEL)
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(WHEEL) .
	$(BIN)/python -m venv $(WHEEL)/venv
	$(WHEEL)/venv/bin/python -m pip install --quiet $(WHEEL)/*.whl
	cd $(WHEEL) && venv/bin/lib --version
	mkdir $(WHEEL)/home
	cd $(WHEEL) && HOME=$$PWD/home venv/bin/lib quickstart </dev/null >/dev/null
	cd $(WHEEL) && HOME=$$PWD/home PATH=$$PWD/venv/bin:$$PATH venv/bin/lib init $$PWD/library >/dev/null
	cd $(WHEEL) && HOME=$$PWD/home venv/bin/lib install --dry-run claude-code >/dev/null
	test -x $(WHEEL)/venv/bin/lib-git-hook
	cd $(WHEEL) && venv/bin/python -c 'from libtool.cli.main import COMMANDS, parser_of; [parser_of(name, COMMANDS) for name in COMMANDS]'
