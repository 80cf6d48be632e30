# Every target works from a fresh clone: it needs make, git and a Python >= 3.11 that has venv, and brings the rest itself.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
# An interpreter that was named is taken or refused; only the default has stand-ins.
CANDIDATES := $(PYTHON) $(if $(filter file,$(origin PYTHON)),python3.13 python3.12 python3.11)
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SUITABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# Modules that write the generated parts of a README (policies/, manifests/), schemas, and how presets are explained
REFERENCES := admission.policyfile.reference admission.offline.reference admission.offline.schemafiles \
	tests.offline.explanation.golden
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-annotate --custom-compile-command "make lock"

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":[^#]*## "; print "Usage: make TARGET [ARGS=\"…\"]\n" } \
		/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: venv
venv: $(STAMP) ## Make the environment in .venv from the lock files (PYTHON=… names the interpreter)

$(STAMP): requirements.txt requirements-dev.txt pyproject.toml
	@if ! $(BIN)/python -c '$(SUITABLE)' 2>/dev/null; then \
		for python in $(CANDIDATES) ''; do \
			if [ -n "$$python" ] && "$$python" -c '$(SUITABLE)' 2>/dev/null; then break; fi; \
		done; \
		if [ -z "$$python" ]; then \
			echo 'make: no Python >= 3.11 with venv and ensurepip was found ($(PYTHON) is not one).' >&2; \
			echo '      Install it (Debian, Ubuntu: apt-get install python3 python3-venv), or name one: make venv PYTHON=/path/to/python3.12' >&2; \
			exit 1; \
		fi; \
		"$$python" -m venv --clear $(VENV); \
	fi
	@echo "Installing the locked packages into $(VENV), about a minute the first time …"
	@total=$$(grep -c '^[A-Za-z]' requirements-dev.txt); tty=; if [ -t 1 ]; then tty=1; fi; \
	$(PIP) install --progress-bar off --require-hashes --requirement requirements-dev.txt \
		| awk -v total="$$total" -v tty="$$tty" ' \
			/^(Collecting|Requirement already satisfied)/ { \
				n++; sub(/^Collecting |^Requirement already satisfied: /, ""); \
				if (tty) printf "\r  %d of %d  %-40.40s", n, total, $$1; else if (n % 20 == 0) printf "  %d of %d\n", n, total; \
				fflush() } \
			/^Installing collected/ { if (tty) printf "\r%-60s\r", ""; print "  unpacking"; fflush() } \
			END { if (tty) printf "\r%-60s\r", "" }'
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
	@echo "Ready: $$($(BIN)/python --version), $(BIN)/statuscap"

.PHONY: test
test: venv ## Run the whole suite with coverage (builds the real servers the first time; ARGS="-k word")
	@$(BIN)/python -m pytest --cov --cov-report=term $(ARGS)

.PHONY: test-all
test-all: venv ## Run the whole suite, and the end-to-end tests on every kube-apiserver that is supported
	@$(BIN)/python -m pytest --cov --cov-report=term --kube-apiserver all $(ARGS)

.PHONY: test-fast
test-fast: venv ## Run the suite without the tests that need real servers
	@$(BIN)/python -m pytest -m "not e2e" $(ARGS)

.PHONY: lint
lint: venv ## Check style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

.PHONY: format
format: venv ## Mend style and formatting
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: types
types: venv ## Check the types
	@$(BIN)/mypy

.PHONY: lock
lock: venv ## Write the lock files anew after a change of dependencies (ARGS=--upgrade brings newer versions)
	@$(COMPILE) $(ARGS) pyproject.toml --output-file requirements.txt
	@$(COMPILE) $(ARGS) pyproject.toml --group dev --constraints requirements.txt --output-file requirements-dev.txt
	@if grep -n '://' requirements.txt requirements-dev.txt; then echo 'make: a lock file names an address' >&2; exit 1; fi

.PHONY: generate
generate: venv ## Write the generated parts of the READMEs anew
	@for reference in $(REFERENCES); do $(BIN)/python -m $$reference --write; done

.PHONY: generated-fresh
generated-fresh: venv ## Check that the generated parts of the READMEs are fresh
	@stale=0; for reference in $(REFERENCES); do $(BIN)/python -m $$reference --check || stale=1; done; exit $$stale

.PHONY: wheel
wheel: venv ## Build the wheel into dist/ and check that the presets are in it
	@rm -rf dist
	@$(BIN)/python -m hatchling build --target wheel
	@contents=$$($(BIN)/python -m zipfile --list dist/*.whl); found=0; \
	for policy in policies/*.yaml policies/schemas/*.json; do \
		if [ ! -e "$$policy" ]; then continue; fi; \
		if ! grep -qF "admission/presets/$${policy#policies/} " <<<"$$contents"; then \
			echo "make: the wheel lacks $$policy" >&2; exit 1; \
		fi; \
		found=$$((found + 1)); \
	done; \
	if [ "$$found" -eq 0 ]; then echo 'make: policies/ has no presets for the wheel' >&2; exit 1; fi; \
	echo "$$found files of policies/ are in the wheel"

.PHONY: demo
demo: venv ## Show the product at work on real servers
	@$(BIN)/python -m tests.demo $(ARGS)

.PHONY: bench
bench: venv ## Measure the product's speed beside the comparison webhook
	@$(BIN)/python -m tests.bench $(ARGS)

.PHONY: clean
clean: ## Remove caches, reports and builds (the environment stays)
	@rm -rf build dist htmlcov .coverage .coverage.* coverage.xml .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find admission tests -type d -name __pycache__ -prune -exec rm -rf {} +
