"""Matches are those that scoring every entry would give, however few are looked at."""

import random
from operator import itemgetter

import pytest
from msgspec.structs import replace
from rapidfuzz.distance import Levenshtein

from locframework.fields import new_id
from locframework.memories.matching import scoring, search
from locframework.memories.matching.port import Wanted
from locframework.memories.matching.records import MatchValue
from locframework.memories.matching.scoring import Question, folds_of, match_fold, score
from locframework.memories.matching.search import find_matches
from locframework.memories.records import AssignedMemory, Assignment, Penalties
from locframework.testing.contracts.matchers import percent_of, sentences
from locframework.testing.contracts.storage_memories import memory

from .rows import TAGS, Plain, Rows


@pytest.mark.parametrize("seed", range(12))
def test_matches_are_those_of_scoring_every_entry(seed, monkeypatch):
    chosen, rows = random.Random(seed), Rows()
    for module, name in (
        (search, "FIRST_HITS"),
        (search, "MORE_HITS"),
        (search, "MORE_HITS_TOGETHER"),
        (scoring, "HITS_PER_MATCH"),
    ):
        few = chosen.choice((getattr(module, name), chosen.randint(1, 30)))
        monkeypatch.setattr(module, name, few)
    monkeypatch.setattr(search, "STEP", chosen.choice((2, 10)))
    memories = {}
    for penalty in chosen.choice(((0, 3), (2, 2), (0, 90))):
        least = chosen.choice((0, 50, 75))
        points = Penalties(*chosen.choice(((2, 1, 1), (0, 0, 0), (5, 0, 1))))
        of = replace(memory(), min_match_percentage=least, penalties=points)
        use = Assignment(of.id, True, "none", chosen.choice((0, penalty)), penalty)
        memories[of.id] = AssignedMemory(of, use)
        rows.fill(of.id, chosen)
    texts = [*sentences("Latin", 8, 4), "Save the file", "save the files."]
    asked = [Question(text, context) for text in texts for context in ("", "a")]
    only_approved = chosen.random() < 0.3

    found = find_matches(
        Plain(),
        rows,
        rows,
        memories,
        [
            Wanted(id_, max(1, each.memory.min_match_percentage))
            for id_, each in memories.items()
        ],
        {each: match_fold(each.text) for each in asked},
        TAGS,
        only_approved=only_approved,
    )

    if only_approved:
        rows.values = [each for each in rows.values if each[1].status == "approved"]
    for each in asked:
        for tag in TAGS:
            told = [match.entry_id for match in found[each].get(tag, [])]
            assert told == every(each, tag, memories, rows), (each, tag)


def found_of(rows, texts, tags, matcher=None):
    """The matches of texts in a memory of these rows, without penalties of its own."""
    of = memory()
    use = Assignment(of.id, True, "none", 0, 0)
    sources = rows.sources.items()
    rows.change(of.id, {id_: match_fold(each.source_text) for id_, each in sources})
    found = find_matches(
        matcher or Plain(),
        rows,
        rows,
        {of.id: AssignedMemory(of, use)},
        [Wanted(of.id, 70)],
        {Question(text): match_fold(text) for text in texts},
        tags,
    )
    return {asked.text: matches for asked, matches in found.items()}


def test_a_text_in_many_contexts_is_asked_for_once():
    rows, matcher, of = Rows(), Plain(), memory()
    for at in range(1000):
        rows.add(new_id(), "Save the file", de=f"de {at % 5}")
    rows.change(of.id, dict.fromkeys(rows.sources, "save the file"))
    use = Assignment(of.id, True, "none", 0, 0)

    for count in (1, 40):
        asked = [Question("Save the file", str(at)) for at in range(count)]
        found = find_matches(
            matcher,
            rows,
            rows,
            {of.id: AssignedMemory(of, use)},
            [Wanted(of.id, 70)],
            dict.fromkeys(asked, "save the file"),
            ["de"],
        )
        assert {len(each["de"]) for each in found.values()} == {5}

    half = len(matcher.asked) // 2
    assert matcher.asked[:half] == matcher.asked[half:]


def test_a_match_is_found_behind_any_number_of_equal_ones_without_the_language():
    rows = Rows()
    for id_ in (ids := [new_id() for _ in range(4000)]):
        rows.add(id_, "Save the file", de="de x")
    last = max(ids)
    rows.values.append((last, MatchValue("fr", "fr x", "approved")))

    found = found_of(rows, ["Save the file"], ["fr"])

    assert [each.entry_id for each in found["Save the file"]["fr"]] == [last]


def test_nothing_more_is_looked_for_in_a_language_without_any_value():
    rows, matcher = Rows(), Plain()
    for at in range(500):
        rows.add(new_id(), f"Save the file {at}", de=str(at))

    found = found_of(rows, ["Save the file 0"], ["fr"], matcher)

    assert not found["Save the file 0"].get("fr")
    assert matcher.asked == [search.FIRST_HITS]


def test_hits_that_cannot_be_among_the_ten_are_not_looked_for():
    rows, matcher = Rows(), Plain()
    for at in range(3000):  # some 50 are one edit away, thousands are two and more
        rows.add(new_id(), f"Save the file {at:05}", de=str(at))

    found = found_of(rows, ["Save the file 00007", "Copy"], ["de"], matcher)

    assert len(found["Save the file 00007"]["de"]) == 10
    assert matcher.told < 200


def test_values_are_read_of_those_alone_that_may_be_among_the_ten():
    rows = Rows()
    for at in range(40):
        said = dict.fromkeys(TAGS, str(at))
        rows.add(new_id(), f"Save all files of the folder {'x' * at}", **said)

    found = found_of(rows, [text := "Save all files of the folder"], [*TAGS])

    assert {len(each) for each in found[text].values()} == {10}
    assert rows.read == 10 * len(TAGS)


def test_of_many_alike_entries_values_are_read_until_the_ten_are_known():
    rows = Rows()
    for at in range(900):
        rows.add(new_id(), "Save the file", de=f"de {at // 3}")

    found = found_of(rows, ["Save the file"], ["de"])

    assert len(found["Save the file"]["de"]) == 10
    assert rows.read < 200


def test_of_entries_that_say_the_same_one_is_read():
    rows = Rows()
    for _ in range(900):  # the same text all over, in contexts of its own
        rows.add(new_id(), "Save the file", de="x", fr="y")
    for at in range(30):
        rows.add(new_id(), f"Save the file {at:02}", de=f"x {at}", fr=f"y {at}")

    found = found_of(rows, ["Save the file"], ["de", "fr"])

    assert [len(found["Save the file"][tag]) for tag in ("de", "fr")] == [10, 10]
    assert rows.read <= 10 * 2


def test_sources_are_read_of_those_alone_that_may_be_among_the_ten():
    rows = Rows()
    for at in range(12):  # one edit away
        rows.add(new_id(), f"Save the file 0{at:02x}", de=str(at))
    for at in range(2000):  # two and more
        rows.add(new_id(), f"Save the file {at + 10_000}", de=f"x {at}")

    found = found_of(rows, ["Save the file 00"], ["de"])

    assert len(found["Save the file 00"]["de"]) == 10
    assert rows.weighed <= 50


def test_what_is_written_between_answer_and_snapshot_counts():
    rows = Rows()
    rows.add(changed := new_id(), "save the file", de="alt")
    rows.add(gone := new_id(), "Save the file", de="weg")

    class Interrupted(Plain):
        def find(self, *asked):
            found = super().find(*asked)
            rows.values = [(changed, MatchValue("de", "neu", "approved"))]
            rows.sources[changed] = replace(
                rows.sources[changed], source_text="Save the file."
            )
            del rows.sources[gone]
            [of] = rows.texts
            rows.change(of, {gone: None, changed: "save the file"})
            return found

    found = found_of(rows, ["Save the file"], ["de"], Interrupted())

    told = [(e.source_text, e.value) for e in found["Save the file"]["de"]]
    assert told == [("Save the file.", "neu")]


def every(asked, tag, memories, rows):
    """The ten best, by scoring all."""
    folds = folds_of(asked.text)
    ranked = []
    for entry_id, said in rows.values:
        [of] = [id_ for id_ in memories if entry_id in rows.texts[id_]]
        entry, least = rows.sources[entry_id], memories[of].memory
        use, source = memories[of].assignment, folds_of(entry.source_text)
        raw = percent_of(folds.full, source.full, Levenshtein.distance)
        points = memories[of].memory.penalties
        given = score(folds, source, raw, points, use.penalty, Levenshtein.distance)
        shown = raw and given.match_percentage >= least.min_match_percentage
        if said.language_code == tag and shown:
            rank = (
                -given.match_percentage,
                entry.context != asked.context,
                use.priority,
                said.status != "approved",
                -int(entry.updated_at[9]),  # the day, in which alone they differ
                entry_id,
            )
            ranked.append((rank, entry_id, said.value))
    values = {}
    for _, entry_id, value in sorted(ranked, key=itemgetter(0)):
        values.setdefault(value, entry_id)
    return list(values.values())[:10]
