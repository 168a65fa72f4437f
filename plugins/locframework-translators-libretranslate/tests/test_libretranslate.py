"""The translator speaks LibreTranslate's API, and survives a server's faults."""

from functools import partial
from html.parser import HTMLParser

import msgspec
import pytest
from locframework_translators_libretranslate import LibretranslatePlugin

from locframework.ports import Translated, TranslationBatch
from locframework.testing.contracts.translators import (
    API_KEY,
    EngineServerContract,
    batch_of,
    failure_of,
    item_of,
    open_engine,
)
from locframework.testing.receiver import answering, replying


class Shouting(HTMLParser):
    """HTML as a server writes it anew, its texts in capitals."""

    def __init__(self, html):
        super().__init__()
        self.written = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = "".join(f' {name}="{value}"' for name, value in attrs)
        self.written += f"<{tag}{given}>"

    def handle_endtag(self, tag):
        self.written += f"</{tag}>"

    def handle_data(self, data):
        data = data.upper().replace("&", "&amp;")
        self.written += data.replace("<", "&lt;").replace(">", "&gt;")


def answer_of(*texts):
    return msgspec.json.encode({"translatedText": texts})


def libretranslate(request):
    """What a server answers."""
    sent = msgspec.json.decode(request.body)
    assert (request.path, sent["format"]) == ("/translate", "html")
    if sent["target"] == "yy":
        return 400, b'{"error": "yy is not supported"}'
    return 200, answer_of(*(Shouting(html).written for html in sent["q"]))


server = partial(open_engine, LibretranslatePlugin)


@pytest.fixture(scope="module")
def obedient(tmp_path_factory):
    folder, pairs = tmp_path_factory.mktemp("server"), [["en", "de"]]
    with server(folder, replying(libretranslate), pairs=pairs) as (translator, _):
        yield translator


class TestLibretranslate(EngineServerContract):
    @pytest.fixture
    def translator(self, obedient):
        return obedient

    @pytest.fixture
    def open_engine(self):
        return server


def test_the_request_is_as_documented(tmp_path):
    item = item_of("1", "a<b & ", 0, " c", placeholders=("{n}",))
    more = {"languages": {"zh-Hant": "zt"}}
    with server(tmp_path, replying(libretranslate), **more) as (translator, receiver):
        answer = translator.translate(TranslationBatch("no", "zh-Hant", (item,)), 30)
        translator.translate(batch_of("a", pair=("en-US", "pt-BR")), 30)
    sent = [msgspec.json.decode(each.body) for each in receiver.received]

    assert sent[0] == {
        "q": ['a&lt;b &amp; <span id="m0" translate="no">X0</span> c'],
        "source": "nb",
        "target": "zt",
        "format": "html",
        "api_key": API_KEY,
    }
    assert (sent[1]["source"], sent[1]["target"]) == ("en", "pt")
    assert answer.outcomes == {"1": Translated(("A<B & ", 0, " C"))}
    assert answer.cost == 0


def test_marks_are_found_however_the_server_writes_texts_and_attributes(tmp_path):
    text = '<span id="m1" translate="no">x 1</span> &quot;A&#39;s&quot; <span id="m0">'
    with server(tmp_path, answering(200, body=answer_of(text))) as (translator, _):
        answer = translator.translate(batch_of("Save"), 30)

    assert answer.outcomes["0"].pieces == (1, ' "A\'s" <span id="m0">')


def test_a_pair_that_the_server_lacks_is_refused_for_good(tmp_path):
    with server(tmp_path, replying(libretranslate)) as (translator, _):
        failed = failure_of(translator, batch_of("Save", pair=("en", "yy")))

    assert failed.retry_after is None
    assert failed.reason.endswith("answered 400: yy is not supported")


def test_a_pair_that_the_settings_lack_is_not_asked_for(tmp_path):
    more = {"pairs": [["en", "fr"]]}
    with server(tmp_path, replying(libretranslate), **more) as (translator, receiver):
        failed = failure_of(translator, batch_of("Save"))

    assert failed.retry_after is None
    assert receiver.received == []


@pytest.mark.parametrize("texts", [(), ("X",), ("X", "Y", "Z"), ("", " ")])
def test_an_answer_with_fewer_or_more_texts_or_empty_ones_is_none(tmp_path, texts):
    with server(tmp_path, answering(200, body=answer_of(*texts))) as (translator, _):
        assert translator.translate(batch_of("Save", "Close"), 30).outcomes == {}


@pytest.mark.parametrize(
    ("behaviour", "retry_after", "reason"),
    [
        (answering(500, body=b'{"error": "Cannot translate text"}'), 5, "Cannot"),
        (answering(200, body=b'{"translatedText": "one"}'), None, "check url"),
    ],
)
def test_a_fault_says_why(tmp_path, behaviour, retry_after, reason):
    with server(tmp_path, behaviour) as (translator, _):
        failed = failure_of(translator, batch_of("Save"))

    assert (failed.retry_after, failed.cost) == (retry_after, 0)
    assert reason in failed.reason
