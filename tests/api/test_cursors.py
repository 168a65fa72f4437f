"""Pages of keys by cursor and by number, while others write."""

import base64
import json
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event

import pytest

from locframework import OPERATOR
from locframework.fields import new_id, system_clock, timestamp
from locframework.keys.records import KeyQuery, StoredKey

SORTS = ["key", "-key", "createdAt", "-createdAt", "updatedAt", "-updatedAt"]
LIMIT = 5


def walk(keys, between=lambda: None, **query):
    """The pages of a list, each behind the one before; ``between`` comes in between."""
    while True:
        answer = keys.owner.get(keys.path, query={"limit": LIMIT, **query})
        assert answer.status == 200, answer.json
        yield answer.data
        if answer.data["nextCursor"] is None:
            return
        query["cursor"] = answer.data["nextCursor"]
        between()


def walked(keys, between=lambda: None, **query):
    return [key for page in walk(keys, between, **query) for key in page["items"]]


def filled(keys, number=23):
    new = [{"key": f"m{n:02}", "values": {"en": f"Text {n}"}} for n in range(number)]
    made = keys.owner.post(f"{keys.path}/bulk", json={"keys": new}).data["results"]
    return [result["key"] for result in made]


@pytest.mark.parametrize("sort", SORTS)
def test_a_walk_lists_what_the_pages_by_number_do(keys, sort):
    filled(keys, 11)
    query = {"sort": sort, "include": "values"}

    pages = list(walk(keys, **query))

    for number, page in enumerate(pages, 1):
        by_number = {**query, "limit": LIMIT, "page": number}
        assert page["items"] == keys.owner.get(keys.path, query=by_number).data["items"]
        assert (page["page"], page["limit"], page["total"]) == (number, LIMIT, 11)
        assert page["totalIsExact"] is True
    assert len(pages) == 3


@pytest.fixture
def many(keys):
    """A project with 10,001 keys, all but one with a tag."""
    at = timestamp(system_clock())
    storage = keys.workspace.framework.storage
    storage.keys.add_keys(
        [
            StoredKey(
                id=new_id(),
                project_id=keys.project["id"],
                key=f"k{number:05}",
                description="",
                tags=("t",) if number else (),
                is_plural=False,
                screenshot_url=None,
                screenshot_file_id=None,
                key_source="main",
                created_at=at,
                updated_at=at,
            )
            for number in range(10_001)
        ]
    )
    return keys


def test_beyond_10_000_keys_the_total_is_bounded_and_pages_are_read_by_cursor(many):
    def page(**query):
        return many.owner.get(many.path, query={"limit": 200, **query})

    last, beyond = page(page=50), page(page=51)
    behind = page(cursor=last.data["nextCursor"])
    exact = page(page=51, tag="t")

    assert (last.data["total"], last.data["totalIsExact"]) == (10_000, False)
    assert last.data["items"][-1]["key"] == "k09999"
    assert (beyond.status, beyond.error["code"]) == (400, "use_cursor")
    assert "page 51" in beyond.error["message"]
    assert [key["key"] for key in behind.data["items"]] == ["k10000"]
    assert (behind.data["page"], behind.data["nextCursor"]) == (51, None)
    assert (behind.data["total"], behind.data["totalIsExact"]) == (10_000, False)
    assert (exact.data["total"], exact.data["totalIsExact"]) == (10_000, True)
    assert (exact.status, exact.data["items"]) == (200, [])
    found = walked(many, limit=200, sort="-createdAt")
    assert len({key["id"] for key in found}) == len(found) == 10_001
    statistics = many.owner.get(f"/projects/{many.project['id']}/statistics").data
    assert statistics["statistics"]["keyCount"] == 10_001


@pytest.mark.parametrize("number", [0, 1, 4, 5, 6, 10])
def test_the_last_page_has_no_cursor_and_no_page_is_empty(keys, number):
    for n in range(number):
        keys.made(key=f"k{n}")

    sizes = [len(page["items"]) for page in walk(keys)]

    assert sum(sizes) == number
    assert len(sizes) == max(1, -(-number // LIMIT))


def test_a_walk_goes_on_from_any_page_and_with_another_limit(keys):
    names = [key["key"] for key in filled(keys)]
    second = keys.owner.get(keys.path, query={"page": 2, "limit": 4}).data

    query = {"cursor": second["nextCursor"], "limit": 7}
    third = keys.owner.get(keys.path, query=query).data

    assert [key["key"] for key in third["items"]] == names[8:15]
    assert (third["page"], third["limit"]) == (3, 7)


def test_a_walk_meets_every_condition(keys):
    filled(keys)
    keys.put(filled(keys)[0], "de", "Text 1 auf Deutsch")

    found = walked(keys, search="text 1", languageCode="de", status="untranslated")

    assert [key["key"] for key in found] == ["m01", *(f"m{n}" for n in range(10, 20))]


class Writers:
    """Others, who write at random; ``touched`` are the keys that they did it to."""

    def __init__(self, shop, branch, seed):
        self._shop = shop
        self._branch = branch
        self._chance = random.Random(seed)
        self._numbers = count()
        self._trash = []
        self.touched = set()

    def __call__(self):
        steps = [self._make, self._edit, self._rename, self._delete, self._restore]
        for step in self._chance.choices(steps, k=4):
            step()

    def _make(self):
        letter = self._chance.choice("amz")
        made = self._shop.create(self._branch, key=f"{letter}.new{next(self._numbers)}")
        self.touched.add(made["id"])

    def _edit(self):
        self._shop.write(self._one(), "de", f"Text {next(self._numbers)}", self._branch)

    def _rename(self):
        name = f"{self._chance.choice('amz')}.moved{next(self._numbers)}"
        assert self._shop.patch(self._one(), self._branch, key=name).status == 200

    def _delete(self):
        key = self._one()
        assert self._shop.delete(key, self._branch).status == 200
        self._trash.append(key)

    def _restore(self):
        query = {"branch": self._branch} if self._branch else {}
        if self._trash:
            key = self._trash.pop(0)
            path = f"{self._shop.path}/keys/{key['id']}/restore"
            assert self._shop.owner.post(path, query=query).status == 200

    def _one(self):
        query = {"limit": 200}
        if self._branch:
            query["branch"] = self._branch
        found = self._shop.owner.get(f"{self._shop.path}/keys", query=query).data
        key = self._chance.choice(found["items"])
        self.touched.add(key["id"])
        return key


@pytest.mark.parametrize("branch", [None, "spring"])
@pytest.mark.parametrize("sort", SORTS)
def test_a_walk_lists_each_key_that_nobody_touches_once_and_in_order(
    shop, sort, branch
):
    filled(shop.keys)
    query = {"branch": branch} if branch else {}
    whole = {"sort": sort, "limit": 200, **query}
    before = shop.owner.get(shop.keys.path, query=whole).data["items"]
    writers = Writers(shop, branch, seed=SORTS.index(sort))

    found = [key["id"] for key in walked(shop.keys, writers, sort=sort, **query)]

    untouched = [key["id"] for key in before if key["id"] not in writers.touched]
    assert [id_ for id_ in found if id_ not in writers.touched] == untouched
    assert len(untouched) >= 3
    if sort.endswith("createdAt"):
        assert len(found) == len(set(found))


def test_on_a_branch_what_main_writes_and_what_is_copied_moves_nothing(shop):
    made = filled(shop.keys)
    pages = walk(shop.keys, branch="spring", sort="createdAt")
    first = [key["id"] for key in next(pages)["items"]]
    last = next(key for key in made if key["id"] == first[-1])

    shop.write(last, "de", "Nur hier", "spring")  # the key that the cursor names
    shop.delete(made[0])
    shop.create(key="a.first")
    rest = [key["id"] for page in pages for key in page["items"]]

    ids = [shop.pay["id"], shop.title["id"], *(key["id"] for key in made)]
    assert [*first, *rest][: len(ids)] == ids


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt"])
@pytest.mark.parametrize("branch", [None, "spring"])
def test_a_merge_moves_no_key_in_the_order_in_which_they_were_made(shop, branch, sort):
    for name in ("b1", "b2", "b3"):
        shop.create("spring", key=name)
    for name in ("m1", "m2", "m3"):
        shop.create(key=name)
    query = {"branch": branch} if branch else {}
    pages = walk(shop.keys, sort=sort, limit=3, **query)
    first = next(pages)["items"]

    assert shop.merge(closeAfter=False).status == 200
    rest = [key for page in pages for key in page["items"]]

    names = [key["key"] for key in [*first, *rest]]
    there = ["checkout.pay", "title", "b1", "b2", "b3", "m1", "m2", "m3"]
    if branch is None:  # those of the branch were not on main all the time
        there = [name for name in there if name[0] != "b"]
        names = [name for name in names if name[0] != "b"]
    assert names == (there if sort == "createdAt" else there[::-1])


def test_walks_hold_beside_threads_that_write(shop):
    kept = {key["id"] for key in filled(shop.keys, 60)}
    done = Event()

    def write(number):
        for turn in count():
            key = shop.create(key=f"{'amz'[turn % 3]}.{number}.{turn}")
            shop.write(key, "de", "neu")
            if turn % 2:
                shop.delete(key)
            if done.is_set():
                return turn
        raise AssertionError

    with ThreadPoolExecutor(3) as pool:
        writing = [pool.submit(write, number) for number in range(3)]
        try:
            for sort in SORTS * 2:
                found = [key["id"] for key in walked(shop.keys, sort=sort)]
                assert len([id_ for id_ in found if id_ in kept]) == len(kept)
                assert kept <= set(found)
        finally:
            done.set()
        assert sum(turns.result() for turns in writing) > 0


def test_python_walks_by_the_same_cursors(shop):
    filled(shop.keys)
    framework = shop.workspace.framework
    names = [key["key"] for key in walked(shop.keys)]
    query = KeyQuery(limit=LIMIT)
    found = []
    while True:
        page = framework.keys.list_keys(OPERATOR, shop.keys.project["id"], query)
        found += [key.key for key in page.items]
        if page.next_cursor is None:
            break
        query = KeyQuery(limit=LIMIT, cursor=page.next_cursor)

    assert found == names


def encoded(text):
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def made_up(*members):
    return encoded(json.dumps(members))


def decoded(cursor):
    return json.loads(base64.urlsafe_b64decode(cursor + "=="))


@pytest.mark.parametrize(
    "cursor",
    [
        "!",
        "a",
        "abc",
        "é",
        "x" * 2000,
        made_up(),
        made_up("x", "a", "b"),
        made_up("x", "a", 7, 2),
        made_up("x", "a", "b", 0),
        made_up("x", "a", "b", 2**64),
        made_up("x", "a", "b", True),
        made_up("x", "a\0", "b", 2),
        made_up("x", "a", "\0", 2),
        made_up("x", "\ud800", "b", 2),
        made_up("x", "a", "b", 2, 3),
        encoded('["x","a","b",2,' + "[" * 1000),
        encoded("[" * 1400),
        made_up("x", "a", "b", 2),
    ],
)
def test_what_is_no_cursor_of_the_list_is_refused(keys, cursor):
    answer = keys.owner.get(keys.path, query={"cursor": cursor})

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == "query.cursor"
    assert "cursor" in answer.error["message"]


@pytest.mark.parametrize("query", [{"cursor": ""}, {"cursor": "x" * 2001}])
def test_a_cursor_has_a_length(keys, query):
    answer = keys.owner.get(keys.path, query=query)

    assert answer.status == 400
    assert answer.error["details"][0]["path"] == "query.cursor"


def test_a_cursor_and_the_number_of_a_page_do_not_go_together(keys):
    filled(keys)
    cursor = keys.owner.get(keys.path, query={"limit": 5}).data["nextCursor"]

    answer = keys.owner.get(keys.path, query={"cursor": cursor, "page": 2})

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == "query.page"


def test_a_cursor_of_the_longest_name_can_be_sent_back(keys):
    long = "k" * 500
    for name in (long, "z"):
        keys.made(key=name)

    assert [key["key"] for key in walked(keys, limit=1)] == [long, "z"]


def test_one_who_makes_a_cursor_up_is_at_another_place_and_no_more(keys):
    filled(keys, 3)
    page = keys.owner.get(keys.path, query={"limit": 1}).data
    mark = decoded(page["nextCursor"])[0]

    def answered(name, id_, number):
        cursor = made_up(mark, name, id_, number)
        query = {"limit": 1, "cursor": cursor}
        return keys.owner.get(keys.path, query=query).data

    found = answered("m00z", "'; DROP TABLE keys; --", 2**53)

    assert [key["key"] for key in found["items"]] == ["m01"]
    assert found["page"] == decoded(found["nextCursor"])[3] == 2**53
    assert answered("m", "", 7)["items"][0]["key"] == "m00"


@pytest.mark.parametrize(
    "other",
    [
        {"sort": "-key"},
        {"sort": "createdAt"},
        {"search": "m"},
        {"tag": "x"},
        {"branch": "spring"},
        {"languageCode": "de"},
        {"updatedSince": "2020-01-01T00:00:00Z"},
    ],
)
def test_a_cursor_is_of_the_list_that_was_asked_for(shop, other):
    filled(shop.keys)
    path = shop.keys.path
    cursor = shop.owner.get(path).data["nextCursor"]
    cursor = cursor or shop.owner.get(path, query={"limit": 5}).data["nextCursor"]

    refused = shop.owner.get(path, query={"cursor": cursor, **other})
    fits = shop.owner.get(path, query={"cursor": cursor, "include": "values"})

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    message = "is from another list: only limit and include may change between pages"
    assert refused.error["message"] == f"query.cursor: {message}"
    assert fits.status == 200


def test_a_cursor_of_another_project_is_of_another_list(keys):
    filled(keys)
    cursor = keys.owner.get(keys.path, query={"limit": 5}).data["nextCursor"]
    other = keys.workspace.project()

    refused = keys.owner.get(f"/projects/{other['id']}/keys", query={"cursor": cursor})

    assert refused.status == 400


def test_a_wrong_cursor_is_told_before_a_branch_that_there_is_not(keys):
    answer = keys.owner.get(keys.path, query={"cursor": "!", "branch": "nope"})

    assert (answer.status, answer.error["details"][0]["path"]) == (400, "query.cursor")


def test_a_page_with_values_is_of_one_moment(keys):
    """Plurals that are turned while it is read change the key and its values at once"""
    for n in range(30):
        keys.made(key=f"k{n:02}", values={"en": "x", "de": "y"})
    key = keys.owner.get(keys.path, query={"limit": 200}).data["items"][-1]
    done = Event()

    def turn():
        is_plural = False
        while not done.is_set():
            is_plural = not is_plural
            body = {"isPlural": is_plural}
            keys.owner.patch(f"{keys.path}/{key['id']}", json=body)

    with ThreadPoolExecutor(1) as pool:
        turning = pool.submit(turn)
        try:
            for _ in range(60):
                query = {"limit": 200, "include": "values", "sort": "-key"}
                found = keys.owner.get(keys.path, query=query).data["items"][0]
                forms = {value["pluralForm"] for value in found["values"]}
                assert forms == ({"other"} if found["isPlural"] else {None})
        finally:
            done.set()
        turning.result()
