"""Gives locframework the translator ``apertium``, which runs Apertium's program."""

import os
import re
import signal
import subprocess
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from msgspec import Struct

from locframework import hookimpl
from locframework.ports import (
    Piece,
    Refused,
    Translated,
    TranslationBatch,
    Translations,
    Translator,
    TranslatorFailed,
    TranslatorInfo,
    locale_tag,
)

__all__ = ["ApertiumPlugin", "ApertiumSettings", "ApertiumTranslator"]

# Apertium's stream format: what means something there, and what it passes on unread
_SPECIAL = re.compile(r"[\\\[\]{}^$/<>@]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_MARK = re.compile(r"\[#(n|\d+)#\]")
_END = ".[][\n]"  # of a text: a sentence ends there, and the next one begins
_NAMES = {"hbs_BS": "bs", "hbs_HR": "hr", "hbs_SR": "sr"}  # of languages, by Apertium


class ApertiumSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where Apertium is."""

    program: str = "apertium"
    modes: str = "/usr/share/apertium/modes"  # the folder with its pairs of languages


class ApertiumTranslator:
    """The port Translator over one process for each call."""

    name = "apertium"

    def __init__(self, settings: ApertiumSettings) -> None:
        self._program = settings.program
        self._folder = Path(settings.modes)

    def describe(self) -> TranslatorInfo:
        """The pairs that are installed."""
        return TranslatorInfo(
            self.name,
            "Apertium",
            pairs=tuple(sorted(self._modes)),
            most_items=200,
            most_characters=50_000,
        )

    def estimate(self, batch: TranslationBatch) -> Decimal:
        """It costs nothing."""
        return Decimal(0)

    def translate(self, batch: TranslationBatch, seconds: float) -> Translations:
        """Translate all texts in one process."""
        pair = batch.source_language, batch.target_language
        if pair not in self._modes:
            raise TranslatorFailed("Apertium has no mode from {} into {}".format(*pair))
        texts = "".join(f"{_encoded(item.pieces)}{_END}" for item in batch.items)
        found = self._run(self._modes[pair], texts, seconds).split("[][\n]")[:-1]
        if len(found) != len(batch.items):
            return Translations({})  # so that each is asked for in a smaller batch
        return Translations(
            {
                item.id: _outcome(_decoded(text.removesuffix(".")))
                for item, text in zip(batch.items, found, strict=True)
            }
        )

    def _run(self, mode: str, texts: str, seconds: float) -> str:
        command = [self._program, "-u", "-f", "none", mode]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # to end all programs that it starts
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
            )
        except OSError as error:
            raise TranslatorFailed(f"{self._program}: {error.strerror}") from None
        with process:
            try:
                output, errors = process.communicate(texts.encode(), seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise TranslatorFailed("Apertium took too long", 1.0) from None
        if process.returncode or (errors and not output):
            first = errors.decode(errors="replace").strip().partition("\n")[0]
            raise TranslatorFailed(f"Apertium failed: {first or process.returncode}")
        return output.decode(errors="replace")

    @cached_property
    def _modes(self) -> dict[tuple[str, str], str]:
        """The names of modes by pair; a variety of a language is one of its own."""
        found: dict[tuple[str, str], str] = {}
        for path in sorted(self._folder.glob("*-*.mode"), reverse=True):
            source, _, target = path.stem.partition("-")
            tags = [_NAMES.get(name) or locale_tag(name) for name in (source, target)]
            if None not in tags:
                found[str(tags[0]), str(tags[1])] = path.stem
        return found


def _encoded(pieces: tuple[Piece, ...]) -> str:
    return "".join(
        f"[#{piece}#]"
        if isinstance(piece, int)
        else "[#n#]".join(_SPECIAL.sub(r"\\\g<0>", line) for line in piece.split("\n"))
        for piece in pieces
    )


def _decoded(text: str) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for at, part in enumerate(_MARK.split(text)):
        is_mark = at % 2 == 1
        if is_mark and part != "n":
            pieces.append(int(part))
        elif part:
            pieces.append("\n" if is_mark else _ESCAPED.sub(r"\1", part))
    return tuple(pieces)


def _outcome(pieces: tuple[Piece, ...]) -> Translated | Refused:
    """Apertium may succeed with nothing."""
    if "".join(piece for piece in pieces if isinstance(piece, str)).strip():
        return Translated(pieces)
    return Refused("Apertium gave no text")


class ApertiumPlugin:
    """The plugin ``apertium``; starts nothing before a text is to be translated."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = ApertiumSettings

    def __init__(self, settings: ApertiumSettings) -> None:
        self._translator = ApertiumTranslator(settings)

    @hookimpl
    def loc_provide_translators(self) -> list[Translator]:
        """One translator, of the pairs that are installed."""
        return [self._translator]
