/// All commands with what they take, as JSON: what `help --json` prints and manual pages are made of.
///
/// The members' names are those that programs of this kind have long printed of themselves (`commandName`, `arguments`,
/// `subcommands`, ...), in alphabetical order.
struct CommandTree {
    private let root: CommandPath

    init(_ root: CommandPath) { self.root = root }

    var json: String {
        JSON.object([("command", command(root)), ("serializationVersion", .number(0))]).text
    }

    private func command(_ path: CommandPath) -> JSON {
        let configuration = path.configuration
        var subcommands = configuration.subcommands.map { command(path.appending($0)) }
        let isRoot = path.commands.count == 1
        if isRoot { subcommands.append(helpCommand) }
        return .object([
            ("abstract", .string(configuration.abstract)),
            ("arguments", .array(path.command().parameters.map(argument) + [Self.version, Self.help])),
            ("commandName", .string(configuration.commandName)),
            ("discussion", configuration.discussion.isEmpty ? nil : .string(configuration.discussion)),
            ("shouldDisplay", .bool(configuration.shouldDisplay)),
            ("subcommands", subcommands.isEmpty ? nil : .array(subcommands)),
            ("superCommands", isRoot ? nil : .array(path.names.dropLast().map(JSON.string))),
        ])
    }

    /// Its own flags are hidden.
    private var helpCommand: JSON {
        var words = Parameter(.positional, .long, "") { _ in true }.declared(by: "subcommands")
        words.isRepeating = true
        let arguments = [
            argument(words), Self.builtIn("help", "", [.short("h"), .long("help")], shouldDisplay: false), Self.version,
            Self.builtIn("json", "Print all commands as JSON.", [.long("json")], shouldDisplay: false),
        ]
        return .object([
            ("abstract", .string("Show subcommand help information.")), ("arguments", .array(arguments)),
            ("commandName", .string(BuiltIn.helpCommand)), ("shouldDisplay", .bool(true)),
            ("superCommands", .array([.string(root.text)])),
        ])
    }

    private static let version = builtIn("version", "Show the version.", [.long("version")])
    private static let help = builtIn("help", "Show help information.", [.short("h"), .long("help")])

    private static func builtIn(
        _ name: String, _ abstract: String, _ names: [Parameter.Name], shouldDisplay: Bool = true
    ) -> JSON {
        .object([
            ("abstract", abstract.isEmpty ? nil : .string(abstract)), ("isOptional", .bool(true)),
            ("isRepeating", .bool(false)), ("kind", .string("flag")), ("names", .array(names.map(nameObject))),
            ("parsingStrategy", .string("default")), ("preferredName", nameObject(.long(name))),
            ("shouldDisplay", .bool(shouldDisplay)), ("valueName", .string(name)),
        ])
    }

    private func argument(_ parameter: Parameter) -> JSON {
        let values = parameter.allValues.map(JSON.string)
        let names = parameter.names.map(Self.nameObject)
        return .object([
            ("abstract", parameter.help.abstract.isEmpty ? nil : .string(parameter.help.abstract)),
            ("allValues", values.isEmpty ? nil : .array(values)),
            ("completionKind", parameter.completion.map(completionKind)),
            ("defaultValue", parameter.defaultText.map(JSON.string)),
            ("isOptional", .bool(parameter.isOptional)),
            ("isRepeating", .bool(parameter.isRepeating)),
            ("kind", .string(kind(parameter.kind))),
            ("names", names.isEmpty ? nil : .array(names)),
            ("parsingStrategy", .string("default")),
            ("preferredName", parameter.longName.map { Self.nameObject(.long($0)) }),
            ("shouldDisplay", .bool(true)),
            ("valueName", .string(parameter.valueName)),
        ])
    }

    private func kind(_ kind: Parameter.Kind) -> String {
        switch kind {
        case .option: "option"
        case .flag: "flag"
        case .positional: "positional"
        }
    }

    private static func nameObject(_ name: Parameter.Name) -> JSON {
        switch name {
        case .short(let letter): .object([("kind", .string("short")), ("name", .string(String(letter)))])
        case .long(let text): .object([("kind", .string("long")), ("name", .string(text))])
        }
    }

    private func completionKind(_ kind: CompletionKind) -> JSON {
        switch kind {
        case .list(let words): .object([("list", .object([("values", .array(words.map(JSON.string)))]))])
        case .file: .object([("file", .object([("extensions", .array([]))]))])
        case .custom: .object([("custom", .object([]))])
        }
    }
}

/// As much of JSON (RFC 8259) as the tree needs. A member that is nil is left out.
private indirect enum JSON {
    case string(String)
    case number(Int)
    case bool(Bool)
    case array([JSON])
    case members([(String, JSON)])

    static func object(_ members: [(String, JSON?)]) -> JSON {
        .members(members.compactMap { name, value in value.map { (name, $0) } })
    }

    var text: String {
        switch self {
        case .string(let text): Self.quoted(text)
        case .number(let number): "\(number)"
        case .bool(let value): "\(value)"
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .members(let members):
            "{" + members.map { Self.quoted($0) + ":" + $1.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
