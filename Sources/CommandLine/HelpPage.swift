import Terminal

/// The help page of a command: what it does, its usage line, and its parameters or subcommands in two columns.
struct HelpPage {
    /// Cells before the second column.
    private static let indent = 26
    /// A narrower screen has no room for two columns.
    private static let leastWidth = 60

    private let path: CommandPath
    private let width: Int

    /// - Parameter width: cells of a line; nil: no screen.
    init(_ path: CommandPath, width: Int?) {
        self.path = path
        self.width = max(width ?? 80, 24)
    }

    var text: String {
        let configuration = path.configuration
        var sections = [paragraph("OVERVIEW: \(configuration.abstract)")]
        if !configuration.discussion.isEmpty { sections.append(paragraph(configuration.discussion)) }
        sections.append(usage)
        // Without a subcommand the default one is meant: what it takes is what may follow here.
        let inherited = path.isGroup ? path.defaultSubcommand : nil
        if let discussion = inherited?.configuration.discussion, configuration.discussion.isEmpty, !discussion.isEmpty {
            sections.insert(paragraph(discussion), at: 1)
        }
        let parameters = (inherited ?? path).command().parameters
        let positionals = parameters.filter { $0.kind == .positional }
        if !positionals.isEmpty { sections.append("ARGUMENTS:\n" + positionals.map(row).joined()) }
        let options =
            parameters.filter { $0.kind != .positional }.map(row) + [
                row("--version", "Show the version."), row("-h, --help", "Show help information."),
            ]
        sections.append("OPTIONS:\n" + options.joined())
        sections += configuration.groups.map(subcommands)
        if path.isGroup { sections.append(hung("See '\(advice)' for detailed help.", indent: "  ", first: "  ")) }
        return sections.joined(separator: "\n")
    }

    private var advice: String {
        ([path.names[0], BuiltIn.helpCommand] + path.names.dropFirst() + ["<subcommand>"]).joined(separator: " ")
    }

    /// Of 12 options and more nobody reads the names in a row.
    private var usage: String {
        if let usage = path.configuration.usage {
            let lines = usage.split(separator: "\n")
            return lines.enumerated().map { hung($1, indent: "       ", first: $0 == 0 ? "USAGE: " : nil) }.joined()
        }
        if path.isGroup {
            let group = hung("\(path.text) <subcommand>", indent: "       ", first: "USAGE: ")
            guard let inherited = path.defaultSubcommand else { return group }
            return usage(path.names, inherited.command().parameters, first: "USAGE: ")
                + hung("\(path.text) <subcommand>", indent: "       ", first: "       ")
        }
        return usage(path.names, path.command().parameters, first: "USAGE: ")
    }

    private func usage(_ names: [String], _ parameters: [CommandParameter], first: String) -> String {
        let options = parameters.filter { $0.kind != .positional }
        var words = parameters.filter { options.count <= 12 || $0.kind == .positional }.map(usage)
        if options.count > 12 { words.insert("[<options>]", at: 0) }
        // An option stays on one line with its value.
        let joined = names + words.map { $0.split(separator: " ").joined(separator: "\u{A0}") }
        let text = hung(joined.joined(separator: " "), indent: "       ", first: first)
        return text.split(separator: "\u{A0}", omittingEmptySubsequences: false).joined(separator: " ")
    }

    private func usage(_ parameter: CommandParameter) -> String {
        let name = parameter.text + (parameter.isRepeating && parameter.kind == .option ? " ..." : "")
        return parameter.isOptional ? "[\(name)]" : name
    }

    private func row(_ parameter: CommandParameter) -> String {
        let names = parameter.names.reversed().map(\.text).joined(separator: ", ")
        let value = parameter.kind == .flag ? "" : "<\(parameter.valueName)>"
        return row(
            [names, value].filter { !$0.isEmpty }.joined(separator: " "), parameter.help.abstract + facts(parameter))
    }

    private func facts(_ parameter: CommandParameter) -> String {
        let values = parameter.allValues.isEmpty ? [] : ["values: \(parameter.allValues.joined(separator: ", "))"]
        let facts = values + (parameter.defaultText.map { ["default: \($0)"] } ?? [])
        return facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))"
    }

    private func subcommands(_ group: CommandGroup) -> String {
        let title = group.name.isEmpty ? "SUBCOMMANDS:" : "\(group.name.uppercased()) SUBCOMMANDS:"
        let shown = group.subcommands.filter { $0.configuration.shouldDisplay }
        return title + "\n"
            + shown.map { command in
                let isDefault = path.configuration.defaultSubcommand.map { $0 == command } ?? false
                let configuration = command.configuration
                return row(configuration.commandName + (isDefault ? " (default)" : ""), configuration.abstract)
            }.joined()
    }

    /// A name in the first column, and what it is in the second.
    private func row(_ name: String, _ text: String) -> String {
        guard width >= Self.leastWidth else { return "  \(name)\n" + hung(text, indent: "      ", first: "      ") }
        let indent = String(repeating: " ", count: Self.indent)
        let gap = Self.indent - 2 - displayWidth(name)
        guard gap >= 2 else { return "  \(name)\n" + hung(text, indent: indent, first: indent) }
        return hung(text, indent: indent, first: "  \(name)" + String(repeating: " ", count: gap))
    }

    private func paragraph(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // What a list item says goes on below itself: "  0  it has arrived".
            let blanks = line.prefix { $0 == " " }
            var rest = line.dropFirst(blanks.count)
            var first = String(blanks)
            if !blanks.isEmpty, let word = rest.firstIndex(of: " "), rest[word...].hasPrefix("  ") {
                let text = rest[word...].firstIndex { $0 != " " } ?? rest.endIndex
                first += rest[..<text]
                rest = rest[text...]
            }
            return hung(rest, indent: String(repeating: " ", count: first.count), first: first)
        }.joined()
    }

    /// Wrapped between an indent and the right border, with another beginning of the first line.
    private func hung(_ text: some StringProtocol, indent: String, first: String? = nil) -> String {
        wrapped(String(text), to: max(width - indent.count, 10)).enumerated().map { number, line in
            ((number == 0 ? first : nil) ?? (line.isEmpty ? "" : indent)) + line + "\n"
        }.joined()
    }
}
