"""One end for many steps."""

from time import monotonic


class Deadline:
    """A moment, ``seconds`` from now, that every step has to keep."""

    def __init__(self, seconds: float) -> None:
        self._ends = monotonic() + seconds

    def left(self, most: float | None = None) -> float:
        """The seconds that a step may take, ``most`` at most. TimeoutError at 0."""
        left = self._ends - monotonic()
        if left <= 0:
            raise TimeoutError
        return left if most is None else min(left, most)
