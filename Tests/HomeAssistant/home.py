"""A real Home Assistant in its root: set up without a browser, asked over REST and over its WebSocket."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import secrets
import time
import urllib.error
import urllib.request

from house import Process, eventually, free_port
from websocket import WebSocket

HERE = pathlib.Path(__file__).resolve().parent
# The root cannot be written to: what one run does, the next one does not see.
IN_ROOT = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" &&
    mount -t tmpfs tmpfs "$1/tmp" && mount -t tmpfs tmpfs "$1/mnt" && mkdir "$1/mnt/tests" && mount --bind "$2" "$1/config" &&
    mount --bind "$3" "$1/mnt/tests" &&
    exec chroot "$1" /usr/bin/env -i PATH=/venv/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=/tmp TZ=UTC /venv/bin/python \\
        -X utf8 /mnt/tests/launch.py "$4"
"""


class HomeAssistant(Process):
    """`root` is what Tests/HomeAssistant/root made; its folder stays over a restart."""

    def __init__(self, root, folder, logs):
        self.root, self.folder, self.output = root, folder, logs / "home-assistant.txt"
        for name in (".storage", "automations"):
            (self.folder / name).mkdir()
        self.write("configuration.yaml", "automation: !include_dir_list automations\n")
        self.token = self.make_owner()
        self.finish_onboarding()
        self.start()

    # What a person would do in a browser.

    def make_owner(self):
        """One user with a token that does not end, as its profile page makes it. Returns the bearer token."""
        user, token, key = secrets.token_hex(16), secrets.token_hex(16), secrets.token_hex(32)
        groups = {"system-admin": "Administrators", "system-users": "Users", "system-read-only": "Read Only"}
        self.store("auth", 1, {
            "users": [{"id": user, "group_ids": ["system-admin"], "is_owner": True, "is_active": True, "name": "Owner",
                       "system_generated": False, "local_only": False}],
            "groups": [{"id": group, "name": name} for group, name in groups.items()],
            "credentials": [],
            "refresh_tokens": [{
                "id": token, "user_id": user, "client_id": None, "client_name": "judge", "client_icon": None,
                "token_type": "long_lived_access_token", "created_at": "2026-01-01T00:00:00+00:00",
                "access_token_expiration": 86_400.0, "token": secrets.token_hex(64), "jwt_key": key, "last_used_at": None,
                "last_used_ip": None, "expire_at": None, "credential_id": None, "version": None}]})
        now = int(time.time())
        parts = [{"alg": "HS256", "typ": "JWT"}, {"iss": token, "iat": now - 60, "exp": now + 86_400}]
        text = b".".join(url_base64(json.dumps(part).encode()) for part in parts)
        return (text + b"." + url_base64(hmac.digest(key.encode(), text, hashlib.sha256))).decode()

    def finish_onboarding(self):
        self.store("onboarding", 4, {"done": ["user", "core_config", "analytics", "integration"]})

    def store(self, key, version, data):
        text = json.dumps({"version": version, "minor_version": 1, "key": key, "data": data})
        (self.folder / ".storage" / key).write_text(text, encoding="utf-8")

    def write(self, name, text):
        """A file of its folder, or none."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")

    def enable(self, *names):
        """Entities that are disabled at first. It loads them by itself half a minute later."""
        for name in names:
            self.tell("config/entity_registry/update", entity_id=name, disabled_by=None)
        eventually("enabled entities are loaded", lambda: set(names) <= set(self.states()), 120)

    def delete(self, device):
        """As the menu of a device does; before 2026.11 it was told of which integration."""
        try:
            self.tell("config/device_registry/remove", device_id=device["id"])
        except AssertionError:
            self.tell("config/device_registry/remove_config_entry", device_id=device["id"],
                      config_entry_id=device["config_entries"][0])

    def add_broker(self, port):
        """The form of its MQTT integration, filled in: only the address is not what it proposes."""
        form = self.post("/api/config/config_entries/flow", {"handler": "mqtt", "show_advanced_options": True})
        for _ in range(5):
            if form["type"] == "create_entry":
                return
            assert form["type"] in ("form", "menu"), f"its MQTT form answers {form}"
            answers = {"next_step_id": "broker"} if form["type"] == "menu" else filled(form["data_schema"], port)
            form = self.post(f"/api/config/config_entries/flow/{form['flow_id']}", answers)
        raise AssertionError(f"its MQTT form does not end: {form}")

    # Its process.

    def start(self):
        self.port = free_port()
        words = ["unshare", "-m", "--propagation", "private", "sh", "-ec", IN_ROOT, "sh"]
        with open(self.output, "ab") as output:
            self.begin([*words, self.root, str(self.folder), str(HERE), str(self.port)], output, stdout=output)
        eventually("Home Assistant runs", self.is_running, 120)

    def is_running(self):
        assert self.process.poll() is None, f"Home Assistant ended: {self.log()[-2000:]}"
        return self.get("/api/config")["state"] == "RUNNING"

    def log(self):
        return self.output.read_text(encoding="utf-8", errors="replace")

    # What it is asked.

    def ask(self, path, body=None, method=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"Home Assistant answers {path} with {error.code}: {error.read().decode()}") from None

    def get(self, path):
        return self.ask(path)

    def post(self, path, body):
        return self.ask(path, body, "POST")

    def call(self, domain, service, **data):
        return self.post(f"/api/services/{domain}/{service}", data)

    def states(self):
        """Of all entities, by id."""
        return {state["entity_id"]: state for state in self.get("/api/states")}

    def tell(self, kind, **words):
        """One command of its WebSocket, and the answer to it."""
        with self.socket() as socket:
            return socket.command(kind, **words)

    def socket(self):
        socket = WebSocket(self.port, "/api/websocket")
        socket.receive()
        socket.send({"type": "auth", "access_token": self.token})
        answer = socket.receive()
        assert answer["type"] == "auth_ok", answer
        return socket

    def entities(self):
        """Its registry of entities, by id."""
        return {row["entity_id"]: row for row in self.tell("config/entity_registry/list")}

    def devices(self):
        """Its registry of devices, by our identifier."""
        return {value: row for row in self.tell("config/device_registry/list") for _, value in row["identifiers"]}


def url_base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def filled(schema, port):
    """Answers to a form: what it proposes, else no or the first of a list, but for the broker's address. Parts that fold out are
    forms of their own."""
    answers = {}
    for field in schema:
        name = field["name"]
        if field.get("type") == "expandable":
            answers[name] = filled(field["schema"], port)
        elif name in ("broker", "port"):
            answers[name] = "127.0.0.1" if name == "broker" else port
        elif field.get("default") is not None:
            answers[name] = field["default"]
        elif field.get("required"):
            options = field["selector"].get("select", {}).get("options")
            answers[name] = options[0] if options else False
    return answers
