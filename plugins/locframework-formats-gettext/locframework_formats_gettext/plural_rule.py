"""Reads the plural rule of a PO header: a C expression over ``n``, never ``eval``."""

import re
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

MOST_FORMS = 20  # no language has more than six; bounds what a header can ask for
SAMPLES = (
    *range(201),
    *(1000, 1001, 1002, 10_000, 100_000, 1_000_000, 1_000_001, 2_000_000),
)
"""The counts by which rules are compared; enough to tell all CLDR rules apart."""

_LONGEST = 2000
_DEEPEST = 30
_RULE = re.compile(  # what follows the second semicolon gettext does not read
    r"\s*nplurals\s*=\s*([0-9]{1,9})\s*;\s*plural\s*=([^;]*)(?:;.*)?"
)
_TOKEN = re.compile(r"\s*([0-9]{1,19}|n|\|\||&&|[=!<>]=|[-+*/%<>!?:()])")
_WORD = 2**64 - 1  # C's unsigned long, so that n - 1 is never negative

_Node = Callable[[int], int]
_Operator = Callable[[int, _Node, int], int]  # of the left value, the right node, n
_LEVELS: tuple[dict[str, _Operator], ...] = (  # the loosest first
    {"||": lambda a, b, n: int(a != 0 or b(n) != 0)},
    {"&&": lambda a, b, n: int(a != 0 and b(n) != 0)},
    {"==": lambda a, b, n: int(a == b(n)), "!=": lambda a, b, n: int(a != b(n))},
    {
        "<": lambda a, b, n: int(a < b(n)),
        ">": lambda a, b, n: int(a > b(n)),
        "<=": lambda a, b, n: int(a <= b(n)),
        ">=": lambda a, b, n: int(a >= b(n)),
    },
    {
        "+": lambda a, b, n: (a + b(n)) & _WORD,
        "-": lambda a, b, n: (a - b(n)) & _WORD,
    },
    {
        "*": lambda a, b, n: (a * b(n)) & _WORD,
        "/": lambda a, b, n: a // b(n),
        "%": lambda a, b, n: a % b(n),
    },
)


class Rule(Struct, frozen=True):
    """How many plural forms there are, and which one each sample takes."""

    count: int
    indices: tuple[int, ...]  # by position in SAMPLES


@lru_cache(maxsize=512)
def parse_rule(text: str) -> Rule:
    """The rule that ``Plural-Forms: <text>`` states.

    Raises ValueError, with a sentence, for what is no rule, divides by zero, or
    gives an index that ``nplurals`` does not allow.
    """
    match = _RULE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError("Plural-Forms is not nplurals=…; plural=…;")
    count = int(match[1])
    if not 1 <= count <= MOST_FORMS:
        raise ValueError(f"nplurals is not between 1 and {MOST_FORMS}")
    node = _Expression(match[2]).parsed()
    try:
        indices = tuple(node(sample) for sample in SAMPLES)
    except ZeroDivisionError:
        raise ValueError("the plural expression divides by zero") from None
    if max(indices) >= count:
        raise ValueError(f"the plural expression gives {max(indices)}, beyond nplurals")
    return Rule(count, indices)


class _Expression:
    """A recursive descent over the tokens, with a bounded depth."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0

    def parsed(self) -> _Node:
        node = self._choice()
        if self._at < len(self._tokens):
            raise ValueError(f"the plural expression has a stray {self._peek()!r}")
        return node

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _accept(self, *tokens: str) -> str:
        token = self._peek()
        if token not in tokens:
            return ""
        self._at += 1
        return token

    def _require(self, token: str) -> None:
        if not self._accept(token):
            raise ValueError(f"the plural expression lacks a {token!r}")

    def _choice(self) -> _Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("the plural expression is nested too deep")
        test = self._binary(0)
        if self._accept("?"):
            then = self._choice()
            self._require(":")
            test = _choose(test, then, self._choice())
        self._depth -= 1
        return test

    def _binary(self, level: int) -> _Node:
        if level == len(_LEVELS):
            return self._operand()
        first = self._binary(level + 1)
        rest = []
        while token := self._accept(*_LEVELS[level]):
            rest.append((_LEVELS[level][token], self._binary(level + 1)))
        return _chain(first, rest) if rest else first

    def _operand(self) -> _Node:
        negations = 0
        while self._accept("!"):
            negations += 1
        node = self._atom()
        for _ in range(min(negations, 2 - negations % 2)):
            node = _negate(node)
        return node

    def _atom(self) -> _Node:
        if self._accept("("):
            node = self._choice()
            self._require(")")
            return node
        if self._accept("n"):
            return lambda n: n
        token = self._peek()
        if not token.isdigit():
            raise ValueError("the plural expression lacks a number or n")
        self._at += 1
        number = int(token)
        return lambda n: number


def _tokens(text: str) -> list[str]:
    tokens = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"the plural expression has a stray {text[at]!r}")
        tokens.append(match[1])
        at = match.end()
    return tokens


def _choose(test: _Node, then: _Node, otherwise: _Node) -> _Node:
    return lambda n: then(n) if test(n) else otherwise(n)


def _chain(first: _Node, rest: list[tuple[_Operator, _Node]]) -> _Node:
    # a loop and not one node an operator: n+n+…+n must not nest
    def evaluated(n: int) -> int:
        value = first(n)
        for operator, operand in rest:
            value = operator(value, operand, n)
        return value

    return evaluated


def _negate(node: _Node) -> _Node:
    return lambda n: int(not node(n))
