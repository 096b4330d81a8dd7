/// Answers a completion script: what may stand where the cursor is.
///
/// The scripts of all shells are a few lines that ask the program at each TAB, because only the program knows its nodes,
/// channels and tokens, and an answer takes milliseconds:
///
///     mesh-gateway ---complete SHELL WORD ...
///
/// with the words from the first after the program's name up to the one that is being typed, which may be empty. The
/// answer is a word a line; for zsh and fish a tab and a description may follow. `:file` alone means the files that
/// the shell itself finds.
struct Completer {
    private let root: CommandPath

    init(_ root: CommandPath) { self.root = root }

    static let files = ":file"

    func answer(_ words: [String]) -> String {
        guard let name = words.first, let shell = Shell(rawValue: name) else { return "" }
        var line = words.dropFirst().map { $0 }
        // bash ends a word at each "=" and ":" and takes only what follows for the word that it completes.
        if shell == .bash { line = joinedAgain(line.map(unquoted)) }
        let typed = line.popLast() ?? ""
        let kept = shell == .bash ? typed.lastIndex { $0 == "=" || $0 == ":" } : nil
        return candidates(after: line, typed).compactMap { candidate -> String? in
            if candidate.word == Self.files { return Self.files + "\n" }
            guard candidate.word.hasPrefix(typed), isOneLine(candidate.word) else { return nil }
            let word = kept.map { candidate.word.dropFirst(typed[...$0].count) } ?? candidate.word[...]
            let hint = shell == .bash || candidate.hint.isEmpty ? "" : "\t\(candidate.hint)"
            return "\(word)\(hint)\n"
        }.joined()
    }

    private struct Candidate {
        let word: String
        var hint = ""
    }

    private func candidates(after line: [String], _ typed: String) -> [Candidate] {
        if line.first == BuiltIn.helpCommand {
            return commands(CommandLineReader(root: root).descend(line.dropFirst()).path)
        }
        var (path, rest) = CommandLineReader(root: root).descend(line[...])
        var found: [Candidate] = []
        if path.isGroup, rest.isEmpty, !typed.hasPrefix("-") { found = commands(path) }
        if path.isGroup {
            guard let command = path.defaultSubcommand else { return found + (typed.hasPrefix("-") ? builtIns : []) }
            path = command
        }
        let parameters = path.command().parameters
        let place = Place(parameters, rest)
        // "--name=value" in one word
        if place.isOpen, typed.hasPrefix("--"), let equals = typed.firstIndex(of: "=") {
            let name = String(typed[..<equals].dropFirst(2))
            let parameter = parameters.first { $0.longName == name && $0.kind == .option }
            return values(parameter, line).map { $0.word == Self.files ? $0 : Candidate(word: "--\(name)=\($0.word)") }
        }
        if let option = place.option { return values(option, line) }
        if place.isOpen, typed.hasPrefix("-") { return options(parameters) + builtIns }
        found += values(place.positional, line)
        if found.isEmpty, place.isOpen, place.positional == nil { return options(parameters) }
        return found
    }

    private func commands(_ path: CommandPath) -> [Candidate] {
        let shown = path.configuration.subcommands.map { $0.configuration }.filter(\.shouldDisplay)
        let found = shown.map { Candidate(word: $0.commandName, hint: $0.abstract) }
        let isRoot = path.commands.count == 1
        return found + (isRoot ? [Candidate(word: BuiltIn.helpCommand, hint: "Show subcommand help information.")] : [])
    }

    private var builtIns: [Candidate] {
        [
            Candidate(word: "--help", hint: "Show help information."),
            Candidate(word: "--version", hint: "Show the version."),
        ]
    }

    private func options(_ parameters: [CommandParameter]) -> [Candidate] {
        parameters.filter { $0.kind != .positional }
            .compactMap { parameter in
                parameter.longName.map { Candidate(word: "--\($0)", hint: parameter.help.abstract) }
            }
    }

    private func values(_ parameter: CommandParameter?, _ line: [String]) -> [Candidate] {
        switch parameter?.completion {
        case .list(let words): words.map { Candidate(word: $0) }
        case .file: [Candidate(word: Self.files)]
        case .custom(let find): find(line).map { Candidate(word: $0) }
        case nil: []
        }
    }

    /// A word with a line feed or a tab would be two.
    private func isOneLine(_ word: String) -> Bool {
        word.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
}

/// Where in a command's words the cursor is.
private struct Place {
    /// The option whose value is being typed.
    private(set) var option: CommandParameter?
    /// The argument that is being typed.
    private(set) var positional: CommandParameter?
    /// There has been no `--` yet.
    private(set) var isOpen = true

    init(_ parameters: [CommandParameter], _ words: ArraySlice<String>) {
        var positionals = parameters.filter { $0.kind == .positional }[...]
        for word in words {
            if option != nil {
                option = nil
            } else if isOpen, word == "--" {
                isOpen = false
            } else if isOpen, isOption(word) {
                option = parameters.first { parameter in
                    parameter.kind == .option && parameter.names.contains { $0.text == word }
                }
            } else if positionals.first?.isRepeating == false {
                positionals.removeFirst()
            }
        }
        positional = positionals.first
    }
}

/// The words as they were typed: bash makes `--sort=sn` three of them, and `tcp:host` too.
private func joinedAgain(_ words: [String]) -> [String] {
    var joined: [String] = []
    var isGoingOn = false
    for word in words {
        let isBreak = word == "=" || word == ":"
        if !joined.isEmpty, isGoingOn || isBreak {
            joined[joined.count - 1] += word
        } else {
            joined.append(word)
        }
        isGoingOn = isBreak
    }
    return joined
}

/// Without the quotation marks and escapes of bash, which hands words over as they were typed.
private func unquoted(_ word: String) -> String {
    var text = ""
    var mark: Character?
    var isEscaped = false
    for character in word {
        if isEscaped {
            text.append(character)
            isEscaped = false
        } else if character == "\\", mark != "'" {
            isEscaped = true
        } else if character == mark {
            mark = nil
        } else if mark == nil, character == "'" || character == "\"" {
            mark = character
        } else {
            text.append(character)
        }
    }
    return text
}
