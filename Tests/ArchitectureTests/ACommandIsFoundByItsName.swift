import Testing

/// The naming rule of Sources/mesh-gateway/README.md: `mesh-gateway take-over` is `TakeOverCommand` in
/// TakeOverCommand.swift; a subcommand is nested in its command, there or in a file such as RadioConfigCommand.swift.
@Suite struct ACommandIsFoundByItsName {
    @Test func eachOfThese() throws {
        let commands = commands(of: try SourceTree.ofThisRepository())
        #expect(commands.count > 30, "this reads too few of them to prove anything")
        let found = misnamed(commands)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test func oneThatIsNotIsNamed() {
        func found(_ file: String, _ text: String) -> [String] {
            let path = "Sources/mesh-gateway/\(file)"
            return misnamed(commands(of: SourceTree(paths: [path], texts: [path: text])))
        }
        func command(_ type: String, _ name: String) -> String {
            "struct \(type): ParsableCommand {\n    static let a = B(\n        commandName: \"\(name)\", c: 1)\n}\n"
        }
        #expect(found("TakeOverCommand.swift", command("TakeOverCommand", "take-over")) == [])
        #expect(
            found("TakeOver.swift", command("TakeOverCommand", "take-over"))
                == ["TakeOver.swift: mesh-gateway take-over is to be TakeOverCommand in TakeOverCommand.swift"])
        #expect(
            found("SendCommand.swift", command("Send", "send"))
                == ["SendCommand.swift: mesh-gateway send is to be SendCommand in SendCommand.swift"])
        func nested(in outer: String, _ type: String, _ name: String) -> String {
            "extension \(outer) {\n    struct \(type): ParsableCommand {\n        commandName: \"\(name)\"\n"
        }
        let setTime = nested(in: "RadioCommand", "SetTime", "set-time")
        #expect(found("RadioCommand.swift", setTime) == [])
        #expect(found("RadioSetTimeCommand.swift", setTime) == [])
        #expect(found("RadioConfigCommand.swift", nested(in: "RadioCommand.Config", "Get", "get")) == [])
        #expect(found("ChannelCommand.swift", nested(in: "ChannelCommand", "URL", "url")) == [])
        let stray = "RadioOrders.swift: RadioCommand.SetTime is to be in "
        #expect(found("RadioOrders.swift", setTime) == [stray + "RadioCommand.swift or RadioSetTimeCommand.swift"])
        #expect(
            found("RadioCommand.swift", nested(in: "RadioCommand", "Clock", "set-time"))
                == ["RadioCommand.swift: RadioCommand.Clock is the subcommand set-time, and is to be SetTime"])
    }
}

private struct FoundCommand {
    let file: String
    /// With those that it is nested in, the outermost first.
    let types: [String]
    let name: String
}

/// All but the program itself. As swift-format writes them: what is nested is indented.
private func commands(of tree: SourceTree) -> [FoundCommand] {
    tree.files(of: "mesh-gateway", endings: [".swift"]).flatMap { path, text in
        let file = path.split(separator: "/").last.map(String.init) ?? path
        var found: [FoundCommand] = []
        var outer: [String] = []
        var types: [String]?
        for line in text.codeLines.map(\.text) {
            let words = line.split { !($0.isLetter || $0.isNumber || $0 == ".") }.map(String.init)
            if let keyword = words.first, ["struct", "extension"].contains(keyword), words.count > 1 {
                let declared = words[1].split(separator: ".").map(String.init)
                if line.first != " " { outer = declared }
                if keyword == "struct", words.last == "ParsableCommand" {
                    types = line.first == " " ? outer + declared : declared
                }
            }
            guard let command = types, let name = line.firstRange(of: "commandName: \"") else { continue }
            let typed = line[name.upperBound...].prefix { $0 != "\"" }
            found.append(FoundCommand(file: file, types: command, name: String(typed)))
            types = nil
        }
        return found.filter { $0.name != "mesh-gateway" }
    }
}

private func misnamed(_ commands: [FoundCommand]) -> [String] {
    commands.compactMap { command in
        let words = command.name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let type = command.types.joined(separator: ".")
        guard command.types.count > 1 else {
            guard type != words + "Command" || command.file != "\(type).swift" else { return nil }
            return "\(command.file): mesh-gateway \(command.name) is to be \(words)Command in \(words)Command.swift"
        }
        // `url` is `URL`.
        guard command.types.last?.lowercased() == words.lowercased() else {
            return "\(command.file): \(type) is the subcommand \(command.name), and is to be \(words)"
        }
        // RadioCommand.swift, RadioConfigCommand.swift or RadioConfigGetCommand.swift.
        var stem = command.types[0].hasSuffix("Command") ? String(command.types[0].dropLast(7)) : command.types[0]
        var files = ["\(command.types[0]).swift"]
        for nested in command.types.dropFirst() {
            stem += nested
            files.append("\(stem)Command.swift")
        }
        guard !files.contains(command.file) else { return nil }
        return "\(command.file): \(type) is to be in \(files.joined(separator: " or "))"
    }
}
