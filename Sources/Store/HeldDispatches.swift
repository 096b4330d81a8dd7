import MeshModel

// Notifications in a rule's quiet hours: they are held, and are not rows that wait, until the quiet hours are over.
//
// 1. What is held for a target until the same time is one row: the notification, or a summary of all. So a night takes one row,
//    whatever happens in it.
// 2. None of it has been sent, so it may change.
// 3. When it is released it gets a new number and time, after what waits already. By these it is found and tried.

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
        summary.row.body = Dispatch.linesOfSummary(of: [held, dispatch])
        summary.row.needs = Dispatch.needs(of: [held, dispatch])
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
    /// The held dispatches of all targets, in the order of their release.
    public func heldDispatches() throws -> [Dispatch] {
        try connection.prepare(
            composed: "SELECT \(Dispatch.columns) FROM dispatches WHERE held_until IS NOT NULL ORDER BY held_until, id"
        )
        .rows(Dispatch.init)
    }

    /// How many notifications are held for each target, of which a night's are one row.
    public func heldCounts() throws -> [String: Int] {
        try heldDispatches().reduce(into: [:]) { counts, held in
            counts[held.target, default: 0] += held.contents.reduce(0) { $0 + $1.count }
        }
    }
}
