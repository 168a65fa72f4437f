"""What is left out of a file is counted by kind."""

from locframework.file_import.problems import KINDS_LIMIT, LeftOut


def test_the_most_frequent_kind_comes_first():
    left_out = LeftOut()
    left_out.add(["a", "b", "b"])

    assert list(left_out.warnings()) == [
        "b: left out in 2 places",
        "a: left out in 1 place",
    ]


def test_a_file_of_very_many_kinds_takes_no_more_memory():
    left_out = LeftOut()
    left_out.add(str(number) for number in range(10_000))

    first, *others = left_out.warnings()
    assert first == "what is of other kinds: left out in 9,950 places"
    assert len(others) == KINDS_LIMIT
