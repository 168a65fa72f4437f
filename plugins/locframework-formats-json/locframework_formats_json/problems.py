"""Makes the refusal of a file out of what is wrong with it."""

from collections.abc import Sequence

from locframework.ports import Problem, UnreadableFile, mentioned

MOST_PROBLEMS = 100  # are told one by one; the rest are counted


def problem(line: int, rule: str, message: str) -> Problem:
    """What is wrong in this line, 1-based."""
    return Problem(f"line {line}", rule, message)


def unreadable(problems: Sequence[Problem]) -> UnreadableFile:
    """The refusal of a file with these problems, of which there is one at least."""
    message = f"{problems[0].path}: {problems[0].message}"
    if len(problems) > 1:
        message += f" (and {len(problems) - 1} more)"
    return UnreadableFile(message, list(problems[:MOST_PROBLEMS]))


def quoted(name: str) -> str:
    """A name or text of the file as a message may repeat it: printable, cut short."""
    return mentioned(repr(name))
