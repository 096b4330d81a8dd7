import MeshModel
import MeshProtocol

/// The radio's side of one session with a host: what is waiting for it and in which order it goes out.
///
/// All queues are as small as the firmware's (SerialReference 2.7), and belong to the radio rather than to a line:
/// what is queued when a host goes away with `disconnect` is what the next one gets.
struct PhoneAPI {
    enum Phase {
        /// Packets wait; heartbeats are answered all the same.
        case closed
        case handshake(SentHandshake)
        case live
    }

    /// Where a host can be.
    enum Line: Int, CaseIterable { case pair, pty, tcp }

    static let packetCapacity = 32
    private static let statusCapacity = 2
    private static let rememberedIDs = 20

    var phase = Phase.closed
    /// The line on which the host last spoke.
    var line: Line?
    /// Simulated seconds.
    var lastContact = 0.0
    /// Completed handshakes since power on.
    var handshakes = 0
    var owesHeartbeat = false
    /// Satellite values that 2.8 sends again after a handshake.
    var replay: ArraySlice<MeshPacket> = []
    /// What a hardened radio has to say about its lock.
    var lockdown: LockdownStatus?
    /// The radio has become another node.
    var newIdentity: MyNodeInfo?
    private var statuses: [QueueStatus] = []
    private var notifications: [ClientNotification] = []
    private var packets: [MeshPacket] = []
    /// Never cleared but by power off.
    private var recentIDs: [PacketID] = []
    private var deadIsNext = false
    /// When a packet of a port was last accepted.
    var lastAccepted: [PortNumber: Double] = [:]

    var hasPackets: Bool { !packets.isEmpty }
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    mutating func close() {
        phase = .closed
        replay = []
        lastAccepted = [:]
    }

    /// False: the id was seen before, and the packet is to be ignored without a word.
    mutating func remember(_ id: PacketID) -> Bool {
        guard !recentIDs.contains(id) else { return false }
        if recentIDs.count == Self.rememberedIDs { recentIDs.removeFirst() }
        recentIDs.append(id)
        return true
    }

    mutating func add(_ status: QueueStatus) {
        if statuses.count == Self.statusCapacity { statuses.removeFirst() }
        statuses.append(status)
    }

    mutating func add(_ notification: ClientNotification) {
        if notifications.count == Self.statusCapacity { notifications.removeFirst() }
        notifications.append(notification)
    }

    /// A full queue loses its oldest packet to a text, and otherwise the new one, acknowledgements included.
    mutating func add(_ packet: MeshPacket) {
        if packets.count == Self.packetCapacity {
            guard let port = packet.decoded?.port, port == .textMessage || port == .rangeTest else { return }
            packets.removeFirst()
        }
        packets.append(packet)
    }

    /// What goes out next while the session is live, in the firmware's order unless it is to be another one.
    mutating func nextLive(reorders: Bool, withholds: Bool, sharesWithTheDead: Bool) -> FromRadio? {
        if sharesWithTheDead, !packets.isEmpty {
            deadIsNext.toggle()
            if deadIsNext { packets.removeFirst() }
        }
        if !statuses.isEmpty, !reorders { return .queueStatus(statuses.removeFirst()) }
        if let lockdown = lockdown.take() { return .lockdownStatus(lockdown) }
        if let identity = newIdentity.take() { return .myInfo(identity) }
        if !notifications.isEmpty { return .clientNotification(notifications.removeFirst()) }
        if !packets.isEmpty, !withholds { return .packet(packets.removeFirst()) }
        if let status = statuses.popLast() { return .queueStatus(status) }
        return withholds ? nil : replay.popFirst().map { .packet($0) }
    }
}
