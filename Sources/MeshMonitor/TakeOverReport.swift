import MeshModel

/// What was taken, and what was not.
public struct TakeOverReport {
    /// MeshMonitor 4; 3 and older know one radio.
    public var isMultiSource: Bool
    public var sources: [TakenSource]
    /// Sources that are no Meshtastic radio, by name and type.
    public var otherSources: [(name: String, type: String)]
    public var kinds: [(kind: Kind, tally: Tally)]
    /// Tables that nothing was taken from, with their rows.
    public var otherTables: [(table: String, rows: Int)]
    /// Columns that have no place here, of tables that were taken.
    public var unusedColumns: [(table: String, columns: [String])]
    public var ages: Ages
    /// Bytes that the database has in use with it.
    public var usedBytes: Int64
}

/// How far back what was taken goes, in milliseconds since 1970; nil: nothing was.
public struct Ages: Hashable, Sendable {
    public var telemetry: Int64?
    public var positions: Int64?
    public var messages: Int64?

    static func add(_ time: Int64, to oldest: inout Int64?) { oldest = min(oldest ?? time, time) }
}

/// A radio of MeshMonitor's.
public struct TakenSource: Hashable, Sendable {
    public enum Place: String, Sendable {
        /// There was one that nobody has used; it is now this one.
        case unused
        /// One that is there already, with this radio's number or id.
        case present
        case new
    }

    /// MeshMonitor's id; nil: of a version that knows no sources.
    public var theirID: String?
    public var name: String
    public var uuid: String
    /// The radio's node number, as MeshMonitor has noted it.
    public var number: NodeNumber?
    public var place: Place
}
