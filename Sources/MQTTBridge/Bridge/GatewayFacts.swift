import MeshModel
import Store

/// What the gateway shows about itself, filled in by the code that puts its parts together.
public struct GatewayFacts: Hashable, Sendable {
    /// The worst first.
    public var problems: [Problem] = []
    public var version: String
    /// Where the web page is reached from outside, with a slash at its end; nil if nowhere.
    public var publicURL: String?

    public init(version: String) { self.version = version }
}

extension Device {
    /// The gateway's own device.
    static func gateway(
        _ facts: GatewayFacts, _ counts: GatewayCounts, _ speech: Broker.Speech = Broker.Speech(), at now: Int64
    ) -> Device {
        var device = Device(.gateway, name: "mesh-gateway")
        device.manufacturer = "mesh-gateway"
        device.software = facts.version
        device.url = facts.publicURL
        device.components = speech.ofGateway.union(Entity.ofGateway.map(\.component))
        var values: [String: Value] = [
            "problems": .whole(Int64(facts.problems.count)), "version": .text(facts.version),
            "nodes_heard": .whole(Int64(counts.nodesHeard)), "texts_waiting": .whole(Int64(counts.textsWaiting)),
            "database_size": .whole(counts.databaseSize),
        ]
        // Two radios may have one trouble.
        for problem in facts.problems {
            let key = "problems_attribute_\(problem.name)"
            var (found, count) = (key, 1)
            while values[found] != nil {
                count += 1
                found = "\(key)-\(count)"
            }
            values[found] = .text(problem.advice)
        }
        device.reports[.state] = Report(at: now, values: values)
        return device
    }
}

struct GatewayCounts: Hashable {
    /// How recently a node counts as heard, in milliseconds.
    static let heardFor: Int64 = 24 * 3_600_000

    /// Within a day, by any radio.
    var nodesHeard = 0
    var textsWaiting = 0
    /// Bytes.
    var databaseSize: Int64 = 0

    init(_ reader: Reader, at now: Int64) throws {
        var heard: Set<NodeNumber> = []
        for (id, _) in try reader.sources() {
            heard.formUnion(try reader.nodeNumbers(in: id, heardSince: (now - Self.heardFor) / 1000))
            textsWaiting += try reader.outbox(in: id).count { $0.messageID != nil && $0.state == .waiting }
        }
        nodesHeard = heard.count
        databaseSize = try reader.usage().used
    }
}
