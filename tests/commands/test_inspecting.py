"""``locframework plugins``, ``check-settings`` and ``migrate``."""


def test_plugins_lists_name_version_hooks_and_settings(command):
    result = command("plugins")

    assert result.exit_code == 0
    assert (
        "json  locframework-formats-json 0.1.0\n"
        "    hooks: loc_provide_formats\n"
        "    indent: int = 2\n"
    ) in result.stdout


def test_plugins_needs_no_database_and_makes_none(command, folder):
    command("plugins")

    assert list(folder.iterdir()) == []


def test_a_blocked_plugin_is_not_listed(command, folder):
    (folder / "my.toml").write_text('blocked_plugins = ["json", "disk"]\n')

    told = command("--settings", "my.toml", "plugins").stdout

    assert "locframework-formats-json" not in told
    assert "locframework-formats-gettext" in told


def test_check_settings_tells_what_is_in_use_and_touches_no_database(command, folder):
    result = command("check-settings")

    assert result.exit_code == 0
    assert "storage     peewee\n" in result.stdout
    assert "gettext-po" in result.stdout
    assert result.stdout.endswith("The settings are fine.\n")
    assert list(folder.iterdir()) == []


def test_check_settings_finds_a_rate_limit_storage_of_no_kind(command):
    result = command("check-settings", LOCFRAMEWORK_RATE_LIMIT_STORAGE="carrier://x")

    assert result.exit_code == 2
    assert result.stderr.startswith("Error: settings: rate_limit_storage: ")
    assert result.stderr.count("\n") == 1


def test_migrate_tells_what_it_applied_and_then_that_nothing_is_left(command):
    first, second = command("migrate"), command("migrate")

    assert first.stdout.startswith("0001_access\n")
    assert second.stdout == "the database is up to date\n"
    assert (first.exit_code, second.exit_code) == (0, 0)
