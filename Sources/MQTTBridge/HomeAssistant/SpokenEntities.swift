import MeshModel

// Entities without a value: what Home Assistant hears (events) and what it may do (texts and buttons). Which of them a device has
// follows from the broker's file. Those of channels are many, so an entity is made of its component's name, also after a restart.

extension Entity {
    /// It is told something by Home Assistant.
    var takesCommands: Bool { platform == .notify || platform == .button }

    /// How an event of a text is: on a channel, to the radio alone, or a reaction to another text.
    static let textTypes = ["channel", "direct", "reaction"]

    private static let fixed = [
        event("text_direct", "Direct text", textTypes, icon: "message-lock"),
        event("mesh", "Mesh", ["new_node", "detection", "waypoint"], icon: "radio-tower"),
        event("problem", "Problem", ["begun", "solved"], icon: "alert"),
        event("rule", "Rule", ["event", "begins", "lasts", "ends"], icon: "bell"),
        event(
            "commands", "Command", ["sent", "delivered", "failed", "refused", "expired"], icon: "message-arrow-right"),
        Entity("text", "Send text", nil, on: .notify, icon: "message-text"),
        Entity("traceroute", "Trace route", nil, on: .button, icon: "routes"),
        Entity("position", "Ask for position", nil, on: .button, icon: "crosshairs-question"),
        Entity("restart", "Restart", nil, on: .button, deviceClass: "restart"),
    ]

    private static func event(_ key: String, _ name: String, _ types: [String], icon: String) -> Entity {
        var entity = Entity(key, name, nil, on: .event, icon: icon)
        entity.eventTypes = types
        return entity
    }

    /// The texts of one channel.
    static func text(heardOn channel: Int) -> Entity {
        event("text_\(channel)", "Text on channel \(channel)", textTypes, icon: "message-text")
    }

    /// A text for one channel.
    static func text(saidOn channel: Int) -> Entity {
        Entity("text_\(channel)", "Send text on channel \(channel)", nil, on: .notify, icon: "message-text")
    }

    /// nil if there is none of this name.
    static func spoken(_ component: String) -> Entity? {
        if let entity = fixed.first(where: { $0.component == component }) { return entity }
        for channel in 0..<8 {
            for entity in [text(heardOn: channel), text(saidOn: channel)] where entity.component == component {
                return entity
            }
        }
        return nil
    }

    /// Every entity of this kind, for the page.
    static var allSpoken: [Entity] {
        fixed + (0..<8).flatMap { [text(heardOn: $0), text(saidOn: $0)] }
    }
}

extension Broker.Speech {
    /// Components of the gateway's own device.
    var ofGateway: Set<String> {
        Set(["event_mesh", "event_problem", "event_rule"] + (takesCommands ? ["event_commands"] : []))
    }

    /// Components of a radio, whose named channels have these indexes.
    func ofRadio(_ channels: Set<Int>) -> Set<String> {
        var components = Set(channels.map { Entity.text(heardOn: $0).component })
        if isDirect { components.insert("event_text_direct") }
        guard takesCommands else { return components }
        components.formUnion(channels.map { Entity.text(saidOn: $0).component })
        return components.union(["button_restart"])
    }

    /// Components of a node.
    ///
    /// - Parameter isChosen: it is a favourite, or the file names it.
    func ofNode(isChosen: Bool) -> Set<String> {
        guard takesCommands else { return [] }
        return isChosen ? ["notify_text", "button_traceroute", "button_position"] : ["notify_text"]
    }

    /// The channels that it names of one radio. Names count in any letter case, unless a channel has exactly this one; of two
    /// channels of one name the lower index counts.
    ///
    /// - Parameters:
    ///   - isDefault: it is the radio that a name without one means.
    ///   - names: the radio's channels in use, by index.
    func channels(of radio: DeviceID, isDefault: Bool, named names: [Int: String]) -> Set<Int> {
        Set(channels.compactMap { index(of: $0, radio, isDefault: isDefault, names) })
    }

    /// nil if no channel has the name now.
    func index(of named: Broker.NamedChannel, _ radio: DeviceID, isDefault: Bool, _ names: [Int: String]) -> Int? {
        guard named.radio.map({ radio == .radio($0) }) ?? isDefault else { return nil }
        if let number = Int(named.name) { return names[number] == nil ? nil : number }
        let exact = names.filter { $0.value == named.name }.keys.min()
        return exact ?? names.filter { $0.value.lowercased() == named.name.lowercased() }.keys.min()
    }
}
