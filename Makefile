# schedlib: `make` alone lists the targets. Everything runs in .venv, which is rebuilt when requirements.txt changes.
# Nothing below names this folder, so the checkout may be moved and its path may hold spaces.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help figures test test-browser lab claims notebooks book site pdf slides report data prototype bench times lint lock release clean

PYTHON ?= python3
SCALE ?= quick
ONLY ?=
ARGS ?=
py := .venv/bin/python
# the target's line of the list below: what it does and how long it takes
say = @sed -n 's/^$@:.*\#\# /$@: /p' Makefile >&2

help: ## this list
	@echo "schedlib: two commands do it all, make figures and make test."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@echo
	@echo "  The first command that you run also builds .venv (half a minute). Times are for two cores."
	@echo
	@echo "  ONLY=hmhs or ONLY=hmhs.fig1   one paper or one figure"
	@echo "  SCALE=smoke|quick|paper       how much is simulated ('quick' by default)"
	@echo "  ARGS='--workers 1'            more options, see: .venv/bin/python -m reproduce figures --help"

figures: .venv/.ready ## every table, figure and claim, into figures/ (15 min; smoke: 4 min)
	$(say)
	@$(py) -m reproduce figures --scale $(SCALE) $(if $(ONLY),--only $(ONLY)) $(ARGS)

test: lint ## lint, tests, and every chapter run once more (14 min; with Chromium 21, with the book built too 29)
	$(say)
	@$(py) -m pytest -n auto --dist loadgroup $(ARGS)

test-browser: .venv/.ready ## the book in JupyterLab, every control by keyboard (6 min, with the book and slides built 14; needs Chromium)
	$(say)
	@$(py) -m pytest tests/browser --need-chromium -n 2 --dist loadgroup $(ARGS)

lab: .venv/.ready ## open the book in JupyterLab; ARGS='--no-browser --port 9999' (5 s)
	@echo "opening Start here in JupyterLab; Shift+Enter runs a cell; Ctrl+C here ends it"
	@$(py) -m jupyterlab --notebook-dir=. $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS) notebooks/00-start-here.ipynb

claims: .venv/.ready ## the papers' claims and what became of them (30 s after make figures; before it the missing points run, 15 min)
	$(say)
	@$(py) -m reproduce claims $(ARGS)

notebooks: .venv/.ready ## run the book again, in place (7 min)
	$(say)
	@$(py) -m reproduce notebooks $(ARGS)

# teachers
.PHONY: course
course: .venv/.ready ## a copy for students without solutions, one for instructors, in course/; ARGS='--folder F --sitting 2', or --help (10 s)
	$(say)
	@$(py) -m book.course $(ARGS)
# /teachers

book: .venv/.ready .venv-book/.ready ## the book as a website, into build/book (3 min; again 1 min)
	$(say)
	@$(py) -m book.live & drawing=$$!; \
	  .venv-book/bin/python -W ignore -m sphinx -q -E -W --keep-going -c notebooks/book -d build/doctrees . build/book; wait $$drawing
	@echo "begin with build/book/index.html"

site: book ## the book at a local address, where its boxes run; Ctrl+C ends it; ARGS=9999 is the port (5 s after make book)
	@$(py) -m http.server --bind 127.0.0.1 --directory build/book $(or $(ARGS),8000)

pdf: book ## the book, each chapter and the cheat sheet on paper, into build/pdf (3 min after make book; needs Chromium)
	@PYTHONPATH=.:notebooks .venv-book/bin/python -m book.pdf

slides: .venv/.ready .venv-book/.ready ## the chapters as lectures, into build/slides (2 min; again 10 s)
	$(say)
	@$(py) -m book.slides

report: .venv/.ready .venv-book/.ready ## what became of the claims, as a paper: build/report.pdf and .html (20 s)
	$(say)
	@PYTHONPATH=.:notebooks .venv-book/bin/python -m book.report

data: .venv/.ready ## list the public traces; ARGS=NAME fetches one (minutes; needs the web)
	$(say)
	@$(py) -m schedlib data $(ARGS)

prototype: .venv/.ready ## Eagle and Hawk on 100 real processes (20 min; figures/ has these runs; one load again, 5 min: ARGS='--ratios 1.2 --out FILE')
	$(say)
	@$(py) -m schedlib prototype $(ARGS)

bench: .venv/.ready ## speed, as ratios in one run (3 min; again 2 min); ARGS='core lotes' only these
	$(say)
	@$(py) tests/bench/speed.py $(ARGS)

times: .venv/.ready ## measure the README's table of times again (50 min; after make book slides); ARGS='start venv' only these parts
	$(say)
	@PYTHONPATH=tests/bench $(py) .ci/times.py $(ARGS)

lint: .venv/.ready ## style and types (20 s)
	$(say)
	@$(py) -m ruff format --check --quiet . || { echo 'not formatted; run: $(py) -m ruff format .' >&2; exit 1; }
	@$(py) -m ruff check .
	@$(py) -m mypy
	@$(py) .ci/size.py --check

# Installs what file $(2) pins with the Python $(1). uv does not read pip's settings, so the index that they name is handed on.
pip_index := sed -n "s/^global\.index-url='\(.*\)'/\1/p; s/^install\.index-url='\(.*\)'/\1/p"
define install
	@index="$${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$$($(py) -m pip config list | $(pip_index) | tail -1)}}"; \
	  if [ -n "$$index" ]; then export UV_DEFAULT_INDEX="$$index"; fi; \
	  .venv/bin/uv pip install --quiet --python $(1) --require-hashes --compile-bytecode -r $(2) \
	  || { echo "uv did not install them; pip does (about two minutes)"; \
	    $(1) -m pip install --quiet --disable-pip-version-check --require-hashes -r $(2); }
endef

# .ready is written last, so that an interrupted build starts from nothing. pip installs uv, by its own lines of requirements.txt.
# Two .pth lines relative to site-packages put the checkout and its notebooks on the path wherever it is moved.
.venv/.ready: requirements.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "schedlib needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "building .venv from requirements.txt, once: Python's packages for simulating, drawing and JupyterLab (about half a minute)"
	@rm -rf .venv
	@"$(PYTHON)" -m venv .venv || { echo "no venv module: on Debian or Ubuntu, apt install python3-venv" >&2; exit 1; }
	@$(py) -m pip install --quiet --disable-pip-version-check --require-hashes -r <(sed -n '/^uv==/,/# via/p' $<)
	$(call install,$(py),$<)
	@printf '%s\n' ../../../.. ../../../../notebooks > "$$($(py) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/schedlib-checkout.pth"
	@touch $@

# Sphinx and its extensions, which only `make book` needs; it reads the library's docstrings with the library's own packages.
.venv-book/.ready: notebooks/book/requirements.txt .venv/.ready
	@echo "building .venv-book from $< (about ten seconds)"
	@rm -rf .venv-book
	@"$(PYTHON)" -m venv .venv-book
	$(call install,.venv-book/bin/python,$<)
	@.venv-book/bin/python -c 'import os, sysconfig as s; own = s.get_path("purelib"); \
	  open(own + "/libraries.pth", "w").write(os.path.relpath(s.get_path("purelib", vars={"base": os.path.abspath(".venv")}), own))'
	@touch $@

reasons := s/^    "\([a-z][a-z-]*\).*", *\# \(.*\)/\#   \1: \2/p
lock: .venv/.ready ## renew both requirements.txt from pyproject.toml (10 s)
	$(say)
	@{ echo "# Every package that schedlib uses, pinned and hashed. Made from pyproject.toml by 'make lock'. Why each is here:"; \
	   sed -n '/^website = /,/^]/d; $(reasons)' pyproject.toml; \
	   .venv/bin/uv pip compile pyproject.toml --quiet --all-extras --universal --generate-hashes --no-emit-index-url --no-header; } > requirements.tmp
	@mv requirements.tmp requirements.txt
	@{ echo "# What 'make book' needs besides requirements.txt, pinned and hashed. Made from pyproject.toml by 'make lock':"; \
	   sed -n '/^website = /,/^]/{$(reasons)}' pyproject.toml; \
	   .venv/bin/uv pip compile --quiet --group pyproject.toml:website --constraint requirements.txt --universal --generate-hashes --no-emit-index-url \
	     --no-header; } > requirements.tmp
	@mv requirements.tmp notebooks/book/requirements.txt

release: .venv/.ready ## build and try the package, into build/dist (10 min; ARGS='-x tests/test_workload.py' only these tests)
	$(say)
	@$(py) .ci/release.py $(ARGS)

clean: ## remove the environment and every cache; figures stay (1 s)
	@rm -rf .venv .venv-book data/cache .pytest_cache .ruff_cache .mypy_cache .hypothesis schedlib.egg-info build
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
