"""The translator speaks version 2 of DeepL's API, and survives a server's faults."""

import re
from decimal import Decimal
from functools import partial

import msgspec
import pytest
from locframework_translators_deepl import DeeplPlugin, DeeplSettings, code_of

from locframework.ports import (
    Refused,
    Translated,
    TranslationBatch,
    TranslationItem,
    TranslatorFailed,
)
from locframework.testing.contracts.translators import (
    API_KEY,
    EngineServerContract,
    batch_of,
    failure_of,
    open_engine,
)
from locframework.testing.receiver import answering, replying


def answer_of(*texts, **more):
    return msgspec.json.encode({"translations": [{"text": t, **more} for t in texts]})


def deepl(request):
    """What DeepL answers, in capitals: of XML alone what is text."""
    assert request.path == "/v2/translate"
    sent = msgspec.json.decode(request.body)
    assert len(request.body) <= 128 * 1024
    assert len(sent["text"]) <= 50
    shouted = [
        re.sub(r"(<x [^>]*>|&[a-z]+;)|(.)", lambda m: m[1] or m[2].upper(), text)
        for text in sent["text"]
    ]
    return 200, answer_of(*shouted, billed_characters=2)


server = partial(open_engine, DeeplPlugin, path="/v2", price="20")


def sent(receiver):
    return [msgspec.json.decode(each.body) for each in receiver.received]


@pytest.fixture(scope="module")
def obedient(tmp_path_factory):
    with server(tmp_path_factory.mktemp("server"), replying(deepl)) as (made, _):
        yield made


class TestDeepl(EngineServerContract):
    @pytest.fixture
    def translator(self, obedient):
        return obedient

    @pytest.fixture
    def open_engine(self):
        return server


def test_the_request_is_as_documented(tmp_path):
    more = {
        "formality": "prefer_less",
        "glossaries": {"en:pt": "g1", "en:de": "g2"},
    }
    item = TranslationItem("1", (0, " a<b & c"), ("{n}",), description="On a button")
    with server(tmp_path, replying(deepl), **more) as (translator, receiver):
        batch = TranslationBatch("en-GB", "pt-BR", (item,))
        answer = translator.translate(batch, 30)

    assert receiver.received[0].header("authorization") == f"DeepL-Auth-Key {API_KEY}"
    assert sent(receiver) == [
        {
            "text": ['<x id="0"/> a&lt;b &amp; c'],
            "source_lang": "EN",
            "target_lang": "PT-BR",
            "tag_handling": "xml",
            "ignore_tags": ["x"],
            "outline_detection": False,
            "preserve_formatting": True,
            "show_billed_characters": True,
            "context": "On a button",
            "formality": "prefer_less",
            "glossary_id": "g1",
        }
    ]
    assert answer.outcomes == {"1": Translated((0, " A<B & C"))}


@pytest.mark.parametrize(
    ("language", "code"),
    [
        *(("de", "DE"), ("de-AT", "DE"), ("no", "NB"), ("nb", "NB"), ("sr-Latn", "SR")),
        *(("en", "EN-US"), ("en-US", "EN-US"), ("en-GB", "EN-GB"), ("en-AU", "EN-GB")),
        *(("pt", "PT-BR"), ("pt-BR", "PT-BR"), ("pt-PT", "PT-PT"), ("pt-AO", "PT-PT")),
        *(("zh", "ZH-HANS"), ("zh-Hans-CN", "ZH-HANS"), ("zh-Hant", "ZH-HANT")),
        *(("zh-TW", "ZH-HANT"), ("es-419", "ES-419"), ("es-MX", "ES")),
    ],
)
def test_targets_have_the_codes_of_deepl(language, code):
    assert code_of(language) == code


def test_a_setting_overrides_the_code_of_a_target(tmp_path):
    more = {"languages": {"en": "EN-GB"}}
    with server(tmp_path, replying(deepl), **more) as (translator, receiver):
        translator.translate(batch_of("Sparen", pair=("no", "en")), 30)

    assert [(s["source_lang"], s["target_lang"]) for s in sent(receiver)] == [
        ("NB", "EN-GB")
    ]


def test_texts_are_grouped_by_their_context(tmp_path):
    items = (
        TranslationItem("1", ("a",), description="x"),
        TranslationItem("2", ("b",), message="b"),
        TranslationItem("3", ("c",), description="x", message=" c "),
        TranslationItem("4", ("d",), message="{n, select, other {d}}"),
    )
    with server(tmp_path, replying(deepl)) as (translator, receiver):
        answer = translator.translate(TranslationBatch("en", "de", items), 30)

    assert [(s["text"], s.get("context")) for s in sent(receiver)] == [
        (["a", "c"], "x"),
        (["b"], None),
        (["d"], "{n, select, other {d}}"),
    ]
    assert {id_: each.pieces for id_, each in answer.outcomes.items()} == {
        "1": ("A",),
        "2": ("B",),
        "3": ("C",),
        "4": ("D",),
    }


def test_what_was_translated_is_kept_where_a_later_request_fails(tmp_path):
    items = tuple(TranslationItem(n, (n,), description=n) for n in ("1", "2", "3"))
    batch = TranslationBatch("en", "de", items)
    with server(tmp_path, replying(deepl), answering(500)) as (translator, receiver):
        answer = translator.translate(batch, 30)
        with pytest.raises(TranslatorFailed):
            translator.translate(batch, 30)

    assert set(answer.outcomes) == {"1"}
    assert len(receiver.received) == 3


def test_what_was_paid_for_nothing_is_counted_where_a_later_request_fails(tmp_path):
    items = tuple(TranslationItem(n, (n,), description=n) for n in ("1", "2"))
    batch = TranslationBatch("en", "de", items)
    useless = answering(200, body=answer_of("X", "Y"))
    with server(tmp_path, useless, answering(500)) as (translator, _):
        with pytest.raises(TranslatorFailed) as caught:
            translator.translate(batch, 30)
        most = translator.estimate(batch)

    assert caught.value.cost == most / 2


def test_the_cost_is_what_is_billed_and_never_over_the_estimate(tmp_path):
    bodies = [
        answer_of("X", billed_characters=3),
        answer_of("X", billed_characters=10**9),
        answer_of("X"),
    ]
    behaviours = [answering(200, body=body) for body in bodies]
    with server(tmp_path, *behaviours) as (translator, _):
        costs = [translator.translate(batch_of("Save"), 30).cost for _ in bodies]
        most = translator.estimate(batch_of("Save"))

    assert most == Decimal(20) * 4 / 1_000_000
    assert costs == [most * 3 / 4, most, most]


@pytest.mark.parametrize("texts", [(), ("X",), ("X", "Y", "Z")])
def test_an_answer_with_fewer_or_more_texts_is_none(tmp_path, texts):
    with server(tmp_path, answering(200, body=answer_of(*texts))) as (translator, _):
        assert translator.translate(batch_of("Save", "Close"), 30).outcomes == {}


@pytest.mark.parametrize(
    ("behaviour", "retry_after", "reason"),
    [
        (answering(400, body=b'{"message": "no \'XX\'"}'), None, "no 'XX'"),
        (answering(456), None, "quota"),
        (answering(529), 5, "529"),
    ],
)
def test_a_refusal_costs_nothing_and_says_why(tmp_path, behaviour, retry_after, reason):
    with server(tmp_path, behaviour) as (translator, _):
        failed = failure_of(translator, batch_of("Save"))

    assert (failed.retry_after, failed.cost) == (retry_after, 0)
    assert reason in failed.reason


def test_a_batch_that_is_too_large_is_asked_for_in_parts(tmp_path):
    with server(tmp_path, answering(413)) as (translator, _):
        both = translator.translate(batch_of("Save", "Close"), 30).outcomes
        one = translator.translate(batch_of("Save"), 30).outcomes

    assert both == {}
    assert isinstance(one["0"], Refused)


def test_an_account_needs_a_key_and_shows_none():
    with pytest.raises(msgspec.ValidationError, match="api_key"):
        msgspec.convert({}, DeeplSettings)
    assert API_KEY not in repr(DeeplSettings(api_key=API_KEY))
