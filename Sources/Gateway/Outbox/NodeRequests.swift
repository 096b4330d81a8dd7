import MeshModel
import MeshProtocol
import RadioLink
import Store

// Asking a node for something: a packet that wants a response, through the same outbox as texts. What the answer
// changes is Ingest's business; it comes like anything else from the mesh.

/// What a node can be asked for.
public enum NodeRequest: String, CaseIterable, Sendable {
    case traceroute
    case position
    /// Its names and key, in exchange for ours.
    case nodeInfo = "nodeinfo"
    case neighbors
    /// Its battery, airtime and uptime (DeviceMetrics).
    case telemetry
    /// What its sensors measure, by the kind of telemetry.
    case environment
    case airQuality = "air-quality"
    case power
    /// What its radio has sent and received.
    case localStats = "local-stats"

    /// Milliseconds after which nobody waits for an answer any more (Contract 3.8).
    public static let standardLifetime: Int64 = 300_000

    /// Of the request, and of its answer.
    public var port: PortNumber {
        switch self {
        case .traceroute: .traceroute
        case .position: .position
        case .nodeInfo: .nodeInfo
        case .neighbors: .neighborInfo
        case .telemetry, .environment, .airQuality, .power, .localStats: .telemetry
        }
    }

    /// The kind of telemetry that is asked for; nil: none.
    public var telemetry: Telemetry.Kind? {
        switch self {
        case .telemetry: .device
        case .environment: .environment
        case .airQuality: .airQuality
        case .power: .power
        case .localStats: .localStats
        case .traceroute, .position, .nodeInfo, .neighbors: nil
        }
    }

    /// What stands in the chat with the node (Contract 3.12); nil: nothing.
    func note(to node: NodeNumber) -> String? {
        switch self {
        case .position: node.isBroadcast ? RequestNote.positionToAll : RequestNote.position
        case .nodeInfo: RequestNote.nodeInfo
        case .traceroute, .neighbors, .telemetry, .environment, .airQuality, .power, .localStats: nil
        }
    }
}

public struct AcceptedRequest: Hashable, Sendable {
    public var packetID: PacketID
    /// The channel index on which it goes out.
    public var channel: Int
}

/// Why a node is not asked.
public enum RequestRefusal: Error, Equatable {
    case notConnected
    case transmitDisabled
    /// Only the own node and those that were heard directly in the last day tell their neighbours.
    case notHeardDirectly
    /// The node would not answer before so many seconds have passed.
    case tooSoon(seconds: Int)
    /// So many of the kind wait for the radio that another one would come to nothing; there is room after so many
    /// seconds.
    case tooMany(seconds: Int)
    /// The radio has told no position, or the channel shares none.
    case noPosition
    /// It could not be written to disk; the text says why.
    case storage(String)
}

extension Node {
    /// Within the last day, without a relay.
    fileprivate func isHeardDirectly(at now: Int64) -> Bool {
        hopsAway == 0 && (lastHeard ?? 0) > now / 1000 - 86_400
    }
}

/// Who was asked for neighbours lately: firmware answers once in three minutes (Contract 3.12).
struct NeighborRequests {
    /// Milliseconds.
    static let interval: Int64 = 180_000
    /// More than that many nodes are not within earshot.
    private static let capacity = 1024

    private var times: [NodeNumber: Int64] = [:]

    /// Milliseconds until the node may be asked; nil: now.
    func wait(for node: NodeNumber, at now: Int64) -> Int64? {
        // A clock that was set back must not keep anybody waiting for long.
        guard let time = times[node], (0..<Self.interval).contains(now - time) else { return nil }
        return time + Self.interval - now
    }

    mutating func note(_ node: NodeNumber, at now: Int64) {
        if times.count >= Self.capacity { times = times.filter { (0..<Self.interval).contains(now - $0.value) } }
        if times.count < Self.capacity { times[node] = now }
    }
}

/// A packet that goes out once, and whose answer, if it wants any, comes like anything else.
enum SinglePacket {
    case request(NodeRequest)
    /// Nothing is asked.
    case ownPosition

    var port: PortNumber { if case .request(let request) = self { request.port } else { .position } }
    /// As it stands in the outbox.
    var kind: String { if case .request(let request) = self { request.rawValue } else { "send-position" } }
}

extension AttachedRadio {
    func request(
        _ request: SinglePacket, of node: NodeNumber, channel: Int?, lifetime: Int64 = NodeRequest.standardLifetime,
        in source: SourceID
    ) throws(RequestRefusal) -> AcceptedRequest {
        let packet: MeshPacket
        do {
            packet = try store.commit { [self] writer in
                try accept(request, of: node, channel, lifetime: lifetime, writer, in: source)
            }
        } catch let refusal as RequestRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
        var entry = OutboxQueue.Entry(packet: packet)
        entry.deadline = monotonic() + nanoseconds(lifetime)
        queue([entry], of: source)
        return AcceptedRequest(packetID: packet.id, channel: Int(packet.channel))
    }

    /// On the writer thread. A refusal leaves nothing behind.
    private func accept(
        _ request: SinglePacket, of node: NodeNumber, _ channel: Int?, lifetime: Int64, _ writer: Writer,
        in source: SourceID
    ) throws -> MeshPacket {
        let now = clock()
        if case .request(.neighbors) = request { try checkNeighbor(node, at: now, writer, in: source) }
        let delay = outboxes.of(source).delay(on: request.port)
        guard let radio = attachment.present(source) else { throw RequestRefusal.notConnected }
        guard !radio.isTransmitDisabled else { throw RequestRefusal.transmitDisabled }
        if let delay { throw RequestRefusal.tooMany(seconds: max(1, Int(delay / 1_000_000_000))) }
        let packet =
            switch request {
            case .request(let request):
                try packet(request, of: node, channel, from: radio, at: now, writer, in: source)
            case .ownPosition: try positionPacket(to: node, channel, from: radio, at: now, writer, in: source)
            }
        let item = OutboxItem(
            packet: packet, kind: request.kind, expiresAt: now + lifetime, createdAt: now)
        try writer.insertOutbox(item, in: source)
        if case .request(let request) = request { try note(request, as: packet, at: now, writer, in: source) }
        return packet
    }

    private func checkNeighbor(
        _ node: NodeNumber, at now: Int64, _ writer: Writer, in source: SourceID
    ) throws {
        let own = try writer.source(source)?.nodeNumber
        guard try node == own || writer.node(node, in: source)?.isHeardDirectly(at: now) == true else {
            throw RequestRefusal.notHeardDirectly
        }
        if let wait = readings.waitForNeighbors(of: node, at: now) {
            throw RequestRefusal.tooSoon(seconds: Int((wait + 999) / 1000))
        }
    }

    /// What is seen of a request before its answer.
    private func note(
        _ request: NodeRequest, as packet: MeshPacket, at now: Int64, _ writer: Writer, in source: SourceID
    ) throws {
        switch request {
        case .traceroute:
            try writer.insertTraceroute(
                from: packet.from, to: packet.to, packetID: packet.id, route: nil, in: source, at: now)
            let asked = OwnReadings.Asked(target: packet.to, id: packet.id, until: now + NodeRequest.standardLifetime)
            readings.asked(asked)
            // Who is not known is not made known by our asking.
            guard try writer.node(packet.to, in: source) != nil else { return }
            try writer.updateNode(packet.to, in: source, at: now) { $0.lastTracerouteRequest = now }
        case .neighbors: readings.askedForNeighbors(packet.to, at: now)
        case .position, .nodeInfo, .telemetry, .environment, .airQuality, .power, .localStats: break
        }
        guard let text = request.note(to: packet.to) else { return }
        var message = Message(ownText: text, packet: packet, partsToCome: 0, at: now)
        message.delivery = nil
        message.createdAt = try writer.receiptTime(now, in: source)
        try writer.insertMessage(message, in: source)
    }
}
