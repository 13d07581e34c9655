# make demo  sets up, then trains and scores a parser on trees sampled from the project's own grammar
# make test  sets up, lints and runs all tests
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed

.PHONY: install demo test lint format table fuzz bench clean

install: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lpcfg needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[dev]'
	# numba compiles the kernels once: here, so that the first use is as quick as later ones
	$(BIN)/lpcfg synth -n 60 --seed 0 -o $(VENV)/first.mrg 2>/dev/null
	$(BIN)/lpcfg train $(VENV)/first.mrg -o $(VENV)/first -m 4 2>/dev/null
	$(BIN)/lpcfg parse $(VENV)/first $(VENV)/first.mrg -f trees -o $(VENV)/first.parsed.mrg 2>/dev/null
	$(BIN)/lpcfg eval $(VENV)/first.mrg $(VENV)/first.parsed.mrg >/dev/null 2>&1
	touch $@

demo: install
	$(BIN)/python scripts/demo.py

lint: install
	$(BIN)/ruff check lpcfg_cli tests scripts
	$(BIN)/ruff format --check lpcfg_cli tests scripts
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest

format: install
	$(BIN)/ruff format lpcfg_cli tests scripts
	$(BIN)/ruff check --fix lpcfg_cli tests scripts

# the table of results on the WSJ sample; TREEBANK is a directory like the LDC's, with wsj/00 and wsj/01
TREEBANK ?= ../shared/data/wsj
table: install
	$(BIN)/python scripts/wsj_table.py $(TREEBANK)

# random input for all readers, for as many MINUTES
MINUTES ?= 5
fuzz: install
	$(BIN)/python scripts/fuzz.py --minutes $(MINUTES)

# time and memory against size, and against what the project asks of itself; SUBSETS such as "figures lengths"
DATA ?= ../shared/data
SUBSETS ?= start figures sizes states lengths flops
bench: install
	$(BIN)/pip install --quiet --editable '.[plot]'
	$(BIN)/python scripts/bench.py --data $(DATA) --only $(SUBSETS)

clean:
	rm -rf $(VENV) demo-run build *.egg-info
