import MeshModel

/// The packets that a client has sent lately, and how they were answered.
struct SentPackets {
    enum State {
        /// Not yet; it came so many times more.
        case waiting(again: Int)
        /// It administers, and has no answer yet: its queue status went out when it came.
        case ordered
        /// The queue status alone, or with this in a ROUTING packet.
        case answered(RoutingError?)
    }

    private static let capacity = 64
    private var entries: [(id: PacketID, state: State)] = []
    private var next = 0

    func contains(_ id: PacketID) -> Bool { id != 0 && entries.contains { $0.id == id } }

    subscript(id: PacketID) -> State? {
        get { id == 0 ? nil : entries.first { $0.id == id }?.state }
        set {
            guard id != 0, let newValue else { return }
            if let place = entries.firstIndex(where: { $0.id == id }) {
                entries[place].state = newValue
            } else if entries.count < Self.capacity {
                entries.append((id, newValue))
            } else {
                entries[next] = (id, newValue)
                next = (next + 1) % Self.capacity
            }
        }
    }
}
