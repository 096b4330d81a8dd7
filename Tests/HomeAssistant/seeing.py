"""Every entity is there under its id, with its value, its unit and its classes."""

import datetime

from cable import POSITION, RSSI, SNR, TELEMETRY
from house import eventually
from values import shown, table, telemetry
from wire import Fixed, message

QUIET = ("hops_away", "last_heard", "rssi", "snr")
VALUES = ("sensor", "binary_sensor", "device_tracker")
LATITUDE, LONGITUDE = 47.25, 11.375


def report(world, part=0):
    """The hiker tells everything that a node can tell, and where she is. Returns the number of each key."""
    payloads, numbers = telemetry(part)
    for payload in payloads:
        world.cable.hear(world.hiker, TELEMETRY, payload)
    tell_place(world, LATITUDE, LONGITUDE)
    return numbers


def tell_place(world, latitude, longitude):
    world.cable.hear(world.hiker, POSITION, message({
        1: Fixed(round(latitude * 1e7)), 2: Fixed(round(longitude * 1e7)), 3: 574, 23: 32}))


def entity_id(world, row, node=None):
    return f"{row['platform']}.meshgw_{node or world.name(world.hiker)}_{row['key']}"


def tell_everything(world):
    """Returns the rows of a node's entities, which are there then, and the number of each key."""
    numbers = report(world)
    rows = [row for row in table() if row["group"] != "state" and row["platform"] in VALUES]
    eventually("every entity of the hiker is registered",
               lambda: {entity_id(world, row) for row in rows} <= set(world.home.entities()))
    return rows, numbers


def every_value_of_a_node_has_its_entity(world):
    rows, numbers = tell_everything(world)
    registry = world.home.entities()
    for row in rows:
        entry = registry[entity_id(world, row)]
        assert entry["original_name"] == (None if row["key"] == "position" else row["entity"]), entry
        disabled = "integration" if row["key"] in QUIET else None
        assert entry["disabled_by"] == disabled, f"{entry['entity_id']} is disabled by {entry['disabled_by']}"
    wrong = eventually_none_wrong(world, [row for row in rows if row["key"] in numbers], numbers)
    assert not wrong, "\n".join(wrong)


def eventually_none_wrong(world, rows, numbers):
    """What is still wrong of these entities after a minute."""
    wrong = []

    def are_right():
        states = world.home.states()
        wrong[:] = filter(None, (mistake(states.get(entity_id(world, row)), row, numbers) for row in rows))
        return not wrong
    try:
        eventually("every value is shown", are_right)
    except AssertionError:
        pass
    return wrong


def mistake(state, row, numbers):
    """What is wrong with an entity; None for nothing."""
    if state is None:
        return f"{row['key']}: it has no state"
    (wanted, unit), has = shown(row, numbers[row["key"]]), state["state"]
    if has in ("unknown", "unavailable") or abs(float(has) - wanted) > 0.001 * max(1, abs(wanted)):
        return f"{state['entity_id']} is {has}, and should be {wanted}"
    for column, attribute in (("unit", "unit_of_measurement"), ("class", "device_class"), ("state class", "state_class")):
        if state["attributes"].get(attribute, "") != (unit if column == "unit" else row[column]):
            return f"{state['entity_id']}: {attribute} is {state['attributes'].get(attribute)}, and should be {row[column]!r}"
    return None


def what_is_disabled_at_first_can_be_enabled(world):
    world.home.enable(*(entity_id(world, row) for row in table() if row["key"] in QUIET))
    report(world)

    def has_values():
        states = {key: world.home.states()[f"sensor.meshgw_{world.name(world.hiker)}_{key}"]["state"] for key in QUIET}
        heard = datetime.datetime.fromisoformat(states["last_heard"])
        age = datetime.datetime.now(datetime.timezone.utc) - heard
        return (float(states["snr"]) == SNR and float(states["rssi"]) == RSSI and int(states["hops_away"]) == 0
                and abs(age.total_seconds()) < 300)
    eventually("snr, rssi, hops and last heard are shown", has_values, 150)


def a_tracker_has_its_place(world):
    name = f"device_tracker.meshgw_{world.name(world.hiker)}_position"
    for latitude in (LATITUDE, LATITUDE + 0.5):
        tell_place(world, latitude, LONGITUDE)

        def is_there():
            state = world.home.states()[name]
            place = state["attributes"]
            return (abs(place["latitude"] - latitude) < 1e-6 and abs(place["longitude"] - LONGITUDE) < 1e-6
                    and state["state"] == "not_home" and place["source_type"] == "gps")
        eventually("the tracker has the place", is_there)


def external_power_is_powered(world):
    node = world.name(world.hiker)
    for level, wanted in ((101, "on"), (57, "off")):
        world.cable.hear(world.hiker, TELEMETRY, message({2: {1: level}}))

        def is_right():
            states = world.home.states()
            has = [states[f"{name}.meshgw_{node}_{key}"]["state"] for name, key in (
                ("binary_sensor", "powered"), ("sensor", "battery_level"))]
            # A battery has no more than 100 %.
            if has != [wanted, str(min(level, 100))]:
                raise ValueError(f"powered and battery are {has}")
            return True
        eventually(f"with {level} % it is powered: {wanted}", is_right)
    # That was all that the report had.
    voltage = world.home.states()[f"sensor.meshgw_{node}_voltage"]["state"]
    assert voltage == "unknown", f"the voltage is {voltage}, and was not in the report"
    assert world.home.states()[f"binary_sensor.meshgw_{node}_key_in_doubt"]["state"] == "off"


def radio_and_gateway_show_theirs(world):
    version = world.gateway.command("--version").split()[-1]
    wanted = {"connected": lambda value: value == "on", "database_size": lambda value: float(value) > 0,
              "nodes_heard": lambda value: int(value) > 0, "problems": lambda value: int(value) >= 0,
              "texts_waiting": lambda value: int(value) == 0, "version": lambda value: value == version}
    rows = {row["key"]: row for row in table() if row["group"] == "state" and row["platform"] in VALUES}
    assert set(rows) == set(wanted), f"the page has other entities of the gateway: {sorted(rows)}"

    def are_right():
        states = world.home.states()
        for key, is_right in wanted.items():
            row = rows[key]
            state = states[entity_id(world, row, world.radio if key == "connected" else "gateway")]
            if not is_right(state["state"]) or state["attributes"].get("unit_of_measurement", "") != row["unit"]:
                raise ValueError(f"{state['entity_id']} is {state['state']} {state['attributes']}")
        return True
    eventually("gateway and radio show their values", are_right)


def devices_lead_to_each_other(world):
    devices = world.home.devices()
    node, radio, gateway = (devices[f"meshgw_{world.base}_{name}"] for name in (
        world.name(world.hiker), world.radio, "gateway"))
    assert node["via_device_id"] == radio["id"] and radio["via_device_id"] == gateway["id"], "what leads where"
    assert node["name"] == "Anna am Berg" and node["manufacturer"], node
    # A name of markup, quotes and other scripts is a name.
    quotes = devices[f"meshgw_{world.base}_{world.name(world.sensor)}"]
    assert quotes["name"] == "\"Quotes\" and \\ 'more'", quotes["name"]


TEXTS = ["channel", "direct", "reaction"]


def what_it_hears_and_may_do_has_its_entity(world):
    """What the broker's file asks for, and no more."""
    nodes = [world.name(node) for node in (world.hiker, world.hut, world.sensor)]
    types = {f"{world.radio}_text_0": TEXTS, f"{world.radio}_text_1": TEXTS, f"{world.radio}_text_direct": TEXTS,
             "gateway_mesh": ["new_node", "detection", "waypoint"], "gateway_problem": ["begun", "solved"],
             "gateway_rule": ["event", "begins", "lasts", "ends"],
             "gateway_commands": ["sent", "delivered", "failed", "refused", "expired"]}
    wanted = {f"event.meshgw_{name}" for name in types}
    wanted |= {f"notify.meshgw_{name}_text" for name in nodes}
    wanted |= {f"notify.meshgw_{world.radio}_text_{channel}" for channel in (0, 1)}
    wanted |= {f"button.meshgw_{name}_{key}" for name in nodes for key in ("traceroute", "position")}
    wanted.add(f"button.meshgw_{world.radio}_restart")

    def found():
        return {name for name in world.home.entities() if name.startswith(("event.", "notify.meshgw", "button."))}
    eventually("all of them are there", lambda: wanted <= found())
    assert found() == wanted, found() ^ wanted
    states = world.home.states()
    for name, its in types.items():
        assert states[f"event.meshgw_{name}"]["attributes"]["event_types"] == its, states[f"event.meshgw_{name}"]
    assert states[f"button.meshgw_{world.radio}_restart"]["attributes"]["device_class"] == "restart"


SCENARIOS = [every_value_of_a_node_has_its_entity, what_is_disabled_at_first_can_be_enabled, a_tracker_has_its_place,
             external_power_is_powered, radio_and_gateway_show_theirs, devices_lead_to_each_other,
             what_it_hears_and_may_do_has_its_entity]
