"""Apertium keeps the contract, and really translates from Spanish into Catalan."""

import os
import shutil

import pytest
from locframework_translators_apertium import (
    ApertiumPlugin,
    ApertiumSettings,
    ApertiumTranslator,
)

from locframework.ports import TranslationBatch, TranslationItem, TranslatorFailed
from locframework.testing.contracts.translators import TranslatorContract

HAS_APERTIUM = shutil.which("apertium") and os.path.exists(
    "/usr/share/apertium/modes/spa-cat.mode"
)
IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"
needs_apertium = pytest.mark.skipif(
    not HAS_APERTIUM and not IS_REQUIRED,
    reason="needs apt-get install apertium cg3 apertium-lex-tools apertium-spa-cat",
)


@pytest.fixture
def translator():
    return ApertiumTranslator(ApertiumSettings())


@needs_apertium
class TestApertium(TranslatorContract):
    pair = ("es", "ca")

    @pytest.fixture
    def translator(self):
        return ApertiumTranslator(ApertiumSettings())


def test_without_the_program_a_text_fails_and_says_why(tmp_path):
    (tmp_path / "spa-cat.mode").touch()
    settings = ApertiumSettings(str(tmp_path / "nothing"), str(tmp_path))
    [translator] = ApertiumPlugin(settings).loc_provide_translators()
    batch = TranslationBatch("es", "ca", (TranslationItem("1", ("Hola",)),))

    with pytest.raises(TranslatorFailed, match="No such file or directory") as failed:
        translator.translate(batch, 5)

    assert failed.value.retry_after is None


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("sleep 60", "took too long"),
        ("echo no dictionary >&2; exit 1", "failed: no dictionary"),
        ("echo cg-proc: not found >&2", "failed: cg-proc: not found"),
    ],
)
def test_a_program_that_hangs_or_fails_is_told(tmp_path, script, reason):
    program = tmp_path / "apertium"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    (tmp_path / "spa-cat.mode").touch()
    translator = ApertiumTranslator(ApertiumSettings(str(program), str(tmp_path)))
    batch = TranslationBatch("es", "ca", (TranslationItem("1", ("Hola",)),))

    with pytest.raises(TranslatorFailed, match=reason):
        translator.translate(batch, 0.5)


def test_an_empty_answer_is_a_refusal(tmp_path):
    program = tmp_path / "apertium"
    program.write_text("#!/bin/sh\nprintf '.[][\\n]'\n")
    program.chmod(0o755)
    (tmp_path / "rus-ukr.mode").touch()
    translator = ApertiumTranslator(ApertiumSettings(str(program), str(tmp_path)))
    batch = TranslationBatch("ru", "uk", (TranslationItem("1", ("Сохраните файл",)),))

    [outcome] = translator.translate(batch, 5).outcomes.values()

    assert outcome.reason == "Apertium gave no text"


def test_pairs_are_those_of_the_folder(tmp_path):
    for name in ("spa-cat", "spa-cat_valencia", "eng-hbs_HR", "nob-nno", "xx-yy_zz_q"):
        (tmp_path / f"{name}.mode").touch()

    info = ApertiumTranslator(ApertiumSettings(modes=str(tmp_path))).describe()

    assert {("es", "ca"), ("en", "hr"), ("nb", "nn")} <= set(info.pairs)
