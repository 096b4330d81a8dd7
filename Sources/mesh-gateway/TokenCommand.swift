import ArgumentParser
import Glibc
import Terminal

/// `mesh-gateway token`: who may use the API.
struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes, lists and revokes the tokens of API clients.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a token and prints it, alone, on standard output.",
            discussion: """
                It is shown this once. It works at once, also while the daemon runs.

                A scope is a word: read (everything but the channel database), send (messages on all channels, direct \
                messages, traceroutes) or admin (everything); or it is RESOURCE:ACTION as MeshMonitor names them, such as \
                nodes:read, messages:write, channel_0:read, channels:viewOnMap for all eight channels, traceroute:write, \
                packetmonitor:read. Nodes are shown by channel: nodes:read shows nothing without channel_N:viewOnMap, \
                which is part of channel_N:read.
                """)

        @Argument(help: "Whom it is for, such as phone.")
        var name: String

        @Flag(help: "Take over a token that clients already hold: one line on standard input.")
        var fromStdin = false

        @Option(
            name: .customLong("scope"), parsing: .singleValue, help: ArgumentHelp(ScopeOption.help, valueName: "scope"))
        var scopes: [String] = []

        @Option(help: ArgumentHelp("Until when it works: \(Expiry.forms).", valueName: "when"))
        var expires: String?

        @OptionGroup var locations: Locations

        func run() throws {
            let scopes = try ScopeOption.scopes(scopes, for: name)
            let expiresAt = try expiry()
            let token = fromStdin ? try tokenFromStandardInput() : nil
            let desk = try TokenDesk.find(locations, mayCreate: true)
            let made = try desk.create(name: name, token: token, scopes: scopes, expiresAt: expiresAt)
            if let gap = scopes.gap { writeToStandardError("mesh-gateway: a hint: \(gap).\n") }
            writeToStandardOutput(made + "\n")
        }

        /// Host milliseconds; nil never.
        private func expiry() throws -> Int64? {
            guard let expires else { return nil }
            guard let milliseconds = Expiry.milliseconds(expires) else {
                throw failure("--expires cannot be \"\(expires)\"; it is \(Expiry.forms), not in the past.", .usage)
            }
            return milliseconds
        }

        private func tokenFromStandardInput() throws -> String {
            guard let line = readLine(), !line.isEmpty else {
                throw failure("--from-stdin: there is no token on standard input.", .dataError)
            }
            return line
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the tokens, without showing them.")

        @OptionGroup var locations: Locations

        func run() throws {
            let tokens = try TokenDesk.find(locations).list()
            var table = Table([
                .init("NAME"), .init("BEGINS WITH"), .init("SCOPES", widest: 60), .init("CREATED"), .init("EXPIRES"),
                .init("LAST USED"), .init("STATE"),
            ])
            for token in tokens {
                table.add([
                    token.name, token.prefix + "…", token.scopes.joined(separator: " "),
                    localTime(milliseconds: token.createdAt), token.expiresAt.map(localTime(milliseconds:)) ?? "never",
                    token.lastUsedAt.map(localTime(milliseconds:)) ?? "-", state(of: token),
                ])
            }
            writeToStandardOutput(
                tokens.isEmpty ? "No tokens yet; make one: mesh-gateway token create NAME\n" : table.text())
        }

        private func state(of token: TokenDesk.Entry) -> String {
            if !token.isActive { return "revoked" }
            return token.expiresAt.map { $0 <= Int64(time(nil)) * 1000 } == true ? "expired" : "active"
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revokes a token: its next request fails.")

        @Argument(help: "The name under which it was made.")
        var name: String

        @OptionGroup var locations: Locations

        func run() throws {
            try TokenDesk.find(locations).revoke(name: name)
        }
    }
}
