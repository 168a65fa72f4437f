"""Folds texts: what differs in letter case, or in how accents are spelt, is equal."""

import unicodedata


def fold(text: str) -> str:
    """``text`` as search compares it: NFC, case folded."""
    return unicodedata.normalize("NFC", text).casefold()
