import MeshModel

// What is told in a rule's quiet hours: it is held, and no row that waits, until they are over.
//
// 1. Of what is held for a target until the same time there is one row: the notification, or a summary of all. So a night has a
//    row, whatever happens in it.
// 2. Nothing of it has been sent: it may change.
// 3. When it is released it gets a number and a time of its own, behind what waits. By these it is found and tried.

extension Writer {
    /// Adds to what is held for the target until the same time.
    func hold(_ dispatch: Dispatch) throws {
        guard let end = dispatch.heldUntil,
            let held = try Dispatch.held(for: dispatch.target, until: end, on: connection)
        else { return try append(dispatch) }
        var summary = held
        if !held.isSummary {
            summary.row = FeedRow(at: dispatch.at, in: nil, type: "summary", title: "", body: "", needs: [])
        }
        summary.counts = DispatchCount.sum(held.contents + dispatch.contents)
        try replace(by: summary)
    }

    /// Holds what is held until another time; nil: no longer. Then it waits, behind what waits already.
    ///
    /// - Parameter time: since when it waits then, in host milliseconds.
    public func holdDispatch(_ id: Int64, until end: Int64?, at time: Int64) throws {
        guard var dispatch = try Dispatch.one(id, on: connection), dispatch.heldUntil != nil else { return }
        try removeDispatch(id)
        dispatch.heldUntil = end
        guard end == nil else { return try hold(dispatch) }
        dispatch.at = time
        try append(dispatch)
    }
}

extension Dispatch {
    fileprivate static func held(
        for target: String, until end: Int64, on connection: DatabaseConnection
    ) throws -> Dispatch? {
        try connection.prepare(composed: "SELECT \(columns) FROM dispatches WHERE held_until = ? AND target = ?")
            .bind(end).bind(target).first(Dispatch.init)
    }
}

extension Reader {
    /// What is held, for whichever target; what is released first comes first.
    public func heldDispatches() throws -> [Dispatch] {
        try connection.prepare(
            composed: "SELECT \(Dispatch.columns) FROM dispatches WHERE held_until IS NOT NULL ORDER BY held_until, id"
        )
        .rows(Dispatch.init)
    }
}
