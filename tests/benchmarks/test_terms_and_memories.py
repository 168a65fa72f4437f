"""Terms found in texts; files of terms and entries; what memories learn and fill."""

import csv
import io
import re
from xml.parsers import expat
from xml.sax.saxutils import escape

import pytest
import segments as corpus
import stock
from measuring import Stopwatch, in_turns, rounds

from locframework.fields import new_id
from locframework.http.records import Upload
from locframework.languages import fold

TEXTS = 100
AT_ONCE = 500  # keys a request
LEARNED = 10_000  # keys at most: what a key costs does not hang on how many there are


def made(shop, kind):
    """The path of a new glossary or memory."""
    body = {
        "name": f"Bench {new_id()}",
        "sourceLanguage": "en",
        "languageCodes": ["de"],
    }
    if kind == "glossaries":
        body.pop("languageCodes")
    [record] = shop.workspace.owner.post(f"/{kind}", json=body).data.values()
    return f"/{kind}/{record['id']}"


def imported(shop, path, content):
    """Seconds of the request and its job."""
    upload = Upload("file", content, "application/octet-stream")
    watch = Stopwatch()
    with watch:
        sent = shop.workspace.owner.post(f"{path}/import", files={"file": upload})
        job = shop.workspace.job_of(sent)
    assert job["status"] == "succeeded", job
    return watch.seconds


def terms_of(size):
    """So many terms of one to three words that stand in real texts."""
    found = {}
    for text in corpus.segments(size):
        words = re.findall(r"[^\W\d_]{3,}", text)
        for at in range(len(words)):
            found.setdefault(fold(" ".join(words[at : at + 1 + at % 3])))
        if len(found) >= size:
            break
    terms = list(found)[:size]
    return terms + [f"term number {at}" for at in range(size - len(terms))]


def test_terms_in_texts(shop, size, table):
    """The request in process, and a loop of one regular expression for each term."""
    owner, glossary = shop.workspace.owner, made(shop, "glossaries")
    project = f"/projects/{shop.workspace.project()['id']}"
    owner.put(f"{project}{glossary}")
    terms = terms_of(size)
    lines = "\n".join(["term,de", *(f"{term},x {term}" for term in terms)])
    built = imported(shop, glossary, lines.encode())
    texts = list(dict.fromkeys(corpus.queries(TEXTS, 10_000)))
    is_plain = re.compile(r"[a-z0-9 .,;:!?'\"()]+", re.IGNORECASE).fullmatch

    def ask():
        return owner.post(f"{project}/glossary/matches", json={"texts": texts})

    first = in_turns(1, first=lambda: ask() and None)["first"]
    patterns = [re.compile(rf"\b{re.escape(term)}\b", re.IGNORECASE) for term in terms]

    def search():
        return {
            text: [hit.span() for each in patterns if (hit := each.search(text))]
            for text in texts
        }

    found = ask().data["matches"]
    for text, spans in search().items():
        ours = [(each["start"], each["end"]) for each in found[text]]
        # in ours, or in the longer term that stands there; a regular expression
        # looks into placeholders and tags, and knows the words of some scripts alone
        for start, end in spans if is_plain(text) else ():
            assert any(start < until and begin < end for begin, until in ours), text
    taken = in_turns(3, ours=lambda: ask() and None)["ours"]
    peer = in_turns(1, peer=lambda: search() and None)["peer"]
    name = f"terms in {len(texts)} texts"
    table.add(name, shop.kind, size, taken, ("a regex a term", peer), ratio_most=0.05)
    table.add("the same, first time", shop.kind, size, first)
    rows = ("csv.reader", in_turns(3, read=lambda: len(rows_of(lines)))["read"])
    table.add("terms from CSV", shop.kind, size, built * 1000, rows)


def tbx_of(size):
    one = """<termEntry><langSet xml:lang="en"><tig><term>{0}</term></tig></langSet>
<langSet xml:lang="de"><tig><term>x {0}</term></tig></langSet></termEntry>"""
    concepts = "\n".join(one.format(escape(term)) for term in terms_of(size))
    return f"""<?xml version="1.0"?><martif type="TBX" xml:lang="en"><text><body>
{concepts}</body></text></martif>""".encode()


def tmx_of(size):
    one = '<tu><prop type="x-context">{0}</prop>{1}</tu>'
    said = '<tuv xml:lang="{0}"><seg>{1}</seg></tuv>'
    units = "\n".join(
        one.format(
            at,
            said.format("en", escape(text)) + said.format("de", escape(f"de {text}")),
        )
        for at, text in enumerate(usual(size))
    )
    return f"""<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>
{units}</body></tmx>""".encode()


def csv_of(size):
    file = io.StringIO()
    write = csv.writer(file)
    write.writerow(["context", "en", "de"])
    write.writerows([at, text, f"de {text}"] for at, text in enumerate(usual(size)))
    return file.getvalue().encode()


def usual(size):
    """Segments without the signs that XML cannot hold."""
    odd = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
    return [odd.sub("", text).strip() or "-" for text in corpus.segments(size)]


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def parse(content):
    """The bare parser, with a handler for each thing that we look at."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: None
    parser.EndElementHandler = lambda name: None
    parser.CharacterDataHandler = lambda text: None
    parser.Parse(content, True)


@pytest.mark.parametrize("what", ["TBX", "TMX", "CSV"])
def test_files(shop, size, what, table):
    """Upload, request and job, until the rows are committed; and the bare reading."""
    write = {"TBX": tbx_of, "TMX": tmx_of, "CSV": csv_of}
    content, kind = write[what](size), "translation-memories"
    kind = "glossaries" if what == "TBX" else kind
    taken = [imported(shop, path := made(shop, kind), content) for _ in range(rounds())]
    there = "terms" if what == "TBX" else "entries"
    assert shop.workspace.owner.get(f"{path}/{there}").data["total"] == size
    read = {"read": lambda: parse(content)}
    if what == "CSV":
        read = {"read": lambda: rows_of(content.decode()) and None}
    peer = (
        "csv.reader" if what == "CSV" else "bare expat",
        in_turns(3, **read)["read"],
    )
    table.add(f"{there} from {what}", shop.kind, size, min(taken) * 1000, peer)


def test_learning_and_filling(shop, size, table):
    """Keys with approved texts in bulk, with a memory that learns and without; then
    the texts of another project filled from it, beside writing them in bulk."""
    if size > LEARNED:
        pytest.skip(f"as for {LEARNED}")
    owner, memory = shop.workspace.owner, made(shop, "translation-memories")

    def project(mode):
        path = f"/projects/{shop.workspace.project(languages=['de'])['id']}"
        if mode is not None:
            assert owner.put(f"{path}{memory}", json={"writeMode": mode}).status == 200
        return path

    def write(path, *codes):
        watch = Stopwatch()
        for first in range(0, size, AT_ONCE):
            keys = [
                {
                    "key": stock.key_name(at),
                    "values": {code: f"{stock.text(at, code)} {at}" for code in codes},
                }
                for at in range(first, min(size, first + AT_ONCE))
            ]
            with watch:
                answer = owner.post(f"{path}/keys/bulk", json={"keys": keys})
            assert answer.status < 300, answer
        return watch.seconds

    alone = write(project(None), "en", "de")
    taught = write(project("approved"), "en", "de")
    total = owner.get(f"{memory}/entries", query={"limit": 1}).data["total"]
    assert total == size
    peer = ("without a memory", alone * 1000)
    table.add("approved texts, learned", shop.kind, size, taught * 1000, peer)

    empty = project("none")
    write(empty, "en")
    watch = Stopwatch()
    with watch:
        body = {"languageCodes": ["de"]}
        job = shop.workspace.job_of(owner.post(f"{empty}/tm/prefill", json=body))
    assert job["status"] == "succeeded", job
    counts = owner.get(f"{empty}/statistics").data["statistics"]["languages"]
    assert [each["draft"] for each in counts if each["languageCode"] == "de"] == [size]
    table.add("filled from a memory", shop.kind, size, watch.seconds * 1000, peer)
