"""Folds texts: what differs in letter case, or in how accents are spelt, is equal."""

import re
import unicodedata

_DOTTED_I = re.compile("i\u0307+")


def fold(text: str) -> str:
    """``text`` as search compares it: NFC and Unicode's full case folding.

    ``\u0130`` is ``i``: what it has more than ``I`` is no accent, but case. So
    ``STRASSE`` is ``straße``, and ``istanbul`` is ``İstanbul``, in any language.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFC", text).casefold()
    if "\u0307" in folded:
        folded = _DOTTED_I.sub("i", folded)
    return unicodedata.normalize("NFC", folded)  # folding may leave parts to compose


def fold_white_space(text: str) -> str:
    """Runs of white space to one space, none at the ends."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """As concordance and lists by name compare it (decisions 2.5.1): accents count,
    case and how wide white space is do not."""
    return fold_white_space(fold(text))
