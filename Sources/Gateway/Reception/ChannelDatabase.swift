import MeshModel
import MeshProtocol
import Store
import Synchronization

/// The channels that the gateway reads although the radio cannot: their names and keys, and what they open.
///
/// It only listens: nothing is ever sent on them.
public final class ChannelDatabase: Sendable {
    /// What was logged before a key was known.
    public let redecryption: Redecryption

    private let store: Store
    /// Host milliseconds since 1970.
    private let clock: @Sendable () -> Int64
    private let known: Mutex<Known>
    /// Counts changes on the writer thread, which makes them in order; their callers may return in another.
    private let changes = Mutex<UInt64>(0)

    private struct Known: Sendable {
        /// The enabled entries, in the order in which they are tried.
        var keys: [ChannelEntryKey] = []
        /// Of all entries that there ever were.
        var highestID: Int64 = 0
        /// The change that it is as of.
        var change: UInt64 = 0

        init(_ entries: [ChannelEntry], highestID: Int64, change: UInt64 = 0) {
            keys = entries.filter(\.isEnabled).compactMap { ChannelEntryKey($0) }
            self.highestID = highestID
            self.change = change
        }
    }

    init(store: Store, clock: @escaping @Sendable () -> Int64) throws {
        self.store = store
        self.clock = clock
        redecryption = Redecryption(store: store, clock: clock)
        known = Mutex(
            try store.read { Known(try $0.channelEntries(), highestID: try $0.highestChannelEntryID()) })
    }

    // MARK: Reading packets

    /// The channel numbers that decrypted packets and messages can carry. Takes a lock only.
    public var channels: Range<Int> {
        let highest = known.withLock { $0.highestID }
        return ChannelEntry.channel(of: 1)..<ChannelEntry.channel(of: highest + 1)
    }

    /// Opens a packet that the radio could not, with the first key that fits. Costs no query: each packet comes here.
    func decrypt(_ packet: MeshPacket, own: NodeNumber) -> (packet: MeshPacket, entry: Int64)? {
        guard case .encrypted = packet.payload else { return nil }
        let keys = known.withLock { $0.keys }
        for key in keys {
            if let decrypted = key.decrypt(packet, own: own) { return (decrypted, key.id) }
        }
        return nil
    }

    // MARK: Changes

    /// Adds an entry behind the others, and looks for what it can open in the log.
    public func add(name: String, psk: [UInt8], description: String?, isEnabled: Bool, enforcesName: Bool) throws
        -> ChannelEntry
    {
        let now = clock()
        let entry = try change { writer in
            let last = try writer.channelEntries().last?.sortOrder
            return try writer.insert(
                ChannelEntry(
                    name: name, psk: psk, description: description, isEnabled: isEnabled, enforcesName: enforcesName,
                    sortOrder: last.map { $0 < .max ? $0 + 1 : $0 } ?? 0, createdAt: now, updatedAt: now))
        }
        if entry.isEnabled { redecryption.add(entry) }
        return entry
    }

    /// Under a new key, an entry is tried on the log again.
    ///
    /// - Returns: the entry as it now is; nil when there is none.
    public func update(_ id: Int64, _ body: @escaping @Sendable (inout ChannelEntry) -> Void) throws -> ChannelEntry? {
        let now = clock()
        let (before, after) = try change { writer in
            (try writer.channelEntry(id), try writer.updateChannelEntry(id, at: now, body))
        }
        if let before, let after, after.isEnabled, before.psk != after.psk { redecryption.add(after) }
        return after
    }

    /// What it has decrypted stays.
    ///
    /// - Returns: false when there is no such entry.
    public func remove(_ id: Int64) throws -> Bool {
        try change { try $0.deleteChannelEntry(id) }
    }

    /// Entries that do not exist are passed over.
    public func reorder(_ places: [(id: Int64, sortOrder: Int64)]) throws {
        let now = clock()
        try change { writer in
            for place in places { try writer.updateChannelEntry(place.id, at: now) { $0.sortOrder = place.sortOrder } }
        }
    }

    private func change<Result: Sendable>(_ body: @escaping @Sendable (Writer) throws -> Result) throws -> Result {
        let (result, new) = try store.commit { [self] writer in
            let number = changes.withLock { changes in
                changes += 1
                return changes
            }
            let result = try body(writer)
            return (
                result,
                Known(
                    try writer.channelEntries(), highestID: try writer.highestChannelEntryID(), change: number)
            )
        }
        known.withLock { if new.change > $0.change { $0 = new } }
        return result
    }
}

/// An entry's key, ready for use.
struct ChannelEntryKey: Sendable {
    let id: Int64
    private let cipher: ChannelCipher
    private let matchesHash: Bool

    /// Nil when the key has an impossible length.
    init?(_ entry: ChannelEntry) {
        guard let cipher = ChannelCipher(name: entry.name, psk: entry.psk) else { return nil }
        id = entry.id
        self.cipher = cipher
        matchesHash = entry.enforcesName
    }

    /// The packet as it would be if the radio had the channel, on the entry's own channel number.
    func decrypt(_ packet: MeshPacket, own: NodeNumber) -> MeshPacket? {
        // Encrypted for us alone; our radio has lost the key, or never had the sender's (SerialReference 5.3).
        if packet.channel == 0, packet.to == own { return nil }
        guard let data = cipher.decrypt(packet, matchesHash: matchesHash) else { return nil }
        var decrypted = packet
        decrypted.payload = .decoded(data)
        decrypted.channel = UInt32(truncatingIfNeeded: ChannelEntry.channel(of: id))
        return decrypted
    }
}
