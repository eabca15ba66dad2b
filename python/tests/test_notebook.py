"""The cell magic, in a real notebook."""

import nbclient
import nbformat

CELLS = [
    "%load_ext surmise",
    "%%surmise runs=4 -> result\nimport warehouse\nprint(warehouse.name)\n'a' + 1",
    "print(result.error.type, result.runs <= 4, 'warehouse' in globals())",
    "%%surmise runs=none\nx = 1",
    "%%surmise -> 3\nx = 1",
]


def test_cells_run_and_are_shown_as_pages():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells]
    (shown,) = outputs[1]
    assert "<iframe" in shown.data["text/html"] and "RunResult" in shown.data["text/plain"]
    assert outputs[2][0].text.strip() == "TypeError True False"
    assert "error: `none` is no value of runs" in outputs[3][0].text
    assert "error: `3` is no name of a variable" in outputs[4][0].text
