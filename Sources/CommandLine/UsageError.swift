import Terminal

/// Values that do not go together, said by a command's own check.
public struct ValidationError: Error {
    public let message: String
    public init(_ message: String) { self.message = message }
}

/// Ends a command with this code; what there was to say has been said.
public struct ExitCode: Error {
    public let rawValue: Int32
    public init(_ rawValue: Int32) { self.rawValue = rawValue }
}

/// A command line that cannot be read.
struct UsageError: Error {
    /// EX_USAGE of sysexits(3).
    static let exitCode: Int32 = 64

    /// What is wrong, with the word that was typed; without a full stop.
    let sentence: String
    /// The command that was understood up to there.
    let path: CommandPath

    init(_ sentence: String, _ path: CommandPath) {
        self.sentence = sentence
        self.path = path
    }

    /// Two lines, or as many more as the sentence needs: what is wrong, and what to type.
    var text: String {
        "\(path.names[0]): \(sentence)\nFor what it takes: \(path.text) --help\n"
    }
}

extension UsageError {
    static func unknownCommand(_ word: String, _ path: CommandPath) -> UsageError {
        let known = path.configuration.subcommands.map { $0.configuration }.filter(\.shouldDisplay).map(\.commandName)
        return UsageError("there is no command \(quoted(word))\(suggestion(word, known))", path)
    }

    static func unknownOption(_ word: String, _ parameters: [CommandParameter], _ path: CommandPath) -> UsageError {
        let name = String(word.prefix { $0 != "=" })
        let known = (parameters.flatMap(\.names) + BuiltIn.names).map(\.text)
        return UsageError("there is no option \(quoted(name))\(suggestion(name, known))", path)
    }

    static func missingValue(_ parameter: CommandParameter, _ path: CommandPath) -> UsageError {
        let isDash = "a value that begins with a dash is written --\(parameter.longName ?? "")=-VALUE"
        return UsageError("the value of '\(parameter.text)' is missing (\(isDash))", path)
    }

    static func missing(_ parameter: CommandParameter, _ path: CommandPath) -> UsageError {
        let forms = parameter.allValues.isEmpty ? "" : ": \(parameter.allValues.joined(separator: ", "))"
        return UsageError("'\(parameter.text)' is missing\(forms)", path)
    }

    static func wrongValue(_ word: String, _ parameter: CommandParameter, _ path: CommandPath) -> UsageError {
        let forms = parameter.allValues
        let known = forms.isEmpty ? "" : "; there are \(forms.joined(separator: ", "))"
        return UsageError(
            "'\(parameter.text)' cannot be \(quoted(word))\(known)\(suggestion(word, forms))", path)
    }

    static func flagWithValue(_ parameter: CommandParameter, _ path: CommandPath) -> UsageError {
        UsageError("'\(parameter.text)' takes no value", path)
    }

    static func surplus(_ words: [String], _ path: CommandPath) -> UsageError {
        let more = words.count > 1 ? " and \(words.count - 1) more" : ""
        // A slip in the name of a subcommand makes it a word for the default subcommand.
        let siblings = path.parent?.configuration.subcommands.map { $0.configuration.commandName } ?? []
        return UsageError(
            "\(path.text) does not take the word \(quoted(words[0]))\(more)\(suggestion(words[0], siblings))", path)
    }

    /// A word as it may be shown on a terminal, whatever is in it.
    private static func quoted(_ word: String) -> String { "'\(cut(printable(String(word.prefix(80))), to: 60))'" }

    /// The name that was probably meant.
    private static func suggestion(_ word: String, _ known: [String]) -> String {
        guard let meant = nearest(to: word, among: known, slips: 2) else { return "" }
        return "; did you mean \(meant.hasPrefix("-") ? "'\(meant)'" : meant)?"
    }
}
