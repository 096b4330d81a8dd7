"""What is said and what happens fires its event, once."""

import time

from cable import DETECTION, NODE_INFO, TEXT, WAYPOINT
from house import eventually
from listener import Listener
from wire import Fixed, message

STRANGER = 0x0BADCAFE


def text(world, words, **more):
    return world.cable.hear(world.hiker, TEXT, words.encode(), **more)


def a_text_fires_its_event_once(world):
    with Listener(world.home) as heard:
        for channel in (0, 1):
            words = f"Soup is ready 🍲 {channel}"
            number = text(world, words, channel=channel)
            # Another relay brings it once more.
            text(world, words, channel=channel, number=number)
            text(world, "👍", channel=channel, reply=number, emoji=True)
            # When this one is there, another of those before it would be, too.
            text(world, "that is all", channel=channel)
            entity = f"event.meshgw_{world.radio}_text_{channel}"
            heard.one(entity, text="that is all")
            told = heard.one(entity, text=words)
            wanted = {"event_type": "channel", "from": f"!{world.name(world.hiker)}", "name": "Anna am Berg",
                      "channel": channel, "hops": 0, "friendly_name": told["friendly_name"]}
            assert wanted.items() <= told.items() and told["id"], told
            assert heard.one(entity, event_type="reaction")["reply"] == number, heard.heard
            assert len(heard.events(entity)) == 3, heard.events(entity)


def a_text_to_the_radio_alone_has_an_event_of_its_own(world):
    with Listener(world.home) as heard:
        entity = f"event.meshgw_{world.radio}_text_direct"
        # Encrypted with the hiker's key, as the radio says.
        text(world, "for you alone", to=world.cable.own)
        told = heard.one(entity, text="for you alone")
        assert told["event_type"] == "direct" and told["from"] == f"!{world.name(world.hiker)}", told
        text(world, "and for everybody")
        heard.one(f"event.meshgw_{world.radio}_text_0", text="and for everybody")
        assert len(heard.events(entity)) == 1, heard.heard


def what_happens_in_the_mesh_fires_an_event(world):
    entity = "event.meshgw_gateway_mesh"
    with Listener(world.home) as heard:
        world.cable.hear(STRANGER, NODE_INFO, message({1: f"!{STRANGER:08x}", 2: "A stranger", 3: "STR", 5: 43}))
        told = heard.one(entity, event_type="new_node")
        assert told["node"] == f"!{STRANGER:08x}", told
        world.cable.hear(world.hiker, DETECTION, b"Gate detected")
        told = heard.one(entity, event_type="detection")
        assert told["text"] == "Gate detected" and told["node"] == f"!{world.name(world.hiker)}", told
        place = message({1: 77, 2: Fixed(472_500_000), 3: Fixed(113_750_000), 4: int(time.time()) + 3600, 6: "Spring"})
        # It is told once, however often it comes within a day.
        for _ in range(2):
            world.cable.hear(world.hiker, WAYPOINT, place)
        world.cable.hear(world.hiker, DETECTION, b"Door detected")
        heard.one(entity, text="Door detected")
        told = heard.one(entity, event_type="waypoint")
        assert (told["title"], told["latitude"], told["longitude"]) == ("Spring", 47.25, 11.375), told


def a_rule_that_fires_is_an_event(world):
    world.gateway.write("rules.d/soup.conf", "when = message on 0\nwords = soup\n")
    with Listener(world.home) as heard:
        eventually("the rule is in force", lambda: "soup" in world.gateway.command("rule", "list"))
        text(world, "More soup")
        told = heard.one("event.meshgw_gateway_rule", rule="soup")
        assert told["event_type"] == "event" and told["node"] == f"!{world.name(world.hiker)}", told
    world.gateway.write("rules.d/soup.conf", None)


def a_problem_begins_and_is_solved(world):
    entity = "event.meshgw_gateway_problem"
    path = "brokers.d/other.conf"
    with Listener(world.home) as heard:
        world.gateway.write(path, "url = nonsense\n")
        told = heard.one(entity, event_type="begun", problem="broker-broken")
        assert told["advice"] and told["id"], told
        problems = "sensor.meshgw_gateway_problems"
        eventually("the number of problems says so", lambda: int(world.home.states()[problems]["state"]) >= 1)
        assert told["advice"] in world.home.states()[problems]["attributes"].values(), world.home.states()[problems]
        world.gateway.write(path, None)
        heard.one(entity, event_type="solved", problem="broker-broken")


SCENARIOS = [a_text_fires_its_event_once, a_text_to_the_radio_alone_has_an_event_of_its_own,
             what_happens_in_the_mesh_fires_an_event, a_rule_that_fires_is_an_event, a_problem_begins_and_is_solved]
