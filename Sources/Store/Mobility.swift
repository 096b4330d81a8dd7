import Glibc
import MeshModel
import Synchronization

// Whether nodes move: the box around a node's last positions says so (Contract 3.3).
//
// A list of a thousand nodes would look at 250,000 positions. So what was found is kept, and looked at again when the node
// has told a new position. Positions that are deleted as they get old change nothing: it is known as of the last one.

/// What was found, for all readers.
final class Mobility: Sendable {
    /// Positions that are looked at.
    private static let positions = 250
    /// Metres that the box's diagonal has at least when a node is mobile.
    private static let leastDiagonal = 100.0
    /// Nodes; more than any radio remembers.
    private static let capacity = 20_000

    private struct Known {
        /// The last row of `positions` that was looked at.
        var newest: Int64 = 0
        /// By the node's key; nil: it has told no position.
        var isMobile: [Int64: Bool?] = [:]
    }

    private let known = Mutex(Known())

    func isMobile(_ nodes: [Int64], on connection: DatabaseConnection) throws -> [Bool?] {
        let newest = try connection.prepare("SELECT ifnull(max(id), 0) FROM positions").first { $0.integer() } ?? 0
        try forgetMoved(upTo: newest, on: connection)
        return try nodes.map { node in
            if let isMobile = known.withLock({ $0.isMobile[node] }) { return isMobile }
            let isMobile = try look(node, on: connection)
            known.withLock { known in
                // Another reader's snapshot can be newer than this one: it may know of a later position.
                guard known.newest == newest else { return }
                if known.isMobile.count >= Self.capacity { known.isMobile.removeAll() }
                known.isMobile[node] = .some(isMobile)
            }
            return isMobile
        }
    }

    /// Rows were deleted whose numbers are used again.
    func forget() { known.withLock { $0 = Known() } }

    /// Nodes with positions behind those that were looked at are to be looked at again.
    private func forgetMoved(upTo newest: Int64, on connection: DatabaseConnection) throws {
        let before = known.withLock { known in
            // The newest rows are gone, or this reader's snapshot is older: which of the two, nobody can tell.
            if newest < known.newest || known.isMobile.isEmpty { known = Known(newest: newest) }
            return known.newest
        }
        guard before < newest else { return }
        let moved = try connection.prepare("SELECT DISTINCT node FROM positions NOT INDEXED WHERE id > ?").bind(before)
            .rows { $0.integer() }
        known.withLock { known in
            // Another reader was faster, or began again.
            guard known.newest == before else { return }
            for node in moved { known.isMobile[node] = nil }
            known.newest = newest
        }
    }

    private func look(_ node: Int64, on connection: DatabaseConnection) throws -> Bool? {
        let statement = try connection.prepare(
            """
            SELECT latitude_i, longitude_i FROM positions INDEXED BY positions_node
            WHERE node = ? AND latitude_i IS NOT NULL AND longitude_i IS NOT NULL ORDER BY at DESC LIMIT ?
            """
        )
        .bind(node).bind(Self.positions)
        defer { statement.reset() }
        var box: Box?
        while try statement.step() {
            let (latitude, longitude) = (statement.integer(), statement.integer())
            box = box?.with(latitude, longitude) ?? Box(latitude, longitude)
            // One that moves shows it soon.
            if let box, box.diagonal > Self.leastDiagonal { return true }
        }
        return box.map { _ in false }
    }
}

/// In degrees times ten million.
private struct Box {
    private var south, north, west, east: Int64

    init(_ latitude: Int64, _ longitude: Int64) {
        (south, north, west, east) = (latitude, latitude, longitude, longitude)
    }

    func with(_ latitude: Int64, _ longitude: Int64) -> Box {
        var box = self
        (box.south, box.north) = (min(south, latitude), max(north, latitude))
        (box.west, box.east) = (min(west, longitude), max(east, longitude))
        return box
    }

    /// Metres, in a plane: so short a way is straight.
    var diagonal: Double {
        let degree = 1e-7 * Double.pi / 180
        let radius = 6_371_008.8
        let (height, width) = (Double(north - south) * degree * radius, Double(east - west) * degree * radius)
        let narrowing = cos(Double(south + north) / 2 * degree)
        return (height * height + width * width * narrowing * narrowing).squareRoot()
    }
}

extension Reader {
    /// Whether each of these nodes moves; nil for one that has told no position.
    public func isMobile(_ nodes: [NodeNumber], in source: SourceID) throws -> [Bool?] {
        try mobility.isMobile(nodes.map { source.key($0) }, on: connection)
    }
}
