import CommandLine
import JSON
import Search
import Terminal

/// `mesh-gateway mqtt`: the brokers where the mesh is shown.
struct MqttCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mqtt",
        abstract: "Shows how the MQTT brokers are doing, and what Home Assistant has from the gateway.",
        discussion: """
            Each broker is a file of the folder brokers.d beside the configuration file; mesh-gateway-home-assistant(7) \
            says what it may hold, and what there is to see in Home Assistant.
            """,
        subcommands: [Status.self, Add.self, Test.self, Refresh.self], defaultSubcommand: Status.self)

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Lists the brokers, with what is wrong with them or their files.")

        @OptionGroup var viewing: Viewing

        func run() throws { try viewing.show(Backend.reading(viewing).get("/local/mqtt")) { MqttCommand.text($0) } }
    }

    struct Test: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Connects to a broker, and shows what it allows and what would be published.",
            discussion: """
                The connection is another one than the gateway's own, and leaves nothing at the broker. Exit code 69 if it \
                fails, or if the broker does not allow what is needed.
                """)

        @Argument(help: "Which broker.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            try Self.show(MqttCommand.ask("test", name, viewing), viewing)
            RuleNotes.sayNoFavourites(ofBroker: name, viewing)
        }

        /// What a test has shown.
        ///
        /// - Parameter end: printed below, if all is well.
        /// - Throws: the exit code 69 if it has failed.
        static func show(_ page: Page, _ viewing: Viewing, end: (JSONValue) -> String = { _ in "" }) throws {
            let hasFailed = page.json["mayRead"]?.bool == false || page.json["mayPublish"]?.bool == false
            guard page.json["connected"]?.bool == true else {
                if viewing.json { writeJSON(page.text) }
                if viewing.json { throw ExitCode(ExitStatus.unavailable.rawValue) }
                let why = page.json["reason"]?.string ?? "it does not answer"
                throw failure("not connected to \(page.json["address"]?.string ?? "it"): \(why).", .unavailable)
            }
            try viewing.show(page) { text($0) + (hasFailed ? "" : end($0)) }
            if hasFailed { throw ExitCode(ExitStatus.unavailable.rawValue) }
        }

        private static func text(_ page: JSONValue) -> String {
            let address = printable(page["address"]?.string ?? "")
            let size = page["maximumPacketSize"]?.integer.map { "\($0) bytes" } ?? "no limit that it tells"
            var lines = [
                "connected to \(address) with MQTT \(page["version"]?.string ?? "")",
                "packets      \(size), keep-alive \(page["keepAlive"]?.integer ?? 0) s",
                "reading      \(allowed(page["mayRead"]))", "publishing   \(allowed(page["mayPublish"]))",
            ]
            if page["retains"]?.bool == false {
                lines.append("It keeps no retained messages, which Home Assistant needs.")
            }
            let devices = page["devices"]?.array ?? []
            lines.append(
                devices.isEmpty
                    ? "devices      none: its file has no home-assistant"
                    : "devices      \(devices.count), in \(page["bytes"]?.integer ?? 0) bytes of configurations")
            var table = Table([.init("OBJECT"), .init("NAME", widest: 40), .init("ENTITIES", .right)])
            for device in devices {
                table.add([
                    device["object"]?.string ?? "", device["name"]?.string ?? "", device["entities"]?.decimal(0) ?? "",
                ])
            }
            return lines.joined(separator: "\n") + "\n"
                + (devices.isEmpty ? "" : "\n" + table.text(style: Screen.style(.bold), screen: Screen.width))
                + spoken("hears", devices, "events") + spoken("may use", devices, "commands")
        }

        /// The entities of devices that Home Assistant hears, or may use.
        private static func spoken(_ verb: String, _ devices: [JSONValue], _ key: String) -> String {
            let ids = devices.flatMap { $0[key]?.array ?? [] }.compactMap(\.string)
            return ids.isEmpty ? "" : "\n" + Screen.lines("Home Assistant \(verb) \(ids.joined(separator: ", ")).")
        }

        private static func allowed(_ value: JSONValue?) -> String {
            switch value?.bool {
            case true?: "allowed"
            case false?: "not allowed: give its user the topics mesh-gateway/# and homeassistant/#"
            case nil: "not known"
            }
        }
    }

    struct Refresh: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "refresh",
            abstract: "Shows everything at a broker again, also what was deleted in Home Assistant.")

        @Argument(help: "Which broker.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws { try viewing.show(MqttCommand.ask("refresh", name, viewing)) { MqttCommand.text($0) } }
    }

    // MARK: what is asked and shown

    static func ask(_ what: String, _ name: String, _ viewing: Viewing) throws -> Page {
        guard var client = try Reach.daemon(viewing.gatewayOptions.configuration()) else {
            throw failure("no daemon is running, which has the brokers; start it: mesh-gateway serve", .unavailable)
        }
        client.patience = 60
        return try Page(client.answer("POST", "/local/mqtt/\(PercentEncoding.segment(name))/\(what)", body: "{}"))
    }

    fileprivate static func text(_ page: JSONValue) -> String {
        let brokers = page["brokers"]?.array ?? []
        let mistakes = ((page["mistakes"]?.array ?? []) + brokers.flatMap { $0["mistakes"]?.array ?? [] }).map(line)
        let missing = page["missingLibrary"]?.string.map { Screen.lines(printable($0) + ".") } ?? ""
        guard !brokers.isEmpty || !mistakes.isEmpty else {
            return Screen.lines(
                "There are no brokers. To have one: sudo mesh-gateway mqtt add house mqtt://USER@homeassistant.local")
        }
        var table = Table([
            .init("NAME"), .init("ADDRESS", widest: 40, expendability: 2), .init("STATE"),
            .init("MQTT", expendability: 4), .init("DEVICES", .right), .init("SENT", .right, expendability: 3),
            .init("REFUSED", .right, expendability: 5),
        ])
        for broker in brokers {
            let state = broker["state"]?.string ?? ""
            let isBroken = broker["mistakes"]?.array?.isEmpty == false
            table.add([
                broker["name"]?.string ?? "", broker["address"]?.string ?? "-",
                isBroken && state != "broken" ? "\(state) as before" : state,
                broker["version"]?.string ?? "-", broker["devices"]?.decimal(0) ?? "",
                broker["published"]?.decimal(0) ?? "", broker["refused"]?.decimal(0) ?? "",
            ])
        }
        let shown = brokers.isEmpty ? "" : table.text(style: Screen.style(.bold), screen: Screen.width)
        return missing + shown + brokers.map(notes).joined() + mistakes.joined()
    }

    /// Details that do not fit into a row.
    private static func notes(_ broker: JSONValue) -> String {
        let name = broker["name"]?.string ?? ""
        var lines: [String] = []
        if let reason = broker["reason"]?.string { lines.append("\(name): \(reason)") }
        if let refusal = broker["refusal"]?.string { lines.append("\(name) did not take \(refusal)") }
        if broker["maySubscribe"]?.bool == false { lines.append("\(name) does not let us read our topics") }
        let deleted = (broker["deleted"]?.array ?? []).compactMap(\.string)
        if !deleted.isEmpty {
            lines.append(
                "\(name): deleted in Home Assistant: \(deleted.joined(separator: " ")); "
                    + "to have them back: mesh-gateway mqtt refresh \(name)")
        }
        for text in broker["texts"]?.array ?? [] where text["channel"]?.integer == nil {
            lines.append(
                "\(name): home-assistant-texts names \(text["name"]?.string ?? ""), and no channel is called so now; to see "
                    + "the channels: mesh-gateway channels")
        }
        let (obeyed, refused) = (broker["commands"]?.integer ?? 0, broker["commandsRefused"]?.integer ?? 0)
        if obeyed + refused > 0 {
            lines.append("\(name): \(obeyed) commands of Home Assistant were obeyed, and \(refused) were refused")
        }
        return lines.map { Screen.lines(printable($0)) }.joined()
    }

    private static func line(_ mistake: JSONValue) -> String {
        let line = mistake["line"]?.integer.map { "\($0):" } ?? ""
        return printable("\(mistake["file"]?.string ?? ""):\(line) \(mistake["message"]?.string ?? "")") + "\n"
    }
}
