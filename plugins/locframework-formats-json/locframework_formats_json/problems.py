"""Makes the refusal of a file out of what is wrong with it."""

import re
from collections.abc import Sequence

from locframework.ports import Problem, UnreadableFile, abbreviate

MOST_PROBLEMS = 100  # are told one by one; the rest are counted
MOST_REPEATED = 200  # characters of the file, in one answer
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*(?:'|…)|"(?:[^"\\]|\\.)*(?:"|…)""")


def problem(line: int, rule: str, message: str) -> Problem:
    """What is wrong in this line, 1-based."""
    return Problem(f"line {line}", rule, message)


def unreadable(problems: Sequence[Problem]) -> UnreadableFile:
    """The refusal of a file with these problems, of which there is one at least."""
    told = _capped(problems[:MOST_PROBLEMS])
    message = f"{told[0].path}: {told[0].message}"
    if len(problems) > 1:
        message += f" (and {len(problems) - 1} more)"
    return UnreadableFile(message, told)


def _capped(problems: Sequence[Problem]) -> list[Problem]:
    """The problems; where all together would repeat more than 200 characters of the
    file, what is quoted is left out of the rest (decisions 2.10)."""
    told: list[Problem] = []
    left = MOST_REPEATED
    for each in problems:
        repeated = sum(map(len, _QUOTED.findall(each.message)))
        left -= repeated if told else 2 * repeated  # the first is the message too
        message = each.message if left >= 0 else _QUOTED.sub("…", each.message)
        told.append(Problem(each.path, each.rule, message))
    return told


def quoted(name: str) -> str:
    """A name or text of the file as a message may repeat it: printable, cut short."""
    return abbreviate(repr(name))
