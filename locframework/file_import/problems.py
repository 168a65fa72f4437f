"""What makes a file unreadable, listed by line, and what is left out of it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from locframework.errors import Problem, UnreadableFile

PROBLEMS_LIMIT = 50  # of a file; reading ends there
KINDS_LIMIT = 50  # of what is left out; more are counted together


class Problems:
    """Collects the problems of a file, and refuses it when there are many."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def add(self, line: int, rule: str, message: str) -> None:
        """Raise UnreadableFile at the 50th."""
        self._problems.append(Problem(f"line {line}", rule, message))
        if len(self._problems) >= PROBLEMS_LIMIT:
            self.raise_any()

    def add_refusal(self, refusal: UnreadableFile) -> None:
        """Add the problem that ended the reading of the file."""
        if isinstance(refusal.details, list):
            self._problems += refusal.details

    def raise_any(self) -> None:
        """Raise UnreadableFile if there are problems; ``details`` lists them."""
        if self._problems:
            raise UnreadableFile.of(self._problems)


def unreadable(line: int, rule: str, message: str) -> UnreadableFile:
    """Return the refusal of a file with one problem."""
    return UnreadableFile.of([Problem(f"line {max(line, 1)}", rule, message)])


class LeftOut:
    """Counts what a file has and there is no place for here, by kind."""

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def add(self, kinds: Iterable[str]) -> None:
        for kind in kinds:
            is_new = kind not in self._counts and len(self._counts) >= KINDS_LIMIT
            self._counts["what is of other kinds" if is_new else kind] += 1

    def warnings(self) -> Iterator[str]:
        """Yield one warning for each kind, the most frequent first."""
        for kind, count in self._counts.most_common():
            places = "place" if count == 1 else "places"
            yield f"{kind}: left out in {count:,} {places}"
