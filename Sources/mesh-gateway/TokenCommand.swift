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
            discussion: "It is shown this once. It works at once, also while the daemon runs.")

        @Argument(help: "Whom it is for, such as phone.")
        var name: String

        @Flag(help: "Take over a token that clients already hold: one line on standard input.")
        var fromStdin = false

        @OptionGroup var locations: Locations

        func run() throws {
            let token = fromStdin ? try tokenFromStandardInput() : nil
            let desk = try TokenDesk.find(locations, mayCreate: true)
            let made = try desk.create(name: name, token: token)
            writeToStandardOutput(made + "\n")
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
                .init("NAME"), .init("BEGINS WITH"), .init("CREATED"), .init("LAST USED"), .init("STATE"),
            ])
            for token in tokens {
                table.add([
                    token.name, token.prefix + "…", localTime(milliseconds: token.createdAt),
                    token.lastUsedAt.map(localTime(milliseconds:)) ?? "-", token.isActive ? "active" : "revoked",
                ])
            }
            writeToStandardOutput(
                tokens.isEmpty ? "No tokens yet; make one: mesh-gateway token create NAME\n" : table.text())
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
