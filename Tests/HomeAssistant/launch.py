"""Runs in the root: launch.py PORT starts Home Assistant with the folder /config, on 127.0.0.1, without its page.

Without `frontend` it would start in recovery mode, which knows no MQTT. So nothing counts as critical, and only what is named
here is set up.
"""

import json
import pathlib
import sys

from homeassistant import __main__, bootstrap

WANTED = """api auth automation blueprint config homeassistant logger network onboarding persistent_notification repairs
    script system_log websocket_api zone""".split()


def listen_on(port):
    """Since 2026.11 address and port are no longer in configuration.yaml."""
    file = pathlib.Path("/config/.storage/http")
    try:
        from homeassistant.components.http.config import HTTP_STORAGE_SCHEMA, STORAGE_MINOR_VERSION, STORAGE_VERSION
    except ImportError:
        path = pathlib.Path("/config/configuration.yaml")
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("http:")]
        lines.append(f"http: {{server_host: 127.0.0.1, server_port: {port}}}")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    stable = HTTP_STORAGE_SCHEMA({"server_host": ["127.0.0.1"], "server_port": port})
    file.write_text(json.dumps({
        "version": STORAGE_VERSION, "minor_version": STORAGE_MINOR_VERSION, "key": "http",
        "data": {"stable": stable, "pending": None, "yaml_migration_done": True}}), encoding="utf-8")


listen_on(int(sys.argv[1]))
bootstrap.DEFAULT_INTEGRATIONS = set(WANTED)
bootstrap.CRITICAL_INTEGRATIONS = set()
sys.argv = ["hass", "-c", "/config", "--skip-pip"]
sys.exit(__main__.main())
