import CommandLine

/// A made-up program with every kind of command and parameter that there is.
public struct Harbour: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "harbour", abstract: "Keeps a harbour.",
        discussion: """
            Words may be wide: 船と港を見る人のための長い説明文がここに続いていて、折り返されるはずです。 And 🚢 emoji.
              0  the ship is in
              3  the ship is out, and nobody knows for how long it will be or where it has gone to this time
            """, version: "harbour 1.2", subcommands: [Ships.self],
        groupedSubcommands: [CommandGroup(name: "The quay", subcommands: [Load.self, Crane.self, Secret.self])])
    public init() {}

    /// A group with a default.
    struct Ships: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ships", abstract: "Looks after ships.", subcommands: [List.self, Moor.self],
            defaultSubcommand: List.self)

        struct List: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the ships.")
            @Flag(name: .shortAndLong, help: "All of them.") var all = false
            @Flag(name: .shortAndLong, help: "Flags, too.") var flags = false
            @Option(help: "At most so many.") var limit = 50
            @OptionGroup var place: Place
            func run() {}
        }

        struct Moor: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "moor", abstract: "Moors a ship.")
            @Argument(help: "Which.", completion: .custom { _ in ["Anna", "Anna am Berg", "Berta", "a\nb"] })
            var ship: String
            @Argument(help: "Where.") var berth: UInt16?
            func run() {}
        }
    }

    /// Shared by several commands.
    struct Place: ParsableArguments {
        @Option(help: ArgumentHelp("The harbour's book.", valueName: "file"), completion: .file) var book: String?
        @Option(
            name: .customLong("pier"), help: ArgumentHelp("May be repeated.", valueName: "pier"),
            completion: .list(["north", "north-east", "south"]))
        var piers: [String] = []

        func validate() throws {
            if piers.contains("none") { throw ValidationError("there is no pier called none.") }
        }
    }

    struct Load: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "load", abstract: "Loads goods.", usage: "harbour load <kind> <goods> ...")

        enum Kind: String, ExpressibleByArgument, CaseIterable { case bulk, crates }

        @Argument(help: "What kind.") var kind: Kind
        @Argument(help: "What.") var goods: [String]
        @Option(help: "How heavy, in tons.") var weight = 1.5
        @Option(help: "The number on it.") var number: UInt64?
        @Option(help: "By which way.") var by: Kind = .crates
        @OptionGroup var place: Place
        func run() {}
    }

    /// A group without a default.
    struct Crane: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "crane", abstract: "Moves the crane.", subcommands: [Turn.self])

        struct Turn: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "turn", abstract: "Turns it.")
            @Argument(help: "To where.") var targets: [String] = []
            func run() {}
        }
    }

    struct Secret: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "secret", abstract: "Is not listed.", shouldDisplay: false)
        func run() {}
    }
}
