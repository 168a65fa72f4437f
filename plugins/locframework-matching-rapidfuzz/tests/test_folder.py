"""A folder that is of no use: told with its name, and only where it is used."""

import errno
import fcntl
import logging
from pathlib import Path

import pytest
from locframework_matching_rapidfuzz import MatchingSettings, RapidfuzzPlugin

from locframework.ports import Settings, SettingsError, Unavailable, Wanted
from locframework.testing.contracts.matcher_samples import SegmentsInMemory, entries
from locframework.testing.contracts.matchers import MEMORY


def test_a_lock_that_fails_names_its_file_in_the_log_and_to_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    plugin = RapidfuzzPlugin(MatchingSettings(folder=str(tmp_path)))
    [matcher] = plugin.loc_provide_matchers()
    segments = SegmentsInMemory()
    segments.change(MEMORY, entries(["Save the file"]))

    with caplog.at_level(logging.ERROR), pytest.raises(Unavailable) as refused:
        matcher.find(segments, [Wanted(MEMORY, 70)], ["Save"], 5)

    assert f"No locks available: '{tmp_path}/{MEMORY}/lock'" in caplog.text
    assert str(tmp_path) not in refused.value.message


def test_a_folder_is_refused_only_where_an_index_is_kept_there(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("")
    plugin = RapidfuzzPlugin(MatchingSettings(folder=str(tmp_path / "text")))

    plugin.loc_decide_settings(Settings(matcher="postgres", concordancer="other"))
    for used in (Settings(concordancer="other"), Settings(matcher="postgres")):
        with pytest.raises(SettingsError, match=f"^folder: {tmp_path}/text: "):
            plugin.loc_decide_settings(used)
