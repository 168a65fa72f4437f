"""Segments are built in pieces, damage is noticed, and a useless folder is refused."""

import errno
import fcntl
import logging
import shutil
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from locframework_matching_rapidfuzz import (
    MatchingSettings,
    RapidfuzzMatcher,
    RapidfuzzPlugin,
)
from locframework_matching_rapidfuzz import segments as built
from locframework_matching_rapidfuzz.arrays import (
    HEAD,
    Damaged,
    read_arrays,
    write_arrays,
)

from locframework.ports import Settings, SettingsError, Unavailable, Wanted
from locframework.testing.contracts.matchers import (
    MEMORY,
    SegmentsInMemory,
    brute_force,
    entries,
    sentences,
)


def arrays(contents):
    ids = [number.to_bytes(16, "big") for number in range(len(contents))]
    return built.arrays_of(ids, contents)


@given(st.lists(st.text(min_size=1), max_size=20), st.integers(1, 30))
def test_it_is_the_same_whatever_the_pieces(some, size):
    expected = arrays(some)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(built, "CHARACTERS_AT_ONCE", size)
        found = arrays(some)

    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_it_takes_no_more_than_twelve_bytes_a_character():
    """At once it would be thirty: gigabytes, for 65,536 texts of 5,000 characters."""
    words = [f"word{number} " * 50 for number in range(997)]

    def peak_of(count):
        some = [words[number % len(words)] for number in range(count)]
        tracemalloc.start()
        arrays(some)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    more = 10_000 * len(words[0])
    assert peak_of(20_000) - peak_of(10_000) < 12 * more


def flip(file, place):
    with file.open("r+b") as opened:
        opened.seek(place)
        [byte] = opened.read(1)
        opened.seek(place)
        opened.write(bytes([byte ^ 4]))


def test_a_flipped_bit_is_noticed_at_the_opening(tmp_path):
    file = tmp_path / "x.segment"
    write_arrays(file, 1, {"short": np.arange(10)}, 7)
    assert read_arrays(file, 1).revision == 7

    flip(file, HEAD + 8)

    with pytest.raises(Damaged, match="short"):
        read_arrays(file, 1)


def test_an_index_of_a_former_version_is_made_anew(tmp_path, monkeypatch):
    segments, wanted = SegmentsInMemory(), [Wanted(MEMORY, 60)]
    segments.change(MEMORY, entries(sentences("Latin", 100, seed=1)))
    [text, *_] = segments.texts[MEMORY].values()
    settings = MatchingSettings(str(tmp_path), 1, tail=3)
    with monkeypatch.context() as before:
        before.setattr(built, "FORMAT", built.FORMAT - 1)
        RapidfuzzMatcher(settings).find(segments, wanted, [text], 1000)
    [former] = (tmp_path / MEMORY).glob("*.segment")

    matcher = RapidfuzzMatcher(settings)
    [found] = matcher.find(segments, wanted, [text], 1000)

    assert found == brute_force(segments, wanted, text, 1000, matcher.distance)
    assert not former.exists()


def test_an_older_index_that_is_put_back_is_brought_up_to_date(tmp_path):
    matcher = RapidfuzzMatcher(MatchingSettings(str(tmp_path / "index"), 1, tail=3))
    segments, wanted = SegmentsInMemory(), [Wanted(MEMORY, 60)]
    segments.change(MEMORY, entries(sentences("Latin", 100, seed=1)))
    matcher.find(segments, wanted, ["open"], 9)
    shutil.copytree(tmp_path / "index", tmp_path / "older")
    segments.change(MEMORY, entries(["Save the file"] * 60))
    matcher.find(segments, wanted, ["open"], 9)  # and merge what is new

    shutil.rmtree(tmp_path / "index")
    shutil.move(tmp_path / "older", tmp_path / "index")
    [found] = matcher.find(segments, wanted, ["Save the file"], 1000)

    by = matcher.distance
    assert found == brute_force(segments, wanted, "Save the file", 1000, by)


def test_a_lock_that_fails_names_its_file_in_the_log_and_to_nobody_else(
    tmp_path, monkeypatch, caplog
):
    def refuse(*_):
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


def test_a_folder_is_refused_only_where_an_index_is_kept_there(tmp_path):
    (tmp_path / "text").write_text("")
    plugin = RapidfuzzPlugin(MatchingSettings(folder=str(tmp_path / "text")))

    plugin.loc_decide_settings(Settings(matcher="postgres"))
    with pytest.raises(SettingsError, match=f"^folder: {tmp_path}/text: "):
        plugin.loc_decide_settings(Settings())
