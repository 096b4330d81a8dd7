import MeshModel
import MeshProtocol
import Store

private enum ChannelColumn: String, ForeignColumn {
    case sourceId, id, name, psk, role, uplinkEnabled, downlinkEnabled, positionPrecision, updatedAt
}

private enum EntryColumn: String, ForeignColumn {
    case id, name, psk, description, isEnabled, enforceNameValidation, sortOrder, decryptedPacketCount, lastDecryptedAt
    case createdAt, updatedAt
}

extension TakeOver {
    /// Numbers of entries above this are none that anybody has counted up to.
    static let highestEntry: Int64 = 1_000_000

    /// What the radio tells later counts more.
    func takeChannels() throws {
        try readTable("channels", as: .channels) { (row: Values<ChannelColumn>) in
            guard let source = sources.find(row[.sourceId]) else { return sources.whyNot(row[.sourceId]) }
            guard let index = row[.id].integer(in: 0...7) else { return .leftOut("is not one of the eight channels") }
            if try writer.channels(in: source).contains(where: { $0.index == index }) { return .alreadyThere }
            guard let psk = row[.psk] == .null ? [] : row[.psk].channelKey else {
                return .leftOut("has an invalid key")
            }
            let role = row[.role].integer(in: 0...2).flatMap { Channel.Role(rawValue: UInt32($0)) }
            let channel = Channel(
                index: Int(index), role: role ?? (index == 0 ? .primary : psk.isEmpty ? .disabled : .secondary),
                name: row[.name].name ?? "", psk: psk, uplinkEnabled: row[.uplinkEnabled].flag ?? false,
                downlinkEnabled: row[.downlinkEnabled].flag ?? false,
                positionPrecision: row[.positionPrecision].integer(in: 0...32).map { UInt32($0) })
            try writer.updateChannels([channel], in: source, at: row[.updatedAt].milliseconds ?? now)
            return .taken
        }
    }

    /// Their numbers are part of the channel numbers of messages, and stay when they are free here.
    func takeChannelDatabase() throws {
        try readTable("channel_database", as: .channelDatabase, orderedBy: [.id]) { (row: Values<EntryColumn>) in
            guard let id = row[.id].integer(in: 1...Self.highestEntry), let name = row[.name].name else {
                return .leftOut("has no number or name")
            }
            guard let psk = row[.psk].channelKey, !psk.isEmpty else { return .leftOut("has an invalid key") }
            let ours = try writer.channelEntries()
            if let known = ours.first(where: { $0.name == name && $0.psk == psk }) {
                entries[id] = known.id
                return .alreadyThere
            }
            let created = row[.createdAt].milliseconds ?? now
            let entry = ChannelEntry(
                name: name, psk: psk, description: row[.description].name, isEnabled: row[.isEnabled].flag ?? true,
                enforcesName: row[.enforceNameValidation].flag ?? false,
                sortOrder: row[.sortOrder].integer(in: 0...Self.highestEntry) ?? Int64(ours.count),
                decryptedPackets: row[.decryptedPacketCount].integer(in: 0...Int64(UInt32.max)) ?? 0,
                lastDecryptedAt: row[.lastDecryptedAt].milliseconds, createdAt: created,
                updatedAt: row[.updatedAt].milliseconds ?? created)
            entries[id] = try writer.insert(entry, as: id).id
            return .taken
        }
    }
}
