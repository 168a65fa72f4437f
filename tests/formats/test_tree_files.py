"""Items of a tree file change, and the comments around them stay."""

import pytest

from locframework.ports import (
    TextFile,
    TreeContainer,
    TreeItem,
    TreeLayout,
    TreeValue,
)


class _Layout(TreeLayout):
    """``{name=text; # comment``, as no format has it."""

    def __init__(self, *items: TreeItem, ends_separated: bool = False) -> None:
        root = self.container("\n", is_array=False)
        root.items, root.final, root.ends_separated = [*items], "\n", ends_separated
        super().__init__(TextFile("", "utf-8"), root, ("", "\n"), "  ", " ")

    def spelled(self, value: object, old: str = "") -> str:
        return str(value)

    def head(self, container: TreeContainer, name: str) -> str:
        return f"{name}="

    def container(self, lead: str, *, is_array: bool) -> TreeContainer:
        return TreeContainer(lead, ("{", "}"), is_array=is_array, separator=";")


def _item(name: str, lead: str = "\n  ", rest: str = "") -> TreeItem:
    item = TreeItem(lead, name, f"{name}=", TreeValue(name.upper(), name.upper()))
    item.rest = rest
    return item


@pytest.mark.parametrize("ends_separated", [True, False])
def test_a_comment_stays_on_the_line_of_its_item(ends_separated: bool) -> None:
    layout = _Layout(_item("a", rest=" # of a"), ends_separated=ends_separated)
    layout.add(layout.root, layout.root.added, "b", "B")
    end = ";" if ends_separated else ""
    expected = f"{{\n  a=A; # of a\n  b=B{end}\n}}\n"
    assert layout.content().decode() == expected


def test_comments_above_stay_when_their_item_goes() -> None:
    first, second = _item("a", "\n  # head\n  "), _item("b", "\n\n  # next\n  ")
    layout = _Layout(first, second, _item("c"))
    first.is_removed = second.is_removed = True
    assert layout.content().decode() == "{\n  # head\n\n  # next\n  c=C\n}\n"


def test_what_is_new_stands_above_the_comment_of_the_first_item() -> None:
    first = _item("a", "\n\n  # head\n  ")
    layout = _Layout(first)
    layout.add(layout.root, layout.root.added, "new", "N")
    layout.root.place_added(first)
    assert layout.content().decode() == "{\n  new=N;\n\n  # head\n  a=A\n}\n"


def test_no_item_gets_behind_a_comment_on_its_line() -> None:
    layout = _Layout(_item("a", "", rest=" # of a"))
    layout.root.final = ""
    layout.add(layout.root, layout.root.added, "b", "B")
    assert layout.content().decode() == "{a=A; # of a\n b=B}\n"
    layout.root.items[0].is_removed = layout.root.added[0].is_removed = True
    layout.root.items[0].lead = "# head\n"
    assert layout.content().decode() == "{# head\n}\n"
