"""Installs the Node.js packages that read what we publish."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def installed(scripts: Path, folder: Path) -> Path:
    """Copy the scripts into the folder, install their packages, and return it."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        if os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1":
            pytest.fail("node and npm are required")
        pytest.skip("node and npm are not installed")
    for file in scripts.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=180)
    return folder
