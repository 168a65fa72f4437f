"""Gives each key the name of a Dart method, which Flutter wants keys to be."""

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from .strict_json import quoted

_RESERVED = (
    "assert|break|case|catch|class|const|continue|default|do|else|enum|extends|false|"
    "final|finally|for|if|in|is|new|null|rethrow|return|super|switch|this|throw|true|"
    "try|var|void|while|with"
)
_NAME = re.compile(rf"(?!(?:{_RESERVED})\Z)[a-z][A-Za-z0-9_]*")
_PLAIN_WORD = re.compile(r"[a-z][A-Za-z0-9_]*")
_PARTS = re.compile(r"[A-Za-z0-9_]+")


def dart_name(key: str) -> str:
    """The name for a key: itself when that is one, else its parts in camel case.

    ``cart.pay-now`` is ``cartPayNow``, ``Save`` is ``save``, ``404.title`` is
    ``k404Title``, ``continue`` is ``continue_``.
    """
    if _NAME.fullmatch(key):
        return key
    name = "".join([part[0].upper() + part[1:] for part in _PARTS.findall(key)])
    name = name[:1].lower() + name[1:]
    if _NAME.fullmatch(name):
        return name
    return name + "_" if _PLAIN_WORD.fullmatch(name) else "k" + name


def dart_names(keys: Iterable[str], warnings: list[str]) -> dict[str, str]:
    """A name for every key, no two alike, whatever the order of the keys.

    Where keys would meet in one name, the key that is this name keeps it, and the
    others get a suffix that is made from the key alone, with a warning: so no name
    comes to mean another key in another language's file.
    """
    names = {key: dart_name(key) for key in keys}
    uses = Counter(names.values())
    if len(uses) == len(names):
        return names
    for key, name in sorted(names.items()):
        if uses[name] > 1 and name != key:
            digest = sha256(key.encode()).hexdigest()
            longer = f"{name}_{digest[:8]}"
            while longer in uses:
                longer += "_"
            uses[longer] = 1
            names[key] = longer
            warnings.append(f"{quoted(key)} is named {longer!r}: {name!r} clashes")
    return names
