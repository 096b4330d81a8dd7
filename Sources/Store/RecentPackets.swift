import MeshModel

// A packet that is heard twice adds no second row. Nearly every packet is new, and looking that up in an index took some pages
// a packet: all entries of its node in six hours. So the writer remembers what was stored in that time, as 32 bits of a digest
// and a second, and asks SQL only about what may be there. A digest too many, after a change that was undone or by chance,
// costs a look-up and nothing else.

/// The packets whose values were stored lately. For the writer thread.
final class RecentPackets {
    /// Beyond so many the older half is forgotten.
    static let capacity = 32_768

    private struct Slot {
        /// 0: empty.
        var digest: UInt32 = 0
        /// Host seconds.
        var at: UInt32 = 0
    }

    /// A hash table with open addresses: a power of two, a quarter of it free at least.
    private var slots = [Slot](repeating: Slot(), count: 4_096)
    private var count = 0
    /// Host milliseconds: what was stored for later times is all here.
    private(set) var completeSince = Int64.min
    /// Nobody can choose packet ids that meet in one place.
    private let seed = UInt64.random(in: .min ... .max)

    /// Whether the table surely has no row of the packet from the time in which a second copy can come.
    func isNew(_ heard: Heard, _ table: ReportTable) -> Bool {
        guard let id = heard.packetID, heard.at - Heard.duplicateWindow >= completeSince else { return false }
        return slots[place(of: digest(heard.key, id, table))].digest == 0
    }

    /// A row was stored.
    func note(_ heard: Heard, _ table: ReportTable) {
        guard let id = heard.packetID else { return }
        insert(digest(heard.key, id, table), at: UInt32(clamping: heard.at / 1000))
        if count * 4 > slots.count * 3 { makeRoom(at: heard.at) }
    }

    /// Some rows up to this time are not here.
    func lacks(upTo time: Int64) { completeSince = max(completeSince, time) }

    private func insert(_ digest: UInt32, at seconds: UInt32) {
        let place = place(of: digest)
        if slots[place].digest == 0 { count += 1 }
        slots[place] = Slot(digest: digest, at: max(slots[place].at, seconds))
    }

    /// Where a digest is, or would be.
    private func place(of digest: UInt32) -> Int {
        var place = Int(digest) & (slots.count - 1)
        while slots[place].digest != 0, slots[place].digest != digest { place = (place + 1) & (slots.count - 1) }
        return place
    }

    private func digest(_ key: Int64, _ id: PacketID, _ table: ReportTable) -> UInt32 {
        // The finalizer of MurmurHash3.
        var hash = (seed ^ UInt64(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(id) << 2 ^ table.tag
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return max(UInt32(truncatingIfNeeded: hash >> 32), 1)
    }

    /// Forgets what is too old; then, when there is still too much, the older half, or the table grows.
    private func makeRoom(at now: Int64) {
        let kept = slots.filter { $0.digest != 0 }
        var first = UInt32(clamping: (now - Heard.duplicateWindow) / 1000)
        if kept.count > Self.capacity { first = max(first, kept.map(\.at).sorted()[kept.count / 2]) }
        let young = kept.filter { $0.at >= first }
        if young.count < kept.count { lacks(upTo: Int64(first) * 1000) }
        var size = slots.count
        while young.count * 2 > size { size *= 2 }
        slots = [Slot](repeating: Slot(), count: size)
        count = 0
        for slot in young { insert(slot.digest, at: slot.at) }
    }
}

extension ReportTable {
    fileprivate var tag: UInt64 {
        switch self {
        case .telemetry: 0
        case .positions: 1
        case .paxcounts: 2
        case .statuses: 3
        }
    }
}

extension Writer {
    /// Rows with older times behind which there is nothing recent any more: more than a radio repeats at once.
    private static let passedOver = 1_024

    /// Those of the last six hours; after a start they are read from the tables.
    func recentPackets(at now: Int64) throws -> RecentPackets {
        if let recentPackets { return recentPackets }
        let recent = RecentPackets()
        let start = now - Heard.duplicateWindow
        var room = RecentPackets.capacity
        for table in ReportTable.allCases { try fill(recent, from: table, since: start, &room) }
        recentPackets = recent
        return recent
    }

    private func fill(_ recent: RecentPackets, from table: ReportTable, since start: Int64, _ room: inout Int) throws {
        let rows = try connection.prepare(
            composed: "SELECT node, at, packet_id FROM \(table.name) ORDER BY id DESC")
        defer { rows.reset() }
        var (passed, last) = (0, [Int64]())
        while try rows.step() {
            let heard = Heard(key: rows.integer(), at: rows.integer(), packetID: rows.unsignedOrNil())
            guard heard.at > start else {
                passed += 1
                // In the order in which they were stored: those before are older, too.
                if passed < Self.passedOver { continue }
                return recent.lacks(upTo: start)
            }
            passed = 0
            // Times go up and down by some seconds. Those that are left are not later than one of the last.
            guard room > 0 else { return recent.lacks(upTo: last.max() ?? heard.at) }
            if room <= 256 { last.append(heard.at) }
            recent.note(heard, table)
            room -= 1
        }
    }
}

extension Heard {
    fileprivate init(key: Int64, at: Int64, packetID: PacketID?) {
        self.key = key
        self.at = at
        self.packetID = packetID
        (channel, rxSNR, hopStart, hopLimit) = (nil, nil, nil, nil)
    }
}
