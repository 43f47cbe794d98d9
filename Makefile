.DEFAULT_GOAL := help
.PHONY: help demo test check docs pictures bench rivals experiments simulate chaos load soak fuzz mutation sbom audit kafka kafka-test wheel wheeltest submittest pythons dev lock clean
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SITE = NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
PARALLEL := --numprocesses auto --maxprocesses 4 --dist loadfile

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(READY)  ## a live Spark stream put in order by a guess and under a contract, with a report to look at (about a minute; five the first time, which sets up)
	$(BIN)/slackwater demo --output demo-output

test: $(READY)  ## all tests, Spark included
	scripts/test.sh $(BIN)/python

check: $(READY)  ## format, lint, types, layers, docstring examples, documentation: what CI checks besides the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --doctest-modules src scripts/site/fenced_doctests.py scripts/advisories.py benchmarks/budget/sampled.py \
		benchmarks/half_load.py benchmarks/micro_batches.py benchmarks/sustained.py benchmarks/timed_streams.py benchmarks/rivals/jobs.py -q $(PARALLEL)
	$(SITE)

docs: $(READY)  ## the documentation as a site in build/docs, without any network; broken links are errors
	$(SITE)
	@echo "open build/docs/index.html; the search needs a server: python -m http.server -d build/docs"

pictures: $(READY)  ## the pictures of the documentation, drawn from runs
	$(BIN)/python scripts/site/pictures.py

bench: $(READY)  ## all jobs by all engines (first: make rivals), then what the aims are about, the budget and growth: a hundred minutes; fails where a limit is exceeded
	@status=0; for name in rivals aims budget growth; do $(BIN)/slackwater bench $$name --repeat 3 || status=1; done; exit $$status

rivals: $(READY)  ## an environment for each engine that benchmarks compare with (a few gigabytes)
	$(BIN)/python -m benchmarks.rivals setup

experiments: $(READY)  ## the documents' figures and ours at the small scale; fails if our defaults became worse
	$(BIN)/slackwater experiment all --fresh --baseline docs/reproduction/baseline.json
	$(BIN)/slackwater report --markdown experiment-results/REPRODUCTION.md

SEEDS ?= 1000
simulate: $(READY)  ## random plans and streams, cut and restored, against oracles (SEEDS=10000: about 15 minutes)
	$(BIN)/slackwater simulate --seeds $(SEEDS)

chaos: KILLS ?= 200
chaos: $(READY)  ## kills on three local clusters, harmed files and a full disk (KILLS=200: about 15 minutes where nothing else runs)
	$(BIN)/slackwater chaos --kills $(KILLS)

load: $(READY)  ## queries at their limit, ten times above it, with 10 M keys, skew, silence and clocks that step
	$(BIN)/slackwater load

soak: MINUTES ?= 60
soak: $(READY)  ## a join at 70 % of what one core can do: what grows, with its slope (MINUTES=60, and 3 to begin with)
	$(BIN)/slackwater soak --minutes $(MINUTES)

wheel: $(READY)  ## build the package: dist/slackwater-*.whl
	rm -rf build  # setuptools would pack what is there from before
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

wheeltest:  ## install the wheel into an empty environment with each extra and without any, and run first queries
	scripts/wheel-test.sh

submittest: $(READY)  ## a streaming job by spark-submit --py-files and under Spark Connect
	scripts/submit-test.sh $(BIN)/python

pythons:  ## the tests without Spark, and some on Spark, on each Python from 3.11 to 3.13 that is there (PYTHONS="..." names them)
	scripts/pythons.sh

KAFKA := build/kafka
kafka: $(READY) $(KAFKA)/.ready  ## the jars of a Kafka broker and of Spark's connector, from Maven Central, in build/kafka

kafka-test: ROWS ?= 5000000
kafka-test: KILLS ?= 10
kafka-test: kafka  ## what tests/kafka claims, against a broker of its own (ROWS=500000 KILLS=3 is shorter)
	SLACKWATER_KAFKA_JARS=$(CURDIR)/$(KAFKA) ROWS=$(ROWS) KILLS=$(KILLS) $(BIN)/python -m pytest tests/kafka -s

$(KAFKA)/.ready: scripts/kafka-jars.sh scripts/kafka/broker.xml scripts/kafka/connector.xml
	scripts/kafka-jars.sh $(KAFKA)

RUNS ?= 1000000
FUZZ ?= contract state control sql files
fuzz: $(READY)  ## coverage-guided fuzzing, RUNS inputs for each target (a million: about two hours of one core)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'atheris>=3'
	for target in $(FUZZ); do PYTHONPATH=src:. $(BIN)/python -m tests.fuzz $$target --runs $(RUNS) || exit 1; done

MUTANTS ?= 300
SEED ?= 1
mutation: $(READY)  ## small wrong changes of core, models and control: how many the tests notice (hours)
	scripts/mutation.sh $(BIN)/python $(MUTANTS) $(SEED)

sbom: $(READY)  ## what the environment is made of, as CycloneDX JSON
	scripts/audit.sh sbom $(BIN)/python dist/slackwater-sbom.json

audit:  ## pinned versions against known advisories (needs the network; without it ADVISORIES=folder may hold a copy of them)
	scripts/audit.sh audit constraints.txt $(ADVISORIES)

dev: $(READY)  ## set up the environment in .venv

lock:  ## renew constraints.txt from the newest versions that pyproject.toml allows
	scripts/lock.sh

clean:  ## remove the environment and everything that was built
	rm -rf $(VENV) .venv-audit benchmarks/rivals/.envs fuzz-output mutation-output build dist demo-output slackwater-dashboard-demo replay-output experiment-results benchmarks/results load-output .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): pyproject.toml constraints.txt scripts/check-env.sh
	@python=$$(scripts/check-env.sh) || exit 1; \
	 test -x $(BIN)/python || "$$python" -m venv $(VENV); \
	 echo "slackwater: installing into $(VENV) (a few minutes the first time)"; \
	 $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@-$(BIN)/slackwater prepare
	@touch $@
