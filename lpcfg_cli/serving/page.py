"""The page of the server: one HTML file that asks nothing of any other place."""

from __future__ import annotations

from html import escape

from lpcfg_cli.evaluation.html_page import STYLE
from lpcfg_cli.parsing.html_form import OWN_STYLE, legend
from lpcfg_cli.serving.service import ParsingService
from lpcfg_cli.storage.files import read_shipped_text


def page(service: ParsingService) -> str:
    """The text of the page; its trees are drawn by the server, and look as those of ``lpcfg parse --html``."""
    parts = {
        "<!-- style -->": f"<style>{STYLE}{OWN_STYLE}</style>",
        "<!-- legend -->": legend(),
        "<!-- labels -->": "".join(f'<option value="{escape(label)}">' for label in service.labels()),
        "<!-- model -->": escape(service.name),
        "<!-- most words -->": f"{service.options.max_length:,}",
    }
    text = read_shipped_text("lpcfg_cli.serving", "page.html")
    for mark, part in parts.items():
        text = text.replace(mark, part, 1)
    return text
