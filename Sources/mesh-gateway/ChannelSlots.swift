import JSON
import Terminal

/// What happens to the radio's channels, slot by slot.
enum ChannelSlots {
    static func text(_ slots: [JSONValue]) -> String {
        let width = Screen.width ?? .max
        return width < 60 ? list(slots, width: width) : table(slots)
    }

    private static func table(_ slots: [JSONValue]) -> String {
        var table = Table([
            .init("SLOT", .right), .init("CHANGE"), .init("NOW"), .init("THEN"),
            .init("POSITIONS", expendability: 1),
        ])
        for slot in slots {
            let change = slot["change"]?.string ?? "?"
            let stays = change == "none"
            table.add([
                "\(slot["index"]?.integer ?? 0)", stays ? "stays" : change, brief(slot["old"]),
                stays ? "" : brief(slot["new"]), precision(slot["new"]),
            ])
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    /// For a screen on which two channels have no room side by side.
    private static func list(_ slots: [JSONValue], width: Int) -> String {
        var fields = Fields()
        for slot in slots {
            let change = slot["change"]?.string ?? "?"
            let channels = [slot["old"], slot["new"]].map { brief($0) }.filter { $0 != "-" }
            fields.add(
                "\(slot["index"]?.integer ?? 0) \(change == "none" ? "stays" : change)",
                change == "none" ? channels.first : channels.joined(separator: " → "))
        }
        return fields.text(width: width, style: Screen.style(.bold))
    }

    private static func brief(_ channel: JSONValue?) -> String {
        guard let channel, let name = channel["name"]?.string else { return "-" }
        let key = channel["key"]?.string ?? "?"
        let isAuthenticated = channel["authenticated"]?.bool == true
        return "\(name), \(key == "none" ? "no" : key) key\(isAuthenticated ? ", authenticated" : "")"
    }

    /// How exactly positions are shared there.
    private static func precision(_ channel: JSONValue?) -> String {
        guard let channel, channel["name"] != nil else { return "" }
        let bits = channel["positionPrecision"]?.integer ?? 0
        return bits == 0 ? "not shared" : bits >= 32 ? "exact" : "\(bits) bits"
    }
}
