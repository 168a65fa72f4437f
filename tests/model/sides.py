"""Main, a branch, and what both came from: what was changed, and how tags unite."""

from __future__ import annotations

from typing import Any

from .texts import Fields, is_form, places


def changed_fields(base: Fields, main: Fields, mine: Fields) -> list[Any]:
    """Where the branch says what neither main nor the base says, or has plurals and
    forms against main."""
    odds = at_odds(base, main, mine)
    return [
        field
        for field in {**base, **main, **mine}
        if field in odds or mine.get(field) not in (base.get(field), main.get(field))
    ]


def at_odds(base: Fields, main: Fields, mine: Fields) -> set[Any]:
    """The plurals and all forms, where one side turned them off and the other wrote a
    form; so it is with two keys of one name."""
    if not main or not mine or main["isPlural"] == mine["isPlural"]:
        return set()
    if base and not base["isPlural"]:
        return set()
    plural = main if main["isPlural"] else mine
    forms = {place for place in places(plural) if is_form(place)}
    written = any(plural[place] != base.get(place) for place in forms)
    return {"isPlural", *forms} if written else set()


def united(base: Any, main: Any, mine: Any) -> tuple[str, ...]:
    if main == base:
        return tuple(mine)
    kept = [tag for tag in main if tag in mine or tag not in base]
    both = dict.fromkeys([*kept, *(tag for tag in mine if tag not in base)])
    return tuple(mine) if mine != base and {*both} == {*mine} else tuple(both)


def base_tags(base: Any, main: Any, mine: Any) -> tuple[str, ...]:
    """Main's, but for each that the branch added or took away: it is as it was."""
    own = {tag for tag in {*base, *mine} if (tag in base) != (tag in mine)}
    theirs = [tag for tag in main if tag not in own or tag in base]
    return (*theirs, *(tag for tag in base if tag in own and tag not in main))
