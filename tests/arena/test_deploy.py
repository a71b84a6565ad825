"""Deployment files: they name the services, variables and addresses that the program and the script have."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy import parts

from tests.arena.real_server import PROJECT
from tokumei_arena import environment

DEPLOY = PROJECT / "deploy"


@pytest.fixture(scope="module")
def compose() -> Any:
    """Return the compose file."""
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def test_the_script_starts_what_the_compose_file_starts(compose: Any) -> None:
    assert tuple(compose["services"]) == parts.SERVICES
    for service, words in parts.COMMANDS.items():
        described = compose["services"][service]
        # Containers listen for the proxy of their host.
        assert [word.replace("0.0.0.0", "127.0.0.1") for word in described["command"]] == list(words)  # noqa: S104
        assert set(described["environment"]) == {*parts.VARIABLES[service], "TOKUMEI_ARENA_HOME"}
    after = {service: set(compose["services"][service]["depends_on"]) for service in parts.COMMANDS}
    assert after == {"web": {"database", "store"}, "worker": {"web"}}


def test_only_workers_get_the_key_of_the_log_and_no_secret_is_written_down(compose: Any) -> None:
    services = compose["services"]
    assert "TOKUMEI_ARENA_LOG_KEY" in services["worker"]["environment"]
    assert "TOKUMEI_ARENA_LOG_KEY" not in services["web"]["environment"]
    secrets = {
        value
        for service in services.values()
        for name, value in service["environment"].items()
        if re.search("SECRET|PASSWORD|KEY|TOKEN", name)
    }
    assert all(value.startswith("${") for value in secrets)
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    offered = set(re.findall(r"^(\w+)=", (DEPLOY / "arena.env.example").read_text(), re.MULTILINE))
    assert asked == offered


def test_every_variable_is_one_that_the_program_knows() -> None:
    known = set(re.findall(r"[A-Z_]{8,}", environment.__doc__ or "")) | {"FORWARDED_ALLOW_IPS"}
    assert {name for names in parts.VARIABLES.values() for name in names} <= known


def test_units_and_proxies_lead_to_the_same_place() -> None:
    commands = {}
    for name in ("web", "worker"):
        unit = ConfigParser(strict=False, interpolation=None)
        unit.optionxform = str  # type: ignore[assignment]
        unit.read(DEPLOY / f"tokumei-arena-{name}.service")
        commands[name] = unit["Service"]["ExecStart"].split()[1:]
        assert unit["Service"]["NoNewPrivileges"] == "yes"
        assert unit["Service"]["StateDirectoryMode"] == "0700"
    assert commands == {"web": ["arena", "serve", "--no-worker", "--port", "8000"], "worker": ["arena", "worker"]}
    for name in ("nginx.conf", "Caddyfile"):
        text = (DEPLOY / name).read_text()
        assert "127.0.0.1:8000" in text
        assert "/metrics" in text
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in (DEPLOY / "nginx.conf").read_text()


def test_the_policy_of_web_processes_covers_every_area_and_reads_no_truth() -> None:
    policy = json.loads((DEPLOY / "store-policy-web.json").read_text())
    rights: dict[str, set[str]] = {area: set() for area in environment.AREAS}
    for statement in policy["Statement"]:
        for resource in statement["Resource"]:
            area = resource.removeprefix("arn:aws:s3:::arena").strip("/*")
            rights.setdefault(area, set()).update(statement["Action"])
    assert [area for area in environment.AREAS if "s3:GetObject" in rights[area]] == ["uploads", "data", "published"]
    assert all("s3:PutObject" in rights[area] for area in environment.AREAS)


def test_the_image_installs_what_the_services_need() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    assert '".[arena,contests,postgres,s3]"' in text
    assert re.search(r"^USER arena$", text, re.MULTILINE)


@pytest.mark.campaign
@pytest.mark.skipif(not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")), reason="PostgreSQL is not installed")
def test_all_parts_run_the_doctor_is_content_and_metrics_are_scraped() -> None:
    with parts.parts() as variables:
        address = variables["TOKUMEI_ARENA_URL"]
        words = [sys.executable, "-m", "tokumei", "arena", "doctor", "--address", address, "--json"]
        ran = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
        with urllib.request.urlopen(f"{address}/metrics") as answer:  # noqa: S310
            figures = answer.read().decode()
    document = json.loads(ran.stdout)
    assert (ran.returncode, document["healthy"]) == (0, True), document
    assert "PostgreSQL" in next(check["text"] for check in document["checks"] if check["name"] == "database")
    assert re.search(r"^tokumei_arena_worker_slots\{.*\} [1-9]", figures, re.MULTILINE)
