import CommandLine
import Configuration
import Glibc
import JSON
import Terminal

extension ConfigCommand {
    /// `mesh-gateway config show`: the settings that a start would take, and those of the running daemon where they differ.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows each setting that a start would use, and where it comes from.",
            discussion: """
                With one key, prints its bare value for scripts, one a line where there are several. When a daemon is \
                running and uses another value, the output says what it takes until it uses the new one.
                """)

        @Argument(
            help: ArgumentHelp("Keys of the configuration file.", valueName: "key"),
            completion: .list(Key.allCases.map(\.rawValue)))
        var keys: [String] = []

        @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
        var json = false

        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            let asked = try keys.map(Self.key)
            let reading = gatewayOptions.read()
            let settings = try gatewayOptions.configuration()
            if asked.count == 1, !json {
                return writeToStandardOutput(Self.values(asked[0], settings).map { printable($0) + "\n" }.joined())
            }
            let running = running(settings)
            let rows = (asked.isEmpty ? Key.allCases : asked).map { Row($0, settings, running?[$0.rawValue]) }
            if json {
                return writeJSON(
                    JSONText.object([
                        ("schema", JSONText.quoted("config-show/1")),
                        ("via", JSONText.quoted(running == nil ? "host" : "daemon")),
                        ("file", JSONText.quoted(reading.file)),
                        ("isThere", "\(reading.hasFile)"),
                        ("settings", "[\(rows.map(\.json).joined(separator: ","))]"),
                    ]))
            }
            writeToStandardOutput(Self.table(rows) + Self.differences(rows))
        }

        private static func key(_ name: String) throws -> Key {
            if let key = Key(rawValue: name.lowercased()) { return key }
            let meant = nearest(to: name, among: Key.allCases.map(\.rawValue)) ?? ""
            throw failure(
                "there is no key \"\(printable(name))\"; did you mean \(meant)? All of them: mesh-gateway config show",
                .noInput)
        }

        /// As a file takes them; the paths that are not set as they come about.
        fileprivate static func values(_ key: Key, _ settings: Configuration) -> [String] {
            switch key {
            case .database: GatewayOptions.servedDatabase(settings).map { [$0] } ?? []
            case .socket: [GatewayOptions.socketPath(settings)]
            default: settings.values(of: key)
            }
        }

        /// What the running daemon goes by, by key; nil without one.
        private func running(_ settings: Configuration) -> [String: JSONValue]? {
            let client = LocalClient(path: GatewayOptions.daemonSocket(settings), patience: 3)
            do throws(LocalClient.NoAnswer) {
                let answer = try client.request("GET", "/local/configuration")
                if answer.status == 403 { throw .noPermission }
                guard let listed = JSONValue(answer.body, isOurs: true)?["settings"]?.array else { return nil }
                return Dictionary(listed.compactMap { row in row["key"]?.string.map { ($0, row) } }) { $1 }
            } catch {
                if case .noPermission = error, !json {
                    writeToStandardError(
                        "The running daemon cannot be asked for its values: no permission; try sudo.\n")
                }
                return nil
            }
        }

        // MARK: text

        private static func table(_ rows: [Row]) -> String {
            var table = Table([.init("KEY"), .init("VALUE"), .init("FROM", expendability: 1)])
            for row in rows {
                if row.values.isEmpty { table.add([row.key.rawValue, "-", "\(row.origin)"]) }
                for (index, value) in row.values.enumerated() {
                    let origin = index < row.origins.count ? row.origins[index] : row.origin
                    table.add([row.key.rawValue, Configuration.written(value), "\(origin)"])
                }
            }
            return table.text(style: Screen.style(.bold), screen: Screen.width)
        }

        private static func differences(_ rows: [Row]) -> String {
            var table = Table([.init("KEY"), .init("RUNNING"), .init("NEEDS")])
            for row in rows {
                guard let running = row.running, let needs = row.needs else { continue }
                // What outweighs every file is named; no command changes it.
                let outside = row.isFromOutside ? "given here by \(row.origin)" : "given to it by \(running.from)"
                table.add([
                    row.key.rawValue, running.values.isEmpty ? "-" : running.values.joined(separator: ", "),
                    needs == .start ? outside : needs.rawValue,
                ])
            }
            guard !table.isEmpty else { return "" }
            let needed = rows.compactMap(\.needs)
            let command = (needed.contains(.restart) ? Takeover.restart : needed.contains(.reload) ? .reload : nil)?
                .command
            return "\n" + Screen.lines("The running daemon uses other values:")
                + table.text(style: Screen.style(.bold), screen: Screen.width)
                + (command.map { "It takes them over with:\n  \($0)\n" } ?? "")
        }
    }
}

/// A setting as a start would take it, and as the running daemon has it.
private struct Row {
    let key: Key
    let values: [String]
    let origins: [Origin]
    let running: (values: [String], from: String, kind: String)?

    init(_ key: Key, _ settings: Configuration, _ running: JSONValue?) {
        self.key = key
        values = ConfigCommand.Show.values(key, settings)
        origins = settings.origins(of: key)
        self.running = running.map { row in
            (
                (row["values"]?.array ?? []).compactMap(\.string), row["from"]?.string ?? "?",
                row["kind"]?.string ?? "?"
            )
        }
    }

    var origin: Origin { origins.first ?? .builtIn }

    /// No file has a say in it.
    var isFromOutside: Bool { Self.isFromOutside(origin.kind) }

    private static func isFromOutside(_ kind: String) -> Bool { kind == "option" || kind == "environment" }

    /// What it takes until the daemon has this value; nil without a daemon, or when it has it. A path that is built in
    /// differs from user to user.
    var needs: Takeover? {
        guard let running, running.values != values else { return nil }
        if origin == .builtIn, running.kind == origin.kind { return nil }
        if isFromOutside || Self.isFromOutside(running.kind) { return .start }
        return key.isReloadable ? .reload : .restart
    }

    var json: String {
        let running = running.map { running in
            JSONText.object([
                ("values", JSONText.array(running.values)), ("from", JSONText.quoted(running.from)),
                ("kind", JSONText.quoted(running.kind)),
                ("needs", needs.map { JSONText.quoted($0.rawValue) } ?? "null"),
            ])
        }
        return JSONText.object([
            ("key", JSONText.quoted(key.rawValue)), ("values", JSONText.array(values)),
            ("from", JSONText.quoted("\(origin)")), ("kind", JSONText.quoted(origin.kind)),
            ("reloadable", "\(key.isReloadable)"), ("running", running ?? "null"),
        ])
    }
}
