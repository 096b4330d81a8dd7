import JSON

/// All commands with what they take, as JSON: what `help --json` prints and manual pages are made of.
///
/// The members' names are those that programs of this kind have long printed of themselves (`commandName`, `arguments`,
/// `subcommands`, ...), in alphabetical order.
struct CommandTree {
    private let root: CommandPath

    init(_ root: CommandPath) { self.root = root }

    var json: String {
        var json = JSONWriter()
        json.ordered(.members([("command", command(root)), ("serializationVersion", .integer(0))]))
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func command(_ path: CommandPath) -> OrderedValue {
        let configuration = path.configuration
        var subcommands = configuration.subcommands.map { command(path.appending($0)) }
        let isRoot = path.commands.count == 1
        if isRoot { subcommands.append(helpCommand) }
        return .members([
            ("abstract", .text(configuration.abstract)),
            ("arguments", .list(path.command().parameters.map(argument) + [Self.version, Self.help])),
            ("commandName", .text(configuration.commandName)),
            ("discussion", configuration.discussion.isEmpty ? nil : .text(configuration.discussion)),
            ("shouldDisplay", .flag(configuration.shouldDisplay)),
            ("subcommands", subcommands.isEmpty ? nil : .list(subcommands)),
            ("superCommands", isRoot ? nil : .list(path.names.dropLast().map(OrderedValue.text))),
        ])
    }

    /// Its own flags are hidden.
    private var helpCommand: OrderedValue {
        var words = CommandParameter(.positional, .long, "") { _ in true }.declared(by: "subcommands")
        words.isRepeating = true
        let arguments = [
            argument(words), Self.builtIn("help", "", [.short("h"), .long("help")], shouldDisplay: false), Self.version,
            Self.builtIn("json", "Print all commands as JSON.", [.long("json")], shouldDisplay: false),
        ]
        return .members([
            ("abstract", .text("Show subcommand help information.")), ("arguments", .list(arguments)),
            ("commandName", .text(BuiltIn.helpCommand)), ("shouldDisplay", .flag(true)),
            ("superCommands", .list([.text(root.text)])),
        ])
    }

    private static let version = builtIn("version", "Show the version.", [.long("version")])
    private static let help = builtIn("help", "Show help information.", [.short("h"), .long("help")])

    private static func builtIn(
        _ name: String, _ abstract: String, _ names: [CommandParameter.Name], shouldDisplay: Bool = true
    ) -> OrderedValue {
        .members([
            ("abstract", abstract.isEmpty ? nil : .text(abstract)), ("isOptional", .flag(true)),
            ("isRepeating", .flag(false)), ("kind", .text("flag")), ("names", .list(names.map(nameObject))),
            ("parsingStrategy", .text("default")), ("preferredName", nameObject(.long(name))),
            ("shouldDisplay", .flag(shouldDisplay)), ("valueName", .text(name)),
        ])
    }

    private func argument(_ parameter: CommandParameter) -> OrderedValue {
        let values = parameter.allValues.map(OrderedValue.text)
        let names = parameter.names.map(Self.nameObject)
        return .members([
            ("abstract", parameter.help.abstract.isEmpty ? nil : .text(parameter.help.abstract)),
            ("allValues", values.isEmpty ? nil : .list(values)),
            ("completionKind", parameter.completion.map(completionKind)),
            ("defaultValue", parameter.defaultText.map(OrderedValue.text)),
            ("isOptional", .flag(parameter.isOptional)),
            ("isRepeating", .flag(parameter.isRepeating)),
            ("kind", .text(kind(parameter.kind))),
            ("names", names.isEmpty ? nil : .list(names)),
            ("parsingStrategy", .text("default")),
            ("preferredName", parameter.longName.map { Self.nameObject(.long($0)) }),
            ("shouldDisplay", .flag(true)),
            ("valueName", .text(parameter.valueName)),
        ])
    }

    private func kind(_ kind: CommandParameter.Kind) -> String {
        switch kind {
        case .option: "option"
        case .flag: "flag"
        case .positional: "positional"
        }
    }

    private static func nameObject(_ name: CommandParameter.Name) -> OrderedValue {
        switch name {
        case .short(let letter): .members([("kind", .text("short")), ("name", .text(String(letter)))])
        case .long(let text): .members([("kind", .text("long")), ("name", .text(text))])
        }
    }

    private func completionKind(_ kind: CompletionKind) -> OrderedValue {
        switch kind {
        case .list(let words): .members([("list", .members([("values", .list(words.map(OrderedValue.text)))]))])
        case .file: .members([("file", .members([("extensions", .list([]))]))])
        case .custom: .members([("custom", .members([]))])
        }
    }
}

extension OrderedValue {
    /// A member that is nil is left out.
    fileprivate static func members(_ members: [(String, OrderedValue?)]) -> OrderedValue {
        .object(members.compactMap { name, value in value.map { Member(key: name, value: $0) } })
    }
}
