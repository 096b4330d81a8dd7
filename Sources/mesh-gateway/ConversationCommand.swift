import CommandLine
import JSON
import MeshModel
import Terminal

/// `mesh-gateway conversation`: conversations over MQTT brokers.
struct ConversationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversation",
        abstract: "Makes, changes and removes conversations over MQTT brokers.",
        discussion: """
            A conversation is what is said under topics of a broker (mesh-gateway mqtt), and has a topic to write to. \
            mesh-gateway conversations lists it among the others; messages --with mqtt:NAME and send --to mqtt:NAME read and \
            write there.
            """,
        subcommands: [List.self, Show.self, Add.self, Edit.self, Key.self, Remove.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the conversations over brokers, and how they are connected.")

        @OptionGroup var viewing: Viewing

        func run() throws {
            try viewing.show(Backend.reading(viewing).get(ConversationCommand.page)) { ConversationCommand.table($0) }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one of them with all that it is made of.")

        @Argument(help: "Which one.", completion: Completion.brokerConversations)
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            let page = try Backend.reading(viewing).get(ConversationCommand.page, [("name", name)])
            try viewing.show(page) { ConversationCommand.details($0["conversations"]?.array?.first, viewing.time) }
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Makes a conversation of topics at a broker.",
            discussion: """
                Texts are published to --topic; without it to the first filter, if it has no wildcards, or else to the first \
                one that has none. --json sends them as JSON with their id and writer, which others can tell apart.
                """)

        @Argument(help: "What it is called, for good: 1 to 32 of a-z, 0-9 and -.")
        var name: String

        @OptionGroup var settings: Settings
        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            guard settings.broker != nil, !settings.filter.isEmpty else {
                throw failure(
                    "say where it is and which topics it has, such as --broker house --filter 'club/#'.", .usage)
            }
            let members = [("name", JSONText.quoted(name))] + settings.members
            try ConversationCommand.change("POST", "", members, shown: name, gatewayOptions)
        }
    }

    struct Edit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit", abstract: "Changes a conversation; what is not named stays as it is.",
            discussion: """
                With --filter all its filters are replaced. With --bridge it is joined to a channel of the mesh: what is said \
                there is published, and what is said here is sent there. It needs --json or a key.
                """)

        @Argument(help: "Which one.", completion: Completion.brokerConversations)
        var name: String

        @Flag(help: "Write to the first filter without wildcards, and to no topic of its own.")
        var noTopic = false

        @Flag(help: "Send texts as they are, not as JSON.")
        var raw = false

        @OptionGroup var settings: Settings
        @OptionGroup var bridging: BridgeOptions
        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            guard !noTopic || settings.topic == nil else { throw failure("either --topic or --no-topic.", .usage) }
            guard !raw || !settings.json else { throw failure("either --json or --raw.", .usage) }
            var members = settings.members
            if noTopic { members.append(("topic", "null")) }
            if raw { members.append(("json", "false")) }
            if let bridge = try bridging.member(gatewayOptions) { members.append(bridge) }
            guard !members.isEmpty else { throw failure("say what to change, such as --title TEXT.", .usage) }
            try ConversationCommand.change(
                "PATCH", "/" + PercentEncoding.segment(name), members, shown: name, gatewayOptions)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes a conversation with all that was said there.")

        @Argument(help: "Which one.", completion: Completion.brokerConversations)
        var name: String

        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            try ConversationCommand.change(
                "DELETE", "/" + PercentEncoding.segment(name), [], shown: nil, gatewayOptions)
            writeToStandardOutput(printable("\(BrokerConversation.idPrefix)\(name) is removed.") + "\n")
        }
    }

    /// What a conversation is made of, except its name.
    struct Settings: ParsableArguments {
        @Option(
            help: ArgumentHelp("The broker, by its name in mesh-gateway mqtt.", valueName: "broker"),
            completion: Completion.brokers)
        var broker: String?

        @Option(
            help: ArgumentHelp(
                "Topics that belong to it, with + and # as MQTT has them; may be repeated.", valueName: "filter"))
        var filter: [String] = []

        @Option(help: ArgumentHelp("Where its texts are published.", valueName: "topic"))
        var topic: String?

        @Option(help: ArgumentHelp("What people read as its name.", valueName: "text"))
        var title: String?

        @Option(help: ArgumentHelp("0 or 1; with 0 a text may get lost.", valueName: "number"))
        var qos: Int?

        @Flag(help: "Send texts as JSON with their id and writer.")
        var json = false

        @Option(help: ArgumentHelp("What others read as the writer of its texts.", valueName: "name"))
        var from: String?

        /// As members of the API's body.
        fileprivate var members: [(String, String)] {
            [
                broker.map { ("broker", JSONText.quoted($0)) },
                filter.isEmpty ? nil : ("filters", JSONText.array(filter)),
                topic.map { ("topic", JSONText.quoted($0)) },
                title.map { ("title", JSONText.quoted($0)) }, qos.map { ("qos", "\($0)") },
                json ? ("json", "true") : nil, from.map { ("from", JSONText.quoted($0)) },
            ].compactMap(\.self)
        }
    }

    // MARK: what is asked and shown

    fileprivate static let page = "/local/mqtt/conversations"

    /// - Parameters:
    ///   - path: what follows the path of all conversations.
    ///   - shown: the conversation to show afterwards.
    fileprivate static func change(
        _ method: String, _ path: String, _ members: [(String, String)], shown: String?, _ options: GatewayOptions
    ) throws {
        let client = try LocalClient.ofBrokers(options)
        let body = JSONText.object(members)
        _ = try Page(client.answer(method, "/api/v1/mqtt/conversations" + path, body: body))
        guard let shown else { return }
        let page = try Page(client.answer("GET", "\(page)?name=\(PercentEncoding.segment(shown))"))
        let conversation = page.json["conversations"]?.array?.first
        writeToStandardOutput(
            details(conversation) {
                $0?.string.flatMap(ISO8601.milliseconds).map { localTime(milliseconds: $0, utc: false) }
            })
    }

    fileprivate static func table(_ page: JSONValue) -> String {
        let conversations = page["conversations"]?.array ?? []
        guard !conversations.isEmpty else {
            return Screen.lines(
                "There are no conversations over brokers. To have one: "
                    + "mesh-gateway conversation add NAME --broker BROKER --filter TOPIC")
        }
        var table = Table([
            .init("NAME"), .init("TITLE", widest: 24, expendability: 3), .init("BROKER", widest: 16),
            .init("WRITES TO", widest: 32, expendability: 1), .init("FILTERS", widest: 40, expendability: 4),
            .init("STATE"), .init("WAITING", .right, expendability: 2),
        ])
        for conversation in conversations {
            table.add([
                conversation["name"]?.string ?? "", conversation["title"]?.string ?? "",
                conversation["broker"]?.string ?? "", conversation["topic"]?.string ?? "-", filters(conversation),
                conversation["connection"]?["state"]?.string ?? "", conversation["waiting"]?.decimal(0) ?? "",
            ])
        }
        let reasons = conversations.compactMap { conversation in
            conversation["connection"]?["reason"]?.string.map { "\(conversation["name"]?.string ?? ""): \($0)" }
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
            + reasons.map { Screen.lines(printable($0)) }.joined()
    }

    /// - Parameter time: writes a time of the page for people.
    fileprivate static func details(_ conversation: JSONValue?, _ time: (JSONValue?) -> String?) -> String {
        guard let conversation else { return "" }
        let connection = conversation["connection"]
        let state = [
            connection?["state"]?.string, time(connection?["since"]).map { "since \($0)" },
            connection?["reason"]?.string,
        ].compactMap(\.self).joined(separator: ", ")
        let rows = [
            ("id", BrokerConversation.idPrefix + (conversation["name"]?.string ?? "")),
            ("title", conversation["title"]?.string ?? ""), ("broker", conversation["broker"]?.string ?? ""),
            ("filters", filters(conversation)),
            (
                "writes to",
                conversation["topic"]?.string ?? "no topic: its filters have wildcards; --topic gives it one"
            ),
            ("as", conversation["json"]?.bool == true ? "JSON" : "text"),
            ("from", conversation["from"]?.string ?? ""), ("QoS", conversation["qos"]?.decimal(0) ?? ""),
            ("sealed", sealed(conversation)),
            ("connection", state), ("waiting", conversation["waiting"]?.decimal(0) ?? ""),
        ]
        return (rows + bridge(conversation["bridge"])).map { name, value in
            Screen.lines(printable(name + String(repeating: " ", count: 12 - name.count) + value))
        }.joined()
    }

    private static func sealed(_ conversation: JSONValue) -> String {
        guard let key = conversation["keyId"]?.string else { return "no: whoever runs the broker can read it" }
        let dropped = [("unopened", "do not open"), ("unsealed", "are in clear")].compactMap { name, words in
            conversation[name]?.integer.flatMap { $0 > 0 ? "\($0) of what came \(words)" : nil }
        }
        return (["with the key \(key)"] + dropped).joined(separator: "; ")
    }

    private static func bridge(_ bridge: JSONValue?) -> [(String, String)] {
        guard let bridge else { return [] }
        let way = bridge["down"]?.bool == false ? ", up only" : bridge["up"]?.bool == false ? ", down only" : ""
        let most = bridge["textsPerHour"]?.decimal(0) ?? ""
        var rows = [
            ("bridge", "channel \(bridge["channel"]?.decimal(0) ?? "")\(way), at most \(most) texts an hour go there"),
            ("radio", bridge["source"]?.string ?? ""),
        ]
        if let reason = bridge["reason"]?.string { rows.append(("stopped", reason)) }
        if let dropped = bridge["dropped"]?.integer, dropped > 0 {
            let reason = bridge["lastReason"]?.string.map { "; the last one because \($0)" } ?? ""
            rows.append(("not sent", "\(dropped)\(reason)"))
        }
        return rows + (bridge["warnings"]?.array ?? []).compactMap(\.string).map { ("warning", $0) }
    }

    private static func filters(_ conversation: JSONValue) -> String {
        (conversation["filters"]?.array ?? []).compactMap(\.string).joined(separator: " ")
    }
}

/// Whether this is the id of a conversation over a broker, not the name of a node.
func isOverBroker(_ name: String?) -> Bool { name?.hasPrefix(BrokerConversation.idPrefix) == true }

extension LocalClient {
    /// The running daemon: nobody else is connected to brokers.
    static func ofBrokers(_ options: GatewayOptions) throws -> LocalClient {
        guard let client = try Reach.daemon(options.configuration()) else {
            throw failure("no daemon is running, which has the brokers; start it: mesh-gateway serve", .unavailable)
        }
        return client
    }
}

extension Backend {
    /// For a command that acts in a conversation over a broker.
    static func ofBrokers(_ options: GatewayOptions) throws -> Backend { .daemon(try .ofBrokers(options)) }
}
