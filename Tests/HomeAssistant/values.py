"""What a node can tell, a value for each, and what Home Assistant must show of it: the table of HOME-ASSISTANT.md."""

import pathlib
import re

from wire import message

TREE = pathlib.Path(__file__).resolve().parents[2]
# How the table calls what these messages of Proto/telemetry.proto have, by their field of Telemetry.
MESSAGES = {
    "DeviceMetrics": 2, "EnvironmentMetrics": 3, "AirQualityMetrics": 4, "PowerMetrics": 5, "LocalStats": 6, "HealthMetrics": 7,
    "HostMetrics": 8, "SoilWaterMetrics": 11,
}
# Keys that are not the field's name.
KEYS = {
    "EnvironmentMetrics": {"relative_humidity": "humidity", "barometric_pressure": "pressure", "voltage": "env_voltage",
                           "current": "env_current"},
    "HealthMetrics": {"temperature": "body_temperature", "spO2": "sp_o2"},
}
# Home Assistant gets days and megabytes; loads come in hundredths.
DIVISORS = {"d": 86_400, "MB": 1_000_000}


def table():
    """Rows of the page: a dictionary for each entity."""
    page = (TREE / "deploy/HOME-ASSISTANT.md").read_text(encoding="utf-8")
    lines = page.split("<!-- entities -->")[1].split("<!-- end -->")[0].strip().splitlines()
    names, _, *rows = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(names, row)) for row in rows]


def key_of(kind, field):
    key = KEYS.get(kind, {}).get(field, field)
    # `rainfall_1h`: a digit begins no word, but for a channel's.
    key = re.sub(r"_(\d)", r"\1", key)
    return f"host_{key}" if kind == "HostMetrics" else key


def telemetry(part=0):
    """Payloads of Telemetry, one for each of its messages, and the number of each key. Another part has other numbers."""
    schema = (TREE / "Proto/telemetry.proto").read_text(encoding="utf-8")
    payloads, numbers = [], {}
    for kind, place in MESSAGES.items():
        body = re.search(rf"^message {kind} {{\n(.*?)^}}", schema, re.DOTALL | re.MULTILINE).group(1)
        values = {}
        for scale, field, number in re.findall(r"^  optional (float|u?int\d+) (\w+) = (\d+);", body, re.MULTILINE):
            key = key_of(kind, field)
            # What two messages have, such as the uptime, is the same in both.
            number = int(number)
            value = numbers.get(key, likely(key, scale, number + part))
            values[number] = numbers[key] = value
        payloads.append(message({place: values}))
    return payloads, numbers


def likely(key, scale, number):
    if key.endswith("uptime_seconds"):
        return 86_400 * number + 4_320
    if key.endswith("bytes"):
        return 1_500_000 + 250_000 * number
    if scale == "int32":
        return -80 - number
    return 10.25 + number if scale == "float" else 20 + number


def shown(row, number):
    """What Home Assistant has of a number that was sent, and in which unit."""
    if row["key"].startswith("host_load"):
        return number / 100, row["unit"]
    if row["unit"] == "m/s":
        # So it shows a wind to who has metres.
        return number * 3.6, "km/h"
    return number / DIVISORS.get(row["unit"], 1), row["unit"]
