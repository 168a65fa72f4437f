"""An engine for tests, and runs with it."""

from decimal import Decimal

from locframework import hookimpl
from locframework.ports import Translated, Translations, TranslatorInfo


class Scripted:
    """An engine that answers what a test says, and counts what it is asked."""

    name = "scripted"

    def __init__(self):
        self.batches = []
        self.answer = self.upper
        self.most_items = 100
        self.price = Decimal(0)
        self.pairs = None

    @hookimpl
    def loc_provide_translators(self):
        return [self]

    def describe(self):
        return TranslatorInfo(
            "scripted", "Scripted", pairs=self.pairs, most_items=self.most_items
        )

    def estimate(self, batch):
        return self.price * len(batch.items)

    def translate(self, batch, seconds):
        self.batches.append(batch)
        return self.answer(batch)

    def upper(self, batch):
        return Translations(
            {
                item.id: Translated(
                    tuple(p.upper() if isinstance(p, str) else p for p in item.pieces)
                )
                for item in batch.items
            },
            self.estimate(batch),
        )


def run(shop, project, **body):
    body = {"languageCodes": ["de"], **body}
    asked = shop.owner.post(f"/projects/{project['id']}/ai/translate", json=body)
    assert asked.status == 202, asked
    return shop.job_of(asked)


def outcomes(shop, project, job):
    path = f"/projects/{project['id']}/jobs/{job['id']}/outcomes"
    return [
        (each["key"], each["languageCode"], each["outcome"], each["reason"])
        for each in shop.owner.get(path).data["items"]
    ]


def values(shop, project, code="de"):
    items = shop.owner.get(
        f"/projects/{project['id']}/keys", query={"include": "values"}
    ).data["items"]
    return {
        (item["key"], value["pluralForm"]): (value["value"], value["status"])
        for item in items
        for value in item["values"]
        if value["languageCode"] == code
    }
