"""What Python code may hand to services of memories that HTTP cannot."""


def test_an_entry_says_nothing_in_a_language_that_has_just_gone(workspace, monkeypatch):
    framework = workspace.framework
    body = {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de"]}
    made = workspace.owner.post("/translation-memories", json=body)
    path = f"/translation-memories/{made.data['translationMemory']['id']}/entries"
    begin, store = framework.memories.begin, framework.storage.memories

    def begin_after_another(tm_id):
        writing = begin(tm_id)
        store.delete_language(writing, "de", 0, 9)
        return writing

    with monkeypatch.context() as patched:
        patched.setattr(framework.memories, "begin", begin_after_another)
        entry = {"sourceText": "Pay", "translations": {"de": "Zahlen"}}
        refused = workspace.owner.post(path, json=entry)

    assert (refused.status, refused.error["code"]) == (400, "language_not_in_project")
    assert workspace.owner.get(path).data["total"] == 0
