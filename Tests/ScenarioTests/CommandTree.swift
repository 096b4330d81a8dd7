import Foundation

@testable import ServedProgram

/// The program's commands as it tells them itself (`help --json`).
struct CommandTree {
    private let root: JSON

    init() throws {
        let dump = try Program.run("help", "--json", in: Folders())
        root = try JSONDecoder().decode(JSON.self, from: Data(dump.output.utf8))["command"]
    }

    var commands: Set<String> {
        Set(root["subcommands"].rows.compactMap { $0["commandName"].string }.filter { $0 != "help" })
    }

    /// Of all commands together.
    var options: Set<String> { Self.options(of: root) }

    private static func options(of command: JSON) -> Set<String> {
        let own = command["arguments"].rows.flatMap { $0["names"].rows }.compactMap { option in
            option["name"].string.map { (option["kind"] == "short" ? "-" : "--") + $0 }
        }
        return command["subcommands"].rows.reduce(into: Set(own)) { $0.formUnion(options(of: $1)) }
    }

    /// What is wrong with a call, such as `radio config set lora.region=EU_868 --yes`.
    func flaws(of line: String) -> [String] {
        var words = line.split(separator: " ").map(String.init)[...]
        var command = root
        while let word = words.first,
            let next = command["subcommands"].rows.first(where: { $0["commandName"].string == word })
        {
            command = next
            words = words.dropFirst()
        }
        // `node NODE` is `node show NODE`: a default subcommand is the first one.
        if words.first?.hasPrefix("-") == false, !command["arguments"].rows.contains(where: isPositional),
            let first = command["subcommands"].rows.first, first["arguments"].rows.contains(where: isPositional)
        {
            command = first
        }
        let name = command["commandName"].string ?? "?"
        if let word = words.first, !word.hasPrefix("-"), !command["arguments"].rows.contains(where: isPositional) {
            return ["\(name) has no \(word)"]
        }
        let options = Self.options(of: command)
        return words.filter { $0.hasPrefix("-") && $0 != "-" }.map { $0.prefix { $0 != "=" } }
            .filter { !options.contains(String($0)) }.map { "\(name) has no option \($0)" }
    }

    private func isPositional(_ argument: JSON) -> Bool { argument["kind"] == "positional" }
}
