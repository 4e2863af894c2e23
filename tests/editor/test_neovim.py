"""The language server in a real editor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.editor.texts import SKETCH


@pytest.mark.hunt
@pytest.mark.skipif(shutil.which("nvim") is None, reason="there is no Neovim here")
def test_neovim_shows_the_verdict_and_fills_the_holes(tmp_path: Path) -> None:
    file, seen = tmp_path / "careful.py", tmp_path / "seen.json"
    file.write_text(SKETCH)
    told = {
        "KOLAHAL_COMMAND": json.dumps([sys.executable, "-m", "kolahal", "lsp"]),
        "KOLAHAL_FILE": str(file),
        "KOLAHAL_SEEN": str(seen),
        "XDG_STATE_HOME": str(tmp_path),
    }
    script = Path(__file__).with_name("neovim.lua")
    subprocess.run(
        ["nvim", "--headless", "--clean", "-n", "-c", f"luafile {script}"], env={**os.environ, **told}, check=True, timeout=180
    )
    found = json.loads(seen.read_text())
    assert "fault" not in found, found["fault"]
    assert "(2/ε, 4/ε): Proved" in found["before"] and "2 holes" in found["diagnostic"]
    assert "side by side" in found["hover"]
    assert found["fix"] == "Fill in the proved scales: 2/eps, 4/eps"
    assert found["after"].startswith("Proved, for every length of q") and found["left"] == 0
    assert "Lap(4/eps)" in file.read_text()
