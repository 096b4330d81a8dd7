import ArgumentParser
import RestAPI
import Store
import Terminal

/// `mesh-gateway keys`: whose key is whose.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the nodes' public keys, and takes a person's decision about them.",
        discussion: """
            The first key of a node is kept. When another one is seen for it, the node was set up anew, or somebody else \
            claims to be it: compare the new key with its owner (the Meshtastic apps show it in base64, as here), then \
            accept it, or verify the old one. Until then direct messages to the node are refused, unless the setting \
            key-change says otherwise. NODE is an id, a number, or a name.
            """,
        subcommands: [List.self, Verify.self, Accept.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys; what a person should look at comes first.")

        @Flag(help: "Show whole keys.")
        var full = false

        @Flag(help: "As JSON.")
        var json = false

        @OptionGroup var locations: Locations

        func run() throws {
            let answer = try KeyDesk.find(locations).list()
            if json { return writeToStandardOutput(answer.text + "\n") }
            var table = Table([
                .init("NODE"), .init("NAME", widest: 30), .init("SHORT"), .init("STATE"), .init("KEY"),
                .init("OTHER KEY SEEN"), .init("SINCE"),
            ])
            for row in answer.rows {
                table.add([
                    row["nodeId"]?.string ?? "", row["longName"]?.string ?? "", row["shortName"]?.string ?? "",
                    row["state"]?.string ?? "", shown(row["key"]?.string), shown(row["announcedKey"]?.string),
                    row["since"]?.integer.map(localTime(milliseconds:)) ?? "",
                ])
            }
            writeToStandardOutput(answer.rows.isEmpty ? "No nodes yet.\n" : table.text())
        }

        /// The beginning is enough to tell keys apart, and not enough to compare them with somebody.
        private func shown(_ key: String?) -> String {
            guard let key else { return "-" }
            return full ? key : key.prefix(12) + "…"
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a node's key for comparison; with --yes the known one has been compared and is right.")

        @Argument(help: "Whose.")
        var node: String

        @Flag(help: "The known key was compared with its owner.")
        var yes = false

        @Flag(help: "As JSON.")
        var json = false

        @OptionGroup var locations: Locations

        func run() throws {
            let desk = try KeyDesk.find(locations)
            let answer = yes ? try desk.decide("verify", node) : try desk.show(node)
            if json { return writeToStandardOutput(answer.text + "\n") }
            for row in answer.rows { writeToStandardOutput(text(row)) }
        }

        private func text(_ row: JSONValue) -> String {
            let id = row["nodeId"]?.string ?? ""
            var text = Keys.title(row) + "  known key  \(row["key"]?.string ?? "none")\n"
            if let other = row["announcedKey"]?.string {
                let since = row["since"]?.integer.map { ", since \(localTime(milliseconds: $0))" } ?? ""
                text += "  other key  \(other)\(since)\n"
                text += "If its owner's app shows the other key: mesh-gateway keys accept '\(id)'\n"
                text += "If it shows the known one:              mesh-gateway keys verify '\(id)' --yes\n"
            } else if row["verified"]?.bool == true {
                text += "It was compared in person.\n"
            } else if row["key"]?.string != nil {
                text += "If its owner's app shows the same: mesh-gateway keys verify '\(id)' --yes\n"
            }
            return text
        }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes the key that was seen last the node's known key, and tells the radio.")

        @Argument(help: "Whose.")
        var node: String

        @Flag(help: "As JSON.")
        var json = false

        @OptionGroup var locations: Locations

        func run() throws {
            let answer = try KeyDesk.find(locations).decide("accept", node)
            if json { return writeToStandardOutput(answer.text + "\n") }
            for row in answer.rows {
                writeToStandardOutput(Keys.title(row) + "  known key  \(row["key"]?.string ?? "none")\n")
            }
        }
    }

    /// Who it is, and what there is to say about its key.
    fileprivate static func title(_ row: JSONValue) -> String {
        let name = "\(row["longName"]?.string ?? "?") (\(row["shortName"]?.string ?? "?"))"
        let line = printable("\(row["nodeId"]?.string ?? "?") \(name)") + "\n"
        return line + (row["details"]?.string.map { printable($0) + ".\n" } ?? "")
    }
}

/// Where the key commands get their answers: from the running daemon, or, as far as nothing changes, from the database.
private enum KeyDesk {
    case daemon(LocalClient)
    case database(String)

    struct Answer {
        let text: String
        let rows: [JSONValue]

        init(_ bytes: [UInt8]) {
            text = String(decoding: bytes, as: UTF8.self)
            rows = JSONValue(bytes)?["data"]?.array ?? []
        }
    }

    static func find(_ locations: Locations) throws -> KeyDesk {
        switch try Reach.find(locations.configuration()) {
        case .daemon(let client): .daemon(client)
        case .file(let path): .database(path)
        }
    }

    func list() throws -> Answer {
        switch self {
        case .daemon(let client): try checked(client.answer("GET", "/local/keys"))
        case .database(let path): Answer(try read(path) { try KeyBook.json($0) })
        }
    }

    func show(_ node: String) throws -> Answer {
        switch self {
        case .daemon(let client):
            return try checked(client.answer("GET", "/local/keys/\(PercentEncoded.segment(node))"))
        case .database(let path):
            guard let bytes = try read(path, { try KeyBook.json($0, of: node) }) else {
                throw failure(
                    "no node, or more than one, is called \"\(node)\"; mesh-gateway keys list shows them.", .noInput)
            }
            return Answer(bytes)
        }
    }

    /// Only a running daemon can tell the radio.
    func decide(_ decision: String, _ node: String) throws -> Answer {
        guard case .daemon(let client) = self else {
            throw failure(
                "the radio has to be told, and no daemon is running; start one with: mesh-gateway serve", .unavailable)
        }
        return try checked(client.answer("POST", "/local/keys/\(PercentEncoded.segment(node))/\(decision)"))
    }

    private func checked(_ answer: LocalClient.Answer) throws -> Answer {
        guard (200..<300).contains(answer.status) else {
            let reason = JSONValue(answer.body)?["message"]?.string ?? "status \(answer.status)"
            let status: ExitStatus = answer.status == 404 ? .noInput : answer.status >= 500 ? .software : .dataError
            throw failure("the daemon refused: \(printable(reason)).", status)
        }
        return Answer(answer.body)
    }

    private func read<T>(_ path: String, _ body: (Reader) throws -> T) throws -> T {
        let store: ReadOnlyStore
        do { store = try Store.openReadOnly(path: path) } catch { throw failure("\(error).", error.exitStatus) }
        do { return try store.read(body) } catch { throw failure("\(error).", .inputOutput) }
    }
}
