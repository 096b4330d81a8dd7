import Configuration
import JSON
import MeshMonitor
import MeshModel
import Store
import Terminal

/// What a take-over has brought, for people and for programs.
struct TakeOverResult {
    let report: TakeOverReport
    let file: String
    let database: String
    let isDryRun: Bool
    let settings: Configuration
    /// Host milliseconds.
    let now: Int64

    /// What the gateway would delete of it soon, with the setting that says so.
    private struct Fading {
        let kind: String
        let key: Key
        let value: String
        /// Host milliseconds of the oldest row that was taken; nil: it is about the size.
        let oldest: Int64?
    }

    private var fading: [Fading] {
        func aged(_ kind: String, _ key: Key, _ time: KeepingTime, _ oldest: Int64?) -> Fading? {
            guard let hours = time.hours, let oldest, oldest < now - Int64(hours) * 3_600_000 else { return nil }
            return Fading(kind: kind, key: key, value: "\(time)", oldest: oldest)
        }
        var found = [
            aged("telemetry", .keepTelemetry, settings.keepTelemetry, report.ages.telemetry),
            aged("history of positions", .keepPositions, settings.keepPositions, report.ages.positions),
            aged("history of messages", .keepMessages, settings.keepMessages, report.ages.messages),
        ].compactMap(\.self)
        if let size = settings.databaseSize.bytes, report.usedBytes > size - size / 16 {
            found.append(
                Fading(kind: "history", key: .databaseSize, value: "\(settings.databaseSize)", oldest: nil))
        }
        return found
    }

    // MARK: For people

    var text: String {
        [heading, table, leftOut, notTaken, warnings, next].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var heading: String {
        var text = Screen.lines(
            (isDryRun ? "This would be taken, and nothing was changed, " : "Taken ")
                + "from \(file) (MeshMonitor \(report.isMultiSource ? "4" : "3 or older")) into \(database):")
        for source in report.sources {
            let who = "\(printable(source.name))\(source.number.map { " (\($0.id))" } ?? "")"
            let how =
                switch source.place {
                case .new: "a new source, \(source.uuid)"
                case .unused: "the source that no radio had yet, \(source.uuid)"
                case .present: "into the existing source \(source.uuid)"
                }
            let hint =
                source.theirID.map { $0 == source.uuid } ?? true
                ? "" : "; clients that name \(printable(source.theirID!)) name this id, or default, from now on"
            text += Screen.lines("radio \(who): \(how)\(hint)")
        }
        for source in report.otherSources {
            text += Screen.lines("not taken: \(source.name), which is no Meshtastic radio (\(source.type))")
        }
        return text
    }

    private var table: String {
        var table = Table([
            .init("KIND"), .init("FOUND", .right), .init("TAKEN", .right), .init("THERE ALREADY", .right),
            .init("LEFT OUT", .right),
        ])
        for (kind, tally) in report.kinds {
            table.add(
                [kind.rawValue]
                    + [tally.found, tally.taken, tally.alreadyThere, tally.leftOutCount].map { "\($0)" })
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    private var leftOut: String {
        var table = Table([.init("LEFT OUT", .right), .init("OF"), .init("BECAUSE IT")])
        for (kind, tally) in report.kinds {
            for (reason, count) in tally.reasons { table.add(["\(count)", kind.rawValue, reason]) }
        }
        return table.isEmpty ? "" : table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    private var notTaken: String {
        var table = Table([.init("ROWS", .right), .init("NOT TAKEN"), .init("BECAUSE")])
        for (name, rows) in report.otherTables { table.add(["\(rows)", name, OtherTables.reason(for: name)]) }
        var text = table.isEmpty ? "" : table.text(style: Screen.style(.bold), screen: Screen.width)
        let columns = report.unusedColumns.flatMap { unused in unused.columns.map { printable("\(unused.table).\($0)") }
        }
        if !columns.isEmpty { text += Screen.lines("Columns without a place here: \(columns.joined(separator: ", "))") }
        return text
    }

    private var warnings: String {
        fading.map { fading in
            let (key, value) = (fading.key.rawValue, fading.value)
            guard let oldest = fading.oldest else {
                return Screen.lines(
                    "\(key) is \(value), and the database is larger: the oldest is deleted after the start. To keep all "
                        + "of it, set \(key) = unlimited before.")
            }
            let day = localTime(milliseconds: oldest, utc: false).prefix(10)
            return Screen.lines(
                "\(key) is \(value), and there is \(fading.kind) from \(day) on: older rows are deleted about a day "
                    + "after the start. To keep all of it, set \(key) = forever before.")
        }.joined()
    }

    private var next: String {
        guard !isDryRun else { return Screen.lines("To do it: the same without --dry-run.") }
        return Screen.lines("Next: sudo systemctl start mesh-gateway")
            + Screen.lines("A phone's token: mesh-gateway token create phone --from-stdin, and paste it.")
    }

    // MARK: For programs

    var json: String {
        JSONText.object([
            ("schema", JSONText.quoted("take-over/1")), ("via", JSONText.quoted("database")),
            ("file", JSONText.quoted(file)), ("database", JSONText.quoted(database)),
            ("generation", report.isMultiSource ? "4" : "3"), ("dryRun", "\(isDryRun)"),
            ("sources", list(report.sources.map(json))),
            ("otherSources", list(report.otherSources.map { pair("name", $0.name, "type", $0.type) })),
            ("kinds", list(report.kinds.map { json($0.kind, $0.tally) })),
            (
                "otherTables",
                list(
                    report.otherTables.map {
                        JSONText.object([
                            ("table", JSONText.quoted($0.table)), ("rows", "\($0.rows)"),
                            ("reason", JSONText.quoted(OtherTables.reason(for: $0.table))),
                        ])
                    })
            ),
            (
                "unusedColumns",
                list(
                    report.unusedColumns.map {
                        JSONText.object([
                            ("table", JSONText.quoted($0.table)), ("columns", JSONText.array($0.columns)),
                        ])
                    })
            ),
            ("fading", list(fading.map(json))),
        ])
    }

    private func json(_ source: TakenSource) -> String {
        JSONText.object([
            ("theirId", source.theirID.map(JSONText.quoted) ?? "null"), ("name", JSONText.quoted(source.name)),
            ("id", JSONText.quoted(source.uuid)),
            ("nodeId", source.number.map { JSONText.quoted($0.id) } ?? "null"),
            ("place", JSONText.quoted(source.place.rawValue)),
        ])
    }

    private func json(_ kind: Kind, _ tally: Tally) -> String {
        JSONText.object([
            ("kind", JSONText.quoted(kind.rawValue)), ("found", "\(tally.found)"), ("taken", "\(tally.taken)"),
            ("alreadyThere", "\(tally.alreadyThere)"), ("leftOut", "\(tally.leftOutCount)"),
            (
                "reasons",
                list(
                    tally.reasons.map {
                        JSONText.object([("reason", JSONText.quoted($0.reason)), ("rows", "\($0.rows)")])
                    })
            ),
        ])
    }

    private func json(_ fading: Fading) -> String {
        JSONText.object([
            ("kind", JSONText.quoted(fading.kind)), ("key", JSONText.quoted(fading.key.rawValue)),
            ("value", JSONText.quoted(fading.value)),
            ("oldest", fading.oldest.map { JSONText.quoted(ISO8601.text($0)) } ?? "null"),
        ])
    }

    private func pair(_ first: String, _ one: String, _ second: String, _ other: String) -> String {
        JSONText.object([(first, JSONText.quoted(one)), (second, JSONText.quoted(other))])
    }

    private func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }
}
