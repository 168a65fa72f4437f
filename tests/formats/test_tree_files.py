"""Items of a tree file change, and the comments around them stay."""

import re

import pytest

from locframework.ports import (
    TextFile,
    TreeContainer,
    TreeLayout,
    TreeValue,
    UnreadableFile,
)


class _Layout(TreeLayout):
    """``{name=text, # comment``, as no format has it."""

    space = re.compile(r"(?:\s|#[^\n]*)*")
    opening = re.compile("{")
    member = re.compile("([a-z]+)(=)")
    after = re.compile(r"((?:\s|#[^\n]*)*)([,}])")
    rest = re.compile(r" *#[^\n]*")
    colon = "="

    def __init__(self, text: str) -> None:
        super().__init__(TextFile(text, "utf-8"), 0)

    def name_in(self, spelled: str) -> str:
        return spelled

    def value_at(self, at: int) -> tuple[TreeValue, int]:
        found = re.compile("[A-Z]+").match(self.text, at)
        if found is None:
            raise self.fault(at, "syntax", "no text")
        return TreeValue(found[0], found[0]), found.end()

    def finish(self, container: TreeContainer) -> None:
        pass

    def spelled(self, value: object, old: str = "") -> str:
        return str(value)

    def container(self, lead: str, *, is_array: bool) -> TreeContainer:
        return TreeContainer(lead, ("{", "}"), is_array=is_array)

    def add_last(self, name: str, text: str) -> None:
        self.add(self.root, self.root.added, name, text)

    def remove(self, *names: str) -> None:
        for name in names:
            item = self.root.child(name)
            assert item is not None
            item.is_removed = True

    def written(self) -> str:
        return self.content().decode()


@pytest.mark.parametrize("end", [",", ""])
def test_a_comment_stays_on_the_line_of_its_item(end: str) -> None:
    layout = _Layout(f"{{\n  a=A{end} # of a\n}}\n")
    layout.add_last("b", "B")
    assert layout.written() == f"{{\n  a=A, # of a\n  b=B{end}\n}}\n"


def test_comments_above_stay_when_their_item_goes() -> None:
    layout = _Layout("{\n  # head\n  a=A,\n\n  # next\n  b=B, # of b\n  c=C\n}\n")
    layout.remove("a", "b")
    assert layout.written() == "{\n  # head\n\n  # next\n  c=C\n}\n"


def test_what_is_new_stands_above_the_comment_of_the_first_item() -> None:
    layout = _Layout("{\n\n  # head\n  a=A\n}\n")
    layout.add_last("new", "N")
    layout.root.place_added(layout.root.items[0])
    assert layout.written() == "{\n  new=N,\n\n  # head\n  a=A\n}\n"


def test_no_item_gets_behind_a_comment_on_its_line() -> None:
    layout = _Layout("{a=A # of a\n}")
    layout.add_last("b", "B")
    assert layout.written() == "{a=A, # of a\nb=B\n}"
    layout = _Layout("{# head\na=A}")
    layout.remove("a")
    assert layout.written() == "{# head\n}"


def test_an_item_that_is_new_is_found() -> None:
    layout = _Layout("{a=A\n}")
    layout.add_last("b", "B")

    assert layout.root.child("b") is not None
    layout.add_last("c", "C")
    assert layout.root.child("c") is not None


def test_items_know_their_lines() -> None:
    layout = _Layout("{\n  a=A, b={\n    c=C\n  }\n}\n")
    assert [
        (path, item.line, item.value.text)
        for path, item in layout.root.leaves()
        if isinstance(item.value, TreeValue)
    ] == [(("a",), 2, "A"), (("b", "c"), 3, "C")]


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ("{\n a=A\n b=B}", 2, "syntax"),
        ("{\n a=}", 2, "syntax"),
        ("{\n a=A", 2, "syntax"),
        ("{a=" * 65, 1, "nesting"),
    ],
)
def test_a_broken_file_is_refused_with_the_line(
    text: str, line: int, rule: str
) -> None:
    with pytest.raises(UnreadableFile) as caught:
        _Layout(text)
    [problem] = caught.value.details
    assert (problem.path, problem.rule) == (f"line {line}", rule)
