"""How many connections each serving process has: who has the fewest takes the next."""

from mmap import mmap

_BYTES = 8
_NOBODY = 2**62  # serves there: this seat never has the fewest


class Tally:
    """The numbers of all processes, in memory that they share by fork()."""

    def __init__(self, processes: int) -> None:
        self._numbers = memoryview(mmap(-1, processes * _BYTES)).cast("q")
        for seat in range(processes):
            self.clear(seat)

    def clear(self, seat: int) -> None:
        """Nobody serves there now."""
        self._numbers[seat] = _NOBODY

    def share(self, seat: int) -> "Share":
        return Share(self._numbers, seat)


class Share:
    """One process's number among the others."""

    def __init__(self, numbers: memoryview, seat: int) -> None:
        self._numbers = numbers
        self._seat = seat

    def tell(self, connections: int) -> None:
        self._numbers[self._seat] = connections

    @property
    def is_least(self) -> bool:
        """Whether no other process has fewer connections."""
        mine: int = self._numbers[self._seat]
        return mine <= min(self._numbers)
