"""The matcher keeps the contract of its port."""

import shutil
from typing import ClassVar

import pytest
from locframework_matching_rapidfuzz import MatchingSettings, RapidfuzzMatcher, kernel

from locframework.fields import new_id
from locframework.ports import Wanted
from locframework.testing.contracts.matchers import MatcherContract, SegmentsInMemory


class RapidfuzzContract(MatcherContract):
    compiled: ClassVar[bool]

    @pytest.fixture
    def folder(self, tmp_path):
        return tmp_path / "data" / "matching"

    @pytest.fixture
    def open_index(self, folder):
        settings = MatchingSettings(str(folder), 2, compiled=self.compiled, tail=3)
        return lambda: RapidfuzzMatcher(settings)

    @pytest.fixture
    def damage(self, folder):
        def cut(memory_id):
            [file] = (folder / memory_id).glob("*.segment")
            there = file.read_bytes()
            file.unlink()  # nobody writes to it
            file.write_bytes(there[:5000])

        return cut

    @pytest.fixture
    def broken_index(self, tmp_path):
        (tmp_path / "file").write_text("where a folder should be")
        folder = str(tmp_path / "file" / "matching")
        return RapidfuzzMatcher(MatchingSettings(folder, compiled=self.compiled))


def test_nobody_writes_to_a_file_that_others_may_have_mapped(tmp_path):
    segments, memory_id = SegmentsInMemory(), new_id()
    segments.change(memory_id, {new_id(): "save" for _ in range(5)})
    settings = MatchingSettings(str(tmp_path), compiled=False, tail=3)
    matcher = RapidfuzzMatcher(settings)

    matcher.find(segments, [Wanted(memory_id, 70)], ["save"], 1)

    [file] = (tmp_path / memory_id).glob("*.segment")
    assert file.stat().st_mode & 0o222 == 0


class TestCompiled(RapidfuzzContract):
    compiled = True

    @pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
    def test_the_kernel_is_there_where_there_is_a_compiler(self, open_index):
        matcher = open_index()

        assert isinstance(matcher, RapidfuzzMatcher)
        assert matcher.is_compiled


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
class TestWithRoomForFewHits(RapidfuzzContract):
    """Several texts are looked for at once: as many as their hits have room for."""

    compiled = True

    @pytest.fixture(autouse=True)
    def room(self, monkeypatch):
        monkeypatch.setattr(kernel, "ROOM", 3)


class TestWithoutCompiler(RapidfuzzContract):
    compiled = False
