"""The concordancer keeps the contract of its port, with flipped bits too."""

import random
import shutil
from pathlib import Path

import pytest
from locframework_matching_rapidfuzz import (
    FileConcordancer,
    MatchingSettings,
    RapidfuzzPlugin,
)
from locframework_matching_rapidfuzz.kernel import Kernel

from locframework.testing.contracts.concordancers import (
    ConcordancerContract,
    Damage,
    OpenConcordancer,
)

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


class TestFileConcordancer(ConcordancerContract):
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path / "data" / "matching"

    @pytest.fixture
    def open_concordancer(self, folder: Path) -> OpenConcordancer:
        settings = MatchingSettings(str(folder), tail=20)
        return lambda: FileConcordancer(settings, Kernel())

    @pytest.fixture
    def damage(self, folder: Path) -> Damage:
        def flip(memory_id: str) -> None:
            [file] = (folder / "passages" / memory_id).glob("*.segment")
            told = bytearray(file.read_bytes())
            told[random.Random(1).randrange(4096, len(told) - 64)] ^= 4
            file.write_bytes(told)

        return flip

    @pytest.fixture
    def broken_concordancer(self, tmp_path: Path) -> FileConcordancer:
        (tmp_path / "file").write_text("where a folder should be")
        folder = str(tmp_path / "file" / "matching")
        return FileConcordancer(MatchingSettings(folder), Kernel())


def test_where_nothing_is_compiled_there_is_no_concordancer() -> None:
    plugin = RapidfuzzPlugin(MatchingSettings(compiled=False))

    assert plugin.loc_provide_concordancers() == []
