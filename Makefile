# Each target is a line or two over ordinary commands; the README lists them for people without make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
HALF := .venv/.unfinished
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
# On Linux torch's own index has it without the libraries of graphics cards.
TORCH := $(shell grep '^torch==' requirements.lock) $(if $(filter Linux,$(shell uname)),\
  --extra-index-url https://download.pytorch.org/whl/cpu --retries 0 --timeout 10)

# The tensors are small: more threads gain nothing, and on a busy machine they wait for one another.
OMP_NUM_THREADS ?= 1
export OMP_NUM_THREADS
# What is set for another Python would lead this one astray; a reader's own settings of IPython would change the pages.
unexport PYTHONPATH PYTHONHOME PYTHONSAFEPATH PIP_TARGET
export PIP_USER := 0
export JUPYTER_PREFER_ENV_PATH := 1
export IPYTHONDIR := $(CURDIR)/.venv/ipython

# Else each process that trains or tests would compile the parts of torch and transformers anew that set-up leaves out.
export PYTHONDONTWRITEBYTECODE :=

# What `make book` imports nothing of is compiled when a test does.
UNCOMPILED := /tests/|/transformers/models/|/torch/(testing|distributed|_inductor|_dynamo|ao|onnx)/|/(libcst|mypy|onnx|networkx|pip)/

# An environment knows its folder and its Python by their paths: if the folder was moved, or the Python is gone, it is made anew.
STALE := $(shell [ ! -e $(READY) ] || { grep -qsF -e "-m venv $$(cd ./.venv && pwd -P)" -e "-m venv $$(pwd -P)/.venv" .venv/pyvenv.cfg && \
  $(BIN)/python -E -c 'import pip' 2> /dev/null; } || echo FORCE)

ON_CTRL_C = trap 'echo "Stopped: run the same command again to go on." >&2; exit 130' INT

.PHONY: book test serve lab slides questions pdf teach check normal lock browser coq proofs clean help FORCE

# Notebooks run while what runs in the page is packed.
book: $(READY)
	@! find book notebooks proofs -name .ipynb_checkpoints -prune -o -name '*[ :]*' -print | grep . >&2 || { \
	  echo "For make a name ends at a blank or a colon: rename or move what is named above." >&2; exit 1; }
	@$(MAKE) -s -j 2 $(SITE)
	@$(BIN)/python -c 'from pathlib import Path; print("The site is at", Path("_build/html/index.html").absolute().as_uri())'

test: book browser coq
	$(BIN)/python -m pytest --nbval -n 3 --dist loadscope notebooks
	$(BIN)/python -m pytest -p no:nbval -n 4 --dist worksteal tests

check: $(READY)  ## all that needs no site, no browser and no kernel
	$(BIN)/ruff check --quiet .
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow" -p no:nbval tests --ignore tests/built

serve: book  ## the site at http://127.0.0.1:8000; PORT=8001
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(or $(PORT),8000)

lab: $(READY)
	$(BIN)/jupyter-lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

slides: book  ## decks, in _build/teach/slides
	$(BIN)/python book/_teach/slides.py

questions: $(READY)  ## for Moodle and Canvas, in _build/teach/questions
	$(BIN)/python book/_teach/questions.py

pdf: book browser  ## the book as _build/teach/book.pdf; of it, PAGES="07 notation" alone; PAPER=Letter
	$(BIN)/python book/_teach/pdf.py $(PAGES) $(if $(PAPER),--paper $(PAPER))

teach: $(READY)  ## notebooks for students and for you, in _build/teach
	$(BIN)/python book/_teach/edition.py

normal: $(READY)
	$(BIN)/python book/_tools/normalise.py

lock: $(READY)  ## the whole stack, with versions, from the direct dependencies in requirements.txt
	@mkdir -p _build
	$(BIN)/python -m piptools compile --quiet --upgrade --allow-unsafe --strip-extras --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --output-file _build/lock requirements.txt && sed 's/+cpu$$//' _build/lock > requirements.lock
	$(BIN)/python -m pytest -q -p no:nbval tests/test_repository.py

browser: $(READY)
	$(BIN)/python book/_tools/browser.py

# The weights of a released model, 93 MB, into a cache outside of this folder; chapter 12 reads them.
$(MODEL): notebooks/posenc/real_file.py | $(READY)
	@$(ON_CTRL_C); $(BIN)/python -m posenc.real && touch $@

coq:
	@$(PYTHON) proofs/check.py --provide

proofs:
	@$(PYTHON) proofs/check.py

help: ; @sed -n '/^help/!s/^\([a-z][a-z]*\):[^#]*/\1\t/p' Makefile

clean:
	rm -rf _build build .pytest_cache .ruff_cache .hypothesis

# torch, a third of it all, comes by pip, which takes its build without graphics cards from wherever it is set to look; the
# rest beside it by uv, in a third of pip's time, and by pip where uv, which knows no mirror of pip's settings, finds none.
# The lock names every package, so neither need look for what each depends on. /tmp may have no room for torch. Compiling is
# left to all cores afterwards, without what nobody imports; torch has a file that needs a newer Python. What goes wrong is
# said at the end, below all that was fetched. The stamp is written last, and a set-up that was stopped, even by force,
# starts over with the next make.
$(READY): requirements.lock $(STALE)
	@case "$$(pwd -P)" in *[:?]*) echo "The path of this folder has a ':' or a '?' in it, which Python's environments and the" \
	  "notebooks' cache take for a sign of theirs: rename the folder." >&2; exit 1;; esac
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "This course needs Python 3.11 or newer: name one, as in 'make PYTHON=python3.12 book'." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "This Python has no venv module: install it (on Debian: apt-get install python3-venv)." >&2; exit 1; }
	@! { read make < .venv/.make && [ $$make != $$PPID ] && kill -0 $$make; } 2> /dev/null || { \
	  echo "Another make sets up this folder: wait for it, or delete .venv." >&2; exit 1; }
	@[ ! -e $(HALF) ] || { echo "The last set-up did not finish: starting over."; rm -rf .venv; }
	@[ -z "$(STALE)" ] || { echo "The environment is that of another folder or Python: setting up anew."; rm -rf .venv; }
	@mkdir -p .venv && touch $(HALF) && echo $$PPID > .venv/.make
	@$(ON_CTRL_C); export TMPDIR="$$PWD/.venv"; exec 3>&1; why=$$({ $(PYTHON) -m venv .venv && grep -v '^torch==' requirements.lock > $(HALF) && \
	  $(BIN)/python -m pip install --no-deps $$(grep '^uv==' $(HALF)) && \
	  { printf '%s\n' "-m pip install --no-compile --no-deps $(TORCH)" \
	  "-m uv pip install --python $(BIN)/python --no-deps --requirement $(HALF)" | xargs -P 2 -L 1 $(BIN)/python || \
	  $(BIN)/python -m pip install --no-compile --no-deps $(TORCH) --requirement $(HALF); } && \
	  $(BIN)/python -m pip install --no-deps --no-build-isolation --editable . && \
	  { $(BIN)/python -m compileall -q -j 0 -x '$(UNCOMPILED)' .venv/lib > /dev/null || true; } && \
	  $(BIN)/python book/_ext/local_katex.py; } 2>&1 >&3) \
	  || { printf '%s\n' "$$why" "The set-up stopped for the reason above: see to it and run the same command again." >&2; exit 1; }
	@rm $(HALF) .venv/.make && touch $@

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
$(PARTS): book/_ext/run_parts.py book/_ext/run_parts.txt book/_ext/run_pack.py | $(READY)
	@$(ON_CTRL_C); $(BIN)/python book/_ext/run_parts.py \
	  || { echo "What runs in the page was not made, for the reason above: see to it and run the same command again." >&2; exit 1; }
	@touch $@

# The site is made anew when anything changes, and not at all otherwise: no build works on the result of another. It is
# made beside the old one, which goes when it is there. (As a custom builder, html does not ask to be opened there.)
$(SITE): $(EXECUTED) $(PARTS) $(NAMES) $(SOURCES)
	@rm -rf $(NEXT) $@
	@$(ON_CTRL_C); $(BIN)/jupyter-book build -W -n --keep-going --builder custom --custom-builder html --path-output $(NEXT) . \
	  || { echo "The book was not built: the first error above says why (a chapter fails, the disk is full)." \
	    "Mend that, and run the same command again." >&2; exit 1; }
	@rm -rf _build/html && mv $(NEXT)/_build/html _build && rm -r $(NEXT) && touch $@
