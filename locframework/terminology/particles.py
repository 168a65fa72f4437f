"""Cuts the particles (josa) off Korean words, which are written without a space.

Without a dictionary this is ambiguous: 회의 is a meeting, or 회 with a particle.
So particles are cut off words of terms only; those that come in pairs, only where the
sound before allows; and off a single syllable only 은, 는, 을 and 를, because many
words of two syllables end in a syllable that is a particle too.
"""

from collections.abc import Iterator
from functools import lru_cache

_SYLLABLES = range(0xAC00, 0xD7A4)
_FINALS, _L = 28, 8  # consonants that may end a syllable, none among them; ㄹ
_ANYWHERE = [
    "의", "에", "에서", "에게", "에게서", "께", "께서", "한테", "도", "만", "들",
    "까지", "부터", "조차", "마저", "처럼", "보다", "마다", "밖에", "입니다", "이다",
]  # fmt: skip
_AFTER_CONSONANTS = ["은", "을", "이", "과"]
_AFTER_VOWELS = ["는", "를", "가", "와"]
_AFTER_VOWELS_AND_L = ["로", "로서", "로써"]
_AFTER_CONSONANTS_BUT_L = ["으로", "으로서", "으로써"]
_AFTER_ONE_SYLLABLE = {"은", "는", "을", "를"}
_MOST = 3  # 파일 들 에게 는
_KEPT = 50_000


@lru_cache(maxsize=_KEPT)
def stems_of(word: str) -> tuple[str, ...]:
    """Return what may be the word without its particles, the longest first."""
    stems: list[str] = []
    last = [word]
    for _ in range(_MOST):
        last = [stem for each in last for stem in _cut(each)]
        stems += last
    return tuple(sorted(set(stems), key=len, reverse=True))


def _cut(word: str) -> Iterator[str]:
    for length in (1, 2, 3):
        stem, particle = word[:-length], word[-length:]
        if not stem or (len(stem) == 1 and particle not in _AFTER_ONE_SYLLABLE):
            continue
        if particle in _ANYWHERE or particle in _fitting(stem[-1]):
            yield stem


def _fitting(sound: str) -> list[str]:
    """Return the particles of pairs that may follow a syllable; else all."""
    if ord(sound) not in _SYLLABLES:
        pairs = _AFTER_CONSONANTS + _AFTER_VOWELS
        return pairs + _AFTER_VOWELS_AND_L + _AFTER_CONSONANTS_BUT_L
    final = (ord(sound) - _SYLLABLES.start) % _FINALS
    if final == 0:
        return _AFTER_VOWELS + _AFTER_VOWELS_AND_L
    if final == _L:
        return _AFTER_CONSONANTS + _AFTER_VOWELS_AND_L
    return _AFTER_CONSONANTS + _AFTER_CONSONANTS_BUT_L
