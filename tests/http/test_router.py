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


@pytest.fixture
def router() -> Router:
    return Router(PATHS, lambda template: {"GET": print})


@pytest.mark.parametrize(
    ("path", "template", "parameters"),
    [
        ("/things", "/things", {}),
        ("/things/7", "/things/{thing_id}", {"thing_id": "7"}),
        ("/things/latest", "/things/latest", {}),
        ("/things/latest/parts", "/things/latest/parts", {}),
        (
            "/things/7/parts/8",
            "/things/{thing_id}/parts/{part_id}",
            {"thing_id": "7", "part_id": "8"},
        ),
    ],
)
def test_a_path_is_found_with_its_parameters(
    router: Router, path: str, template: str, parameters: dict[str, str]
) -> None:
    found = router.find(path)

    assert found is not None
    assert found[1:] == ({"GET": print}, parameters, template)


def test_what_begins_like_a_text_and_goes_on_otherwise_is_a_parameter(
    router: Router,
) -> None:
    found = router.find("/things/latest/owner")

    assert found is not None
    assert found[2:] == ({"thing_id": "latest"}, "/things/{thing_id}/owner")


@pytest.mark.parametrize(
    "path", ["", "/", "/other", "/things/7/8", "/things/7/parts", "/things/7/parts/8/9"]
)
def test_another_path_is_not_found(router: Router, path: str) -> None:
    assert router.find(path) is None


def test_apps_with_the_same_paths_answer_by_their_own_responders() -> None:
    own = [{"GET": print}, {"GET": input}]
    routers = [
        Router(["/things/{thing_id}"], lambda _, each=each: each) for each in own
    ]

    found = [router.find("/things/7") for router in routers]

    assert [each and each[1]["GET"] for each in found] == [print, input]


def test_paths_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match=r"/things/\{id\}/others: .*conflicts"):
        Router([*PATHS, "/things/{id}/others"], lambda template: {})


def test_the_responders_of_a_path_are_made_once_and_no_others() -> None:
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
