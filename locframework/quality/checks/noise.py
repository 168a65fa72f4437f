"""What stands in a text and is not language: placeholders, tags, addresses."""

import re

from .scanning import has_signs

_NOISE = re.compile(
    # possessive: the zeros of "%000" are flags and digits, in as many ways as there are
    r"%(?:\d++\$|\([^()]{1,100}\))?[-+#0,']*+\d*+(?:\.\d++)?l{0,2}[a-zA-Z@]"
    r"|\{[^{}]*\}"
    r"|</?[A-Za-z0-9][^<>]*>"
    r"|&\#?\w{1,30};"
    r"|(?:https?://|\bwww\.)\S+"
    # from where a name begins, and possessive: a long word is read once. In ASCII, as
    # Japanese puts no space before an address
    r"|(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]*+@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)+"
    r"|\$t\([^()]*\)"
)
_SIGNS = ("<", "&", "://", "@", "www.")


def blanked(text: str) -> str:
    """``text`` of the same length, with spaces instead of what is not language."""
    if not (has_signs(text) or any(sign in text for sign in _SIGNS)):
        return text
    return _NOISE.sub(lambda found: " " * len(found[0]), text)
