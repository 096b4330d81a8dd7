import CommandLine
import JSON
import Platform
import Terminal

/// `mesh-gateway status`: how the radio, the mesh and the gateway are doing.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows how the gateway and its radios are doing.",
        discussion: """
            Problems come first, with what to do about them. Asks the running daemon; without one it shows what the \
            database holds. Exit code 0 while every radio is connected, 69 otherwise.
            """)

    @OptionGroup var viewing: Viewing

    func run() throws {
        let page = try Backend.reading(viewing).get("/local/status", [("source", viewing.source)])
        try viewing.show(page, text)
        let sources = page.json["sources"]?.array ?? []
        guard !sources.isEmpty, sources.allSatisfy({ $0["connected"]?.bool == true }) else {
            throw ExitCode(ExitStatus.unavailable.rawValue)
        }
    }

    private func text(_ page: JSONValue) -> String {
        let sources = page["sources"]?.array ?? []
        let isOne = sources.count == 1
        var text = problems(page, among: sources)
        for source in sources { text += lines(radio(source, isNamed: !isOne)) + (isOne ? "" : "\n") }
        return text + lines(gateway(page))
    }

    /// A token with which the page may change the radio, for an hour. README.md, the page and `deploy/run` name the same.
    private static let setupCommand = "mesh-gateway token create setup --scope admin --expires 1h --qr"

    private func lines(_ fields: Fields) -> String {
        fields.text(width: Screen.width, style: Screen.style(.bold))
    }

    private func problems(_ page: JSONValue, among sources: [JSONValue]) -> String {
        let problems = page["problems"]?.array ?? []
        let text = problems.map { problem in
            let source = sources.first { $0["id"] == problem["sourceId"] }
            let whose = sources.count > 1 ? source?["name"]?.string.map { " (\($0))" } ?? "" : ""
            let line = printable("\(problem["name"]?.string ?? "?")\(whose): \(problem["advice"]?.string ?? "")")
            let style = Screen.style(problem["severity"]?.string == "fault" ? .red : .yellow)
            return wrapped(line, to: Screen.width).map { style.applied(to: $0) + "\n" }.joined()
        }
        return text.joined() + (problems.isEmpty ? "" : "\n")
    }

    // MARK: a radio

    private func radio(_ source: JSONValue, isNamed: Bool) -> Fields {
        var fields = Fields()
        if isNamed {
            fields.add("source", "\(source["name"]?.string ?? "?"), \(source["id"]?.string ?? "?")")
        }
        if let link = source["link"]?.string {
            let since = viewing.time(source["linkSince"]).map { ", since \($0)" } ?? ""
            fields.add("radio", link + since)
        }
        let steps = (source["setup"]?.array ?? []).compactMap(\.string)
        fields.add(
            "set up",
            steps.isEmpty
                ? nil : "\(steps.joined(separator: " and ")), on the page, with the link of: \(Self.setupCommand)")
        fields.add("device", source["device"]?.string)
        if let id = source["nodeId"]?.string {
            fields.add("node", "\(source["longName"]?.string ?? "") (\(source["shortName"]?.string ?? ""), \(id))")
        }
        fields.add("hardware", listed([source["hardware"]?.string, source["role"]?.string]))
        fields.add("firmware", source["firmwareVersion"]?.string)
        let hops = source["hopLimit"]?.integer.map { "\($0) hops" }
        fields.add("LoRa", listed([source["region"]?.string, source["modemPreset"]?.string, hops]))
        fields.add(
            "air",
            listed([
                source["channelUtilization"]?.decimal(1).map { "\($0)% used by all" },
                source["airUtilTx"]?.decimal(1).map { "\($0)% by this radio" },
            ]))
        fields.add("battery", battery(source))
        fields.add(
            "known",
            "\(count(source["nodes"], "node")), \(count(source["channels"], "channel")), "
                + count(source["messages"], "message"))
        fields.add("heard", "\(count(source["nodesHeard"], "node")) in the last 24 h")
        fields.add("outbox", outbox(source["outbox"]))
        for (index, share) in (source["shares"]?.array ?? []).enumerated() {
            fields.add(index == 0 ? "shared" : "", shared(share))
            for client in share["clients"]?.array ?? [] { fields.add("", sharedClient(client, at: share)) }
        }
        return fields
    }

    private func shared(_ share: JSONValue) -> String? {
        let clients = share["clients"]?.array ?? []
        let refused = (share["refused"]?["packets"]?.integer ?? 0, share["refused"]?["connections"]?.integer ?? 0)
        return listed([
            "on \(share["address"]?.string ?? "?") (\(share["right"]?.string ?? "?"))",
            clients.isEmpty ? "nobody connected" : "\(clients.count) client\(clients.count == 1 ? "" : "s")",
            "\(count(share["sent"], "packet")) sent", refused.0 > 0 ? "\(refused.0) refused" : nil,
            refused.1 > 0 ? "\(refused.1) connection\(refused.1 == 1 ? "" : "s") refused" : nil,
        ])
    }

    /// A program of this computer is named by the command where the service may not see it.
    private func sharedClient(_ client: JSONValue, at share: JSONValue) -> String? {
        var program = client["program"]?.string
        if program == nil, let address = client["address"]?.string, address.hasPrefix("127.") || address == "::1",
            let port = client["port"]?.integer.flatMap({ UInt16(exactly: $0) }),
            let own = share["address"]?.string?.split(separator: ":").last.flatMap({ UInt16($0) })
        {
            program = SocketOwner.program(withPort: port, connectedTo: own)
        }
        let refused = client["refused"]?.integer ?? 0
        return listed([
            "\(client["address"]?.string ?? "?")\(program.map { " (\(printable($0)))" } ?? "")",
            viewing.time(client["since"]).map { "since \($0)" }, "\(count(client["sent"], "packet")) sent",
            refused > 0 ? "\(refused) refused" : nil,
        ])
    }

    /// Nil when there is nothing in it.
    private func outbox(_ outbox: JSONValue?) -> String? {
        let waiting = outbox?["waiting"]?.integer ?? 0
        let underway = outbox?["underway"]?.integer ?? 0
        return listed([
            waiting > 0 ? "\(waiting) waiting, the oldest from \(viewing.ago(outbox?["oldestWaiting"]))" : nil,
            underway > 0 ? "\(underway) under way" : nil,
        ])
    }

    // MARK: the gateway

    private func gateway(_ page: JSONValue) -> Fields {
        var fields = Fields()
        let gateway = page["gateway"]
        // That it does not run is the first problem.
        if let gateway {
            let uptime = durationInWords(seconds: UInt64(max(0, gateway["uptimeSeconds"]?.integer ?? 0)))
            fields.add(
                "gateway",
                "version \(gateway["version"]?.string ?? "?"), process \(gateway["pid"]?.integer ?? 0), up \(uptime)")
            fields.add(
                "serving", listed((gateway["listeners"]?.array ?? []).map { $0.string }))
        }
        let tokens = page["tokens"]
        fields.add(
            "clients",
            listed([
                gateway?["connections"].map { count($0, "connection") },
                "\(tokens?["usedLastDay"]?.integer ?? 0) of \(count(tokens?["active"], "token")) used in the last 24 h",
            ]))
        database(page["database"], &fields)
        if let written = size(gateway?["writtenBytes"]) {
            let daily = size(gateway?["writtenBytesPerDay"]).map { ", \($0) a day" } ?? ""
            fields.add("written", "\(written) to the disk since the start\(daily)")
        }
        return fields
    }

    /// The file does not shrink: what counts is how much of it is used.
    private func database(_ database: JSONValue?, _ fields: inout Fields) {
        fields.add("database", "\(database?["path"]?.string ?? "?"), \(size(database?["bytes"]) ?? "?")")
        let limit = size(database?["limitBytes"]).map { " of \($0)" } ?? ""
        let deleted = database?["deletedRows"]?.integer ?? 0
        fields.add(
            "",
            "\(size(database?["usedBytes"]) ?? "?")\(limit) used"
                + (deleted > 0 ? ", \(deleted) old rows deleted since the start" : ""))
        let oldest = ["Message", "Position", "Telemetry", "Packet"].map { kind in
            viewing.time(database?["oldest" + kind]).map { "\(kind.lowercased()) \($0)" }
        }
        fields.add("oldest", listed(oldest))
        // Nothing while all has always been well.
        guard let error = database?["lastError"]?.string else { return }
        if let since = viewing.time(database?["failingSince"]) {
            fields.add("disk", "nothing can be stored since \(since): \(error)")
        } else {
            let at = viewing.time(database?["lastErrorAt"]).map { " at \($0)" } ?? ""
            fields.add("disk", "it is well now; it failed\(at): \(error)")
        }
    }

    private func size(_ value: JSONValue?) -> String? {
        value?.integer.map { sizeInWords(UInt64(max(0, $0))) }
    }
}

/// What there is of some parts; nil when there is nothing.
func listed(_ parts: [String?]) -> String? {
    let parts = parts.compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
}

/// A number and what it counts: "1 node", "25 nodes".
func count(_ value: JSONValue?, _ what: String) -> String {
    let number = value?.integer ?? 0
    return "\(number) \(what)\(number == 1 ? "" : "s")"
}

/// Charge and voltage of a node; above 100 percent it has external power (DeviceMetrics). Nil when nothing is known.
/// A board that cannot measure its voltage tells 0.
func battery(_ node: JSONValue) -> String? {
    listed([
        node["batteryLevel"]?.integer.map { $0 > 100 ? "external power" : "\($0)%" },
        node["voltage"]?.decimal(2).flatMap { $0 == "0.00" ? nil : "\($0) V" },
    ])
}
