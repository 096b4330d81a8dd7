import JSON
import MeshModel
import MeshProtocol
import Nettle
import Platform
import Routes
import Store

// What `mesh-gateway node` shows beyond a line of the list.

/// What was going on with a node.
struct Lately {
    /// Messages from it, and own direct ones to it, in the last day.
    let messages: (from: Int, to: Int)
    /// The newest one between it and our radio that was answered.
    let traceroute: Traceroute?
    /// What it has not sent for a week, although it was heard; nil: it is not known for so long, or was not heard.
    let quiet: QuietNode?
    /// The number that it seems to have now, or to have had.
    let newNumber: NodeNumber?
    let oldNumber: NodeNumber?

    init(_ node: Node, _ own: NodeNumber?, _ source: FoundSource, _ reader: Reader) throws {
        messages = try reader.messageCounts(
            with: node.number, in: source.id, since: WallClock.milliseconds() - 86_400_000)
        traceroute = try own.flatMap { own in
            try reader.traceroutes(between: own, and: node.number, in: source.id, limit: 10)
                .first { $0.route != nil }
        }
        let isOwn = node.number == own
        quiet =
            try isOwn
            ? nil
            : reader.quietNodes(
                since: WallClock.milliseconds() - QuietNode.patience, in: source.id, of: node.number
            ).first
        let renumbered = try reader.renumberedNodes(in: source.id)
        newNumber = renumbered.first { $0.old == node.number }?.new
        oldNumber = renumbered.first { $0.new == node.number }?.old
    }
}

/// How far a shared position may be from the true one, in metres: half the side of the square that the bits leave at
/// the equator. Nil for an exact one (32 bits, or more than a position has).
func positionError(precisionBits bits: UInt32) -> Int? {
    guard (1...31).contains(bits) else { return nil }
    // A coordinate counts in 1e-7 degrees, of 111,319.49 m each on the equator.
    return Int((Double(UInt64(1) << (31 - bits)) * 0.011131949).rounded())
}

extension JSONWriter {
    mutating func detailed(_ node: Node) {
        member("key", node.publicKey.map { Base64.encoded($0.bytes) })
        member("announcedKey", node.announcedKey.map { Base64.encoded($0.bytes) })
        member("keyDetails", node.keyDetails)
        member("keyAdvice", node.keyAdvice)
        member("successor", node.successor?.id)
        member("predecessor", node.predecessor?.id)
        member("firmwareVersion", node.firmwareVersion)
        member("rebootCount", node.rebootCount)
        member("uptimeSeconds", node.uptimeSeconds)
        float("channelUtilization", node.channelUtilization)
        float("airUtilTx", node.airUtilTx)
        time("positionAt", milliseconds: node.positionTimestamp)
        member("positionPrecisionBits", node.positionPrecisionBits)
        member("positionError", node.positionPrecisionBits.flatMap { positionError(precisionBits: $0) })
        time("lastHeardRF", seconds: node.lastHeardRF)
        time("lastHeardMQTT", seconds: node.lastHeardMQTT)
        time("lastHeardUDP", seconds: node.lastHeardUDP)
        member("isStoreForwardServer", node.isStoreForwardServer)
        member("isUnmessagable", node.isUnmessagable)
        member("isLicensed", node.isLicensed)
        time("favoriteMissingSince", milliseconds: node.favoriteMissingSince)
        member("status", node.status)
        member("nickname", node.nickname)
        member("notes", node.notes)
        time("lastPKIPacket", milliseconds: node.lastPKIPacket)
        time("lastTracerouteRequest", milliseconds: node.lastTracerouteRequest)
        time("firstSeen", milliseconds: node.createdAt)
    }

    mutating func lately(_ lately: Lately) {
        member("messagesFrom", lately.messages.from)
        member("messagesTo", lately.messages.to)
        member("sendsNoTelemetry", lately.quiet?.hasNoTelemetry ?? false)
        member("sendsNoPosition", lately.quiet?.hasNoPosition ?? false)
        member("newNumber", lately.newNumber?.id)
        member("oldNumber", lately.oldNumber?.id)
        key("lastTraceroute")
        guard let traceroute = lately.traceroute, let route = traceroute.route else { return null() }
        object { json in
            json.time("at", milliseconds: traceroute.answeredAt ?? traceroute.at)
            json.member("from", traceroute.from.id)
            json.member("to", traceroute.to.id)
            json.hops("towards", route.route)
            json.levels("snrTowards", route.snrTowards)
            json.hops("back", route.routeBack)
            json.levels("snrBack", route.snrBack)
        }
    }

    private mutating func hops(_ name: StaticString, _ hops: [NodeNumber]) {
        key(name)
        array { json in for hop in hops { json.value(hop.isBroadcast ? nil : hop.id) } }
    }

    /// In dB; a route carries quarters of it, and -128 where nothing is known (RouteDiscovery).
    private mutating func levels(_ name: StaticString, _ levels: [Int32]) {
        key(name)
        array { json in for level in levels { json.value(level == -128 ? nil : Double(level) / 4) } }
    }
}
