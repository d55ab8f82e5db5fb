# Two commands on a fresh machine: `make demo` and `make test`. Each builds .venv first.
PYTHON ?= python3
# Where torch comes from: empty for the default of your pip; for another build see
# https://pytorch.org/get-started/locally/ and pass its --index-url here.
TORCH_ARGS ?=
BIN := .venv/bin
# Tests start some hundred processes: each module is compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
# Two processes; the one that is done first takes over tests of the other. Each has one processor:
# threads of torch that wait for one another take most of both.
TESTS := -n 2 --dist worksteal
test thorough coverage test-slow: export OMP_NUM_THREADS = 1

.PHONY: demo test thorough coverage test-slow lint docs bench setup clean

demo: setup
	$(BIN)/colorless demo demo

# What takes less than about a second: four fifths of all tests.
test: setup
	$(BIN)/pytest -m "not shared and not slow and not thorough and not gpu" $(TESTS)

# All tests, with those on whole data that CI runs on a part, and the laws on other and more
# examples: for the evening before a release.
thorough: setup
	$(BIN)/pytest -m "not gpu" $(TESTS) --hypothesis-profile thorough

# Both, counting which lines they pass through; half as long again.
coverage: setup
	$(BIN)/pytest -m "not thorough and not gpu" $(TESTS) \
	  --cov --cov-report=term:skip-covered

# The others.
test-slow: setup
	$(BIN)/pytest -m "(shared or slow) and not thorough and not gpu" $(TESTS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --explicit-package-bases tests bench
	$(BIN)/lint-imports

# The documentation as a site in build/site.
docs: setup
	$(BIN)/mkdocs build --strict

# Every measurement that can run here, onto build/benchmarks.md; hours. `ONLY=reading,mining` for some.
SHARED ?= ../shared
bench: setup
	$(BIN)/python -m bench $(SHARED) --only "$(ONLY)"

setup: .venv/ready

# torch first: with this version present nothing below asks for another build of it. Python compiles
# the modules that are used; compiling all of them takes half of the time.
.venv/ready: constraints.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --no-compile "torch==2.13.0" $(TORCH_ARGS)
	$(BIN)/pip install --quiet --no-compile -c constraints.txt -e ".[all,dev]"
	touch .venv/ready

clean:
	rm -rf .venv .venv-base demo dist build .coverage
