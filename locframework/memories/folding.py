"""Folds texts as matching compares them."""

from locframework.languages import folded

# What ends or halts a sentence, in the scripts that have marks of their own for it.
# Brackets, quotes, per cent and the like carry meaning and stay.
TRAILING_PUNCTUATION = ".,:;!?…‥·。、，．：；！？｡､،؛؟۔।॥՝՞՜։፡።፣፤፥፦፧၊။។៕༎༏།꓿"

_PUNCTUATION_AND_SPACE = TRAILING_PUNCTUATION + " "


def cut_punctuation(text: str) -> tuple[str, str]:
    """A text, folded in white space, without its trailing punctuation, and the cut.

    White space before and between the marks goes with them (French ``Quoi ?``). A
    text of nothing else stays whole: ``?`` is not ``!``.
    """
    kept = text.rstrip(_PUNCTUATION_AND_SPACE)
    return (kept, text[len(kept) :]) if kept else (text, "")


def cut_marks(text: str) -> str:
    """The text without the marks at its end; white space stays, each as it is."""
    return text.rstrip(TRAILING_PUNCTUATION) or text


def match_fold(text: str) -> str:
    """What matching compares (decisions 2.5.4): folded, less the punctuation."""
    return cut_punctuation(folded(text))[0]
