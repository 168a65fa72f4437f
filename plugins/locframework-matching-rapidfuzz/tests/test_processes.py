"""Three processes share one index; each knows what any of them was told to change."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from locframework.testing.contracts.matcher_samples import WORDS, entries, sentences

sys.path.insert(0, str(Path(__file__).parent))

from child import SegmentsInFile

TURNS = 12


@pytest.fixture
def children(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Three processes over the file ``texts`` and the folder ``index``."""
    arguments = [str(tmp_path / "texts"), str(tmp_path / "index")]
    command = [sys.executable, str(Path(__file__).parent / "child.py"), *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    started = [subprocess.Popen(command, text=True, **pipes) for _ in range(3)]  # type: ignore[call-overload]
    yield started
    for child in started:
        child.stdin.close()
        child.wait(timeout=30)


def ask(children: list[subprocess.Popen[str]], least: int, texts: list[str]) -> None:
    """All of them at once; each compares its answer with that of all entries."""
    for child in children:
        assert child.stdin is not None
        child.stdin.write(json.dumps([least, texts]) + "\n")
        child.stdin.flush()
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "right\n"


def test_all_of_three_processes_answer_as_brute_force_after_any_change(
    children: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    chosen = random.Random(11)
    segments = SegmentsInFile(str(tmp_path / "texts"))
    for turn in range(TURNS):
        script = list(WORDS)[turn % len(WORDS)]
        there = list(segments.texts())
        changes = entries(sentences(script, chosen.choice((3, 60, 300)), turn))
        edited = chosen.sample(there, k=len(there) // 9)
        changes |= dict(zip(edited, sentences(script, len(edited), -turn), strict=True))
        changes |= dict.fromkeys(chosen.sample(there, k=len(there) // 12))
        segments.change(changes)
        some = chosen.sample(children, k=chosen.randint(1, 3))

        ask(some, chosen.randint(50, 100), sentences(script, 5, 100 + turn))
    ask(children, 60, [text for script in WORDS for text in sentences(script, 2, 77)])


def test_an_index_that_is_removed_meanwhile_is_made_again(
    children: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    segments = SegmentsInFile(str(tmp_path / "texts"))
    segments.change(entries(sentences("Latin", 200, 1)))
    asked = sentences("Latin", 4, 2)
    ask(children, 60, asked)

    for file in (tmp_path / "index").rglob("*.*"):
        file.unlink()

    segments.change(entries(sentences("Latin", 5, 3)))
    ask(children, 60, asked)
