/// Properties that are read from the command line: `@Option`, `@Flag`, `@Argument`, and `@OptionGroup` for those that
/// several commands share.
///
///     struct Nodes: ParsableCommand {
///         static let configuration = CommandConfiguration(commandName: "nodes", abstract: "Lists the nodes.")
///         @Option(help: "At most so many.") var limit = 50
///         func run() throws { ... }
///     }
///
/// Parsing, help, errors, completion and the manual pages all come from these declarations.
public protocol ParsableArguments {
    init()
    /// Whether the values go together; called before `run`. Throws a `ValidationError`.
    func validate() throws
}

extension ParsableArguments {
    public func validate() throws {}
}

/// A command: a type that declares what it takes and runs, or a group of subcommands.
public protocol ParsableCommand: ParsableArguments, SendableMetatype {
    static var configuration: CommandConfiguration { get }
    func run() throws
}

extension ParsableCommand {
    /// A group of subcommands is never run itself.
    public func run() throws {
        preconditionFailure("\(Self.configuration.commandName) has neither subcommands nor a run() of its own")
    }
}

/// What a command says of itself.
public struct CommandConfiguration: Sendable {
    public let commandName: String
    /// One sentence, for lists.
    public let abstract: String
    /// In place of the usage line that is made of the declarations.
    public let usage: String?
    /// What follows the abstract on the help page. A line feed ends a line; longer lines are wrapped.
    public let discussion: String
    /// What `--version` prints; the root's counts.
    public let version: String
    /// Whether lists name it.
    public let shouldDisplay: Bool
    /// The subcommands as lists show them.
    public let groups: [CommandGroup]
    /// The subcommand that is meant when none is named.
    public let defaultSubcommand: (any ParsableCommand.Type)?

    public init(
        commandName: String, abstract: String, usage: String? = nil, discussion: String = "", version: String = "",
        shouldDisplay: Bool = true, subcommands: [any ParsableCommand.Type] = [],
        groupedSubcommands: [CommandGroup] = [], defaultSubcommand: (any ParsableCommand.Type)? = nil
    ) {
        self.commandName = commandName
        self.abstract = abstract
        self.usage = usage
        self.discussion = discussion
        self.version = version
        self.shouldDisplay = shouldDisplay
        groups = (subcommands.isEmpty ? [] : [CommandGroup(name: "", subcommands: subcommands)]) + groupedSubcommands
        self.defaultSubcommand = defaultSubcommand
    }

    var subcommands: [any ParsableCommand.Type] { groups.flatMap(\.subcommands) }
}

/// Subcommands under a heading of their own.
public struct CommandGroup: Sendable {
    public let name: String
    public let subcommands: [any ParsableCommand.Type]

    public init(name: String, subcommands: [any ParsableCommand.Type]) {
        self.name = name
        self.subcommands = subcommands
    }
}

/// A command with the commands above it: mesh-gateway, keys, list.
struct CommandPath {
    private(set) var commands: [any ParsableCommand.Type]

    init(_ root: any ParsableCommand.Type) { commands = [root] }

    var configuration: CommandConfiguration { commands[commands.count - 1].configuration }
    var names: [String] { commands.map { $0.configuration.commandName } }
    /// As it is typed.
    var text: String { names.joined(separator: " ") }
    /// The group that it belongs to; nil for the root's own commands.
    var parent: CommandPath? {
        var path = self
        path.commands.removeLast()
        return path.commands.count > 1 ? path : nil
    }
    var isGroup: Bool { !configuration.groups.isEmpty }

    func subcommand(named name: String) -> CommandPath? {
        configuration.subcommands.first { $0.configuration.commandName == name }.map(appending)
    }

    var defaultSubcommand: CommandPath? { configuration.defaultSubcommand.map(appending) }

    func appending(_ command: any ParsableCommand.Type) -> CommandPath {
        var path = self
        path.commands.append(command)
        return path
    }

    /// An instance without values from a command line yet.
    func command() -> any ParsableCommand { commands[commands.count - 1].init() }
}
