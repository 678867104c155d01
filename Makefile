# Each target makes the .venv it needs: on a fresh machine with Python, `make run` or `make test` alone is enough.
PYTHON ?= python3
BIN := .venv/bin
# Virtual machines that advertise AMX and trap it kill torch's own bfloat16 products; this asks oneDNN to do without.
export ONEDNN_MAX_CPU_ISA ?= AVX512_CORE_FP16
# The layers that speak of tensors; the command line is typed by Typer.
HOOK := --jaxtyping-packages=regard.attention,regard.algorithms,regard.layers,regard.generation,regard.models,beartype.beartype

.PHONY: setup run browser test test-all test-arithmetic test-gpu fuzz check bench clean

setup: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,bench,all]'
	touch $@

run: setup
	$(BIN)/regard explore

# The page is tested in a real browser: Debian's chromium, installed where that is allowed. Without one those tests are
# skipped, and this says so.
browser: setup
	@$(BIN)/python tests/explore/browser.py || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || true
	@$(BIN)/python tests/explore/browser.py || true

test: setup browser
	$(BIN)/python -m pytest -q -n 2 -m 'not compiled and not slow' $(HOOK)
	$(BIN)/python -m pytest -q -n 2 -m 'compiled and not slow'

test-all: setup browser
	$(BIN)/python -m pytest -q -n 2 -m 'not compiled' $(HOOK) --hypothesis-profile=thorough
	$(BIN)/python -m pytest -q -n 2 -m compiled

# Sums in other orders, by instructions of other widths, in one and two threads: what is right is so in all of them.
HARNESS := tests/algorithms/test_equivalence.py tests/algorithms/test_metamorphic.py \
	tests/models/test_gradients.py tests/models/test_weights.py
ARITHMETIC := $(BIN)/python -m pytest -q -m 'not compiled and not slow' $(HARNESS)
test-arithmetic: setup
	MKL_CBWR=COMPATIBLE $(ARITHMETIC) -n 2
	ATEN_CPU_CAPABILITY=default $(ARITHMETIC) -n 2
	OMP_NUM_THREADS=1 $(ARITHMETIC) -n 2
	OMP_NUM_THREADS=2 $(ARITHMETIC)

# On a machine with CUDA, with the Python and the torch that are active there. Writes what passed where.
test-gpu:
	$(PYTHON) tests/gpu.py --out benchmarks/results/test-gpu.json --commit "$$(git rev-parse HEAD)"

# Random calls against an oracle of its own, for so long: `make fuzz SECONDS=600 PROCESSES=2 DEVICE=cpu`. With CUDA it
# runs by the Python that is active, as test-gpu does.
SECONDS ?= 600
PROCESSES ?= 2
DEVICE ?= cpu
SEED ?= 0
fuzz: $(if $(filter cuda,$(DEVICE)),,setup)
	$(if $(filter cuda,$(DEVICE)),$(PYTHON),$(BIN)/python) -m tests.fuzz --seconds $(SECONDS) --processes $(PROCESSES) \
		--device $(DEVICE) --seed $(SEED) --out benchmarks/results/fuzz-$(DEVICE).json

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright

bench: setup
	$(BIN)/python -m benchmarks.attention --device cpu --out benchmarks/results/attention-cpu.json --markdown benchmarks/results/attention-cpu.md
	$(BIN)/python -m benchmarks.grid --device cpu --out benchmarks/results/grid-cpu.json --markdown benchmarks/results/grid-cpu.md
	$(BIN)/python -m benchmarks.sparse --device cpu --out benchmarks/results/sparse-cpu.json --markdown benchmarks/results/sparse-cpu.md
	$(BIN)/python -m benchmarks.counters --out benchmarks/results/counters-cpu.json --markdown benchmarks/results/counters-cpu.md

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
