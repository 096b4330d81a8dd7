import CommandLine
import JSON
import Terminal

extension RadioCommand {
    struct Config: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "config",
            abstract: "Shows and changes the radio's settings.",
            subcommands: [Get.self, Set.self, Export.self, Import.self])
    }
}

extension RadioCommand.Config {
    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Shows the radio's settings, by their standard names. Secrets are not shown.",
            discussion: """
                Without a name it shows all settings; with the name of a single setting, its bare value. Names are \
                those of the protocol: lora, lora.region, mqtt.address, owner.long_name.
                """)

        @Argument(help: ArgumentHelp("Sections and settings.", valueName: "section[.field]"))
        var names: [String] = []

        @OptionGroup var viewing: Viewing

        func run() throws {
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let page = try backend.get(
                "/local/radio/config", [("source", viewing.source)] + names.map { ("path", $0) })
            try viewing.show(page, text)
        }

        private func text(_ page: JSONValue) -> String {
            let settings = page["settings"]?.array ?? []
            if names.count == 1, settings.count == 1, settings[0]["path"]?.string == names[0].lowercased() {
                return printable(SettingText.of(settings[0])) + "\n"
            }
            var text = ""
            var fields = Fields()
            var section = ""
            for setting in settings {
                let path = setting["path"]?.string ?? "?"
                if path.prefix(while: { $0 != "." }) != section, !fields.isEmpty {
                    text += fields.text(width: Screen.width, style: Screen.style(.bold)) + "\n"
                    fields = Fields()
                }
                section = String(path.prefix { $0 != "." })
                fields.add(path, SettingText.of(setting))
            }
            text += fields.text(width: Screen.width, style: Screen.style(.bold))
            let missing = (page["missing"]?.array ?? []).compactMap(\.string)
            return missing.isEmpty ? text : text + "\nNot in this firmware: \(missing.joined(separator: ", "))\n"
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Changes settings of the radio, after showing the values before and after.",
            discussion: """
                Several settings at once restart the radio only once. A value - is read from standard input, which \
                keeps a password out of the list of processes. To see which values a setting can have: mesh-gateway \
                radio config get NAME --json.
                """)

        @Argument(help: ArgumentHelp("Settings.", valueName: "section.field=value"))
        var settings: [String]

        @OptionGroup var confirming: Confirming
        @OptionGroup var viewing: Viewing

        func run() throws {
            let changes = try settings.map(parsed)
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let preview = try backend.post(target, body: body(changes, isPreview: true))
            guard preview.json["changes"]?.array?.contains(where: { $0["isChange"]?.bool == true }) == true else {
                return try viewing.show(preview) { _ in "Nothing to change: the radio has these values.\n" }
            }
            confirming.show(text(preview.json), beside: viewing)
            guard try confirming.confirm("Write this to the radio", retry: "mesh-gateway radio config set …") else {
                throw ExitCode(1)
            }
            let page = try backend.post(target, body: body(changes, isPreview: false))
            try RadioCommand.Config.showTaken(page, viewing)
        }

        private var target: String { viewing.target("/local/radio/config") }

        private func parsed(_ setting: String) throws -> (path: String, value: String) {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, parts[0].contains(".") else {
                throw failure(
                    "\"\(printable(setting))\" is no setting with a value; write it like lora.hop_limit=4.", .usage)
            }
            guard parts[1] == "-" else { return (parts[0], parts[1]) }
            guard let line = readLine() else {
                throw failure("standard input ended before the value of \(printable(parts[0])); pipe it in.", .noInput)
            }
            return (parts[0], line)
        }

        private func body(_ changes: [(path: String, value: String)], isPreview: Bool) -> String {
            let list = changes.map { change in
                JSONText.object([
                    ("path", JSONText.quoted(change.path)), ("value", JSONText.quoted(change.value)),
                ])
            }
            return JSONText.object([("changes", "[\(list.joined(separator: ","))]"), ("preview", "\(isPreview)")])
        }

        private func text(_ page: JSONValue) -> String {
            SettingText.changes(page["changes"]?.array ?? [], then: "THEN") + Consequences.text(page)
        }
    }
}

extension RadioCommand.Config {
    /// What has become of a change, or its failure.
    ///
    /// - Parameter all: also of settings that were to stay as they are.
    static func showTaken(_ page: Page, _ viewing: Viewing, all: Bool = true) throws {
        if let refusal = page.json["refusal"]?.string {
            try viewing.show(page) { page in
                SettingText.taken((page["changes"]?.array ?? []).filter { all || $0["isChange"]?.bool == true })
            }
            throw failure("\(printable(refusal)).", .dataError)
        }
        try viewing.show(page) { _ in "Done.\n" }
        let others = (page.json["changes"]?.array ?? []).filter { $0["isTaken"]?.bool == false }
        guard let other = others.first else { return }
        throw failure(
            printable(
                "the radio has taken another value for \(other["path"]?.string ?? "?"): "
                    + "\(SettingText.of(other, value: "taken")); mesh-gateway radio config get shows all"),
            .dataError)
    }
}

/// A setting's value as people read it.
enum SettingText {
    /// - Parameters:
    ///   - value: the member that holds it.
    ///   - secret: the member that holds a secret's length.
    static func of(_ setting: JSONValue, value: String = "value", secret: String = "secretBytes") -> String {
        if let bytes = setting[secret]?.integer { return bytes == 0 ? "not set" : "set, \(bytes) bytes" }
        return text(setting[value])
    }

    /// What is and what is to be, side by side.
    ///
    /// - Parameter then: the title of what is to be.
    static func changes(_ changes: [JSONValue], then: String) -> String {
        let rows = changes.map { change in
            [
                change["path"]?.string ?? "?", of(change, value: "old", secret: "oldSecretBytes"),
                of(change, value: "new", secret: "newSecretBytes"),
            ]
        }
        // A narrow screen would cut the names, which must be read.
        if let width = Screen.width, width < 60 {
            var fields = Fields()
            for row in rows { fields.add(row[0], "\(row[1]) → \(row[2])") }
            return fields.text(width: width, style: Screen.style(.bold))
        }
        var table = Table([.init("SETTING"), .init("NOW"), .init(then)])
        for row in rows { table.add(row) }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    /// What the radio has of each setting, when it has refused one of several sections.
    static func taken(_ changes: [JSONValue]) -> String {
        changes.map { change in
            let path = change["path"]?.string ?? "?"
            guard let isTaken = change["isTaken"]?.bool else { return "\(path): not known, it did not answer\n" }
            let value = change["newSecretBytes"]?.integer == nil ? of(change, value: "taken") : "a secret"
            return "\(path): \(value), \(isTaken ? "as it was to be" : "not changed")\n"
        }.joined()
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .bool(let flag): return flag ? "true" : "false"
        case .string(let text): return text.isEmpty ? "\"\"" : text
        case .array(let values): return values.isEmpty ? "none" : values.map { text($0) }.joined(separator: ", ")
        case .number(let number):
            if let whole = value?.integer { return "\(whole)" }
            return "\(number)"
        default: return "hidden"
        }
    }
}

/// What a change brings with it, one sentence a line.
enum Consequences {
    static func text(_ page: JSONValue) -> String {
        var sentences = (page["warnings"]?.array ?? []).compactMap(\.string)
        if page["restarts"]?.bool == true {
            sentences.append("The radio restarts some seconds after this, and is away for about half a minute.")
        }
        return sentences.flatMap { wrapped("Warning: \(printable($0))", to: Screen.width) }
            .map { Screen.style(.yellow).applied(to: $0) + "\n" }.joined()
    }
}
