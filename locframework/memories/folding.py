"""Folds texts: what concordance compares, and what matching compares."""

import re
import unicodedata

_WHITE_SPACE = re.compile(r"\s+")
# What ends or halts a sentence, in the scripts that have marks of their own for it.
# Brackets, quotes, per cent and the like carry meaning and stay.
TRAILING_PUNCTUATION = ".,:;!?…‥·。、，．：；！？｡､،؛؟۔।॥՝՞՜։፡።፣፤፥፦፧၊။។៕༎༏།꓿"


def fold_case(text: str) -> str:
    """NFC and full case folding: ``STRASSE`` and ``straße`` become one."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded)  # folding may leave parts to compose


def fold_white_space(text: str) -> str:
    """Runs of white space to one space, none at the ends."""
    return _WHITE_SPACE.sub(" ", text).strip()


def folded(text: str) -> str:
    """What concordance compares (decisions 2.5.1): accents count, case does not."""
    return fold_white_space(fold_case(text))


def cut_punctuation(text: str) -> tuple[str, str]:
    """A text, folded in white space, without its trailing punctuation, and the cut.

    White space before and between the marks goes with them (French ``Quoi ?``). A
    text of nothing else stays whole: ``?`` is not ``!``.
    """
    kept = text.rstrip(TRAILING_PUNCTUATION + " ")
    return (kept, text[len(kept) :]) if kept else (text, "")


def cut_marks(text: str) -> str:
    """The text without the marks at its end; white space stays, each as it is."""
    return text.rstrip(TRAILING_PUNCTUATION) or text


def match_fold(text: str) -> str:
    """What matching compares (decisions 2.5.4): folded, less the punctuation."""
    return cut_punctuation(folded(text))[0]
