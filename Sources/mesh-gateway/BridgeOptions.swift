import CommandLine
import JSON

/// `conversation edit --bridge`: the channel that a conversation over a broker is joined to.
struct BridgeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Join it to a channel, by its number or name; of which radio, if there are several.",
            valueName: "channel[@radio]"), completion: Completion.channels)
    var bridge: String?

    @Flag(help: "Publish what is said on the channel, and send nothing there.")
    var upOnly = false

    @Flag(help: "Send what is said in the conversation on the channel, and publish nothing from there.")
    var downOnly = false

    @Option(help: ArgumentHelp("So many texts at most go to the channel in an hour: 1 to 60.", valueName: "number"))
    var textsPerHour: Int?

    @Flag(help: "Join it to no channel any more.")
    var noBridge = false

    /// As a member of the API's body; nil: none of them is given.
    func member(_ options: GatewayOptions) throws -> (String, String)? {
        guard let bridge else {
            guard !upOnly, !downOnly, textsPerHour == nil else { throw failure("say --bridge CHANNEL, too.", .usage) }
            return noBridge ? ("bridge", "null") : nil
        }
        guard !noBridge else { throw failure("either --bridge or --no-bridge.", .usage) }
        guard !upOnly || !downOnly else { throw failure("either --up-only or --down-only.", .usage) }
        let (channel, source) = try place(bridge, try .ofBrokers(options))
        let members = [
            ("channel", "\(channel)"), ("source", JSONText.quoted(source)), ("up", "\(!downOnly)"),
            ("down", "\(!upOnly)"),
        ]
        return ("bridge", JSONText.object(members + (textsPerHour.map { [("textsPerHour", "\($0)")] } ?? [])))
    }

    /// The channel's number, and the UUID of the radio's source.
    private func place(_ words: String, _ client: LocalClient) throws -> (channel: Int64, source: String) {
        let at = words.lastIndex(of: "@")
        let radio = at.map { String(words[words.index(after: $0)...]) }
        let word = at.map { String(words[..<$0]) } ?? words
        let query = radio.map { "?source=\(PercentEncoding.segment($0))" } ?? ""
        let page = try Page(client.answer("GET", "/local/channels" + query)).json
        let channels = page["channels"]?.array ?? []
        let found = channels.filter { channel in
            channel["index"]?.integer.map { "\($0)" } == word
                || channel["name"]?.string?.lowercased() == word.lowercased()
        }
        guard found.count == 1, let index = found[0]["index"]?.integer, let source = page["source"]?["id"]?.string
        else {
            throw failure(
                found.isEmpty
                    ? "there is no channel \"\(word)\"; mesh-gateway channels lists them."
                    : "several channels are called \"\(word)\"; name one by its number.", .noInput)
        }
        return (index, source)
    }
}
