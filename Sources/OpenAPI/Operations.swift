/// The description of every endpoint. Each resource lists its own in its file, with the schemas of its rows.
enum Operations {
    // Not kept: it is asked for when somebody reads the document.
    static var all: [OpenAPIOperation] {
        [
            server, sources, nodes, messages, messageUpkeep, channels, telemetry, traceroutes, network, packets,
            actions, channelDatabase, waypoints, ownActions, insight, ownNodes, codes, conversations, events,
            notifications, linkSessions, rules, brokers, targets, pushes, radioSettings,
        ].flatMap { $0 }
    }
}

/// What rows look like, by the name that the document has for them.
enum Schemas {
    typealias Named = (name: String, schema: JSONSchema)

    static var all: [Named] {
        [
            server, sources, nodes, messages, messageUpkeep, channels, telemetry, traceroutes, network, packets,
            channelDatabase, waypoints, insight, ownNodes, conversations, events, notifications, linkSessions, rules,
            brokers, targets, pushes, radioSettings,
        ].flatMap { $0 }
    }
}
