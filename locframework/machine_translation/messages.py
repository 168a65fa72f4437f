"""Takes messages apart, so that no engine sees what a translation must keep.

A message is what an application fills in: ICU MessageFormat, printf, i18next and so on,
with tags of HTML. An engine gets only the sentences in it, with numbers in the place of
placeholders, tags and addresses. Keywords and names of ICU messages are never sent.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from locframework.quality.scanning import (
    ARGUMENT,
    TAG,
    brace_pairs,
    flagged,
    has_branches,
    placeholders,
    styles_of,
)

Piece = str | int
"""What an engine sees: text, or a mark: the number of a placeholder."""

ARGUMENTS_LIMIT = 200  # plurals and selects of a text
DEPTH_LIMIT = 20
"""Of ICU messages within each other; what is deeper is kept as it is."""
NODES_LIMIT = 1000
"""Branches of a message: each plural within another multiplies them."""
LENGTH_FACTOR, LENGTH_FREE = 10, 200
"""An answer has at most so many times the characters of the source text, and more."""

_FORMS = frozenset(("zero", "one", "two", "few", "many", "other"))
_FIXED = re.compile(
    # addresses, entities, what stands for a percent sign, and what parts plural forms
    r"(?:https?://|\bwww\.)[^\s<>\"'{}]+"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+"
    r"|&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});|%%|\|+|[{}]"
    r"|(?<!\w)'[{}][^']*'"  # quoted, in ICU messages
)
_QUOTED_NUMBER_SIGN = re.compile(r"(?<!\w)'#[^']*'")  # in plurals of ICU messages
_SIGN = re.compile(r"[{}%<&@:!|$#_\[]|www\.")
"""In every text that has a mark; most texts have none."""
_LETTER = re.compile(r"[^\W\d_]")


class UnreadableMessage(ValueError):
    """A source text is no whole message; the message says why, for people."""


class BrokenAnswer(ValueError):
    """An engine's answer is not used; the message says why, for people."""


@dataclass(eq=False)
class Leaf:
    """One text for an engine."""

    pieces: tuple[Piece, ...]
    placeholders: list[str] = field(repr=False)  # also tags, terms: what marks are for
    plural_form: str | None = None  # of the branch that it is, in the target language
    _before: str = ""
    _after: str = ""  # white space around it
    _styles: frozenset[str] = frozenset()
    _is_plural: bool = False  # # is the number here
    _terms: frozenset[str] = frozenset()  # no marks by their form
    _is_branch: bool = False  # of an ICU message: a brace follows

    def with_answer(self, answer: Sequence[Piece], tokens: Sequence[str]) -> str:
        """Return the text of an answer. ``tokens``: what its marks stand for, as in the
        leaf but for ICU messages, which are translated themselves.

        Raises BrokenAnswer unless it has each mark once, the tags in an order that can
        be read, and nothing new that looks like one.
        """
        if not all(isinstance(piece, str | int) for piece in answer):
            raise BrokenAnswer("has pieces that are neither text nor marks")
        numbers = [piece for piece in answer if isinstance(piece, int)]
        if numbers or self.placeholders:
            self._check_marks(numbers)
        texts = "".join(piece for piece in answer if isinstance(piece, str))
        source = "".join(piece for piece in self.pieces if isinstance(piece, str))
        if not texts.strip() and source.strip():
            raise BrokenAnswer("is empty")
        if len(texts) > LENGTH_FACTOR * len(source) + LENGTH_FREE:
            raise BrokenAnswer(f"has {len(texts)} characters for {len(source)}")
        if "\0" in texts or re.search("[\ud800-\udfff]", texts):
            raise BrokenAnswer("has characters that no text may have")
        is_printf = any(token.startswith("%") for token in self.placeholders)
        if is_printf and "%" in texts and "%" not in source:
            raise BrokenAnswer("has a single % among placeholders")
        written, shown = "", ""
        for piece in self._unquoted(_trimmed(answer)):
            if isinstance(piece, int):
                written += tokens[piece]
                shown += self.placeholders[piece]
            else:
                written += piece
                shown += piece
        found = Counter(
            shown[a:b] for a, b in _spans(shown, self._styles, self._is_plural)
        )
        wanted = Counter(
            token for token in self.placeholders if token not in self._terms
        )
        if found != wanted:
            extra = ", ".join(sorted((found - wanted) or (wanted - found)))
            raise BrokenAnswer(f"has {extra} otherwise than the source")
        return self._before + written + self._after

    def _unquoted(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces with ’ for an apostrophe beside a mark or at the end of a
        branch, where ICU would take what follows as text."""
        shown = ["" if isinstance(p, str) else self.placeholders[p] for p in pieces]
        shown.append("{" if self._is_branch and not self._after else "")
        for at, piece in enumerate(pieces):
            if isinstance(piece, int):
                continue
            if piece.endswith("'") and shown[at + 1].startswith(("{", "'", "#")):
                piece = piece.rstrip("'") + "’"
            if piece.startswith("'") and at and shown[at - 1][:1] == "'":
                piece = "’" + piece.lstrip("'")
            pieces[at] = piece
        return pieces

    def _check_marks(self, numbers: Sequence[int]) -> None:
        count = len(self.placeholders)
        missing = Counter(range(count))
        missing.subtract(numbers)
        if wrong := sorted(n for n, times in missing.items() if times):
            shown = ", ".join(
                self.placeholders[n] for n in wrong if 0 <= n < len(self.placeholders)
            )
            raise BrokenAnswer(f"has {shown or 'a mark'} not once, as the source has")
        if not _is_nested(self.placeholders, numbers):
            raise BrokenAnswer("has tags in an order that cannot be read")


class _Branch(NamedTuple):
    before: str  # the selector, and what stands before its brace
    node: "_Node"


class _Argument(NamedTuple):
    head: str  # {n, plural,
    branches: list[_Branch]
    tail: str


@dataclass(eq=False)
class _Node:
    leaf: Leaf
    arguments: dict[int, _Argument]  # by the marks that stand for them
    at: int | None  # of the leaf in the message; None: nothing to translate


@dataclass(eq=False)
class Message:
    """A text as the leaves that an engine translates."""

    leaves: list[Leaf]
    _root: _Node

    def build(self, answers: Sequence[Sequence[Piece]]) -> str:
        """Return the text with an answer for each leaf. Raises BrokenAnswer."""
        return self._text(self._root, answers)

    def _text(self, node: _Node, answers: Sequence[Sequence[Piece]]) -> str:
        tokens = list(node.leaf.placeholders)
        for mark, argument in node.arguments.items():
            branches = "".join(
                f"{branch.before}{{{self._text(branch.node, answers)}}}"
                for branch in argument.branches
            )
            tokens[mark] = f"{argument.head}{branches}{argument.tail}"
        answer = node.leaf.pieces if node.at is None else answers[node.at]
        return node.leaf.with_answer(answer, tokens)


def take_apart(
    text: str,
    forms: Mapping[str, bool],
    *,
    terms: Collection[str] = (),
    flags: Collection[str] = (),
) -> Message:
    """Return the leaves of a text.

    ``forms``: the plural forms of the target language, and whether each stands for one
    number alone. A ``plural`` in an ICU message gets a branch for each, from the
    source's branch of that name, else from ``other``; so where the branch does not
    write its number, which may be another there. Branches for numbers (``=0``) stay.
    ``terms``: not to be translated, kept like placeholders. ``flags``: gettext's,
    ``python-format``. Raises UnreadableMessage.
    """
    if has_branches(text):
        pairs = brace_pairs(text)
        for number, argument in enumerate(ARGUMENT.finditer(text)):
            if number == ARGUMENTS_LIMIT:
                raise UnreadableMessage(f"it has more than {number} plurals or selects")
            if argument.start() not in pairs:
                raise UnreadableMessage(f"{argument[0]} has no end")
    found = placeholders(text) if _SIGN.search(text) else []
    styles = flagged(flags, styles_of(text, found))
    maker = _Maker(forms, styles, _term_pattern(terms))
    root = maker.node(text, None, is_plural=False, depth=0)
    return Message(maker.leaves, root)


@dataclass(eq=False)
class _Maker:
    _forms: Mapping[str, bool]
    _styles: frozenset[str]
    _terms: re.Pattern[str] | None
    leaves: list[Leaf] = field(default_factory=list)
    _nodes: int = 0

    def node(
        self, text: str, form: str | None, *, is_plural: bool, depth: int
    ) -> _Node:
        self._nodes += 1
        if self._nodes > NODES_LIMIT:
            message = f"it has more than {NODES_LIMIT} branches in the target language"
            raise UnreadableMessage(message)
        body = text.strip()
        start = text.find(body) if body else 0
        pieces: list[Piece] = []
        tokens: list[str] = []
        arguments: dict[int, _Argument] = {}
        done = 0
        marks = _spans(body, self._styles, is_plural)
        for begin, end in self._with_terms(body, marks):
            if begin > done:
                pieces.append(body[done:begin])
            token = body[begin:end]
            if depth < DEPTH_LIMIT:
                argument = self._argument(token, depth)
                if argument is not None:
                    arguments[len(tokens)] = argument
            pieces.append(len(tokens))
            tokens.append(token)
            done = end
        if done < len(body):
            pieces.append(body[done:])
        leaf = Leaf(
            tuple(pieces),
            tokens,
            form,
            text[:start],
            text[start + len(body) :],
            self._styles,
            is_plural,
            frozenset(tokens).difference(body[a:b] for a, b in marks),
            _is_branch=depth > 0,
        )
        has_words = any(isinstance(p, str) and _LETTER.search(p) for p in pieces)
        node = _Node(leaf, arguments, len(self.leaves) if has_words else None)
        if has_words:
            self.leaves.append(leaf)
        return node

    def _with_terms(
        self, text: str, spans: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        if self._terms is None:
            return spans
        free, done = [], 0
        for begin, end in [*spans, (len(text), len(text))]:
            free += [term.span() for term in self._terms.finditer(text, done, begin)]
            done = end
        return sorted([*spans, *free])

    def _argument(self, token: str, depth: int) -> _Argument | None:
        """Return an ICU argument with its branches; None if it is none, or cannot be
        read: then it is kept as it is."""
        head = ARGUMENT.match(token)
        if head is None:
            return None
        pairs = brace_pairs(token)
        branches: list[tuple[str, str, str]] = []  # before the brace, its name, text
        done = head.end()
        for begin in sorted(pairs):
            end, parent = pairs[begin]
            if parent != 0:
                continue
            before = token[done:begin]
            if not before.split():
                return None
            branches.append((before, before.split()[-1], token[begin + 1 : end]))
            done = end + 1
        if not branches or (
            branches[-1][1] != "other"
            and "other" not in [name for _, name, _ in branches]
        ):
            return None
        is_plural = head[2] != "select"
        if head[2] == "plural":
            branches = self._of_language(branches)
        made = [
            _Branch(
                before,
                self.node(
                    text,
                    name if is_plural else None,
                    is_plural=is_plural,
                    depth=depth + 1,
                ),
            )
            for before, name, text in branches
        ]
        return _Argument(token[: head.end()], made, token[done:])

    def _of_language(
        self, branches: Sequence[tuple[str, str, str]]
    ) -> list[tuple[str, str, str]]:
        """Return the branches that the target language has, in the place of the
        source's."""
        names = {name: text for _, name, text in branches}
        forms = [form for form in self._forms if form != "other"]
        found: list[tuple[str, str, str]] = []
        for before, name, text in branches:
            if name not in _FORMS:
                found.append((before, name, text))
            elif name == "other":
                for form in forms:
                    if form not in names:
                        head = before.replace("other", form)
                        found.append((head, form, text))
                found.append((before, name, text))
            elif name in forms:
                has_number = "#" in text or "#" not in names["other"]
                is_right = has_number or self._forms[name]
                found.append((before, name, text if is_right else names["other"]))
        if found and found[0][1] != branches[0][1]:  # what stands before the first
            lead = branches[0][0].rpartition(branches[0][1])[0]
            if "offset" in lead:
                before, name, text = found[0]
                found[0] = (
                    lead + name + branches[0][0].rpartition(branches[0][1])[2],
                    name,
                    text,
                )
        return found


def _spans(text: str, styles: frozenset[str], is_plural: bool) -> list[tuple[int, int]]:
    """Return where the marks of a text are, none within another, in order."""
    if not _SIGN.search(text):
        return []
    found = sorted(_every_span(text, styles, is_plural), key=lambda s: (s[0], -s[1]))
    spans: list[tuple[int, int]] = []
    done = 0
    for begin, end in found:
        if begin >= done:
            spans.append((begin, end))
            done = end
    return spans


def _every_span(
    text: str, styles: frozenset[str], is_plural: bool
) -> Iterator[tuple[int, int]]:
    for begin, (end, parent) in brace_pairs(text).items():
        if parent == -1:
            yield begin, end + 1
    for each in placeholders(text, styles):
        if not each.is_branch:
            yield each.start, each.end
    if "<" in text:
        yield from (tag.span() for tag in TAG.finditer(text))
    yield from (fixed.span() for fixed in _FIXED.finditer(text))
    if is_plural and "#" in text:
        yield from (quoted.span() for quoted in _QUOTED_NUMBER_SIGN.finditer(text))
        yield from ((at, at + 1) for at, sign in enumerate(text) if sign == "#")


def _is_nested(tokens: Sequence[str], numbers: Sequence[int]) -> bool:
    """Return whether tags open and close as in the source: each pair around the same
    things or others, but none across another's end."""
    pairs: dict[int, int] = {}  # of closing marks: what they close
    opened: list[tuple[int, str]] = []
    names: Counter[str] = Counter()  # of those that are open
    for number, token in enumerate(tokens):
        tag = TAG.fullmatch(token)
        if tag is None or tag[3]:
            continue
        if not tag[1]:
            opened.append((number, tag[2]))
            names[tag[2]] += 1
        elif names[tag[2]]:
            name = ""
            while name != tag[2]:
                pairs[number], name = opened.pop()
                names[name] -= 1
    open_now: list[int] = []
    begins = set(pairs.values())
    for number in numbers:
        if number in begins:
            open_now.append(number)
        elif number in pairs and (not open_now or open_now.pop() != pairs[number]):
            return False
    return True


def _trimmed(answer: Sequence[Piece]) -> list[Piece]:
    """Return the pieces without white space at the beginning and at the end."""
    pieces = [piece for piece in answer if piece != ""]
    if pieces and isinstance(pieces[0], str):
        pieces[0] = pieces[0].lstrip()
    if pieces and isinstance(pieces[-1], str):
        pieces[-1] = pieces[-1].rstrip()
    return pieces


def _term_pattern(terms: Collection[str]) -> re.Pattern[str] | None:
    if not terms:
        return None
    names = "|".join(map(re.escape, sorted(terms, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)
