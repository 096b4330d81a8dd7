import MeshModel
import RadioLink
import Store

// How own packets leave.
//
// 1. The radio drops a text that comes less than two seconds after the one before, with a NAK or silently (serial
//    reference 8.2); real firmware still refused at 2.15 s (14.2). So texts keep 2.5 s. Other ports have longer
//    intervals, each of its own: what waits for its interval lets the others pass.
// 2. Its transmit queue holds 16 packets for everybody on the radio. Stop when two places are left.
// 3. The answer to a packet is a queue status, which can get lost (2.6): it is awaited for a while, never for ever.
// 4. The radio forgets nothing that it took, but we forget what we handed over when the link breaks: that is the
//    store's business, this queue only knows the order.

/// The own packets that wait for the radio, in order, and the rules when the next one may go. A value without clock or
/// thread: time comes in as monotonic nanoseconds.
struct OutboxQueue {
    /// Nanoseconds until a radio without free places is asked again, in case its word about them got lost.
    static let fullQueueRetry: UInt64 = 2_500_000_000
    /// How many packets may be without a queue status.
    static let inFlightLimit = 2
    /// Nanoseconds after which a missing queue status is no longer awaited (above the 20 s stalls of some USB radios).
    static let queueStatusTimeout: UInt64 = 30_000_000_000
    /// Places of the radio's transmit queue that are left to others.
    static let reservedPlaces = 2

    /// How many requests of one port may wait: a traceroute behind ten others would go out when nobody waits for it.
    static let requestLimit = 10

    private let pace: SendingPace
    private var waiting: [MeshPacket] = []
    private var inFlight: [(id: PacketID, since: UInt64)] = []
    private var lastSent: [PortNumber: UInt64] = [:]
    /// What the last ``reload(_:)`` brought.
    private var reloaded: Set<PacketID> = []

    init(pace: SendingPace) { self.pace = pace }

    var count: Int { waiting.count }

    /// Nanoseconds until there may be room for another request on this port; nil: there is.
    func delay(on port: PortNumber) -> MonotonicTime? {
        waiting.count { $0.port == port } < Self.requestLimit ? nil : pace.interval(on: port)
    }

    /// A packet that has just been accepted. Between its row and this call the rows may have been reloaded, and it may
    /// already be with the radio.
    mutating func append(_ packet: MeshPacket) {
        guard !reloaded.contains(packet.id) else { return }
        waiting.append(packet)
    }

    /// A radio has identified itself: these are its packets in the database's order, among them such as were handed over
    /// and got no answer.
    mutating func reload(_ packets: [MeshPacket]) {
        waiting = packets
        inFlight.removeAll()
        reloaded = Set(packets.map(\.id))
    }

    enum Next {
        case send(MeshPacket)
        /// Nothing before this time, or before something changes.
        case wait(until: UInt64?)
    }

    mutating func next(at now: UInt64, queueFree: Int) -> Next {
        guard !waiting.isEmpty else { return .wait(until: nil) }
        inFlight.removeAll { now - min($0.since, now) >= Self.queueStatusTimeout }
        if inFlight.count >= Self.inFlightLimit {
            return .wait(until: inFlight.map(\.since).min()! + Self.queueStatusTimeout)
        }
        if queueFree <= Self.reservedPlaces {
            return .wait(until: now + Self.fullQueueRetry)
        }
        var earliest = UInt64.max
        for (place, packet) in waiting.enumerated() {
            let due = lastSent[packet.port].map { $0 + pace.interval(on: packet.port) } ?? 0
            guard due <= now else {
                earliest = min(earliest, due)
                continue
            }
            waiting.remove(at: place)
            lastSent[packet.port] = now
            inFlight.append((packet.id, now))
            return .send(packet)
        }
        return .wait(until: earliest)
    }

    /// Nobody wants them to be sent any more.
    mutating func remove(_ ids: Set<PacketID>) { waiting.removeAll { ids.contains($0.id) } }

    /// The radio answered for this packet.
    mutating func settled(_ id: PacketID) {
        inFlight.removeAll { $0.id == id }
    }

    /// The session ended: nothing that was handed over will be answered any more.
    mutating func sessionEnded() {
        inFlight.removeAll()
    }
}

/// Nanoseconds between two packets of one port.
public struct SendingPace: Hashable, Sendable {
    public var text: MonotonicTime
    public var traceroute: MonotonicTime
    /// Positions, NodeInfos, neighbours.
    public var request: MonotonicTime

    public init(text: MonotonicTime, traceroute: MonotonicTime, request: MonotonicTime) {
        self.text = text
        self.traceroute = traceroute
        self.request = request
    }

    /// What real firmware takes: its limits are 2, 30 and 10 s (serial reference 8.2), and it looks at its clock only
    /// four times a second.
    public static let radio = SendingPace(text: 2_500_000_000, traceroute: 30_500_000_000, request: 10_500_000_000)

    func interval(on port: PortNumber) -> MonotonicTime {
        switch port {
        case .textMessage: text
        case .traceroute: traceroute
        // To the radio itself: no airtime.
        case .admin: 0
        default: request
        }
    }
}

extension MeshPacket {
    fileprivate var port: PortNumber { decoded?.port ?? .unknown }
}
