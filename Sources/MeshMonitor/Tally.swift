/// What has become of the rows of one kind. Each that was found is in one of the other three.
public struct Tally: Hashable, Sendable {
    public var found = 0
    public var taken = 0
    public var alreadyThere = 0
    /// By the reason.
    public var leftOut: [String: Int] = [:]

    public var leftOutCount: Int { leftOut.values.reduce(0, +) }

    /// The most frequent first.
    public var reasons: [(reason: String, rows: Int)] {
        leftOut.map { (reason: $0.key, rows: $0.value) }.sorted { ($1.rows, $0.reason) < ($0.rows, $1.reason) }
    }

    mutating func count(_ fate: Fate, rows: Int = 1) {
        guard rows > 0 else { return }
        found += rows
        switch fate {
        case .taken: taken += rows
        case .alreadyThere: alreadyThere += rows
        case .leftOut(let reason): count(leftOut: reason, rows)
        }
    }

    private mutating func count(leftOut reason: String, _ rows: Int) {
        // Reasons can have names from the file in them.
        let known = leftOut[reason] != nil || leftOut.count < 100
        leftOut[known ? reason : "other reasons", default: 0] += rows
    }
}

/// What becomes of a row.
enum Fate: Hashable {
    case taken
    case alreadyThere
    case leftOut(String)

    static let noNode = Fate.leftOut("names no node")
    static let noTime = Fate.leftOut("has no time between the years 2000 and 2100")
}

/// What there can be in MeshMonitor's database, in the order of the report.
public enum Kind: String, CaseIterable, Sendable {
    case nodes, messages, telemetry, positions, traceroutes, channels, neighbors, waypoints
    case ignoredNodes = "ignored nodes"
    case channelDatabase = "channel database"
}
