"""What stays over restarts, and what goes."""

import re

from examples import a_silence_is_told_once
from house import eventually
from seeing import eventually_none_wrong, report, tell_everything
from values import table

# In the ids of what needs a key of the broker's file.
COMMANDS = ["notify.", "button.", "_gateway_commands", "_text_direct"]
SPOKEN = [*COMMANDS, "_text_"]
CLEANUP = "No device components to cleanup"


def ours(world):
    """Our entities in its registry, by id."""
    return {name: row for name, row in world.home.entities().items() if ".meshgw_" in name}


def of_node(world, node):
    return {name for name in ours(world) if f".meshgw_{world.name(node)}_" in name}


def can_be_used(world):
    """Ids of entities that are not unavailable."""
    return {name for name, state in world.home.states().items() if ".meshgw_" in name and state["state"] != "unavailable"}


def everything_is_there_after_restarts(world):
    tell_everything(world)
    before, usable = ours(world), eventually("all is shown", lambda: can_be_used(world))
    places = {"the gateway": world.gateway, "the broker": world.broker, "Home Assistant": world.home}
    for part, (name, place) in enumerate(places.items(), 1):
        place.restart()
        world.hears_again()

        def is_usable():
            lacking = usable - can_be_used(world)
            if lacking:
                raise ValueError(f"{len(lacking)} are not there, such as {sorted(lacking)[:5]}")
            return True
        eventually(f"after a restart of {name} everything is there", is_usable, 120)
        assert set(ours(world)) == set(before), set(ours(world)) ^ set(before)
        # And goes on.
        numbers = report(world, part)
        wrong = eventually_none_wrong(world, [row for row in table() if row["key"] in numbers], numbers)
        assert not wrong, f"after a restart of {name}: " + "\n".join(wrong)


def a_device_that_a_person_deletes_stays_away(world):
    device = world.home.devices()[f"meshgw_{world.base}_{world.name(world.hut)}"]
    assert of_node(world, world.hut)
    begin = len(world.home.log())
    world.home.delete(device)
    eventually("its entities are gone", lambda: not of_node(world, world.hut))
    for place in (world.gateway, world.home):
        place.restart()
        # What comes later is there.
        world.hears_again()
        assert not of_node(world, world.hut), of_node(world, world.hut)
    assert of_node(world, world.hiker), "nothing else is gone"
    # It complains about its own deletion.
    world.excused = [line for line in lines_of(world.home.log()[begin:]) if CLEANUP in line]


def a_refresh_brings_it_back(world):
    world.gateway.command("mqtt", "refresh", "house")
    eventually("the deleted device is back", lambda: of_node(world, world.hut))


def a_node_that_is_no_longer_chosen_is_gone(world):
    assert of_node(world, world.sensor)
    world.show([world.hiker, world.hut])
    eventually("its entities are gone", lambda: not of_node(world, world.sensor))
    assert f"meshgw_{world.base}_{world.name(world.sensor)}" not in world.home.devices()
    assert of_node(world, world.hiker) and of_node(world, world.hut)


def what_went_while_it_was_away_goes_when_it_is_back(world):
    """A node, and of all others what it hears and may do. Home Assistant keeps what nobody takes away from it."""
    assert of_node(world, world.hut) and left(world, SPOKEN)
    world.home.stop()
    world.show([world.hiker], [])
    eventually("the broker's file is in force", lambda: world.gateway.broker()["devices"] == 3)
    world.home.start()
    eventually("its entities are gone", lambda: not of_node(world, world.hut), 120)
    eventually("what it heard and might do is gone", lambda: not left(world, SPOKEN), 120)
    world.show([world.hiker, world.hut])
    eventually("shown again, they are there", lambda: of_node(world, world.hut) and left(world, SPOKEN))


def commands_that_are_switched_off_are_gone(world):
    for speech, gone in ((world.texts_alone, COMMANDS), ([], SPOKEN)):
        world.show([world.hiker, world.hut], speech)
        eventually(f"of {gone} nothing is left", lambda: not left(world, gone))
        assert of_node(world, world.hiker), "the rest stays"
    # A Home Assistant that begins anew does not see them again.
    world.home.restart()
    eventually("the rest is there", lambda: can_be_used(world))
    assert not left(world, gone), left(world, gone)


def left(world, gone):
    return [name for name in ours(world) if any(word in name for word in gone)]


# Of a machine that has other work, not of what it was told.
SLOW = re.compile(r"Updating state for .* took [0-9.]+ seconds")


def its_log_has_no_complaint_of_ours(world):
    bad = [line for line in lines_of(world.home.log()) if re.search(r" (WARNING|ERROR|CRITICAL) ", line[:60])
           and re.search("meshgw_|mesh-gateway/", line) and line not in world.excused
           and not (world.complains_always and CLEANUP in line) and not SLOW.search(line)]
    assert not bad, "\n".join(bad)[:4000]


def lines_of(log):
    """Each with what belongs to it."""
    return re.split(r"\n(?=\d{4}-\d\d-\d\d )", log)


SCENARIOS = [everything_is_there_after_restarts, a_silence_is_told_once, a_device_that_a_person_deletes_stays_away,
             a_refresh_brings_it_back, a_node_that_is_no_longer_chosen_is_gone,
             what_went_while_it_was_away_goes_when_it_is_back, commands_that_are_switched_off_are_gone,
             its_log_has_no_complaint_of_ours]
