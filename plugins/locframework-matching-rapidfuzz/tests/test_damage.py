"""A flipped bit is noticed: at the opening, or when all is read for a merge."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from locframework_matching_rapidfuzz import (
    MatchingSettings,
    RapidfuzzMatcher,
    segment,
    stored,
)
from locframework_matching_rapidfuzz.stored import Damaged, read_arrays, write_arrays

from locframework.ports import Found, Unavailable, Wanted
from locframework.testing.contracts.matcher_samples import (
    SegmentsInMemory,
    brute_force,
    entries,
    sentences,
)
from locframework.testing.contracts.matchers import MEMORY


def flip(file: Path, place: int) -> None:
    with file.open("r+b") as opened:
        opened.seek(place)
        [byte] = opened.read(1)
        opened.seek(place)
        opened.write(bytes([byte ^ 4]))


def test_a_flipped_bit_of_a_long_array_is_noticed_where_all_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "CHECKED", 100)
    file = tmp_path / "x.segment"
    arrays = {"short": np.arange(10), "long": np.arange(1000)}
    write_arrays(file, 1, arrays, 7)

    flip(file, stored.HEAD + 4000)

    assert read_arrays(file, 1).revision == 7
    with pytest.raises(Damaged, match="long"):
        read_arrays(file, 1, whole=True)
    flip(file, stored.HEAD + 8)
    with pytest.raises(Damaged, match="short"):
        read_arrays(file, 1)


def test_what_was_damaged_while_it_was_open_is_not_merged_but_made_again(
    tmp_path: Path,
) -> None:
    matcher = RapidfuzzMatcher(MatchingSettings(str(tmp_path), 1, tail=3))
    segments, wanted = SegmentsInMemory(), [Wanted(MEMORY, 60)]
    segments.change(MEMORY, entries(sentences("Latin", 100, seed=1)))
    matcher.find(segments, wanted, ["open"], 9)
    [file] = (tmp_path / MEMORY).glob("*.segment")
    flip(file, file.stat().st_size - 64)

    segments.change(MEMORY, entries(sentences("Latin", 60, seed=2)))
    for text in list(segments.texts[MEMORY].values())[::20]:
        [found] = matcher.find(segments, wanted, [text], 1000)
        assert found == brute_force(segments, wanted, text, 1000, matcher.distance)

    [made] = (tmp_path / MEMORY).glob("*.segment")
    assert made != file


def test_a_folder_in_place_of_the_list_of_segments_makes_way_when_it_is_empty(
    tmp_path: Path,
) -> None:
    segments, wanted = SegmentsInMemory(), [Wanted(MEMORY, 60)]
    segments.change(MEMORY, entries(sentences("Latin", 100, seed=1)))
    [text, *_] = segments.texts[MEMORY].values()
    in_the_way = tmp_path / MEMORY / "current.json"
    in_the_way.mkdir(parents=True)

    def find() -> list[Found]:
        matcher = RapidfuzzMatcher(MatchingSettings(str(tmp_path), 1, tail=3))
        return matcher.find(segments, wanted, [text], 1000)

    distance = RapidfuzzMatcher(MatchingSettings(str(tmp_path))).distance
    assert find() == [brute_force(segments, wanted, text, 1000, distance)]
    assert in_the_way.is_file()
    assert find() == [brute_force(segments, wanted, text, 1000, distance)]

    in_the_way.unlink()
    (in_the_way / "precious").mkdir(parents=True)
    with pytest.raises(Unavailable, match="cannot be kept: Directory not empty"):
        find()
    assert (in_the_way / "precious").is_dir()


def test_an_index_of_a_former_version_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segments, wanted = SegmentsInMemory(), [Wanted(MEMORY, 60)]
    segments.change(MEMORY, entries(sentences("Latin", 100, seed=1)))
    [text, *_] = segments.texts[MEMORY].values()
    settings = MatchingSettings(str(tmp_path), 1, tail=3)
    with monkeypatch.context() as before:
        before.setattr(segment, "FORMAT", segment.FORMAT - 1)
        RapidfuzzMatcher(settings).find(segments, wanted, [text], 1000)
    [former] = (tmp_path / MEMORY).glob("*.segment")

    matcher = RapidfuzzMatcher(settings)
    [found] = matcher.find(segments, wanted, [text], 1000)

    assert found == brute_force(segments, wanted, text, 1000, matcher.distance)
    assert not former.exists()


def test_an_older_index_that_is_put_back_is_brought_up_to_date(tmp_path: Path) -> None:
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


def test_an_index_that_is_removed_while_one_writes_it_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = RapidfuzzMatcher(MatchingSettings(str(tmp_path), 1, tail=3))
    segments, wanted = SegmentsInMemory(), [Wanted(MEMORY, 60)]
    segments.change(MEMORY, entries(sentences("Latin", 100, seed=1)))
    matcher.find(segments, wanted, ["open"], 9)
    write, times = segment.write_arrays, iter((1, 2))

    def write_and_lose(path: Path, *given: object) -> None:
        write(path, *given)  # type: ignore[arg-type]
        if next(times) == 1:
            shutil.rmtree(tmp_path / MEMORY)

    monkeypatch.setattr(segment, "write_arrays", write_and_lose)
    segments.change(MEMORY, entries(sentences("Latin", 50, seed=2)))
    text = sentences("Latin", 1, seed=2)[0]

    [found] = matcher.find(segments, wanted, [text], 1000)

    assert found == brute_force(segments, wanted, text, 1000, matcher.distance)
    assert list((tmp_path / MEMORY).glob("*.segment"))
