"""The files in docs/deploy: what they name is there, and what they run works."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from locframework import Settings
from locframework.plugins import PluginHost
from locframework.webhooks.signing import SecretBox, new_key

from .conftest import NGINX_CONF, PROGRAM

DEPLOY = NGINX_CONF.parent
ROOT = DEPLOY.parents[1]
HOME = "/opt/locframework"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text().replace("\\\n", "")
UNITS = {"locframework-serve@.service": "8081", "locframework-worker.service": ""}
SECRETS = {
    "${BASE_URL:?}": "https://l10n.example.com/api/v1",
    "${DATABASE_PASSWORD:?}": "s3cret",
    "${WEBHOOK_KEY:?}": new_key(),
}


def instructions(name):
    """What follows an instruction of the Dockerfile, each time."""
    return re.findall(rf"^{name} +(.+)$", DOCKERFILE, re.M)


def compose():
    text = (DEPLOY / "compose.yaml").read_text()
    for variable, value in SECRETS.items():
        text = text.replace(variable, value)
    assert "$" not in text
    return yaml.safe_load(text)


def require_usable(settings):
    """Refuse settings that ``serve`` would refuse."""
    assert PluginHost.discover(settings.plugins).loaded
    assert settings.base_url == SECRETS["${BASE_URL:?}"]
    assert not settings.start_scheduler
    assert settings.plugins["peewee"]["database"].startswith("postgresql://")
    assert settings.plugins["disk"]["folder"] == "/var/lib/locframework/blobs"
    SecretBox(settings.webhooks.secret_key, ()).require_keys([])


def copied():
    """The files and folders of the checkout that the image is built from."""
    lines = [line for line in instructions("COPY") if not line.startswith("--from")]
    return [name for line in lines for name in line.split()[:-1]]


def test_the_image_is_built_from_what_is_there_and_runs_without_privileges():
    assert all((ROOT / name).exists() for name in copied())
    assert len(instructions("FROM")) == 2
    assert instructions("USER") == ["locframework"]
    environment = dict(pair.split("=") for pair in instructions("ENV")[0].split()[1:])
    assert Settings.load(None, environment).server.host == "0.0.0.0"


@pytest.mark.hosts
def test_the_install_line_makes_a_whole_environment(tmp_path):
    for name in copied():
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / name)
    [install, _] = instructions("RUN")
    line = install.replace(HOME, f"{tmp_path}/venv").replace("python -m", "python3 -m")
    subprocess.run(["sh", "-ec", line], cwd=tmp_path, check=True)

    checked = subprocess.run(
        [tmp_path / "venv/bin/locframework", "check-settings"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "serve       would listen on 127.0.0.1 port 8080" in checked
    imports = "import psycopg, redis, prometheus_client"
    subprocess.run([tmp_path / "venv/bin/python", "-c", imports], check=True)


def test_the_guide_names_what_is_there_and_installs_as_the_image_does():
    guide = (ROOT / "docs/how-to/deploy.md").read_text()
    [line] = {line for line in guide.splitlines() if "pip install" in line}

    named = set(re.findall(r"docs/deploy/([\w.@-]+\w)", guide))
    assert named - {".env"} == {each.name for each in DEPLOY.iterdir()} - {".env"}
    assert line.partition("-c ")[2] in re.sub(r"\s+", " ", instructions("RUN")[0])


def test_compose_names_what_is_there():
    made = compose()
    services = made["services"]
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in made["volumes"]
    build = services["serve-1"]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()
    ports = [services[name]["ports"][0] for name in ("serve-1", "serve-2")]
    for port in ports:
        assert port.rpartition(":")[0] in NGINX_CONF.read_text()
    image = dict(pair.split("=") for pair in instructions("ENV")[0].split()[1:])
    require_usable(Settings.load(None, image | services["worker"]["environment"]))


def test_the_settings_of_a_host_are_usable():
    lines = (DEPLOY / "locframework.env").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    assert given.pop("LOCFRAMEWORK_SETTINGS") == "/etc/locframework.toml"
    given["LOCFRAMEWORK_WEBHOOKS__SECRET_KEY"] += new_key()

    require_usable(Settings.load(DEPLOY / "locframework.toml", given))


@pytest.mark.parametrize("name", UNITS)
def test_units_are_valid_and_run_commands_that_there_are(name, tmp_path):
    unit = (DEPLOY / name).read_text()
    [command] = re.findall(rf"^ExecStart={HOME}/bin/locframework (.+)$", unit, re.M)
    arguments = command.replace("%i", UNITS[name]).split()
    subprocess.run([PROGRAM, *arguments, "--help"], capture_output=True, check=True)

    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    file = tmp_path / name.replace("@", f"@{UNITS[name]}")
    file.write_text(unit.replace(f"{HOME}/bin/locframework", str(PROGRAM)))
    done = subprocess.run(
        [analyze, "verify", file], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_health_checks_ask_the_ports_that_are_served():
    [check] = instructions("HEALTHCHECK")
    probe = json.loads(check[check.index("[") :])[-1]
    worker = compose()["services"]["worker"]
    of_worker = worker["healthcheck"]["test"][-1]
    for code in (probe, of_worker):
        compile(code, "probe", "exec")

    assert f":{instructions('EXPOSE')[0]}/api/v1/healthz" in probe
    assert f":{worker['command'][-1]}/metrics" in of_worker
