import Folders
import MeshModel
import Search

// Values of a rule's keys. Every mistake says what to write.

func word<Value>(
    _ key: RuleFile.Key, _ text: String, among words: [(String, Value)]
) throws(BadValue) -> Value {
    if let found = words.first(where: { $0.0 == text }) { return found.1 }
    throw BadValue(
        "\(key.rawValue) cannot be \"\(text)\"; write one of: \(words.map(\.0).joined(separator: ", "))")
}

func yesOrNo(_ key: RuleFile.Key, _ text: String) throws(BadValue) -> Bool {
    try word(key, text, among: [("yes", true), ("no", false)])
}

func pattern(_ text: String) throws(BadValue) -> Pattern {
    do throws(PatternMistake) { return try Pattern(text) } catch {
        throw BadValue("matches, at character \(error.place): \(error.text)")
    }
}

func range(_ text: String) throws(BadValue) -> ClosedRange<UInt32> {
    let bounds = text.split(separator: ".", omittingEmptySubsequences: false)
    let isRange = bounds.count == 3 && bounds[1].isEmpty
    if let low = UInt32(bounds[0]), let high = isRange ? UInt32(bounds[2]) : bounds.count == 1 ? low : nil,
        low <= high, high <= 7
    {
        return low...high
    }
    throw BadValue("hops cannot be \"\(text)\"; write a number from 0 to 7 or two of them, such as 0..2")
}

func roles(_ text: String) throws(BadValue) -> Set<UInt32> {
    var found: Set<UInt32> = []
    for word in try wordList("role", text) {
        let name = String(word.uppercased().map { $0 == "-" ? "_" : $0 })
        guard let number = deviceRoles.firstIndex(of: name) else {
            throw BadValue(
                "role \"\(word)\" is unknown; write one of: \(deviceRoles.joined(separator: ", ").lowercased())")
        }
        found.insert(UInt32(number))
    }
    return found
}

func roleName(_ role: UInt32) -> String {
    deviceRoles.indices.contains(Int(role)) ? deviceRoles[Int(role)].lowercased() : "\(role)"
}

/// By number (Config.DeviceConfig.Role).
private let deviceRoles = [
    "CLIENT", "CLIENT_MUTE", "ROUTER", "ROUTER_CLIENT", "REPEATER", "TRACKER", "SENSOR", "TAK", "CLIENT_HIDDEN",
    "LOST_AND_FOUND", "TAK_TRACKER", "ROUTER_LATE", "CLIENT_BASE",
]

func checkedTitle(_ text: String, _ what: String = "title") throws(BadValue) -> String {
    guard text.utf8.count <= 200 else { throw BadValue("the \(what) is longer than 200 bytes; write a shorter one") }
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
        let close = rest[open...].firstIndex(of: "}") ?? rest.endIndex
        let name = rest[open] == "{" && close < rest.endIndex ? rest[rest.index(after: open)..<close] : ""
        guard Rule.placeholders.contains(String(name)) else {
            let known = Rule.placeholders.map { "{\($0)}" }.joined(separator: ", ")
            throw BadValue(
                "the \(what) has \"\(rest[open..<close])\(close < rest.endIndex ? "}" : "")\"; it may have \(known)")
        }
        rest = rest[rest.index(after: close)...]
    }
    return text
}

extension Conditions.Nodes {
    init(_ text: String) throws(BadValue) {
        var text = text
        if text.hasPrefix("not ") { (isNegated, text) = (true, String(text.dropFirst(4))) }
        for name in try nameList("node", text) {
            if name == "favourites" || name == "favorites" {
                areFavourites = true
            } else if name.hasPrefix("!"), NodeNumber(id: name) == nil {
                throw BadValue("node \"\(name)\" is no id; write ! and eight hexadecimal digits, such as !a1b2c3d4")
            } else {
                names.append(name)
            }
        }
        guard areFavourites || !names.isEmpty else {
            throw BadValue("node names nobody; write favourites, or names and ids with commas between")
        }
    }
}

/// How long an event is not told again, or an act does not follow again. The rule's log has to go so far back.
func cooling(_ text: String, isOfAct: Bool) throws(BadValue) -> Int64 {
    let time = try milliseconds(text)
    let longest: Int64 = 90 * 86_400_000
    guard time <= longest else { throw BadValue("cool-down is at most 90d; write a shorter one") }
    guard !isOfAct || time >= Acting.leastCoolDown else {
        throw BadValue("cool-down of what a rule does is at least 60s; write a longer one")
    }
    return time
}
