"""Runs of machine translation that are killed at random: no text is lost, and none is
paid over the budget."""

import random
import re
from collections import Counter
from decimal import Decimal
from time import sleep

import msgspec
import pytest

from locframework.testing.receiver import NETWORK, open_receiver, replying

pytestmark = pytest.mark.kill

ROUNDS = 5
KILLS_OF_A_ROUND = 10
KEYS = 180
ITEMS = 3  # of a call
LANGUAGES = ("de", "fr")  # a run of each, at the same time
PRICE_INPUT, PRICE_OUTPUT = Decimal(2), Decimal(8)  # of a million tokens
CALLS, SECONDS = (1, 8), (0, 0.04)
"""How long a process works before it is killed: so many calls, and some time."""
PAIR = re.compile(r"from (\S+) to (\S+) \(")


class CountingProvider:
    """A server with OpenAI's API that notes what it was asked for, and its price."""

    def __init__(self, rng):
        self._rng = rng
        self.paid = {code: [] for code in LANGUAGES}  # texts of a call, and its price

    @property
    def calls(self):
        return sum(map(len, self.paid.values()))

    def reply(self, request):
        body = msgspec.json.decode(request.body)
        system, document = (each["content"] for each in body["messages"])
        items = msgspec.json.decode(document)["items"]
        tokens_in = len(request.body) // self._rng.choice((1, 3, 4))
        tokens_out = self._rng.randint(1, body["max_tokens"])
        cost = (tokens_in * PRICE_INPUT + tokens_out * PRICE_OUTPUT) / 1_000_000
        language = PAIR.search(system)[2]
        self.paid[language].append(([item["text"] for item in items], cost))
        sleep(self._rng.uniform(0, 0.02))
        texts = [{"id": i["id"], "text": translated(i["text"])} for i in items]
        content = msgspec.json.encode({"items": texts}).decode()
        usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
        choices = [{"message": {"content": content}}]
        return 200, msgspec.json.encode({"choices": choices, "usage": usage})


def translated(text):
    return text.upper()


class Shop:
    """Servers that translate with the provider, and are killed."""

    def __init__(self, world, receiver):
        self.world = world
        engine = {
            "url": f"http://127.0.0.1:{receiver.port}/v1",
            "model": "counting",
            "allowed_networks": [NETWORK],
            "allowed_ports": [receiver.port],
            "price_input": str(PRICE_INPUT),
            "price_output": str(PRICE_OUTPUT),
            "most_items": ITEMS,
        }
        plugins = {
            "peewee": {"database": world.url},
            "disk": {"folder": str(world.blobs)},
            "rapidfuzz": {"folder": str(world.blobs.with_name("matching"))},
            "openai": engine,
        }
        self.settings = {"translator": "openai", "plugins": plugins}
        self.texts = {f"k{n}": f"Text {words(n)}" for n in range(KEYS)}
        self.project = world.workspace.project(languages=LANGUAGES)
        self.path = f"/projects/{self.project['id']}"
        keys = [{"key": k, "values": {"en": t}} for k, t in self.texts.items()]
        world.workspace.owner.post(f"{self.path}/keys/bulk", json={"keys": keys})

    def start(self):
        return self.world.start(settings=self.settings)

    def translate(self, server, code, **more):
        """Start a run, and return its path."""
        body = {"languageCodes": [code], **more}
        owner = self.world.owner(server)
        job = owner.post(f"{self.path}/ai/translate", body).data["job"]
        return f"{self.path}/jobs/{job['id']}"

    def job(self, path):
        return self.world.workspace.owner.get(path).data["job"]

    def outcomes(self, path):
        query = {"limit": 200}
        found = self.world.workspace.owner.get(f"{path}/outcomes", query=query)
        return found.data["items"]

    def stored(self, code):
        """The texts of the language by key."""
        query = {"include": "values", "limit": 200}
        found = self.world.workspace.owner.get(f"{self.path}/keys", query=query)
        return {
            key["key"]: value["value"]
            for key in found.data["items"]
            for value in key["values"]
            if value["languageCode"] == code
        }


def words(number):
    """The number in letters: it is no placeholder."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:03}")


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_runs_killed_at_random_lose_no_text_and_keep_their_budget(
    world, tmp_path, seed
):
    rng = random.Random(seed)
    provider = CountingProvider(rng)
    with open_receiver(tmp_path, replying(provider.reply, is_plain=True)) as receiver:
        shop = Shop(world, receiver)
        server = shop.start()
        dry = shop.translate(server, "de", dryRun=True)
        estimate = Decimal(world.owner(server).end_of_job(dry)["result"]["cost"])
        budget = round(estimate * Decimal(rng.uniform(0.2, 1)), 6)
        runs = {
            "de": shop.translate(server, "de"),
            "fr": shop.translate(server, "fr", maxCost=str(budget)),
        }
        kills = 0
        while not all(shop.job(run)["finishedAt"] for run in runs.values()):
            if kills == KILLS_OF_A_ROUND:
                for run in runs.values():
                    world.owner(server).end_of_job(run)
                break
            calls = provider.calls + rng.randint(*CALLS)
            world.wait_until(lambda calls=calls: provider.calls >= calls)
            sleep(rng.uniform(*SECONDS))
            server.kill()
            kills += 1
            server = shop.start()
        server.stop()

    world.check_database()
    assert kills == KILLS_OF_A_ROUND
    for code, run in runs.items():
        result, outcomes = shop.job(run)["result"], shop.outcomes(run)
        assert Counter(each["key"] for each in outcomes) == Counter([*shop.texts])
        counts = Counter(each["outcome"] for each in outcomes)
        assert counts == +Counter(
            {kind: result[kind] for kind in ("translated", "skipped", "failed")}
        )
        done = {e["key"] for e in outcomes if e["outcome"] == "translated"}
        assert shop.stored(code) == {key: translated(shop.texts[key]) for key in done}

        calls = provider.paid[code]
        paid = sum(cost for _, cost in calls)
        texts = Counter(text for texts, _ in calls for text in texts)
        assert {shop.texts[key] for key in done} <= {*texts}
        assert texts.total() - len(texts) <= kills * ITEMS
        last = {tuple(texts): cost for texts, cost in calls}
        assert paid - sum(last.values()) <= Decimal(result["paidAgain"])
        assert paid <= Decimal(result["cost"])
        if code == "de":
            assert len(done) == KEYS
        else:
            reasons = {e["reason"] for e in outcomes if e["outcome"] == "failed"}
            assert reasons <= {"over_budget"}
            assert Decimal(result["cost"]) <= budget
