/// A rule that is shipped as an example to copy.
public struct ExampleRule: Sendable {
    public let name: String
    /// In a few words.
    public let about: String
    let lines: [String]

    public static let all = [
        ExampleRule(
            name: "direct-message", about: "a direct message has come", lines: ["when = direct message"]),
        ExampleRule(
            name: "silent", about: "a favourite has not been heard for six hours",
            lines: ["when = node silent for 6h", "node = favourites", "resolved = yes"]),
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
            lines: ["when = channel use above 40 %", "again = channel use below 30 %"]),
    ]

    /// The rules of `rule add health`, one file each.
    public static let health = [
        ExampleRule(
            name: "health-battery", about: "a node's battery is nearly empty",
            lines: ["when = battery below 20 %", "again = battery above 30 %"]),
        ExampleRule(
            name: "health-channel-use", about: "the channel is busy where the radio is",
            lines: ["when = channel use above 40 %", "again = channel use below 30 %"]),
        ExampleRule(
            name: "health-silent", about: "a node has not been heard for a day",
            lines: ["when = node silent for 1d"]),
        ExampleRule(
            name: "health-rebooted", about: "a node has started again", lines: ["when = rebooted"]),
    ]

    /// The file's text.
    ///
    /// - Parameters:
    ///   - node: the value of `node =`; nil keeps the example's.
    ///   - targets: names for `tell =`.
    public func text(node: String? = nil, targets: [String] = []) -> String {
        let kept = node == nil ? lines : lines.filter { !$0.hasPrefix("node = ") }
        let added = (node.map { ["node = \($0)"] } ?? []) + targets.map { "tell = \($0)" }
        return (["# Fires when \(about)."] + kept + added).map { $0 + "\n" }.joined()
    }
}
