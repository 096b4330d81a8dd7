import MeshModel
import Store

// How own packets leave.
//
// 1. The radio drops a text that comes less than two seconds after the one before, with a NAK or silently (serial
//    reference 8.2); real firmware still refused at 2.15 s (14.2). So texts keep 2.5 s.
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

    /// Nanoseconds between two texts.
    private let textInterval: UInt64
    private var waiting: [MeshPacket] = []
    private var inFlight: [(id: PacketID, since: UInt64)] = []
    private var lastText: UInt64?
    /// What the last ``reload(_:)`` brought.
    private var reloaded: Set<PacketID> = []

    init(textInterval: UInt64) { self.textInterval = textInterval }

    var count: Int { waiting.count }

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
        if let lastText, now < lastText + textInterval {
            return .wait(until: lastText + textInterval)
        }
        let packet = waiting.removeFirst()
        lastText = now
        inFlight.append((packet.id, now))
        return .send(packet)
    }

    /// The radio answered for this packet.
    mutating func settled(_ id: PacketID) {
        inFlight.removeAll { $0.id == id }
    }

    /// The session ended: nothing that was handed over will be answered any more.
    mutating func sessionEnded() {
        inFlight.removeAll()
    }
}
