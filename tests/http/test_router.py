"""The router finds the one path that is meant, and its parameters."""

from __future__ import annotations

import pytest

from locframework.http.dispatch import Responder, Router

PATHS = [
    "/things",
    "/things/latest",
    "/things/latest/parts",
    "/things/{thing_id}",
    "/things/{thing_id}/owner",
    "/things/{thing_id}/parts/{part_id}",
]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/things", ({}, "/things")),
        ("/things/latest", ({}, "/things/latest")),
        ("/things/latest/owner", ({"thing_id": "latest"}, "/things/{thing_id}/owner")),
        ("/things/7", ({"thing_id": "7"}, "/things/{thing_id}")),
        ("/things/7/8", None),
        ("/other", None),
    ],
)
def test_a_path_is_found_with_its_parameters_and_text_goes_before_them(path, found):
    route = Router(PATHS, lambda template: {"GET": print}).find(path)

    assert (route and route[2:]) == found


def test_apps_with_the_same_paths_answer_by_their_own_responders():
    own = [{"GET": print}, {"GET": input}]
    routers = [
        Router(["/things/{thing_id}"], lambda _, each=each: each) for each in own
    ]

    found = [router.find("/things/7") for router in routers]

    assert [each and each[1]["GET"] for each in found] == [print, input]


def test_paths_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match=r"/things/\{id\}/others: .*conflicts"):
        Router([*PATHS, "/things/{id}/others"], lambda template: {})


def test_the_responders_of_a_path_are_made_once_and_no_others():
    made: list[str] = []

    def responders_of(template: str) -> dict[str, Responder]:
        made.append(template)
        return {"GET": print}

    router = Router(PATHS, responders_of)

    before = list(made)
    found = [router.find(path) for path in ("/things/7", "/things/8")]
    assert before == []
    assert made == ["/things/{thing_id}"]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0][1] is found[1][1]
