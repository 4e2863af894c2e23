# Thirteen words: demo, test, check, thorough, wheel, bench, paper, golden, fuzz, hunt, attacks, literature, mutants. The first two set everything up on a bare clone.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check thorough wheel bench paper golden fuzz hunt attacks literature mutants clean

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,fast,opendp,dask,cvc5]'
	touch $@

# another sketch: make demo SKETCH=path.py OUT=folder
SKETCH ?= above_threshold_1

demo: .venv/ready
	$(BIN)/kolahal show $(SKETCH)
	$(BIN)/kolahal synth $(SKETCH) $(if $(OUT),--out $(OUT))
	@echo
	@echo "Next: your own sketch, private program and report:  make demo SKETCH=path.py OUT=folder"
	@echo "      the verdict while you type:                   $(BIN)/kolahal watch path.py   (editors: docs/how-to/editor.md)"
	@echo "      from a plain function to a private release:   docs/tutorial.md"

test: check

check: .venv/ready
	$(BIN)/ruff check src tests bench
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal -m 'not paper and not attacks and not hunt and not literature and not thorough'

# what takes minutes: attacks on proof rules, hunts, emitted programs by brute force, killed batches, all examples of properties
thorough: .venv/ready
	KOLAHAL_EXAMPLES=all $(BIN)/pytest -n 2 --dist worksteal -m 'thorough and not paper and not attacks and not hunt and not literature'

# the package as users get it: built, installed without anything else, and used
wheel:
	rm -rf build dist .bare
	$(PYTHON) -m venv .bare
	.bare/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	.bare/bin/pip install --quiet --disable-pip-version-check -c constraints.txt dist/kolahal-*.whl
	cd .bare && bin/kolahal synth sum --out result && bin/python result/sum_private.py --self-test && bin/kolahal verify result/certificate.json
	rm -rf build dist .bare

bench: .venv/ready
	$(BIN)/python -m bench

paper: .venv/ready
	$(BIN)/kolahal table
	$(BIN)/pytest -m paper

golden: .venv/ready
	KOLAHAL_GOLDEN=rewrite $(BIN)/pytest -n 2 tests/golden
	KOLAHAL_GOLDEN=rewrite $(BIN)/pytest tests/proof/test_stored.py tests/proof/test_obligations.py tests/proof/test_edited.py tests/proof/test_texts.py tests/proof/test_rewritten.py tests/proof/test_pieces.py tests/proof/test_at_once.py tests/proof/test_union.py tests/proof/test_leads_attacked.py tests/proof/test_runs.py tests/proof/test_named_items.py
	KOLAHAL_GOLDEN=rewrite $(BIN)/pytest tests/test_docs.py

SECONDS ?= 60

fuzz: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[fuzz]'
	$(BIN)/python tests/fuzz/coverage_guided.py $(SECONDS)

# how many, and how: make hunt COUNT=20000 HUNT='--quick --seconds 2 --everyone 0.01 --lengths 0.1' SECOND='--everyone 0.01'
# The second hunt has other programs and another judge; COUNT2 is how many of those, and 0 of either leaves it out.
# Then come the programs of both that are looked at after every change and are too many for `make test`.
COUNT ?= 1000
COUNT2 ?= $(COUNT)
COUNT3 ?= 2000

hunt: .venv/ready
	failed=0; $(BIN)/python -m bench.hunt $(COUNT) $(HUNT) || failed=1; \
	$(BIN)/python -m bench.second_hunt $(COUNT2) $(SECOND) || failed=1; \
	$(BIN)/python -m bench.budget_hunt $(COUNT3) || failed=1; \
	$(BIN)/pytest -n 2 -m hunt tests/proof tests/editor || failed=1; exit $$failed

# everything that gives a verdict, on every program of tests/known/attacks, and brute force
attacks: .venv/ready
	$(BIN)/pytest -n 2 -m attacks tests/known/attacks

# the verdict on every mechanism of tests/known/literature, as a table
literature: .venv/ready
	$(BIN)/python -m bench.literature

# every change of the trusted code that no test sees, against bench/mutants/survivors.toml; a part: make mutants ONLY=product
# Only functions that have changed since bench/mutants/tried.json was written are tried, survivors first; it goes on where it was stopped.
CHILDREN ?= 2

mutants: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutants]'
	$(BIN)/python -m bench.mutants --children $(CHILDREN) $(ONLY)

clean:
	rm -rf mutants .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
