"""The notebooks run from the first cell to the last, offline, and carry no outputs."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    """A folder that was moved must not make these tests pass by being empty."""
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_stores_no_outputs(path):
    """Outputs in the repository are numbers without a run behind them."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]

    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


@pytest.mark.filterwarnings("default")  # jupyter's own libraries warn about each other
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_on_the_demo_without_a_network(path, tmp_path, monkeypatch):
    """A newcomer's first notebook must work on a plane, and show pin, caveats and a picture."""
    for name in list(os.environ):
        if name.startswith("TOOLKIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)

    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()

    shown = nbformat.writes(notebook)
    pictures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/svg+xml" in output.get("data", {})
    ]
    assert "DEMO - recorded" in shown
    assert "Price-free" in shown
    assert pictures
    assert not any(output.output_type == "error" for cell in notebook.cells
                   for output in cell.get("outputs", []))  # fmt: skip
