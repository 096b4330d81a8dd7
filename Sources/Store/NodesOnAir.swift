import MeshModel

extension Reader {
    /// A node that was heard over the air: directly or over hops, and not by MQTT.
    public struct NodeOnAir: Sendable {
        /// Nil: nobody knows.
        public var hopsAway: Int?
        /// The slot of the channel on which it was heard last.
        public var channel: Int?
    }

    /// The nodes that were heard over the air since a time in host seconds, the radio itself not counted.
    public func nodesOnAir(since: Int64, own: NodeNumber?, in source: SourceID) throws -> [NodeOnAir] {
        try connection.prepare(
            """
            SELECT hops_away, channel FROM nodes
            WHERE node BETWEEN ? AND ? AND last_heard_rf > ? AND via_mqtt IS NOT 1 AND node IS NOT ?
            """
        )
        .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).bind(since).bind(own.map(source.key))
        .rows { NodeOnAir(hopsAway: $0.intOrNil(), channel: $0.intOrNil()) }
    }
}
