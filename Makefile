# Each target installs what it needs into .venv, and nothing else: on a fresh machine with Python, `make run` or
# `make test` alone is enough.
PYTHON ?= python3
BIN := .venv/bin
# Virtual machines that advertise AMX and trap it kill torch's own bfloat16 products; this asks oneDNN to do without.
export ONEDNN_MAX_CPU_ISA ?= AVX512_CORE_FP16
# The layers that speak of tensors; the command line is typed by Typer.
HOOK := --jaxtyping-packages=regard.attention,regard.algorithms,regard.layers,regard.generation,regard.models,beartype.beartype
# Each process begins with a half of its own, so that one browser and one server serve it, and takes from the other's end.
# What is compiled is kept: the tests start a hundred processes, each of which would compile the package again.
TESTS = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -q -n 2 --dist worksteal

.PHONY: run browser test test-all test-arithmetic test-gpu test-torch test-wheel test-package fuzz check docs bench clean

# Install the package with its EXTRAS; the file that is made says that they are there.
define install
	@echo "Installing regard with the extras $(EXTRAS) into .venv; the first time takes minutes, because torch is large."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@ .venv/for-the-page
endef
.venv/for-the-page: EXTRAS := explore
.venv/for-tests: EXTRAS := all,dev
.venv/for-docs: EXTRAS := all,docs
.venv/for-benchmarks: EXTRAS := all,dev,bench
.venv/for-%: pyproject.toml constraints.txt
	$(install)

run: .venv/for-the-page
	@echo "Starting the page; Ctrl-C stops it."
	$(BIN)/regard explore

# The page is tested in a real browser: Debian's chromium, installed where that is allowed. Without one those tests are
# skipped, and this says so.
browser: .venv/for-tests
	@echo "Looking for a browser, in which the page is tested."
	@$(BIN)/python tests/explore/browser.py || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && { apt-get install -qq -y chromium-headless-shell || apt-get install -qq -y chromium; } >/dev/null; } || true
	@$(BIN)/python tests/explore/browser.py || true

test: .venv/for-tests browser
	@echo "Running the tests of the rooms that speak of tensors, with their types checked: a minute or three of two cores."
	$(TESTS) -m 'not slow' --part typed $(HOOK)
	@echo "Running all others that need no GPU. Those of torch.compile cannot follow the type checks."
	$(TESTS) -m 'not slow' --part other

test-all: .venv/for-tests browser
	$(TESTS) -m 'not compiled' $(HOOK) --hypothesis-profile=thorough
	$(TESTS) -m compiled

# Sums in other orders, by instructions of other widths, in one and two threads: what is right is so in all of them.
HARNESS := tests/algorithms/test_equivalence.py tests/algorithms/test_metamorphic.py \
	tests/models/test_gradients.py tests/models/test_weights.py
ARITHMETIC := $(BIN)/python -m pytest -q -m 'not compiled and not slow' $(HARNESS)
test-arithmetic: .venv/for-tests
	MKL_CBWR=COMPATIBLE $(ARITHMETIC) -n 2
	ATEN_CPU_CAPABILITY=default $(ARITHMETIC) -n 2
	OMP_NUM_THREADS=1 $(ARITHMETIC) -n 2
	OMP_NUM_THREADS=2 $(ARITHMETIC)

# On a machine with CUDA, with the Python and the torch that are active there. Writes what passed where.
test-gpu:
	$(PYTHON) tests/gpu.py --out benchmarks/results/test-gpu.json --commit "$$(git rev-parse HEAD)"

# The tests that compute, on another release of torch, in an environment of its own: `make test-torch TORCH=2.11.0`.
TORCH ?= 2.11.0
OTHER := .venv-torch-$(TORCH)
test-torch:
	test -x $(OTHER)/bin/python || $(PYTHON) -m venv $(OTHER)
	grep -vE '^(torch|triton)==' constraints.txt > $(OTHER)/constraints.txt
	$(OTHER)/bin/python -m pip install --disable-pip-version-check -c $(OTHER)/constraints.txt torch==$(TORCH) -e '.[all,dev]'
	$(OTHER)/bin/python -m pytest -q -n 2 -m 'not compiled and not slow' $(HOOK) \
		$(addprefix tests/,attention algorithms layers generation models analysis)
	$(OTHER)/bin/python -m pytest -q -n 2 -m 'compiled and not slow' $(addprefix tests/,attention algorithms layers models)

# The package as a user gets it: built, and installed into empty environments. test-wheel tries the runtime dependencies
# alone, test-package each extra alone too.
test-wheel test-package: .venv/for-tests
	$(BIN)/python .ci/test_package.py $(if $(filter test-package,$@),--extras)

# Random calls against an oracle of its own, for so long: `make fuzz SECONDS=600 PROCESSES=2 DEVICE=cpu`. With CUDA it
# runs by the Python that is active, as test-gpu does.
SECONDS ?= 600
PROCESSES ?= 2
DEVICE ?= cpu
SEED ?= 0
fuzz: $(if $(filter cuda,$(DEVICE)),,.venv/for-tests)
	$(if $(filter cuda,$(DEVICE)),$(PYTHON),$(BIN)/python) -m tests.fuzz --seconds $(SECONDS) --processes $(PROCESSES) \
		--device $(DEVICE) --seed $(SEED) --out benchmarks/results/fuzz-$(DEVICE).json

check: .venv/for-benchmarks
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright

docs: .venv/for-docs
	@echo "Building the site. All claims are checked for it, which takes a minute or two."
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Built docs/_build/html/index.html"

bench: .venv/for-benchmarks
	$(BIN)/python -m benchmarks.attention --device cpu --out benchmarks/results/attention-cpu.json --markdown benchmarks/results/attention-cpu.md
	$(BIN)/python -m benchmarks.grid --device cpu --out benchmarks/results/grid-cpu.json --markdown benchmarks/results/grid-cpu.md
	$(BIN)/python -m benchmarks.sparse --device cpu --out benchmarks/results/sparse-cpu.json --markdown benchmarks/results/sparse-cpu.md
	$(BIN)/python -m benchmarks.counters --out benchmarks/results/counters-cpu.json --markdown benchmarks/results/counters-cpu.md

clean:
	rm -rf .venv .venv-torch-* docs/_build docs/generated build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
