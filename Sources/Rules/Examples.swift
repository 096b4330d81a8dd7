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
        ExampleRule(
            name: "welcome", about: "a node tells its name for the first time: the channel gets a word of welcome",
            lines: [
                "when = node introduced", "once = node", "delay = 30s", "send = Welcome {node} ({short}) to the mesh!",
                "to = 0",
            ],
            advice: "It welcomes each node once, even if you change this file."),
        ExampleRule(
            name: "announce", about: "six hours have passed: the channel gets a word of this radio",
            lines: [
                "when = at 0 */6 * * *", "send = {radio} hears {nodes} nodes, {direct} of them directly. Up {uptime}.",
                "to = 0",
            ]),
        ExampleRule(
            name: "traceroute",
            about: "half an hour has passed: one node is asked for its way, the one that is longest due",
            lines: ["when = at */30 * * * *", "ask = traceroute", "of = due"]),
    ]

    /// Answers to those who try whether they are heard.
    static let acknowledge = [
        ExampleRule(
            name: "acknowledge-channel", about: "a text on a channel begins with test or ping",
            lines: ["when = message", "matches = ^(test|ping)", "react = hops"],
            advice: "The reaction is the number of hops, or a star if there were none."),
        ExampleRule(
            name: "acknowledge-direct", about: "a direct message begins with test or ping",
            lines: ["when = direct message", "matches = ^(test|ping)", "react = hops"],
            advice: "The reaction is the number of hops, or a star if there were none."),
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

    /// Those of a name: several files for one of ``ExampleSet/all``.
    public static func named(_ name: String) -> [ExampleRule] {
        ExampleSet.all.first { $0.name == name }?.rules ?? all.filter { $0.name == name }
    }

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

/// Examples that are added and removed together, a file each.
public struct ExampleSet: Sendable {
    public let name: String
    /// What they are, and whom they are for, in a few words.
    public let about: String
    public let whom: String
    public let rules: [ExampleRule]

    public static let all = [
        ExampleSet(
            name: "acknowledge", about: "test or ping is written: the hops as a reaction; two rules",
            whom: "channels, direct messages", rules: ExampleRule.acknowledge),
        ExampleSet(
            name: "health", about: "four rules: battery, channel use, silent, rebooted", whom: "for every known node",
            rules: ExampleRule.health),
    ]
}
