"""Plugins that are installed for one test."""

from pathlib import Path
from textwrap import dedent

import pytest

from .samples import Install


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a plugin as pip does: a module, and a dist-info folder beside it."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(name: str, source: str, *, entry: str = "", dist: str = "") -> None:
        module = f"plugin_{name}_{tmp_path.name}".replace("-", "_")
        (tmp_path / f"{module}.py").write_text(dedent(source))
        info = tmp_path / f"{(dist or name).replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {dist or name}\nVersion: 1.2\n")
        line = f"{name} = {entry or f'{module}:Plugin'}"
        (info / "entry_points.txt").write_text(f"[locframework]\n{line}\n")

    return install
