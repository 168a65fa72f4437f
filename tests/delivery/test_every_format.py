"""Each format can be published, and reads back what apps are given."""

from locframework.formats.records import FileOptions, SourceFile

FORMS = {"one": "ein Artikel", "other": "viele Artikel"}


def test_each_format_publishes_texts_and_plurals(workspace):
    formats, owner = workspace.framework.formats, workspace.owner
    project = workspace.project(languages=["de"])
    for key, en, de in (
        ("title", "Shop", "Laden"),
        ("items", {"one": "an item", "other": "many items"}, FORMS),
    ):
        new = {"key": key, "isPlural": key == "items", "values": {"en": en, "de": de}}
        assert owner.post(f"/projects/{project['id']}/keys", json=new).status == 201
    infos = formats.list_formats()
    keys = {}
    for info in infos:
        body = {"name": info.id, "format": info.id}
        made = owner.post(f"/projects/{project['id']}/distributions", json=body)
        assert made.status == 201, made
        keys[info.id] = made.data["distribution"]["publicKey"]
    workspace.run_jobs()
    public = owner.with_token(None)
    lost = []
    for info in infos:
        manifest = public.get(f"/content/{keys[info.id]}/manifest.json").json
        files = [each for each in manifest["files"] if each["language"] == "de"]
        assert len(files) == 1, (info.id, files)
        [entry] = files
        file = SourceFile(entry["path"], public.get(entry["url"]).content)
        options = FileOptions(".", "en", "de", plurals={"items": True})
        catalogue = formats.read(info.id, file, options)[-1]
        texts = [each.value for each in catalogue.entries]
        sources = [each.source for each in catalogue.entries]
        wanted = ["Shop"] if info.is_template else ["Laden"]
        if info.plurals and not info.is_template:
            wanted.append(FORMS)
        found = sources if info.is_template else texts
        lost += [(info.id, each) for each in wanted if each not in found]
    assert lost == []
