import CommandLine
import JSON
import Terminal

/// `mesh-gateway node`: everything known of one.
struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "Shows what is known of a node, keeps notes of it, and joins two that are one.",
        subcommands: [Show.self, Merge.self], defaultSubcommand: Show.self)
}

extension NodeCommand {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows everything that is known of a node; gives it a nickname, and notes.",
            discussion: """
                NODE is an id such as !6b4acba0, a number, or a long or short name. A nickname and notes stay on the \
                gateway: they are sent to nobody. An empty text takes them away. The radio is told of a favourite, as by the \
                star of the web page; a radio in the role CLIENT_BASE repeats what its favourites send.
                """)

        @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
        var node: String

        @Option(help: ArgumentHelp("Call it so here, in at most 60 bytes.", valueName: "text"))
        var nickname: String?

        @Option(help: ArgumentHelp("Keep this in mind of it, in at most 2000 bytes.", valueName: "text"))
        var notes: String?

        @Flag(help: "Make it a favourite.")
        var favourite = false

        @Flag(help: "It is no favourite any more.")
        var noFavourite = false

        @OptionGroup var viewing: Viewing

        func run() throws {
            guard !favourite || !noFavourite else {
                throw failure("--favourite and --no-favourite exclude each other; leave one out.", .usage)
            }
            let path = "/local/nodes/\(PercentEncoding.segment(node))"
            let page =
                nickname == nil && notes == nil && !favourite && !noFavourite
                ? try Backend.reading(viewing).get(path, [("source", viewing.source)]) : try noted(path)
            try viewing.show(page) { text($0["node"] ?? .null) }
        }

        private func noted(_ path: String) throws -> Page {
            let backend = try Backend.reading(viewing, isTold: false)
            guard case .daemon = backend else {
                throw failure(
                    "the daemon keeps nicknames, notes and favourites, and none is running; start one with: mesh-gateway serve",
                    .unavailable)
            }
            var members: [(String, String)] = []
            if let nickname { members.append(("nickname", JSONText.quoted(nickname))) }
            if let notes { members.append(("notes", JSONText.quoted(notes))) }
            if favourite || noFavourite { members.append(("favorite", favourite ? "true" : "false")) }
            return try backend.post(path, [("source", viewing.source)], body: JSONText.object(members))
        }

        private func text(_ node: JSONValue) -> String {
            var fields = Fields()
            let own = node["isOwn"]?.bool == true ? ", this radio" : ""
            fields.add("node", "\(node["nodeId"]?.string ?? "?")\(own)")
            fields.add("name", "\(node["longName"]?.string ?? "") (\(node["shortName"]?.string ?? ""))")
            fields.add("nickname", node["nickname"]?.string)
            for (place, line) in (node["notes"]?.string ?? "").split(separator: "\n").enumerated() {
                fields.add(place == 0 ? "notes" : "", String(line))
            }
            fields.add("number", node["nodeNum"]?.integer.map { "\($0)" })
            fields.add("hardware", listed([node["hardware"]?.string, node["role"]?.string]))
            fields.add("firmware", node["firmwareVersion"]?.string)
            fields.add("status", node["status"]?.string)
            fields.add("marks", marks(node))
            for line in advice(node) { fields.add("", line) }
            heard(node, &fields)
            fields.add("position", position(node))
            fields.add("battery", battery(node))
            fields.add(
                "air",
                listed([
                    node["channelUtilization"]?.decimal(1).map { "\($0)% used by all" },
                    node["airUtilTx"]?.decimal(1).map { "\($0)% by this node" },
                ]))
            let uptime = node["uptimeSeconds"]?.integer.map { "up " + durationInWords(seconds: UInt64(max(0, $0))) }
            fields.add("running", listed([uptime, node["rebootCount"].map { count($0, "restart") }]))
            key(node, &fields)
            fields.add(
                "messages",
                "\(node["messagesFrom"]?.integer ?? 0) from it, \(node["messagesTo"]?.integer ?? 0) to it in the last 24 h"
            )
            route(node["lastTraceroute"], &fields)
            return fields.text(width: Screen.width, style: Screen.style(.bold))
        }

        /// What a person may want to know of it besides.
        private func advice(_ node: JSONValue) -> [String] {
            var lines: [String] = []
            if node["favoriteMissingSince"] != nil {
                lines.append("not a favorite on the radio, whose list may be full")
            }
            let missing = [("sendsNoTelemetry", "telemetry"), ("sendsNoPosition", "position")]
                .filter { node[$0.0]?.bool == true }.map(\.1)
            if !missing.isEmpty {
                lines.append(
                    "heard, but has sent no \(missing.joined(separator: " or ")) for a week; firmware 2.8 sends none unless it "
                        + "is told to")
            }
            let id = node["nodeId"]?.string ?? ""
            if let new = node["newNumber"]?.string {
                lines.append("may be \(new) now, by its key: mesh-gateway node merge '\(id)' '\(new)' --dry-run")
            }
            if let old = node["oldNumber"]?.string {
                lines.append("may have been \(old), by its key: mesh-gateway node merge '\(old)' '\(id)' --dry-run")
            }
            return lines
        }

        private func marks(_ node: JSONValue) -> String? {
            let marks = [
                ("isFavorite", "favorite"), ("isIgnored", "ignored"), ("isLicensed", "licensed operator"),
                ("isUnmessagable", "takes no messages"), ("isStoreForwardServer", "store and forward server"),
            ]
            return listed(marks.map { node[$0.0]?.bool == true ? $0.1 : nil })
        }

        private func heard(_ node: JSONValue, _ fields: inout Fields) {
            let hops = node["hopsAway"]?.integer.map {
                $0 == 0 ? "directly" : $0 == 1 ? "over 1 hop" : "over \($0) hops"
            }
            let heard = viewing.time(node["lastHeard"]).map { "\($0) (\(viewing.ago(node["lastHeard"])))" }
            fields.add("heard", listed([heard ?? "never", node["viaMqtt"]?.bool == true ? "over MQTT" : hops]))
            let transports = [("LoRa", "lastHeardRF"), ("MQTT", "lastHeardMQTT"), ("UDP", "lastHeardUDP")]
            let ways = transports.compactMap { name, key in node[key].map { "\(name) \(viewing.ago($0))" } }
            if ways.count > 1 { fields.add("", ways.joined(separator: ", ")) }
            fields.add(
                "link",
                listed([
                    node["snr"]?.decimal(2).map { "SNR \($0) dB" }, node["rssi"]?.integer.map { "RSSI \($0) dBm" },
                    node["channel"]?.integer.map { "channel \($0)" },
                ]))
            fields.add("known", viewing.time(node["firstSeen"]).map { "since \($0)" })
        }

        private func position(_ node: JSONValue) -> String? {
            guard let latitude = node["latitude"]?.decimal(5), let longitude = node["longitude"]?.decimal(5) else {
                return nil
            }
            return listed([
                "\(latitude), \(longitude)", node["altitude"]?.integer.map { "\($0) m high" },
                node["isOwn"]?.bool == true ? nil : node["distance"]?.decimal(1).map { "\($0) km away" },
                node["positionError"]?.integer.map { "to \(metresInWords($0))" },
                node["positionAt"].map { viewing.ago($0) },
            ])
        }

        /// The state, then what to do, then the key itself, which is for comparing.
        private func key(_ node: JSONValue, _ fields: inout Fields) {
            fields.add("key", listed([node["keyState"]?.string, node["keyDetails"]?.string]))
            fields.add("", node["keyAdvice"]?.string)
            fields.add("", node["key"]?.string)
            fields.add("", node["announcedKey"]?.string.map { "other key seen: \($0)" })
        }

        private func route(_ route: JSONValue?, _ fields: inout Fields) {
            guard let route else { return }
            let (from, to) = (route["from"]?.string ?? "?", route["to"]?.string ?? "?")
            fields.add("route", viewing.time(route["at"]))
            fields.add("", way(from, route["towards"], to, route["snrTowards"]))
            if route["snrBack"]?.array?.isEmpty == false {
                fields.add("", way(to, route["back"], from, route["snrBack"]))
            }
        }

        /// `!0a → 6.0 dB !0b → 2.5 dB !0c`: each with how well it heard the one before.
        private func way(_ first: String, _ between: JSONValue?, _ last: String, _ levels: JSONValue?) -> String {
            let hops = (between?.array ?? []).map { $0.string ?? "unknown" } + [last]
            let levels = levels?.array ?? []
            return hops.enumerated().reduce(first) { way, hop in
                let level = levels.indices.contains(hop.offset) ? levels[hop.offset].decimal(1) : nil
                return way + " → " + (level.map { "\($0) dB " } ?? "") + hop.element
            }
        }
    }
}

/// "360 m", "2.9 km", "23 km".
func metresInWords(_ metres: Int64) -> String {
    switch metres {
    case ..<1000: "\(metres) m"
    case ..<10_000: "\((metres + 50) / 1000).\((metres + 50) % 1000 / 100) km"
    default: "\((metres + 500) / 1000) km"
    }
}
