"""Coverage-guided fuzzing of everything that reads a stranger's file: `make fuzz`, or

    python tests/fuzz/coverage_guided.py [SECONDS [FOLDER]]

Inputs that reach new code are kept in FOLDER and tried again next time. The first byte of an input chooses its reader; the rest is what is read. An
exception other than a KolahalError, an input that takes more than 10 s or 2 GB ends the run, and the input is written to the working directory.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parent))
with atheris.instrument_imports(include=["kolahal.lang", "kolahal.report", "kolahal.cli"]):
    from readers import GALLERY_FILES, READERS, refused, result_documents

WORDS = (
    "@sketch(adjacent=each_within(1))", "one_within(1/2)", "def f(q: Private, N: int = 3, eps: Epsilon):", "Lap(hole)", "Exp(2/eps)",
    "DiscreteLap(", "for i in range(len(q)):", "for x in q:", "while ", "if ", "elif ", "else:", "return ", "break", "continue", "out = []",
    "out.append(", "out.insert(0, ", "is None", "is not None", "max(", "abs(", "[x for x in q]", " and ", " or ", "not ", "None", "True",
    "1e-3", "0x1f", "eps**2", "len(q)", "\n    ", "\n        ", "import kolahal as k", "k.Lap(k.hole)", "'''", "# ", "\\\n", "\ufeff",
    "# coding: ", "candidates", "scales", "verdict", "proved", "refuted", "curve", "p_value", "regions", "members", "counterexample",
)  # fmt: skip


def read(data: bytes) -> None:
    if data:
        refused(READERS[data[0] % len(READERS)], data[1:])


def write_seeds(folder: Path) -> None:
    """A good input for each reader."""
    folder.mkdir(parents=True, exist_ok=True)
    small = [{k: v for k, v in document.items() if len(json.dumps(v)) < 2_000} for document in result_documents()]
    documents = [json.dumps(document).encode() for document in small]
    for number, reader in enumerate(READERS):
        seeds = documents if reader.__name__ == "read_result" else GALLERY_FILES
        if reader.__name__ == "read_words":
            seeds = [b"3*len(q)/eps**2", b"1/2*eps", b"1,2,3", b"path.py:f", b"sum_within(0.5)"]
        for place, seed in enumerate(seeds):
            (folder / f"{reader.__name__}-{place}").write_bytes(bytes([number]) + seed)


def main() -> None:
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="kolahal-fuzz-"))
    write_seeds(folder)
    with tempfile.NamedTemporaryFile("w", suffix=".dict", delete=False) as words:
        words.writelines('"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n' for word in WORDS)
    limits = [
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-max_len=10000",
        f"-max_total_time={seconds}",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], f"-dict={words.name}", *limits, str(folder)], read)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
