"""What a person lets Home Assistant do reaches the mesh, once, and what became of it comes back."""

from cable import ADMIN, POSITION, TEXT, TRACEROUTE, EVERYBODY
from house import eventually
from listener import Listener
from seeing import LATITUDE, LONGITUDE, tell_place
from wire import fields

COMMANDS = "event.meshgw_gateway_commands"
# AdminMessage.reboot_seconds
REBOOT = 97


def is_there(world, entity):
    """What is said to an entity that is not there is lost without a word."""
    eventually(f"{entity} is there", lambda: world.home.states()[entity]["state"] != "unavailable")


def say(world, entity, words):
    is_there(world, entity)
    world.home.call("notify", "send_message", entity_id=entity, message=words)


def press(world, entity):
    is_there(world, entity)
    world.home.call("button", "press", entity_id=entity)


def a_text_is_sent_once(world):
    places = [(f"notify.meshgw_{world.radio}_text_0", EVERYBODY, 0, {"command": "text_0", "target": world.radio}),
              (f"notify.meshgw_{world.radio}_text_1", EVERYBODY, 1, {"command": "text_1", "target": world.radio}),
              (f"notify.meshgw_{world.name(world.hiker)}_text", world.hiker, 0,
               {"command": "text", "target": world.name(world.hiker)})]
    with Listener(world.home) as heard:
        for number, (entity, to, channel, what) in enumerate(places):
            words = f"The gate is open 🚪 \"{number}\" {{{{ 1 + 1 }}}}"
            say(world, entity, words)
            heard.one(COMMANDS, event_type="sent", **what)
            heard.one(COMMANDS, event_type="delivered", **what)
            sent = [one for one in world.cable.sent if one.payload == words.encode()]
            assert len(sent) == 1, f"{entity} sent {sent}"
            # To one who has a key, the channel is the radio's business.
            assert (sent[0].port, sent[0].to) == (TEXT, to) and sent[0].channel in (channel, 0), sent


def a_button_acts_once(world):
    node = world.name(world.hiker)
    for key, port in (("traceroute", TRACEROUTE), ("position", POSITION)):
        with Listener(world.home) as heard:
            before = [one for one in world.cable.sent if one.port == port]
            press(world, f"button.meshgw_{node}_{key}")
            heard.one(COMMANDS, event_type="sent", command=key, target=node)
            # What is said behind it is sent behind it.
            say(world, f"notify.meshgw_{world.radio}_text_0", f"after the {key}")
            heard.one(COMMANDS, event_type="delivered", command="text_0")
            sent = [one for one in world.cable.sent if one.port == port][len(before):]
            assert len(sent) == 1 and sent[0].to == world.hiker and sent[0].wants_response, sent


def an_answer_is_the_nodes_own_value(world):
    """The simulated hiker is elsewhere than the test has said."""
    name = f"device_tracker.meshgw_{world.name(world.hiker)}_position"
    told = (LATITUDE, LONGITUDE)
    tell_place(world, *told)

    def place():
        state = world.home.states()[name]["attributes"]
        return state["latitude"], state["longitude"]
    eventually("the place that was told is shown", lambda: place() == told)
    press(world, f"button.meshgw_{world.name(world.hiker)}_position")
    eventually("the place that was asked for is shown", lambda: place() != told)


def a_radio_restarts_once(world):
    with Listener(world.home) as heard:
        handshakes = world.cable.handshakes
        press(world, f"button.meshgw_{world.radio}_restart")
        heard.one(COMMANDS, event_type="sent", command="restart", target=world.radio)
        orders = [one for one in world.cable.sent if one.port == ADMIN and REBOOT in fields(one.payload)]
        assert len(orders) == 1, orders
    eventually("the radio has restarted", lambda: world.cable.handshakes > handshakes)
    world.gateway.is_live()
    assert sum(one.port == ADMIN and REBOOT in fields(one.payload) for one in world.cable.sent) == 1, "it restarted again"


def what_cannot_be_done_is_refused(world):
    with Listener(world.home) as heard:
        say(world, f"notify.meshgw_{world.radio}_text_0", "ä" * 301)
        told = heard.one(COMMANDS, event_type="refused", command="text_0")
        assert told["reason"], told
        world.home.call("mqtt", "publish", topic=f"mesh-gateway/{world.base}/{world.radio}/command/format", payload="PRESS")
        heard.one(COMMANDS, event_type="refused", command=None)
        assert all(one.payload != ("ä" * 301).encode() for one in world.cable.sent)


SCENARIOS = [a_text_is_sent_once, a_button_acts_once, an_answer_is_the_nodes_own_value, a_radio_restarts_once,
             what_cannot_be_done_is_refused]
