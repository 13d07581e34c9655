"""``python -m lpcfg_cli``: the ``lpcfg`` command."""

from __future__ import annotations

from lpcfg_cli.cli.main import main

if __name__ == "__main__":
    main()
