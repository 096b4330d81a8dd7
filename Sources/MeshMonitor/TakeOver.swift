import MeshModel
import Store

// MeshMonitor's history becomes ours.
//
// 1. What is there already stays as it is; so it can be done twice.
// 2. A row that cannot be taken is counted with its reason. Nothing in the file ends the whole but damage.
// 3. A history can be larger than the memory: rows are read one by one, in the order of time, in which our tables are.

/// Takes what MeshMonitor's database has into a database of ours, in one long change.
public final class TakeOver {
    /// Rows after which memory is given back and somebody is told.
    static let batch = 2_000

    public enum Refusal: Error {
        /// It has none of the tables that every version has.
        case notMeshMonitor
    }

    let database: ForeignDatabase
    let writer: Writer
    let present: PresentRows
    /// Host milliseconds.
    let now: Int64
    let sources: ForeignSources
    private(set) var tallies: [Kind: Tally] = [:]
    private var unused: [(table: String, columns: [String])] = []
    private var used: Set<String> = ["sources"]
    /// The numbers that entries of the channel database have here, by theirs.
    var entries: [Int64: Int64] = [:]
    /// What nodes have measured last, by the key of their rows' source and number.
    var uptimes: [NodeKey: (at: Int64, seconds: Int64)] = [:]
    var ages = Ages()
    private let watch: (Kind, Int, Int) throws -> Void

    struct NodeKey: Hashable {
        var source: SourceID
        var number: NodeNumber
    }

    /// - Parameters:
    ///   - now: host milliseconds.
    ///   - watch: told how many rows of how many are done; what it throws ends the whole.
    public init(
        _ database: ForeignDatabase, into writer: Writer, at now: Int64,
        watch: @escaping (Kind, Int, Int) throws -> Void
    ) throws {
        guard Self.isMeshMonitor(database) else { throw Refusal.notMeshMonitor }
        self.database = database
        self.writer = writer
        self.now = now
        self.watch = watch
        present = try writer.presentRows()
        sources = try ForeignSources(database, writer, at: now)
    }

    private static func isMeshMonitor(_ database: ForeignDatabase) -> Bool {
        guard let nodes = database.table("nodes"), let messages = database.table("messages"),
            database.table("settings") != nil
        else { return false }
        let (node, message) = (ForeignColumns<NodeColumn>(nodes), ForeignColumns<MessageColumn>(messages))
        return node.has(.nodeNum) && message.has(.fromNodeNum) && message.has(.text)
    }

    public func run() throws -> TakeOverReport {
        try takeNodes()
        try takeIgnoredNodes()
        try takeChannels()
        try takeChannelDatabase()
        try takeMessages()
        try writer.keepChannelEntryNumbers()
        try takeTelemetry()
        try takeTraceroutes()
        try takeNeighbors()
        try takeWaypoints()
        try writer.relieve()
        return TakeOverReport(
            isMultiSource: sources.isMultiSource, sources: sources.taken, otherSources: sources.others,
            kinds: Kind.allCases.map { ($0, tallies[$0] ?? Tally()) }, otherTables: try otherTables(),
            unusedColumns: unused, ages: ages, usedBytes: try writer.usedBytes())
    }

    /// Reads every row of a table. One that the file does not have is as one without rows.
    func readTable<Column: ForeignColumn>(
        _ name: String, as kind: Kind, orderedBy order: [Column] = [], _ row: (Values<Column>) throws -> Fate?
    ) throws {
        guard let columns: ForeignColumns<Column> = open(name) else { return }
        let total = try database.count(columns.table)
        var done = 0
        try columns.forEachRow(in: database, orderedBy: order) { values in
            if let fate = try row(values) { count(fate, as: kind) }
            done += 1
            if done % Self.batch == 0 {
                try writer.relieve()
                try watch(kind, done, total)
            }
        }
        try writer.relieve()
        try watch(kind, done, total)
    }

    func count(_ fate: Fate, rows: Int = 1, as kind: Kind) { tallies[kind, default: Tally()].count(fate, rows: rows) }

    private func open<Column: ForeignColumn>(_ name: String) -> ForeignColumns<Column>? {
        guard let table = database.table(name) else { return nil }
        let columns = ForeignColumns<Column>(table)
        if used.insert(table.name).inserted, !columns.unused.isEmpty { unused.append((table.name, columns.unused)) }
        return columns
    }

    /// Tables with rows in them that nothing was taken from, with the number of rows.
    private func otherTables() throws -> [(table: String, rows: Int)] {
        try database.tables.filter { !used.contains($0.name) }
            .map { ($0.name, try database.count($0)) }.filter { $0.1 > 0 }
    }
}

extension ForeignDatabase {
    /// Whatever its case.
    func table(_ name: String) -> Table? { tables.first { plainSpelling($0.name) == plainSpelling(name) } }
}
