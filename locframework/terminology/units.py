"""Finds what is one unit in a text, though it has several words: a hyphenated compound,
an address, a path, an option, code. And the marks of accelerators, as in ``Sa&ve``.
"""

import re

from locframework.languages import base_language

# All but white space, punctuation, what ``prose`` covers, and scripts without spaces.
_SIGN = (
    r"[^\s!-/:-@\[-^`{-~\u00a1-\u00a9\u00ab\u00ac\u00ae-\u00b9\u00bb-\u00bf\u2010-\u206f"
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3000-\u9fff\uac00-\ud7ff"
    r"\uf900-\ufaff\uff00-\uff0f\uff61-\uff9f\ufffc\U00020000-\U0003ffff]"
)
_IN_PATH = rf"(?:{_SIGN}|[-.\ufffc])"
_IN_ADDRESS = rf"(?:{_SIGN}|[-.~/\\?#@!$&*+;=%:,\ufffc])"
# between the parts of a compound; R&D is one, "Open&Close" are two words
_JOINT = (
    r"(?:[-\u2010\u2011][&~]?|[&~](?![A-Z\u00c0-\u00de])|(?<![a-z\u00df-\u00ff])[&~])"
)
# Each begins where a word begins, so that a long word is read a few times only.
_CODE = r"(?<![\w`])(?P<code>`++)[^`\n]++(?P=code)(?!\w)"
_URL = rf"(?<![A-Za-z0-9+.-])(?:[A-Za-z][A-Za-z0-9+.-]*+://|www\.){_IN_ADDRESS}+"
_MAIL = rf"(?<!{_IN_PATH})(?<!\+)(?:{_IN_PATH}|\+)++@{_SIGN}++(?:[.-]{_SIGN}++)+"
_PATH = (
    rf"(?<!{_SIGN})(?<![.)\]])(?:(?:~|\.\.?|[A-Za-z]:)?/|[A-Za-z]:\\|\\\\)"
    rf"{_IN_PATH}++(?:[/\\]{_IN_PATH}++)*+[/\\]?"
)
# with an extension, an underscore or a slash at its end: not "and/or"
_RELATIVE_PATH = (
    rf"(?<!{_IN_PATH})(?<![/\\])(?={_IN_PATH}++[/\\])"
    rf"(?=(?:{_IN_PATH}|[/\\])*?(?:\.[^\W\d_]|_|[/\\]{_IN_PATH}+[/\\](?!{_IN_PATH})))"
    rf"{_IN_PATH}++(?:[/\\]{_IN_PATH}++)++[/\\]?"
)
_OPTION = (
    rf"(?<![\w-])(?:--[A-Za-z](?:{_SIGN}|-)*+(?:={_IN_ADDRESS}+)?|-[A-Za-z](?!{_SIGN}))"
)
_ACCELERATOR = r"\([_&~][^\W_]\)"
_COMPOUND = rf"(?<!{_SIGN})(?P<compound>{_SIGN}++(?:{_JOINT}{_SIGN}++)++)"
_UNIT = re.compile(
    f"{_CODE}|{_URL}|{_MAIL}|{_PATH}|{_RELATIVE_PATH}|{_OPTION}|{_ACCELERATOR}|{_COMPOUND}"
)
_MAYBE_UNIT = re.compile("[-\u2010\u2011&~`@/\\\\]|\\(_")
# "Enregistrez-le": pronouns that no compound ends with
_CLITICS = {
    "fr": "t je tu ils? elles? nous vous les? la lui leur moi toi ce ci là mêmes?",
    "pt": "me te se l?[oa]s? n[oa]s? lhes? vos",
    "ca": "me te se l[oa] l[oe]s li n[oe]s vos ne h[oi] [mtsnl]",
}
_ENCLITICS = {
    code: re.compile(rf"(?:-(?:{'|'.join(words.split())}))+", re.IGNORECASE)
    for code, words in _CLITICS.items()
}
_MARK = re.compile(rf"{_ACCELERATOR}|(?<![_&~])[_&~](?=[^\W\d_])")


def inside_units(text: str, language_code: str) -> set[int]:
    """Return the places inside units, where no term begins or ends: between two code
    points, as the number of those before. ``language_code`` selects the pronouns that
    a hyphen joins to a verb."""
    if not _MAYBE_UNIT.search(text):
        return set()
    inside: set[int] = set()
    enclitics = _ENCLITICS.get(base_language(language_code))
    for unit in _UNIT.finditer(text):
        start, end = unit.start(), unit.start() + len(unit[0].rstrip(".,:;!?"))
        if enclitics and unit["compound"]:
            tails = (each.start() for each in enclitics.finditer(text, start, end))
            end = next((at for at in tails if enclitics.fullmatch(text, at, end)), end)
        inside.update(range(start + 1, end))
    return inside


def unmarked(text: str) -> tuple[str, list[int]] | None:
    """Return a text without the marks of accelerators, and where each of its code
    points was. None if there are none.

    A mark stands before a letter: ``_Save``, ``Sa&ve``, ``Acc~ess``; a small one inside
    a word, so ``R&D`` has none. ``保存(&S)`` is ``保存``.
    """
    if not ("&" in text or "_" in text or "~" in text):
        return None
    kept: list[int] = []
    done = 0
    for mark in _MARK.finditer(text):
        start, end = mark.span()
        before, after = text[max(0, start - 1) : start], text[end : end + 1]
        if text[start] != "(" and before.isalpha() and after.isupper():
            continue
        kept += range(done, start)
        done = end
    if not done:
        return None
    kept += range(done, len(text))
    return "".join([text[at] for at in kept]), kept
