"""The table of forms in which parses are written.  A new form is a function and an entry in the table."""

from __future__ import annotations

from lpcfg_cli.config import Table
from lpcfg_cli.parsing.html_form import PAGE_END, page_start, write_section
from lpcfg_cli.parsing.line_forms import COLUMNS, OutputForm, write_json, write_table, write_trees

OUTPUT_FORMS: Table[OutputForm] = Table(
    "output form",
    OutputForm("trees", "a bracketed tree on each line", write_trees),
    OutputForm(
        "jsonl", "a JSON object on each line, with words and probabilities", write_json,
        suffix=".jsonl", needs_confidence=True,
    ),
    OutputForm(
        "table", "columns of probabilities, separated by tabs, with a header", write_table,
        header="\t".join(COLUMNS), suffix=".tsv", needs_confidence=True,
    ),
    OutputForm(
        "html", "one page with drawings of the trees, coloured by confidence", write_section,
        header=page_start(), footer=PAGE_END, suffix=".html", needs_confidence=True,
    ),
)  # fmt: skip
