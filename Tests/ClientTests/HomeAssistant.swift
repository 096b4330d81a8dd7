import Foundation
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// What python-meshmonitor asks for Home Assistant, and how its models read: what should be a boolean and is a number
/// is unknown to them, and one row that does not fit refuses the list.
struct HomeAssistant {
    let client: Client
    let source: String
    private let headers = ["Accept: application/json"]

    static let status = Form.item(
        .object([
            "connected": .bool, "nodeResponsive": .bool, "localNodeId": .nodeID, "longName": .someText,
            "shortName": .someText,
        ]))

    static let nodes = Form.rows(
        .object([
            // An `id` would be taken for the node's identity.
            "id": .mayBeMissing(.that("no such member") { _ in false }), "nodeId": .nodeID,
            "longName": .orNull(.string), "shortName": .orNull(.string),
            // Milliseconds become "unknown".
            "lastHeard": .orNull(.seconds), "latitude": .mayBeMissing(.orNull(.number)),
            "longitude": .mayBeMissing(.orNull(.number)), "altitude": .mayBeMissing(.orNull(.number)),
            "batteryLevel": .orNull(.number), "voltage": .orNull(.number), "channelUtilization": .orNull(.number),
            "airUtilTx": .orNull(.number), "snr": .orNull(.number), "rssi": .orNull(.number),
            "hopsAway": .orNull(.integer), "role": .orNull(.integer), "hwModel": .orNull(.integer),
            "firmwareVersion": .orNull(.string), "isFavorite": .bool, "hideFromMap": .bool,
        ]))

    static let network = Form.item(
        .object([
            "totalNodes": .integer, "activeNodes": .integer, "tracerouteCount": .integer, "lastUpdated": .milliseconds,
        ]))

    static let topology = Form.item(
        .object([
            "nodes": .list(
                .object([
                    "nodeId": .nodeID, "nodeNum": .unsigned32, "longName": .orNull(.string),
                    "shortName": .orNull(.string), "hopsAway": .orNull(.integer), "lastHeard": .orNull(.seconds),
                ])),
            "edges": .list(
                .object([
                    "from": .nodeID, "to": .nodeID, "route": .list(.unsigned32), "snr": .list(.number),
                ])),
        ]))

    /// A list without an envelope.
    static let neighbours = Form.list(
        .object([
            "nodeNum": .unsigned32, "neighborNodeNum": .unsigned32, "nodeId": .nodeID, "neighborNodeId": .nodeID,
            "snr": .orNull(.number), "lastRxTime": .orNull(.seconds), "timestamp": .milliseconds,
            "bidirectional": .bool, "reverseSnr": .orNull(.number), "reverseTimestamp": .orNull(.milliseconds),
            "transportClass": .oneOf("rf", "udp", "mqtt"),
        ]))

    static let telemetryRow = Form.object([
        "nodeId": .nodeID, "telemetryType": .someText, "value": .number, "unit": .orNull(.string),
        "timestamp": .milliseconds,
    ])

    static let channels = Form.rows(
        .object([
            "id": .integer, "name": .string, "displayName": .string, "scope": .orNull(.string), "pskSet": .bool,
            "uplinkEnabled": .bool, "downlinkEnabled": .bool, "positionPrecision": .orNull(.integer),
        ]))

    static let message = Form.object([
        "id": .rowID, "fromNodeId": .nodeID, "toNodeId": .string, "text": .string, "channel": .integer,
        "timestamp": .milliseconds, "createdAt": .milliseconds, "emoji": .orNull(.integer),
        "replyId": .orNull(.unsigned32), "rxTime": .orNull(.milliseconds), "viaMqtt": .orNull(.bool),
    ])

    static let unified = Form.object([
        "dedupKey": .someText, "fromNodeId": .nodeID, "text": .string, "channel": .integer,
        "timestamp": .milliseconds,
        "receptions": .list(
            .object([
                "sourceId": .someText, "rxSnr": .mayBeMissing(.orNull(.number)),
                "rxRssi": .mayBeMissing(.orNull(.number)),
            ])),
    ])

    /// The arrays inside a row are JSON in a string, or arrays.
    static let traceroute: Form = {
        let hops = Form.that("a list of numbers, in a string or not, or null") { value in
            value == .null || (value.inner ?? value).rows.allSatisfy { $0.double != nil }
        }
        return .object([
            "fromNodeNum": .unsigned32, "toNodeNum": .unsigned32, "fromNodeId": .nodeID, "toNodeId": .nodeID,
            "route": hops, "routeBack": hops, "snrTowards": hops, "snrBack": hops,
            "packetId": .orNull(.unsigned32), "timestamp": .milliseconds,
        ])
    }()

    static let history = Form.object([
        "count": .integer, "total": .integer, "offset": .integer, "limit": .integer,
        "data": .list(
            .object([
                "timestamp": .milliseconds, "latitude": .number, "longitude": .number,
                "altitude": .mayBeMissing(.number), "groundSpeed": .mayBeMissing(.number),
                "groundTrack": .mayBeMissing(.number), "snr": .mayBeMissing(.number),
                "hopStart": .mayBeMissing(.integer), "hopLimit": .mayBeMissing(.integer),
                "packetId": .orNull(.unsigned32),
            ])),
    ])

    func get(_ path: String) throws -> Answer { try client.request("GET", path, headers) }

    func get(_ path: String, as form: Form) throws -> StrictJSON { try get(path).read(as: form) }

    /// Below the source, whose id is percent-encoded.
    func v1(_ path: String, as form: Form) throws -> StrictJSON {
        try get("/api/v1/sources/\(source)/\(path)", as: form)
    }

    /// The body is read before the status, so it has to be JSON whatever the status is.
    func post(_ path: String, _ body: JSON) throws -> (status: Int, body: StrictJSON) {
        let answer = try client.request(
            "POST", path, headers + ["Content-Type: application/json"], body: JSONEncoder().encode(body))
        return (answer.status, try answer.strict)
    }

    func action(_ name: String, _ destination: String) throws -> (status: Int, body: StrictJSON) {
        try post("/api/v1/sources/\(source)/actions/\(name)", ["destination": .string(destination)])
    }

    /// How Home Assistant knows a message again.
    static func identity(_ row: StrictJSON) -> String? {
        guard let sender = row["fromNodeId"]?.string, let packetID = row["id"]?.packetIDOfRow else { return nil }
        return "mt:\(sender):p\(packetID)"
    }
}
