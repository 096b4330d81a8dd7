/// What a command line asks for.
enum Invocation {
    case run(any ParsableCommand)
    case help(CommandPath)
    case version
    /// `help --json`: the whole tree, for programs.
    case tree
    /// What a completion script asks: the words up to the one that is typed.
    case completion([String])
    /// A completion script of an earlier version asks. It speaks another language; silence does no harm.
    case nothing
}

/// The words that every command understands.
enum BuiltIn: String {
    case help = "--help"
    case shortHelp = "-h"
    case version = "--version"

    static let helpCommand = "help"
    static let complete = "---complete"
    static let earlierComplete = "---completion"
    static let names: [CommandParameter.Name] = [.short("h"), .long("help"), .long("version")]

    /// The first one before `--`.
    static func first(in words: ArraySlice<String>) -> BuiltIn? {
        for word in words {
            if word == "--" { return nil }
            if word.hasPrefix("-"), let builtIn = BuiltIn(rawValue: word) { return builtIn }
        }
        return nil
    }
}

/// Reads a command line.
///
/// A line can be wrong in several ways; what is said first is what a person would mend first: a value that cannot be,
/// what is missing, values that do not go together, an option that does not exist, a word too many.
struct CommandLineReader {
    let root: CommandPath

    /// - Parameter words: without the program's own name.
    func invocation(_ words: [String]) throws -> Invocation {
        switch words.first {
        case BuiltIn.helpCommand: return try helpInvocation(words.dropFirst())
        case BuiltIn.complete: return .completion(Array(words.dropFirst()))
        case BuiltIn.earlierComplete: return .nothing
        default: break
        }
        var (path, rest) = descend(words[...])
        switch BuiltIn.first(in: rest) {
        case .help, .shortHelp: return .help(path)
        case .version: return .version
        case nil: break
        }
        while path.isGroup {
            if let command = path.defaultSubcommand {
                path = command
            } else {
                let isAfterDashes = rest.first == "--"
                guard let word = isAfterDashes ? rest.dropFirst().first : rest.first else { return .help(path) }
                throw isOption(word) && !isAfterDashes
                    ? UsageError.unknownOption(word, [], path) : UsageError.unknownCommand(word, path)
            }
        }
        let command = path.command()
        let properties = command.declaredProperties
        var reading = Reading(properties.parameters, path)
        try reading.read(rest)
        try reading.finish {
            try properties.validate()
            try command.validate()
        }
        return .run(command)
    }

    /// As far as the words name commands.
    func descend(_ words: ArraySlice<String>) -> (path: CommandPath, rest: ArraySlice<String>) {
        var (path, rest) = (root, words)
        while let word = rest.first, let command = path.subcommand(named: word) {
            path = command
            rest = rest.dropFirst()
        }
        return (path, rest)
    }

    /// `help`, `help COMMAND ...`, `help --json`.
    private func helpInvocation(_ words: ArraySlice<String>) throws -> Invocation {
        if words.contains("--json") { return .tree }
        let (path, rest) = descend(words)
        if BuiltIn.first(in: rest) == .version { return .version }
        guard let word = rest.first(where: { !isOption($0) && $0 != BuiltIn.helpCommand }) else { return .help(path) }
        throw path.isGroup ? UsageError.unknownCommand(word, path) : UsageError.surplus([word], path)
    }
}

/// Whether a word is the name of an option, or several in one.
func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }

/// The words of one command, as they are read one after the other.
struct Reading {
    private let parameters: [CommandParameter]
    private let path: CommandPath
    private var positionals: [String] = []
    private var unknownOption: String?

    init(_ parameters: [CommandParameter], _ path: CommandPath) {
        (self.parameters, self.path) = (parameters, path)
    }

    mutating func read(_ words: ArraySlice<String>) throws {
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                positionals += rest
                return
            }
            if word.hasPrefix("--") {
                try readLong(word.dropFirst(2), &rest, word)
            } else if isOption(word) {
                try readShort(word.dropFirst(), &rest)
            } else {
                positionals.append(word)
            }
        }
    }

    /// `name` or `name=value`.
    private mutating func readLong(_ text: Substring, _ rest: inout ArraySlice<String>, _ word: String) throws {
        let equals = text.firstIndex(of: "=")
        let name = String(text[..<(equals ?? text.endIndex)])
        guard let parameter = parameters.first(where: { $0.names.contains(.long(name)) }) else {
            return note(unknown: word)
        }
        try readValue(of: parameter, equals.map { String(text[text.index(after: $0)...]) }, &rest)
    }

    /// `f`, several flags in one, or the one letter of an option.
    private mutating func readShort(_ letters: Substring, _ rest: inout ArraySlice<String>) throws {
        for letter in letters {
            guard let parameter = parameters.first(where: { $0.names.contains(.short(letter)) }),
                parameter.kind == .flag || letters.count == 1
            else { return note(unknown: "-\(letter)") }
            try readValue(of: parameter, nil, &rest)
        }
    }

    private mutating func note(unknown word: String) {
        if unknownOption == nil { unknownOption = word }
    }

    /// - Parameter value: what is written behind an equals sign.
    private func readValue(of parameter: CommandParameter, _ value: String?, _ rest: inout ArraySlice<String>) throws {
        if parameter.kind == .flag {
            guard value == nil else { throw UsageError.flagWithValue(parameter, path) }
            return try store("", parameter)
        }
        if let value {
            guard !value.isEmpty else { throw UsageError.missingValue(parameter, path) }
            return try store(value, parameter)
        }
        // A forgotten value must not swallow the option that follows.
        guard let next = rest.first, !isOption(next) else { throw UsageError.missingValue(parameter, path) }
        rest.removeFirst()
        try store(next, parameter)
    }

    private func store(_ word: String, _ parameter: CommandParameter) throws {
        guard parameter.store(word) else { throw UsageError.wrongValue(word, parameter, path) }
    }

    /// Gives the words without a name to the arguments, and says what is wrong with the line as a whole.
    ///
    /// - Parameter validate: whether the values go together.
    func finish(_ validate: () throws -> Void) throws {
        var rest = positionals[...]
        var missing: CommandParameter?
        for parameter in parameters where parameter.kind == .positional {
            if rest.isEmpty, !parameter.isOptional, missing == nil { missing = parameter }
            repeat {
                guard let word = rest.popFirst() else { break }
                try store(word, parameter)
            } while parameter.isRepeating
        }
        if let missing { throw UsageError.missing(missing, path) }
        do {
            try validate()
        } catch let error as ValidationError {
            throw UsageError(error.message, path)
        }
        if let unknownOption { throw UsageError.unknownOption(unknownOption, parameters, path) }
        if !rest.isEmpty { throw UsageError.surplus(Array(rest), path) }
    }
}
