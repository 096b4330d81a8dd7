@testable import StrictJSON

extension DifferenceRule {
    private static let nodes = ["nodes"]
    /// Client roles are for people: 0 CLIENT, 1 CLIENT_MUTE, 8 CLIENT_HIDDEN, 12 CLIENT_BASE; and 9 LOST_AND_FOUND.
    private static let withPeople: Set = [0, 1, 8, 9, 12]

    static let ofNodes: [DifferenceRule] = [
        .init("Unknown values", nodes, ["keyMismatchDetected", "duplicateKeyDetected", "hasPKC"]) {
            $0.goes(.null, .bool(false))
        },
        .init("Unknown values", nodes, ["snr"]) { $0.goes(.number("0"), .null) },
        .init("Unknown values", ["neighbor-info", "/api/neighbor-info"], ["lastRxTime"]) {
            $0.goes(.number("0"), .null)
        },
        .init("What a node has said", nodes, ["macaddr", "channelUtilization", "airUtilTx"]) { $0.isKnownToUsOnly },
        .init("What a packet shows", nodes + ["topology"], ["viaMqtt", "hopsAway", "nodes[].hopsAway"]) {
            $0.isKnownToUsOnly
        },
        .init("Nodes without a reader", nodes, ["isUnmessagable"]) {
            $0.goes(.bool(false), .bool(true)) && !withPeople.contains($0.int("role") ?? 0)
        },
        .init("Encrypted texts", nodes, ["lastPKIPacket"]) { $0.isKnownToUsOnly },
        .init("New nodes", nodes, ["isIgnored"]) { $0.goes(.bool(false), .bool(true)) },
        .init("New nodes", nodes, ["transportLastRf"]) { $0.isKnownToUsOnly && $0.int("nodeNum") != $0.played.own },
        .init("The own node", nodes, ["transportLastRf"]) {
            $0.ours == .null && $0.theirs != .null && $0.int("nodeNum") == $0.played.own
        },
        .init("The own place", nodes, ["positionPrecisionBits", "positionTimestamp", "positionLocationSource"]) {
            $0.int("nodeNum") == $0.played.own && $0.ourRow?["positionPrecisionBits"]?.integer == 32
                && $0.ourRow?["positionTimestamp"] == .null
        },
        .init("Replays", nodes, ["data[] order by our times", "[] order by our times"]) { _ in true },
        .init("Replays", ["topology"], ["nodes[] order by our times"]) { _ in true },
        .init("Replays", nodes, ["positionChannel"]) {
            $0.goes(.number("0"), $0.ours) && $0.played.replayed.contains($0.int("nodeNum") ?? 0)
        },
        .init("Replays", nodes, ["lastMessageHops"]) { $0.played.replayed.contains($0.int("nodeNum") ?? 0) },
        .init("Packets of one read", nodes, ["rssi"]) {
            abs(($0.theirs?.integer ?? 0) - ($0.ours?.integer ?? 99)) < 10
        },
    ]
}
