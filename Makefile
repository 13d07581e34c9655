# make demo  sets up, then trains and scores a parser on trees sampled from the project's own grammar
# make test  sets up, lints and runs all tests
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed

.PHONY: install demo test lint format table fuzz mutants bench clean

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

# property tests see the same examples each time, with EXAMPLES=7 those of the seed 7
EXAMPLES ?=
test: lint
	$(BIN)/python -m pytest $(if $(EXAMPLES),--hypothesis-profile=fresh --hypothesis-seed=$(EXAMPLES))

format: install
	$(BIN)/ruff format lpcfg_cli tests scripts
	$(BIN)/ruff check --fix lpcfg_cli tests scripts

# all results on the WSJ sample, in half an hour to an hour; ended and called again it goes on.
# TREEBANK is a directory with 00/wsj_0001.mrg to 01/wsj_0179.mrg
TREEBANK ?= ../shared/data/wsj
EXPERIMENT ?= experiment
TRAIN = $(sort $(wildcard $(TREEBANK)/00/wsj_*.mrg $(TREEBANK)/01/wsj_01[0-5]?.mrg))
DEV = $(sort $(wildcard $(TREEBANK)/01/wsj_01[67]?.mrg))
table: install
	$(BIN)/lpcfg experiment configs/experiment-wsj-sample.toml -o $(EXPERIMENT) --plot $(EXPERIMENT)/plot.svg \
	  $(addprefix --train ,$(TRAIN)) $(addprefix --dev ,$(DEV))

# random input for all readers, for as many MINUTES
MINUTES ?= 5
fuzz: install
	$(BIN)/python scripts/fuzz.py --minutes $(MINUTES)

# which small changes to the learners and the parser does no test notice?  SAMPLE mutants of each folder, or of each
# of ONLY "some files"; ended and called again it goes on.  A minute for four or so; all are three thousand
SAMPLE ?= 40
SEED ?= 0
ONLY ?=
mutants: install
	$(BIN)/python scripts/mutants.py --sample $(SAMPLE) --seed $(SEED) $(if $(ONLY),--only $(ONLY)) --results mutants.jsonl

# time and memory against size, and against what the project asks of itself; SUBSETS such as "figures lengths"
DATA ?= ../shared/data
SUBSETS ?= start figures sizes states lengths flops
bench: install
	$(BIN)/pip install --quiet --editable '.[plot]'
	$(BIN)/python scripts/bench.py --data $(DATA) --only $(SUBSETS)

clean:
	rm -rf $(VENV) demo-run build *.egg-info
