# Everything installs itself into $(VENV); needed are only make and Python 3.11 or newer.
#   make demo [ARGS=--legacy] [TUNING=--no-tuning]    make test [ARGS="-k digits"]    make lint    make gallery
#   make test-every    with all cases of the tests that have very many: after a change to the core, and before a release
#   make test-every PYTHON=python3.13 VENV=.venv-3.13    the same by another Python, in a second environment
#   make check [ARGS="tests/legacy"]    what a small change needs: of each test two cases, without the slow ones
#   make notebooks [ARGS=3_torch7_files]    runs the notebooks and keeps what their cells give
#   make benchmark [ARGS="lenet"]    both interfaces against JAX by hand and PyTorch
#   make bench-accelerator    how well training steps use this machine's device; writes accelerator-report.md
#   make docs    the site, into build/site
#   make release-check    what has to hold before a release, on every Python found

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
TUNING ?=

python := $(VENV)/bin/python
# A file's tests stay together, as they share compiled programs; the files keep their order, whose last ones are short.
in_parallel := -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-every check lint format benchmark bench-accelerator gallery notebooks docs release-check clean
.DELETE_ON_ERROR:

demo: $(VENV)/.installed-demo
	$(VENV)/bin/functorch7 launch $(TUNING) examples/digits.py $(ARGS)

# Processes that tests start read what another has compiled of the package, wherever Python may keep it.
test: $(VENV)/.installed-test
	env -u PYTHONDONTWRITEBYTECODE $(python) -m pytest $(in_parallel) --fewer $(ARGS)

test-every: $(VENV)/.installed-test
	env -u PYTHONDONTWRITEBYTECODE $(python) -m pytest $(in_parallel) $(ARGS)

check: $(VENV)/.installed-test
	$(python) -m pytest $(in_parallel) -m "not slow" --sample 2 $(ARGS)

lint: $(VENV)/.installed-dev
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m pyright --pythonpath $(python)

format: $(VENV)/.installed-dev
	$(python) -m ruff check --fix .
	$(python) -m ruff format .

benchmark: $(VENV)/.installed-test
	$(python) -m benchmarks $(ARGS)

bench-accelerator: $(VENV)/.installed-test
	$(python) -m benchmarks.accelerator --output accelerator-report.md $(ARGS)

gallery: $(VENV)/.installed-demo
	$(python) -m functorch7.viz --gallery docs
	$(python) examples/vision.py --output docs/gallery/vision.png

notebooks: $(VENV)/.installed-notebooks
	$(python) notebooks/execute.py $(ARGS)

docs: $(VENV)/.installed-docs
	$(python) -m mkdocs build --strict

release-check:
	PYTHON=$(PYTHON) .ci/release-check

clean:
	rm -rf $(VENV) build demo-output accelerator-report.md .pytest_cache .ruff_cache

# One stamp per extra of pyproject.toml, so that a change there installs again. Python compiles what is imported later,
# a part of all these packages; pip would compile the whole, on one core.
$(VENV)/.installed-%: pyproject.toml | $(python)
	$(python) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[$*]'
	@touch $@

$(python):
	@command -v $(PYTHON) >/dev/null || { echo "make: no $(PYTHON) found; name one with PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
	  "make: functorch7 needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] \
	  + "; name another one with PYTHON=python3.12")'
	@echo "Setting up $(VENV) (once; downloads the packages that pyproject.toml names)"
	@$(PYTHON) -m venv $(VENV)
