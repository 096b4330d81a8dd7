/// What the help page says of an option, a flag or an argument.
public struct ArgumentHelp: ExpressibleByStringInterpolation, Sendable {
    public let abstract: String
    /// How the value is named, such as `file` in `--config <file>`; nil: the property's name.
    public let valueName: String?

    public init(_ abstract: String, valueName: String? = nil) {
        self.abstract = abstract
        self.valueName = valueName
    }

    public init(stringLiteral text: String) { self.init(text) }
}

/// How an option or a flag is named.
public enum NameSpecification: Sendable {
    /// `--reply-to` of a property `replyTo`.
    case long
    /// `-f` and `--follow`.
    case shortAndLong
    case customLong(String)
}

/// What a shell may offer for a value.
public enum CompletionKind {
    case list([String])
    /// Files, as the shell itself finds them.
    case file
    /// Words that are found when they are asked for. It gets the words of the command line so far.
    case custom(([String]) -> [String])
}

/// An option, a flag or an argument of a command.
struct CommandParameter {
    enum Kind { case option, flag, positional }

    enum Name: Equatable {
        case short(Character)
        case long(String)

        /// As it is typed.
        var text: String {
            switch self {
            case .short(let letter): "-\(letter)"
            case .long(let name): "--\(name)"
            }
        }
    }

    let kind: Kind
    let name: NameSpecification
    let help: ArgumentHelp
    let completion: CompletionKind?
    /// Nil without a default, and for what is repeated.
    var defaultText: String?
    var isOptional = true
    var isRepeating = false
    /// The only values that there are; empty: there are others.
    var allValues: [String] = []
    /// Takes a word for the value. False: it cannot be one.
    let store: (String) -> Bool
    /// The property that declares it.
    private(set) var property = ""
    private(set) var names: [Name] = []

    init(
        _ kind: Kind, _ name: NameSpecification, _ help: ArgumentHelp, _ completion: CompletionKind? = nil,
        store: @escaping (String) -> Bool
    ) {
        (self.kind, self.name, self.help, self.completion, self.store) = (kind, name, help, completion, store)
    }

    /// - Parameter property: such as `replyTo`.
    func declared(by property: String) -> CommandParameter {
        var parameter = self
        parameter.property = property
        parameter.names = names(of: dashed(property))
        return parameter
    }

    private func names(of long: String) -> [Name] {
        switch (kind, name) {
        case (.positional, _): []
        case (_, .long): [.long(long)]
        case (_, .shortAndLong): [.long(long)] + long.prefix(1).map(Name.short)
        case (_, .customLong(let name)): [.long(name)]
        }
    }

    var longName: String? {
        for case .long(let name) in names { return name }
        return nil
    }

    var valueName: String { help.valueName ?? longName ?? dashed(property) }

    /// As an error names it: `--limit <limit>`, `<node>`, `--json`.
    var text: String {
        switch kind {
        case .option: "--\(longName ?? property) <\(valueName)>"
        case .flag: "--\(longName ?? property)"
        case .positional: isRepeating ? "<\(valueName)> ..." : "<\(valueName)>"
        }
    }
}

/// `replyTo` as it is typed: `reply-to`.
private func dashed(_ name: String) -> String {
    var text = ""
    for letter in name {
        if letter.isUppercase { text += "-" }
        text += letter.lowercased()
    }
    return text
}
