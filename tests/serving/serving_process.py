"""A server in a process of its own, and a browser."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from command_line import LPCFG


@contextmanager
def serving(model, *options):
    """A server at a free port: the process, and the host and port that it tells."""
    command = [LPCFG, "serve", str(model), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = urlsplit(process.stdout.readline().strip())
            assert address.port, process.communicate()
            yield process, address.netloc
        finally:
            process.kill()


def browser():
    """The path of Chromium or Chrome; the test is skipped if there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium or Chrome is installed")
