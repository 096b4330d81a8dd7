import CommandLine
import JSON
import Terminal

/// `mesh-gateway send-position`: tells others where the radio is.
struct SendPositionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-position",
        abstract: "Sends the radio's position to a channel or to a node.",
        discussion: """
            Without NODE everybody on the channel gets it. It is as exact as the channel shares positions; a channel \
            that shares none gets none.
            """)

    @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
    var node: String?

    @Option(help: ArgumentHelp("Send it on this channel, 0 to 7.", valueName: "index"))
    var channel: Int?

    @OptionGroup var viewing: Viewing

    func validate() throws {
        guard (0...7).contains(channel ?? 0) else { throw ValidationError("A channel is a number from 0 to 7.") }
    }

    func run() throws {
        let backend = try Backend.acting(viewing)
        defer { backend.close() }
        var members: [(String, String)] = []
        if let node { members.append(("node", JSONText.quoted(node))) }
        if let channel { members.append(("channel", "\(channel)")) }
        let page = try backend.post(
            "/local/position", [("source", viewing.source)], body: JSONText.object(members))
        try viewing.show(page) { page in
            let channel = page["channel"]?.integer ?? 0
            let receiver = page["nodeId"]?.string ?? "everybody"
            return Screen.lines("The position goes to \(receiver) on channel \(channel).")
        }
    }
}
