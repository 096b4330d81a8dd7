import CommandLine
import JSON
import Terminal

/// `mesh-gateway keys`: whose key is whose.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Lists the nodes' public keys, and records your decision about them.",
        discussion: """
            The gateway keeps the first key of a node. When another one appears, either the node was set up again, or \
            somebody else claims to be it. Compare the new key with its owner (the Meshtastic apps show it in base64, \
            as here). Then accept it, or verify the old one. Until then direct messages to the node are refused, \
            unless the setting key-change says otherwise. NODE is an id, a number, or a name.
            """,
        subcommands: [List.self, Verify.self, Accept.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the keys; those that need a decision come first.")

        @Flag(help: "Show whole keys.")
        var full = false

        @OptionGroup var viewing: Viewing

        func run() throws {
            let page = try Backend.reading(viewing).get("/local/keys", [("source", viewing.source)])
            try viewing.show(page, text)
        }

        private func text(_ page: JSONValue) -> String {
            let keys = page["keys"]?.array ?? []
            guard !keys.isEmpty else { return Screen.lines("No node is known yet.") }
            var table = Table([
                .init("NODE"), .init("NAME", widest: 30), .init("SHORT", expendability: 3), .init("STATE"),
                .init("KEY", expendability: full ? 0 : 1), .init("OTHER KEY SEEN", expendability: full ? 0 : 1),
                .init("SINCE", expendability: 2),
            ])
            for key in keys {
                table.add([
                    key["nodeId"]?.string ?? "", key["longName"]?.string ?? "", key["shortName"]?.string ?? "",
                    key["state"]?.string ?? "", shown(key["key"]?.string), shown(key["announcedKey"]?.string),
                    viewing.time(key["since"]) ?? "",
                ])
            }
            // A key that is cut off cannot be compared.
            return table.text(style: Screen.style(.bold), screen: full ? nil : Screen.width)
        }

        /// The beginning is enough to tell keys apart, and not enough to compare them with somebody.
        private func shown(_ key: String?) -> String {
            guard let key else { return "-" }
            return full ? key : key.prefix(12) + "…"
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Shows a node's keys for comparison; with --yes the known one counts as verified.")

        @Argument(help: "Which node.", completion: Completion.nodes)
        var node: String

        @Flag(help: "The known key was compared with its owner's and is right.")
        var yes = false

        @OptionGroup var viewing: Viewing

        func run() throws {
            let page =
                yes
                ? try KeysCommand.decide("verify", node, viewing)
                : try Backend.reading(viewing).get(KeysCommand.path(node), [("source", viewing.source)])
            try viewing.show(page) { ($0["keys"]?.array ?? []).map(text).joined() }
        }

        private func text(_ key: JSONValue) -> String {
            let id = key["nodeId"]?.string ?? ""
            var text = KeysCommand.title(key) + "  known key  \(key["key"]?.string ?? "none")\n"
            if let other = key["announcedKey"]?.string {
                let since = viewing.time(key["since"]).map { ", since \($0)" } ?? ""
                text += "  other key  \(other)\(since)\n"
                text += "If its owner's app shows the other key: mesh-gateway keys accept '\(id)'\n"
                text += "If it shows the known one:              mesh-gateway keys verify '\(id)' --yes\n"
            } else if key["verified"]?.bool == true {
                text += "It was compared in person.\n"
            } else if key["key"]?.string != nil {
                text += "If its owner's app shows the same: mesh-gateway keys verify '\(id)' --yes\n"
            }
            return text
        }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Accepts the key that was seen last as the node's key, and gives it to the radio.")

        @Argument(help: "Which node.", completion: Completion.nodes)
        var node: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            try viewing.show(KeysCommand.decide("accept", node, viewing)) { page in
                (page["keys"]?.array ?? []).map {
                    KeysCommand.title($0) + "  known key  \($0["key"]?.string ?? "none")\n"
                }
                .joined()
            }
        }
    }

    fileprivate static func path(_ node: String) -> String { "/local/keys/\(PercentEncoding.segment(node))" }

    /// Only a running daemon can tell the radio.
    fileprivate static func decide(_ decision: String, _ node: String, _ viewing: Viewing) throws -> Page {
        let backend = try Backend.reading(viewing, isTold: false)
        guard case .daemon = backend else {
            throw failure(
                "the radio has to get the key, and no daemon is running; start one with: mesh-gateway serve",
                .unavailable)
        }
        let source = viewing.source.map { "?source=\(PercentEncoding.segment($0))" } ?? ""
        return try backend.post("\(path(node))/\(decision)\(source)", body: "{}")
    }

    /// Who it is, and what there is to say about its key.
    fileprivate static func title(_ key: JSONValue) -> String {
        let name = "\(key["longName"]?.string ?? "?") (\(key["shortName"]?.string ?? "?"))"
        let line = printable("\(key["nodeId"]?.string ?? "?") \(name)") + "\n"
        return line + (key["details"]?.string.map { printable($0) + ".\n" } ?? "")
    }
}
