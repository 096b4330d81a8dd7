import JSON
import Testing

@testable import MQTTBridge

// What Home Assistant takes without a word in its log, of what its documentation says of discovery and sensors. A key that it does
// not know costs the whole device at the top and under `dev` and `o`.

/// The mistakes of a device's configuration.
func mistakes(inConfiguration payload: [UInt8], at topic: String) -> [String] {
    guard let json = JSONValue(payload), case .object(let top) = json else { return ["no object"] }
    var found: [String] = []
    func check(_ isRight: Bool, _ text: String) { if !isRight { found.append(text) } }
    func allowed(_ object: [String: JSONValue], _ keys: Set<String>, _ place: String) {
        for key in object.keys where !keys.contains(key) { found.append("\(place): unknown key \(key)") }
        for (key, value) in object where value == .null { found.append("\(place): \(key) is null") }
    }
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    check(levels.count == 5 && levels[1] == "device" && levels[4] == "config", "topic \(topic)")
    for level in levels.dropFirst(2).dropLast() {
        check(
            level.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }, "level \(level)")
    }
    allowed(top, ["dev", "o", "cmps", "availability_topic"], "top")
    guard case .object(let device)? = top["dev"] else { return found + ["no dev"] }
    allowed(device, ["ids", "name", "mf", "mdl", "sw", "sn", "cu", "via_device"], "dev")
    check(device["cu"].map { $0.string?.hasPrefix("http") == true } ?? true, "cu without a scheme")
    let identifiers = device["ids"]?.array?.compactMap(\.string) ?? []
    check(identifiers.count == 1, "ids")
    check(device["via_device"]?.string != identifiers.first, "via itself")
    check(device["name"]?.string?.isEmpty == false, "dev: name")
    guard case .object(let origin)? = top["o"] else { return found + ["no o"] }
    allowed(origin, ["name", "sw"], "o")
    guard case .object(let components)? = top["cmps"], !components.isEmpty else { return found + ["no cmps"] }
    var ids: Set<String> = []
    for (key, component) in components {
        guard case .object(let members) = component else { found.append("\(key): no object"); continue }
        found += mistakes(inComponent: members, key, identifier: identifiers.first ?? "", &ids)
    }
    return found
}

private func mistakes(
    inComponent members: [String: JSONValue], _ key: String, identifier: String, _ ids: inout Set<String>
) -> [String] {
    var found: [String] = []
    func check(_ isRight: Bool, _ text: String) { if !isRight { found.append("\(key): \(text)") } }
    let platforms = ["sensor", "binary_sensor", "device_tracker", "event", "notify", "button"]
    guard let platform = members["p"]?.string, platforms.contains(platform) else {
        return ["\(key): platform"]
    }
    check(key.hasPrefix(platform + "_"), "the platform is not in the key")
    // One that is to go says its platform and nothing else.
    if members.count == 1 { return found }
    func text(_ key: String) -> String? { members[key]?.string }
    let common: Set = [
        "p", "unique_id", "default_entity_id", "name", "qos", "entity_category", "json_attributes_topic", "icon",
        "enabled_by_default",
    ]
    let more: [String: Set<String>] = [
        "sensor": [
            "state_topic", "value_template", "device_class", "state_class", "unit_of_measurement",
            "suggested_display_precision", "expire_after", "json_attributes_template",
        ],
        "binary_sensor": [
            "state_topic", "value_template", "device_class", "payload_on", "payload_off", "expire_after",
        ],
        "device_tracker": ["source_type"], "event": ["state_topic", "event_types"], "notify": ["command_topic"],
        "button": ["command_topic", "device_class"],
    ]
    for name in members.keys where !common.union(more[platform]!).contains(name) { check(false, "unknown key \(name)") }
    check(text("unique_id").map { $0.hasPrefix(identifier + "_") && ids.insert($0).inserted } == true, "unique_id")
    check(text("default_entity_id")?.hasPrefix(platform + ".meshgw_") == true, "default_entity_id")
    // A tracker is called as its device.
    check(platform == "device_tracker" ? members["name"] == .null : text("name")?.isEmpty == false, "name")
    check(text("icon").map { $0.hasPrefix("mdi:") } ?? (members["icon"] == nil), "icon")
    check(members["enabled_by_default"] ?? .bool(false) == .bool(false), "enabled_by_default")
    // A text or a press that comes twice would be obeyed twice.
    let isSpoken = platform == "notify" || platform == "button"
    check(members["qos"] == .number(isSpoken ? 0 : 1), "qos")
    check(text("entity_category") ?? "diagnostic" == "diagnostic", "entity_category")
    if isSpoken || platform == "event" {
        let topic = text(isSpoken ? "command_topic" : "state_topic") ?? ""
        check(!topic.isEmpty && !topic.contains { $0 == "+" || $0 == "#" }, "topic")
        check(isSpoken || members["event_types"]?.array?.isEmpty == false, "event_types")
        check(["restart", nil].contains(text("device_class")), "class")
        return found
    }
    if platform == "device_tracker" {
        check(text("json_attributes_topic") != nil && text("source_type") == "gps", "a tracker")
        return found
    }
    check(text("state_topic").map { !$0.isEmpty && !$0.contains { $0 == "+" || $0 == "#" } } == true, "state_topic")
    check(text("value_template").flatMap(keyOfTemplate) != nil, "value_template")
    let deviceClass = text("device_class")
    check(deviceClass != nil || text("icon") != nil, "neither class nor icon")
    if platform == "binary_sensor" {
        check(text("payload_on") == "True" && text("payload_off") == "False", "payloads")
        check(["power", "problem", "connectivity"].contains(deviceClass ?? "power"), "class \(deviceClass ?? "")")
        return found
    }
    let (unit, stateClass) = (text("unit_of_measurement"), text("state_class"))
    if let deviceClass {
        guard let rule = sensorClasses[deviceClass] else { return found + ["\(key): class \(deviceClass)"] }
        check(rule.units.contains(unit), "\(unit ?? "no unit") of \(deviceClass)")
        check(stateClass.map { rule.stateClasses.contains($0) } ?? true, "\(stateClass ?? "") of \(deviceClass)")
    }
    check(stateClass != "measurement_angle" || unit == "°", "an angle without °")
    if let stateClass {
        check(["measurement", "measurement_angle", "total", "total_increasing"].contains(stateClass), stateClass)
    }
    if let seconds = members["expire_after"]?.integer {
        check(Life.steps.contains(seconds / 3600) && seconds % 3600 == 0, "expire_after")
    }
    return found
}

/// By class: its units, and its state classes.
private let sensorClasses: [String: (units: Set<String?>, stateClasses: Set<String>)] = {
    let measured: Set = ["measurement"]
    let all: Set = ["measurement", "total", "total_increasing"]
    return [
        "battery": (["%"], measured), "voltage": (["V", "mV"], measured), "current": (["A", "mA"], measured),
        "temperature": (["°C", "°F", "K"], measured), "humidity": (["%"], measured), "moisture": (["%"], measured),
        "atmospheric_pressure": (["hPa", "mbar", "Pa"], measured), "illuminance": (["lx"], measured),
        "wind_speed": (["m/s", "km/h"], measured), "wind_direction": (["°"], ["measurement_angle"]),
        "precipitation": (["mm", "cm", "in"], all), "weight": (["kg", "g"], all),
        "distance": (["km", "m", "cm", "mm"], all), "duration": (["d", "h", "min", "s", "ms"], all),
        "data_size": (["B", "kB", "MB", "GB"], all), "signal_strength": (["dB", "dBm"], measured),
        "aqi": ([nil], measured), "ph": ([nil], measured), "carbon_dioxide": (["ppm"], measured),
        "pm1": (["\u{3BC}g/m³"], measured), "pm25": (["\u{3BC}g/m³"], measured), "pm10": (["\u{3BC}g/m³"], measured),
        "conductivity": (["mS/cm", "S/cm", "\u{3BC}S/cm"], measured), "irradiance": (["W/m²"], measured),
        "timestamp": ([nil], []),
    ]
}()

/// What a group's message lacks of its configuration: each key that a template there names.
func missingKeys(_ configuration: [UInt8], topic: String, state: [UInt8]) -> [String] {
    guard case .object(let components)? = JSONValue(configuration)?["cmps"],
        case .object(let values)? = JSONValue(state)
    else { return ["no objects"] }
    return components.values.compactMap { component in
        guard component["state_topic"]?.string == topic, let template = component["value_template"]?.string else {
            return nil
        }
        let key = keyOfTemplate(template) ?? template
        return values.keys.contains(key) ? nil : key
    }
}

/// The one key of a group's message that a template reads: as it is, or divided where it is a number.
private func keyOfTemplate(_ template: String) -> String? {
    if let plain = template.wholeMatch(of: /\{\{ value_json\.([a-z0-9_]+) \}\}/) { return String(plain.1) }
    let divided =
        /\{\{ \(value_json\.([a-z0-9_]+) \/ [0-9]+\) \| round\(4\) if value_json\.([a-z0-9_]+) is number else None \}\}/
    return template.wholeMatch(of: divided).flatMap { $0.1 == $0.2 ? String($0.1) : nil }
}
