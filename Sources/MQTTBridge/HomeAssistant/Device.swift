import JSON
import MeshModel

/// A device as it is to be shown, and its values.
struct Device: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case number(Double)
        case whole(Int64)
        case flag(Bool)
        case text(String)
        /// Seconds since 1970.
        case time(Int64)
    }

    /// Values that were reported together.
    struct Report: Hashable, Sendable {
        /// Host milliseconds.
        var at: Int64
        /// By ``Entity/key``; a position's by attribute.
        var values: [String: Value]
    }

    let id: DeviceID
    var name: String
    var manufacturer: String?
    var model: String?
    var software: String?
    var serial: String?
    /// Where people see more of it; nil without a public address.
    var url: String?
    /// No favourite: entities that few look at are disabled when Home Assistant first sees them, and it heeds that only then.
    var isQuiet = false
    /// The device through which it is reached.
    var via: DeviceID?
    /// The entities that it has values for: ``Entity/component``.
    var components: Set<String> = []
    var reports: [Group: Report] = [:]
    /// Host milliseconds of the last reports.
    var times: [Group: [Int64]] = [:]

    init(_ id: DeviceID, name: String) { (self.id, self.name) = (id, name) }
}

extension Device {
    /// Whether its configuration is the same, as far as it follows from the device.
    func isDescribed(as other: Device) -> Bool {
        name == other.name && manufacturer == other.manufacturer && model == other.model && software == other.software
            && serial == other.serial && via == other.via && components == other.components && url == other.url
            && isQuiet == other.isQuiet
    }

    /// The discovery message for the whole device.
    ///
    /// - Parameters:
    ///   - components: those to show. Each of `gone` has only its platform, which removes it even from a running Home
    ///     Assistant, and does no harm if it stays.
    ///   - lives: how long measured values count.
    ///   - version: of this program.
    func configuration(
        _ names: TopicNames, components: Set<String>, gone: Set<String> = [], lives: [Group: Life] = [:],
        version: String
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("dev")
            json.object { json in writeDevice(names, to: &json) }
            // An older Home Assistant rejects unknown keys here and under `dev`: new ones go into components.
            json.key("o")
            json.object { json in
                json.member("name", "mesh-gateway")
                json.member("sw", version)
            }
            json.member("availability_topic", names.status)
            json.key("cmps")
            json.object { json in
                let entities = components.compactMap { Entity.named($0) }.sorted { $0.component < $1.component }
                for entity in entities {
                    json.key(text: entity.component)
                    json.object { json in write(entity, names, lives, to: &json) }
                }
                for component in gone.subtracting(components).sorted() {
                    guard let entity = Entity.named(component) else { continue }
                    json.key(text: component)
                    json.object { json in json.member("p", entity.platform.rawValue) }
                }
            }
        }
        return json.bytes
    }

    /// No null is allowed here.
    private func writeDevice(_ names: TopicNames, to json: inout JSONWriter) {
        json.key("ids")
        json.array { json in json.value(names.identifier(id)) }
        json.member("name", name.cut(to: 255))
        if let manufacturer { json.member("mf", manufacturer) }
        if let model { json.member("mdl", model.cut(to: 255)) }
        if let software { json.member("sw", software.cut(to: 255)) }
        if let serial { json.member("sn", serial) }
        if let via { json.member("via_device", names.identifier(via)) }
        if let url { json.member("cu", url) }
    }

    private func write(
        _ entity: Entity, _ names: TopicNames, _ lives: [Group: Life], to json: inout JSONWriter
    ) {
        json.member("p", entity.platform.rawValue)
        json.member("unique_id", names.uniqueID(id, entity.component))
        json.member("default_entity_id", entity.id(of: id))
        // Null: it is called as its device.
        json.member("name", entity.platform == .tracker ? nil : entity.name)
        // What is said twice would be sent or pressed twice.
        json.member("qos", (entity.takesCommands ? 0 : 1) as Int)
        if isQuiet, entity.isQuiet { json.member("enabled_by_default", false) }
        if let icon = entity.icon { json.member("icon", "mdi:\(icon)") }
        if let deviceClass = entity.deviceClass { json.member("device_class", deviceClass) }
        if entity.takesCommands { return json.member("command_topic", names.command(id, entity.key)) }
        if entity.platform == .event {
            json.member("state_topic", names.event(id, entity.key))
            json.key("event_types")
            return json.array { json in for type in entity.eventTypes { json.value(type) } }
        }
        guard let group = entity.group else { return }
        let topic = names.state(id, group)
        if entity.platform == .tracker {
            json.member("json_attributes_topic", topic)
            json.member("source_type", "gps")
            return
        }
        writeValue(entity, topic, to: &json)
        if group.isMeasured { json.member("expire_after", (lives[group] ?? Life()).seconds) }
    }

    private func writeValue(_ entity: Entity, _ topic: String, to json: inout JSONWriter) {
        json.member("state_topic", topic)
        json.member("value_template", entity.template)
        if entity.hasAttributes {
            json.member("json_attributes_topic", topic)
            json.member("json_attributes_template", "{{ value_json.\(entity.key)_attributes | tojson }}")
        }
        if entity.platform == .binarySensor {
            // The template turns JSON's true and false into Python's words, and null into None, which means unknown.
            json.member("payload_on", "True")
            json.member("payload_off", "False")
        }
        if let stateClass = entity.stateClass { json.member("state_class", stateClass) }
        if let unit = entity.unit { json.member("unit_of_measurement", unit) }
        if let precision = entity.precision { json.member("suggested_display_precision", precision) }
        if entity.isDiagnostic { json.member("entity_category", "diagnostic") }
    }

    /// The message of a group: every key that its configuration names, null if unknown or no longer reported. A position has only
    /// what is known, because a tracker takes no null. nil if there is nothing to say.
    func state(of group: Group, components: Set<String>) -> [UInt8]? {
        let entities = components.compactMap { Entity.named($0) }.filter { $0.group == group }
        guard let report = reports[group] ?? (group == .position ? nil : Report(at: 0, values: [:])), !entities.isEmpty
        else { return nil }
        var json = JSONWriter()
        json.object { json in
            if group == .position {
                for (key, value) in report.values.sorted(by: { $0.key < $1.key }) {
                    json.key(text: key)
                    json.write(value)
                }
                return
            }
            for entity in entities.sorted(by: { $0.component < $1.component }) {
                json.key(text: entity.key)
                json.write(report.values[entity.key])
                guard entity.hasAttributes else { continue }
                let prefix = "\(entity.key)_attribute_"
                json.key(text: "\(entity.key)_attributes")
                json.object { json in
                    for (key, value) in report.values.sorted(by: { $0.key < $1.key }) where key.hasPrefix(prefix) {
                        json.key(text: String(key.dropFirst(prefix.count)))
                        json.write(value, longest: Self.longestAttribute)
                    }
                }
            }
        }
        return json.bytes
    }

    /// Characters of an attribute. Home Assistant does not record attributes of more than 16 kB in all.
    private static let longestAttribute = 600

    /// The groups of these components.
    static func groups(of components: Set<String>) -> Set<Group> {
        Set(components.compactMap { Entity.named($0)?.group })
    }
}

extension JSONWriter {
    /// - Parameter longest: characters of a text; a state has 255.
    fileprivate mutating func write(_ value: Device.Value?, longest: Int = 255) {
        switch value {
        case .number(let number): float(number)
        case .whole(let number): self.value(number)
        case .flag(let flag): self.value(flag)
        case .text(let text): self.value(text.cut(to: longest))
        case .time(let seconds): self.value(ISO8601.text(seconds * 1000))
        case nil: null()
        }
    }
}

extension String {
    /// Counts Unicode scalars, as Home Assistant does in Python.
    func cut(to count: Int) -> String {
        unicodeScalars.count <= count ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
    }
}
