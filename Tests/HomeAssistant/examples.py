"""Both examples of deploy/home-assistant are loaded by Home Assistant and do what they say."""

import datetime
import json

from cable import EVERYBODY, TEXT
from house import eventually
from listener import Listener
from values import TREE

ANSWER = "automation.mesh_answers_a_ping"
SILENT = "automation.silent_node"
# What stands for a phone: notifications that Home Assistant shows itself.
PHONE = "notify.persistent_notification"


def example(name):
    return (TREE / "deploy/home-assistant" / name).read_text(encoding="utf-8")


def load(world, automation, entity):
    world.home.write(automation[0], automation[1])
    world.home.call("automation", "reload")
    eventually(f"{entity} is loaded", lambda: world.home.states()[entity]["state"] == "on")


def pongs(world):
    return [one for one in world.cable.sent if one.port == TEXT and b"pong" in one.payload]


def an_automation_answers_a_text(world):
    text = example("answer-a-text.yaml").replace("a1b2c3d4", world.radio.removeprefix("radio_"))
    load(world, ("automations/answer.yaml", text), ANSWER)
    with Listener(world.home) as heard:
        world.cable.hear(world.hiker, TEXT, b"nothing to answer")
        world.cable.hear(world.hiker, TEXT, " Ping ".encode())
        heard.one("event.meshgw_gateway_commands", event_type="delivered", command="text_0")
        # What it has said itself, and the text before, make no answer.
        world.cable.hear(world.hiker, TEXT, b"that is all")
        heard.one(f"event.meshgw_{world.radio}_text_0", text="that is all")
    answers = pongs(world)
    assert [(one.to, one.payload) for one in answers] == [(EVERYBODY, b"Anna am Berg: pong, over 0 relays")], answers


def after_restarts_it_does_not_answer_again(world):
    assert world.home.states()[ANSWER]["state"] == "on", "the scenario before has loaded it"
    before = len(pongs(world))
    with Listener(world.home) as heard:
        world.cable.hear(world.hiker, TEXT, b"ping")
        heard.one("event.meshgw_gateway_commands", event_type="delivered", command="text_0")
    name = f"event.meshgw_{world.radio}_text_0"
    for place in (world.gateway, world.home):
        place.restart()
        eventually("the last event is shown again", lambda: world.home.states()[name]["attributes"]["text"] == "ping")
    eventually("the automation is there", lambda: world.home.states()[ANSWER]["state"] == "on")
    world.hears_again()
    assert len(pongs(world)) == before + 1, pongs(world)[before:]
    world.home.write("automations/answer.yaml", None)
    world.home.call("automation", "reload")


def a_phone_is_told_of_a_silent_node(world):
    heard = f"sensor.meshgw_{world.name(world.hut)}_last_heard"
    world.home.enable(heard)
    last = datetime.datetime.fromisoformat(eventually(
        "when it was heard is shown", lambda: world.home.states()[heard]["state"].startswith("20")
        and world.home.states()[heard]["state"], 120))
    # Its silence becomes too long in some seconds.
    silence = datetime.datetime.now(datetime.timezone.utc) - last + datetime.timedelta(seconds=5)
    world.home.write("blueprints/automation/mesh-gateway/silent-node.yaml", example("silent-node.yaml"))
    inputs = {"last_heard": heard, "hours": silence.total_seconds() / 3600, "phone": PHONE}
    load(world, ("automations/silent.yaml", json.dumps({
        "alias": "Silent node", "use_blueprint": {"path": "mesh-gateway/silent-node.yaml", "input": inputs}})), SILENT)
    assert not told(world)
    # It looks once a minute.
    eventually("the phone is told", lambda: told(world), 120)
    assert told(world)[0].startswith("Hütte Nord ⛰️ has not been heard since "), told(world)
    world.told_at = told_at(world)


def told(world):
    """What the phone was told since the last start."""
    return [row["message"] for row in world.home.tell("persistent_notification/get") if row["title"] == "Silent node"]


def told_at(world):
    return world.home.states()[SILENT]["attributes"]["last_triggered"]


def a_silence_is_told_once(world):
    """Also after restarts, when what was unavailable is there again."""
    eventually("when it was heard is shown",
               lambda: world.home.states()[f"sensor.meshgw_{world.name(world.hut)}_last_heard"]["state"].startswith("20"))
    world.hears_again()
    assert told_at(world) == world.told_at and not told(world), told(world)


SCENARIOS = [an_automation_answers_a_text, after_restarts_it_does_not_answer_again, a_phone_is_told_of_a_silent_node]
