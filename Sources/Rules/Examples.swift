/// A rule that is shipped as an example to copy.
public struct ExampleRule: Sendable {
    public let name: String
    /// In a few words.
    public let about: String
    let lines: [String]
    /// What people should know before they copy it; a sentence, or empty.
    var advice = ""

    public static let all = [
        ExampleRule(
            name: "direct-message", about: "a direct message has come", lines: ["when = direct message"]),
        ExampleRule(
            name: "silent", about: "a favourite has not been heard for twelve hours",
            lines: ["when = node silent for 12h", "node = favourites", "resolved = yes"],
            advice: "A node that somebody carries is no favourite for it."),
        ExampleRule(
            name: "battery", about: "a favourite's battery is nearly empty",
            lines: ["when = battery below 20 %", "again = battery above 25 %", "node = favourites"]),
        ExampleRule(
            name: "key-changed", about: "another key than the known one was seen for a node",
            lines: ["when = key changed", "priority = high"]),
        ExampleRule(
            name: "radio-lost", about: "the radio has been away for two minutes", lines: ["when = radio lost for 2m"]),
        ExampleRule(
            name: "channel-use", about: "the channel is busy where the radio is",
            lines: ["when = channel use above 40 % for 15m", "again = channel use below 30 %"]),
    ]

    /// The rules of `rule add health`, one file each. They fit a mesh of a hundred nodes: passers-by are not watched, and a day has
    /// at most one notification of each kind, two of nodes that are silent.
    public static let health = [
        ExampleRule(
            name: "health-battery", about: "a node's battery is nearly empty",
            lines: ["when = battery below 20 %", "again = battery above 30 %", "known = 7d", "pace = 1d"]),
        ExampleRule(
            name: "health-channel-use", about: "the channel is busy where the radio is",
            lines: ["when = channel use above 40 % for 15m", "again = channel use below 30 %"]),
        ExampleRule(
            name: "health-silent", about: "a node has not been heard for a day",
            lines: ["when = node silent for 1d", "known = 7d", "pace = 12h"]),
        ExampleRule(
            name: "health-rebooted", about: "a node has started again",
            lines: ["when = rebooted", "known = 7d", "pace = 1d", "cool-down = 1d", "priority = low"]),
    ]

    /// The value of `when =`.
    public var when: String { value("when") ?? "" }
    /// The value of `node =`; nil if it is for every node.
    public var nodes: String? { value("node") }

    private func value(_ key: String) -> String? {
        lines.first { $0.hasPrefix("\(key) = ") }.map { String($0.dropFirst(key.count + 3)) }
    }

    /// The file's text.
    ///
    /// - Parameters:
    ///   - node: the value of `node =`; nil keeps the example's.
    ///   - targets: names for `tell =`.
    public func text(node: String? = nil, targets: [String] = []) -> String {
        let kept = node == nil ? lines : lines.filter { !$0.hasPrefix("node = ") }
        let added = (node.map { ["node = \($0)"] } ?? []) + targets.map { "tell = \($0)" }
        let first = "# Fires when \(about)." + (advice.isEmpty ? "" : " \(advice)")
        return ([first] + kept + added).map { $0 + "\n" }.joined()
    }
}
