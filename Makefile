.DEFAULT_GOAL := help
.PHONY: help demo test check bench rivals experiments simulate wheel wheeltest submittest dev lock clean
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PARALLEL := --numprocesses auto --maxprocesses 4 --dist loadfile

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(READY)  ## a live Spark stream put in order under two policies, with a report to look at (under 2 minutes)
	$(BIN)/slackwater demo --output demo-output

test: $(READY)  ## all tests, Spark included
	scripts/test.sh $(BIN)/python

check: $(READY)  ## format, lint, types, layers, docstring examples: what CI checks besides the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --doctest-modules src -q $(PARALLEL)

bench: $(READY)  ## benchmarks: ratios against a rival in the same run
	$(BIN)/slackwater bench all
	$(BIN)/slackwater bench rivals

rivals: $(READY)  ## an environment for each engine that benchmarks compare with (a few gigabytes)
	$(BIN)/python -m benchmarks.rivals setup

experiments: $(READY)  ## the documents' figures and ours at the small scale; fails if our defaults became worse
	$(BIN)/slackwater experiment all --fresh --baseline docs/reproduction/baseline.json
	$(BIN)/slackwater report --markdown experiment-results/REPRODUCTION.md

SEEDS ?= 1000
simulate: $(READY)  ## random plans and streams, cut and restored, against oracles (SEEDS=10000: about 11 minutes)
	$(BIN)/slackwater simulate --seeds $(SEEDS)

wheel: $(READY)  ## build the package: dist/slackwater-*.whl
	rm -rf build  # setuptools would pack what is there from before
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

wheeltest:  ## install the wheel into an empty environment with each extra and without any, and run first queries
	scripts/wheel-test.sh

submittest: $(READY)  ## a streaming job by spark-submit --py-files and under Spark Connect
	scripts/submit-test.sh $(BIN)/python

dev: $(READY)  ## set up the environment in .venv

lock:  ## renew constraints.txt from the newest versions that pyproject.toml allows
	scripts/lock.sh

clean:  ## remove the environment and everything that was built
	rm -rf $(VENV) build dist demo-output replay-output experiment-results benchmarks/results .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): pyproject.toml constraints.txt scripts/check-env.sh
	@python=$$(scripts/check-env.sh) || exit 1; \
	 test -x $(BIN)/python || "$$python" -m venv $(VENV); \
	 echo "slackwater: installing into $(VENV) (a few minutes the first time)"; \
	 $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
