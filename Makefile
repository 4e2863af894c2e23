# Six words: demo, test, check, bench, paper, golden. The first two set everything up on a bare clone.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check bench paper golden clean

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,fast,opendp]'
	touch $@

demo: .venv/ready
	$(BIN)/kolahal show above_threshold_1
	$(BIN)/kolahal synth above_threshold_1

test: check

check: .venv/ready
	$(BIN)/ruff check src tests bench
	$(BIN)/mypy
	$(BIN)/pytest -n 2 -m 'not paper'

bench: .venv/ready
	$(BIN)/python -m bench

paper: .venv/ready
	$(BIN)/kolahal table
	$(BIN)/pytest -m paper

golden: .venv/ready
	KOLAHAL_GOLDEN=rewrite $(BIN)/pytest -n 2 -m 'not paper' tests/golden

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
