import CommandLine
import Diagnostics
import Glibc
import JSON
import Routes
import Terminal

/// `mesh-gateway token`: who may use the API.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes, lists and revokes the tokens of API clients.",
        subcommands: [Create.self, List.self, Allow.self, Revoke.self], defaultSubcommand: List.self)

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Makes a token and prints it, alone, on standard output.",
            discussion: """
                It is shown only once. It works at once, even while the daemon runs.

                A scope is a word: read (everything but the channel database), send (messages on all channels, direct \
                messages, traceroutes) or admin (everything). Or it is RESOURCE:ACTION as MeshMonitor names them, such \
                as nodes:read, messages:write, channel_0:read, channels:viewOnMap for all eight channels, \
                traceroute:write, packetmonitor:read. Nodes are shown by channel: nodes:read shows nothing without \
                channel_N:viewOnMap, which is part of channel_N:read.
                """)

        @Argument(help: "What it is for, such as phone.")
        var name: String

        @Flag(help: "Use a token that clients already have: one line on standard input.")
        var fromStdin = false

        @Option(
            name: .customLong("scope"), help: ArgumentHelp(ScopeOption.help, valueName: "scope"))
        var scopes: [String] = []

        @Option(help: ArgumentHelp("When it expires: \(Expiry.forms).", valueName: "when"))
        var expires: String?

        @Flag(help: "Also print a link that signs in on the web page, as a QR code.")
        var qr = false

        @Option(
            help: ArgumentHelp(
                "Where the web page is, for --qr; without it at this machine's address.", valueName: "url"))
        var url: String?

        @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
        var json = false

        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            let scopes = try ScopeOption.scopes(scopes, for: name)
            let expiresAt = try expiry()
            let link = qr ? try SignInLink(url: url, gatewayOptions.configuration()) : nil
            let token = fromStdin ? try tokenFromStandardInput() : nil
            let backend = try TokenBackend.find(gatewayOptions, mayCreate: true)
            let made = try backend.create(name: name, token: token, scopes: scopes, expiresAt: expiresAt)
            if let gap = scopes.gap { writeToStandardError("mesh-gateway: a hint: \(gap).\n") }
            guard let text = made.json["token"]?.string else { throw failure("the daemon made no token.", .software) }
            if let link, !json {
                let isColoured = isColourWanted(on: STDOUT_FILENO, environment: GatewayOptions.environment)
                writeToStandardOutput(link.drawn(for: text, isColoured: isColoured, width: Screen.width))
            }
            writeToStandardOutput((json ? made.text : text) + "\n")
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
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the tokens, without showing them.")

        @OptionGroup var viewing: Viewing

        func run() throws {
            try viewing.show(Backend.reading(viewing).get("/local/tokens"), text)
        }

        private func text(_ page: JSONValue) -> String {
            let tokens = page["tokens"]?.array ?? []
            guard !tokens.isEmpty else {
                return Screen.lines("No tokens yet; make one: mesh-gateway token create NAME")
            }
            var table = Table([
                .init("NAME"), .init("BEGINS WITH", expendability: 3), .init("SCOPES", widest: 60),
                .init("CREATED", expendability: 4), .init("EXPIRES", expendability: 2),
                .init("LAST USED", expendability: 1), .init("MADE BY", widest: 24), .init("STATE"),
            ])
            for token in tokens {
                table.add([
                    token["name"]?.string ?? "?", (token["prefix"]?.string ?? "") + "…",
                    (token["scopes"]?.array ?? []).compactMap(\.string).joined(separator: " "),
                    viewing.time(token["createdAt"]) ?? "-", viewing.time(token["expiresAt"]) ?? "never",
                    viewing.time(token["lastUsedAt"]) ?? "-", token["madeBy"]?.string ?? "-",
                    token["state"]?.string ?? "?",
                ])
            }
            return table.text(style: Screen.style(.bold), screen: Screen.width)
        }
    }

    struct Allow: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow",
            abstract: "Lets a token do more: its next request may.",
            discussion: """
                The token keeps its text and everything that it may do already. Scopes are those of token create. To take \
                one away, make a new token and revoke this one.
                """)

        @Argument(help: "The name of the token.", completion: Completion.tokens)
        var name: String

        @Argument(
            help: ArgumentHelp("What it may do besides, such as nodes:write.", valueName: "scope"),
            completion: .list(Scopes.known))
        var scopes: [String] = []

        @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
        var json = false

        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            guard !scopes.isEmpty else {
                throw failure("say what it may do besides: mesh-gateway token allow NAME nodes:write", .usage)
            }
            let more = try ScopeOption.scopes(scopes, for: name, command: "allow", option: "")
            let answer = try TokenBackend.find(gatewayOptions).allow(more, to: name)
            if json { return writeToStandardOutput(answer.text + "\n") }
            let words = (answer.json["scopes"]?.array ?? []).compactMap(\.string)
            writeToStandardOutput(Screen.lines("\(printable(name)) may now: \(words.joined(separator: " "))"))
            if let gap = try Scopes(parsing: words).gap { writeToStandardError("mesh-gateway: a hint: \(gap).\n") }
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revokes a token: its next request fails.",
            discussion: """
                Tokens that it has made go on. Each is named, with the line that revokes it.
                """)

        @Argument(help: "The name of the token.", completion: Completion.tokens)
        var name: String

        @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
        var json = false

        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            let answer = try TokenBackend.find(gatewayOptions).revoke(name: name)
            if json { return writeToStandardOutput(answer.text + "\n") }
            let made = (answer.json["made"]?.array ?? []).compactMap(\.string)
            guard !made.isEmpty else { return }
            let what = made.count == 1 ? "a token that goes on" : "tokens that go on"
            let heading = "\(printable(name)) has made \(what):"
            let lines = made.map { "  mesh-gateway token revoke \(shellWord(printable($0)))\n" }
            writeToStandardOutput(Screen.lines(heading) + lines.joined())
        }
    }
}
