# The commands a person and CI type. `make` alone prints them.
PYTHON ?= python3
BIN = .venv/bin
.DEFAULT_GOAL := help
.PHONY: help run test lint types format check bench lock clean

help: ## print these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/.run: requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/.dev: .venv/.run requirements-dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

run: .venv/.run ## set up what is missing and start everything (Ctrl-C stops it)
	@exec $(BIN)/audience serve

test: .venv/.dev ## run the whole test suite
	$(BIN)/pytest

lint: .venv/.dev ## ruff: style and mistakes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev ## mypy, strict
	$(BIN)/mypy

format: .venv/.dev ## ruff: format in place
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint types test ## lint, types and test: what CI runs

bench: .venv/.dev ## measure the main job beside its limits
	$(BIN)/python -m bench.main_job
	$(BIN)/python -m bench.files
	$(BIN)/python -m bench.fresh_clone

lock: ## resolve the dependencies again, with hashes
	$(PYTHON) -m venv .venv/lock && .venv/lock/bin/pip install --quiet uv
	.venv/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --upgrade pyproject.toml -o requirements.lock
	.venv/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --upgrade --extra dev pyproject.toml -c requirements.lock -o requirements-dev.lock

clean: ## remove the environment and every cache; instance/ stays
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
