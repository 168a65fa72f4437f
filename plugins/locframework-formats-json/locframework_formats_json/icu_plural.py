"""Takes an ICU plural message apart into CLDR forms, and puts it together again."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from locframework.ports import PLURAL_FORMS

from .plurals import FORMS, in_order

ARGUMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
FORM_OF = {"=0": "zero", "=1": "one", "=2": "two"}
"""What Flutter's gen-l10n takes these for, in every language."""

_HEAD = re.compile(rf"\{{\s*({ARGUMENT_NAME.pattern})\s*,\s*plural\s*,")
_SELECTOR = re.compile(r"\s*(=[0-9]+|[a-z]+)\s*\{")
_BRACE = re.compile(r"[{}]")
_END = re.compile(r"\s*\}")


class PluralMessage(NamedTuple):
    """A message that is one plural argument and nothing else."""

    argument: str  # "count"
    forms: dict[str, str]  # by CLDR form, in their order; ``other`` is among them
    exact: dict[str, str]  # the forms that were spelled as numbers: {"one": "=1"}


def parse_plural(message: str) -> PluralMessage | None:
    """The parts of the message, or None when it says more than forms can.

    None: text around the argument, an offset, a number over 2, ``=1`` beside
    ``one``, no ``other``. Apostrophes are ordinary characters, as in Flutter by
    default. ``write_plural`` gives a message that differs in white space at most.
    """
    head = _HEAD.match(message)
    if head is None:
        return None
    forms: dict[str, str] = {}
    exact: dict[str, str] = {}
    at = head.end()
    while selector := _SELECTOR.match(message, at):
        spelled = selector[1]
        form = FORM_OF.get(spelled, spelled)
        end = _end_of_form(message, selector.end())
        if form not in FORMS or form in forms or end is None:
            return None
        forms[form] = message[selector.end() : end]
        if spelled != form:
            exact[form] = spelled
        at = end + 1
    if not _END.fullmatch(message, at) or "other" not in forms:
        return None
    return PluralMessage(head[1], in_order(forms), exact)


def is_torn(message: str) -> bool:
    """Whether a plural message has a brace too many or too few."""
    if _HEAD.match(message) is None:
        return False
    depth = 0
    for brace in _BRACE.findall(message):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return True
    return depth != 0


def write_plural(
    argument: str, forms: Mapping[str, str], exact: Mapping[str, object]
) -> str | None:
    """The message, or None when the braces of a form would tear it apart."""
    parts = []
    for form in PLURAL_FORMS:
        if form not in forms:
            continue
        text = forms[form]
        if _end_of_form(text + "}", 0) != len(text):
            return None
        spelled = exact.get(form)
        selector = spelled if FORM_OF.get(str(spelled)) == form else form
        parts.append(f"{selector}{{{text}}}")
    return f"{{{argument}, plural, {' '.join(parts)}}}"


def _end_of_form(message: str, start: int) -> int | None:
    """Where the brace stands that closes a form whose text begins at ``start``."""
    depth = 0
    for brace in _BRACE.finditer(message, start):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return brace.start()
    return None
