import MeshModel

// What an old route is drawn by: where its nodes were then, not where they are today.

extension Reader {
    /// On which channel a route's answer came; nil: there is none, or nothing is left of what it told of its way.
    public func channel(ofAnswerTo traceroute: Traceroute, in source: SourceID) throws -> Int? {
        guard let at = traceroute.answeredAt, let id = traceroute.answerID ?? traceroute.packetID else { return nil }
        // The row of an answer that nobody here had asked for goes from the node that answered.
        let answerer = traceroute.answerID == nil ? traceroute.from : traceroute.to
        return try connection.prepare(
            "SELECT channel FROM telemetry WHERE node = ? AND at = ? AND packet_id = ? AND channel IS NOT NULL LIMIT 1"
        )
        .bind(source.key(answerer)).bind(at).bind(id).first { Int($0.integer()) }
    }

    /// The last position that a node had sent by then.
    ///
    /// - Parameter time: host milliseconds.
    public func position(of node: NodeNumber, at time: Int64, in source: SourceID) throws -> Record<Position>? {
        try positions(of: node, in: source, before: time + 1, limit: 1).first
    }
}
