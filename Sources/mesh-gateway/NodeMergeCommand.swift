import CommandLine
import Configuration
import Glibc
import MeshModel
import Platform
import Store
import Terminal

extension NodeCommand {
    /// `mesh-gateway node merge`: two numbers of one device get one past.
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge",
            abstract: "Joins the history of a node with that of the number that it has now.",
            discussion: """
                Firmware 2.8 makes a node's number from its key, so that an upgraded device comes as a new node. Messages, \
                telemetry, positions and all else of OLD become NEW's, in one step; where both have a row, the newer one \
                stays. The daemon has to be stopped: sudo systemctl stop mesh-gateway.

                There is no undo. So the database is copied first; mesh-gateway restore puts the copy back. OLD and NEW are \
                ids such as !6b4acba0, or numbers.
                """)

        @Argument(help: "The number that it had.")
        var old: String

        @Argument(help: "The number that it has now.")
        var new: String

        @Flag(help: "Only show what would change.")
        var dryRun = false

        @Flag(help: "Print JSON for programs; its schema is in /usr/share/mesh-gateway/schemas.")
        var json = false

        @OptionGroup var gatewayOptions: GatewayOptions

        private struct Merged {
            var source: Source
            var rows: [MergedRows]
        }

        func run() throws {
            let (old, new) = (try number(old), try number(new))
            guard old != new else { throw failure("OLD and NEW are one number; name two.", .usage) }
            let settings = try gatewayOptions.configuration()
            guard let database = GatewayOptions.existingDatabase(settings) else {
                throw failure("there is no database; name one with --database FILE.", .noInput)
            }
            // What it would do, and whether it can: before the copy.
            let planned = try merge(old, new, in: database, isKept: false)
            guard !dryRun else {
                if json { return show(planned, old, new, database, copy: nil) }
                return writeToStandardOutput(Screen.lines(words(planned, old, new, "would become")))
            }
            let copy = try copied(database)
            let merged = try merge(old, new, in: database, isKept: true)
            if json { return show(merged, old, new, database, copy: copy) }
            writeToStandardOutput(
                Screen.lines(
                    words(merged, old, new, "has become")
                        + " The database of before is \(printable(copy)). There is no other undo than: mesh-gateway restore "
                        + "\(printable(copy)) --replace"))
        }

        private func number(_ text: String) throws -> NodeNumber {
            guard let number = NodeNumber(id: text) ?? UInt32(text).map({ NodeNumber($0) }), number.mayBeNode else {
                throw failure("\(text): this is no id of a node, such as !6b4acba0, and no number.", .usage)
            }
            return number
        }

        /// At every radio that knows both.
        private func merge(_ old: NodeNumber, _ new: NodeNumber, in database: String, isKept: Bool) throws -> [Merged] {
            let now = WallClock.milliseconds()
            do {
                return try BulkChange.run(path: database, program: MeshGateway.version, isKept: isKept) { writer in
                    let sources = try writer.sources().filter { source, _ in
                        try writer.node(old, in: source) != nil && writer.node(new, in: source) != nil
                    }
                    guard !sources.isEmpty else {
                        throw failure(
                            "no radio knows both \(old.id) and \(new.id); mesh-gateway nodes lists what is known.",
                            .noInput)
                    }
                    return try sources.map { id, source in
                        Merged(source: source, rows: try writer.mergeNode(old, into: new, in: id, at: now))
                    }
                }
            } catch let error as StoreError {
                if case .older = error {
                    throw failure(
                        "\(database) is of an older version of mesh-gateway; start the daemon once, which brings it up to date.",
                        .dataError)
                }
                throw cannotOpen(error, database)
            }
        }

        private func copied(_ database: String) throws -> String {
            let time = localTime(milliseconds: WallClock.milliseconds(), utc: true).filter { $0.isNumber }
            // Two in one second are two copies.
            let names = ["\(database).before-merge-\(time)"] + (2...99).map { "\(database).before-merge-\(time)-\($0)" }
            let path = names.first { access($0, F_OK) != 0 } ?? names[0]
            do {
                let file = try UnfinishedFile(for: path, replaces: false, besideDatabase: database)
                do { _ = try Store.backUp(database, to: file) } catch {
                    file.discard()
                    throw error
                }
                return path
            } catch let error as FileError {
                throw cannotWrite(error)
            } catch let error as StoreError {
                throw cannotRead(error, "node merge")
            }
        }

        /// - Parameter copy: the database of before; nil: nothing was changed.
        private func show(
            _ merged: [Merged], _ old: NodeNumber, _ new: NodeNumber, _ database: String, copy: String?
        ) {
            func list(_ objects: [String]) -> String { "[" + objects.joined(separator: ",") + "]" }
            let sources = merged.map { one in
                let tables = one.rows.map {
                    JSONText.object([("name", JSONText.quoted($0.table)), ("rows", "\($0.rows)")])
                }
                return JSONText.object([
                    ("id", JSONText.quoted(one.source.uuid)), ("name", JSONText.quoted(one.source.name)),
                    ("tables", list(tables)),
                ])
            }
            writeJSON(
                JSONText.object([
                    ("schema", JSONText.quoted("node-merge/1")), ("database", JSONText.quoted(database)),
                    ("old", JSONText.quoted(old.id)), ("new", JSONText.quoted(new.id)),
                    ("isDone", "\(copy != nil)"), ("copy", copy.map { JSONText.quoted($0) } ?? "null"),
                    ("sources", list(sources)),
                ]))
        }

        private func words(_ merged: [Merged], _ old: NodeNumber, _ new: NodeNumber, _ verb: String) -> String {
            merged.map { one in
                let rows = one.rows.map { "\($0.rows) of \(words(of: $0.table))" }.joined(separator: ", ")
                return "\(old.id) \(verb) \(new.id) at \(printable(one.source.name)): \(rows)."
            }.joined(separator: " ")
        }

        private func words(of table: String) -> String { String(table.map { $0 == "_" ? " " : $0 }) }
    }
}
