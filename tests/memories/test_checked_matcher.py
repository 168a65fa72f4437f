"""A matcher that fails or answers nonsense is Unavailable, and says nothing more."""

from __future__ import annotations

from typing import Any, cast

import pytest

from locframework import hookimpl
from locframework.errors import PluginError, Unavailable
from locframework.memories.checked_matcher import CheckedMatcher
from locframework.memories.matcher import Found, Hit, Wanted
from locframework.plugins import PluginHost
from locframework.testing.contracts.matcher_samples import SegmentsInMemory


class Told:
    """Answers what it is told; an exception is raised."""

    name = "told"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def find(self, *_: object) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    distance = forget = find


class Giver:
    """A plugin with one matcher."""

    def __init__(self, matcher: Told) -> None:
        self._matcher = matcher

    @hookimpl
    def loc_provide_matchers(self) -> list[Told]:
        return [self._matcher]


def ask(answer: Any) -> list[Found]:
    wanted = [Wanted("m", 70)]
    return CheckedMatcher(Told(answer)).find(SegmentsInMemory(), wanted, ["a"], 2)


def found(*hits: tuple[str, Any]) -> list[Found]:
    return [Found([Hit(id_, "e", percent) for id_, percent in hits], True)]


@pytest.mark.parametrize(
    "answer",
    [
        ZeroDivisionError("/secret"),
        KeyError("secret"),
        None,
        7,
        [],
        [None],
        found() * 2,
        found(("m", 250)),
        found(("m", 60)),
        found(("m", -1)),
        found(("m", 80.5)),
        found(("m", "90")),
        found(("m", True)),
        found(("x", 90)),
        found(("m", 80), ("m", 90)),
        found(*[("m", 90)] * 3),
        [Found([Hit("m", "e", 90, cast("bytes", None))], True)],
    ],
    ids=repr,
)
def test_what_cannot_be_is_unavailable(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Unavailable, match=r"^the matcher told failed$"):
        ask(answer)

    assert "the matcher told failed" in caplog.text
    assert caplog.records[0].exc_info


def test_what_can_be_is_passed_on() -> None:
    hits = found(("m", 100), ("m", 70))

    assert ask(hits) == hits
    with pytest.raises(Unavailable, match="its server is down"):
        ask(Unavailable("its server is down"))


@pytest.mark.parametrize("answer", [ZeroDivisionError(), -1, 9, None, "1"])
def test_a_distance_that_cannot_be_is_unavailable(answer: Any) -> None:
    with pytest.raises(Unavailable, match="the matcher told failed"):
        CheckedMatcher(Told(answer)).distance("ab", "c")


def test_a_matcher_that_cannot_forget_says_so_in_order() -> None:
    with pytest.raises(Unavailable, match="the matcher told failed"):
        CheckedMatcher(Told(OSError("/secret"))).forget("m")


@pytest.mark.parametrize("name", ["Bad Name", "", "1st", None])
def test_a_matcher_without_a_plain_name_stops_the_start(name: Any) -> None:
    matcher = Told(None)
    matcher.name = name

    with pytest.raises(PluginError, match="loc_provide_matchers"):
        PluginHost.discover({}, more=[Giver(matcher)], installed=False)
