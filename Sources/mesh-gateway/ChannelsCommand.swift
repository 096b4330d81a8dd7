import CommandLine
import JSON
import Terminal

/// `mesh-gateway channels`: where one can talk, and how private that is.
struct ChannelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Lists the radio's channels, and those that the gateway decrypts itself.",
        discussion: """
            Numbers from 100 on are channels of the gateway's own channel database, which the radio does not have. \
            Messages are counted for the last 24 hours. Unread are those that nobody on this machine has marked as \
            read. Keys are never shown.
            """)

    @Flag(name: .shortAndLong, help: "Show the radio's unused slots, too.")
    var all = false

    @OptionGroup var viewing: Viewing

    func run() throws {
        let page = try Backend.reading(viewing).get("/local/channels", [("source", viewing.source)])
        try viewing.show(page, text)
    }

    private func text(_ page: JSONValue) -> String {
        let channels = (page["channels"]?.array ?? []).filter { all || $0["role"]?.string != "disabled" }
        let entries = page["gatewayChannels"]?.array ?? []
        guard !channels.isEmpty || !entries.isEmpty else {
            return Screen.lines("No channel is known yet; the radio reports its channels when it is connected.")
        }
        var table = Table([
            .init("NO", .right), .init("NAME", widest: 32), .init("ROLE", expendability: 3), .init("ENCRYPTION"),
            .init("POSITION", expendability: 2), .init("MQTT", expendability: 4),
            .init("MESSAGES", .right, expendability: 1),
            .init("UNREAD", .right, expendability: 1),
        ])
        for channel in channels {
            table.add(cells(channel, role: channel["role"]?.string ?? "?", position(channel), mqtt(channel)))
        }
        for entry in entries {
            table.add(cells(entry, role: entry["isEnabled"]?.bool == true ? "gateway" : "gateway, off", "-", "-"))
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    private func cells(_ channel: JSONValue, role: String, _ position: String, _ mqtt: String) -> [String] {
        [
            channel["index"]?.integer.map { "\($0)" } ?? "?", channel["name"]?.string ?? "", role, encryption(channel),
            position, mqtt, channel["messagesLastDay"]?.integer.map { "\($0)" } ?? "-",
            channel["unread"]?.integer.map { "\($0)" } ?? "-",
        ]
    }

    private func encryption(_ channel: JSONValue) -> String {
        key(of: channel) + (channel["authenticated"]?.bool == true ? ", authenticated" : "")
    }

    private func key(of channel: JSONValue) -> String {
        switch channel["encryption"]?.string {
        case "none": "none: all can read"
        case "default": "key that all know"
        case "simple": "key that all can guess"
        case "primary": "primary's key"
        case "aes128": "own key, 128 bit"
        case "aes256": "own key, 256 bit"
        default: "-"
        }
    }

    /// How exactly the radio's own position goes out on the channel.
    private func position(_ channel: JSONValue) -> String {
        switch channel["positionPrecisionBits"]?.integer {
        case nil: "-"
        case 0: "not sent"
        default: channel["positionError"]?.integer.map { "to \(metresInWords($0))" } ?? "exact"
        }
    }

    private func mqtt(_ channel: JSONValue) -> String {
        listed([
            channel["uplink"]?.bool == true ? "up" : nil, channel["downlink"]?.bool == true ? "down" : nil,
        ]) ?? "-"
    }
}
