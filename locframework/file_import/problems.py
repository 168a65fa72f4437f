"""What makes a file unreadable, listed by line."""

from locframework.errors import Problem, UnreadableFile

PROBLEMS_LIMIT = 50  # of a file; reading ends there


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
