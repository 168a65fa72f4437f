"""What a plugin may do instead of its work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from locframework.errors import Unavailable

Call = Callable[..., Any]


def fail(*_: object) -> NoReturn:
    raise ZeroDivisionError("/secret/path of the host")


def leave(*_: object) -> NoReturn:
    sys.exit(0)


def fail_by_recursion(*_: object) -> Any:
    return fail_by_recursion()


def unavailable(*_: object) -> NoReturn:
    raise Unavailable("its own source does not answer")


def answers(what: object) -> Call:
    return lambda *_: what


class Unfit:
    """Nothing that JSON or any of ours knows; not even true or false."""

    def __bool__(self) -> bool:
        raise RuntimeError("neither")


FAULTS = [
    pytest.param(fail, id="raises"),
    pytest.param(leave, id="exits"),
    pytest.param(fail_by_recursion, id="recursion"),
]
