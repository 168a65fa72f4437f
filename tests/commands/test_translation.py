"""``locframework translate``."""

import json

from locframework import OPERATOR
from locframework.keys.records import NewKey


def test_missing_texts_are_drafted(command, framework, project, keys):
    framework.keys.create_key(OPERATOR, project.id, NewKey("a", values={"en": "Save"}))
    framework.keys.create_key(
        OPERATOR, project.id, NewKey("b", values={"en": "Close {x}", "de": "Zu {x}"})
    )

    dry = command("translate", "--language", "de", "--dry-run")
    before = keys()
    result = command("translate", "--language", "de", "--json")
    again = command("translate", "--language", "de", "--replace-drafts")

    assert dry.stdout == "dry run: de: 1 text translated, 1 skipped, 0 failed\n"
    assert before["a"] == {"en": "Save"}
    assert json.loads(result.stdout)["job"]["result"]["translated"] == 1
    assert keys()["a"]["de"] == "[Šàṽé ··]"
    assert keys()["b"]["de"] == "Zu {x}"
    assert again.stdout == "de: 1 text translated, 1 skipped, 0 failed\n"


def test_a_text_that_fails_is_told_with_its_reason(command, framework, project):
    new = NewKey("a", values={"en": "{n, plural, one {x}"})
    framework.keys.create_key(OPERATOR, project.id, new)

    result = command("translate", "--language", "de")

    assert result.exit_code == 1
    assert "Failed: a in de: {n, plural, has no end" in result.stderr
    assert result.stdout == "de: 0 texts translated, 0 skipped, 1 failed\n"
