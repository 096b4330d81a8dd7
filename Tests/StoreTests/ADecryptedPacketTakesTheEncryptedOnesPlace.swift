import MeshModel
import Testing

@testable import Store

@Suite struct ADecryptedPacketTakesTheEncryptedOnesPlace {
    private static func encrypted(id: PacketID, _ change: (inout MeshPacket) -> Void = { _ in }) -> MeshPacket {
        var packet = MeshPacket(
            from: alice, to: .broadcast, channel: 0x5C, id: id, payload: .encrypted([1, 2, UInt8(id)]), rxRSSI: -81)
        change(&packet)
        return packet
    }

    private static func log(_ packets: [MeshPacket], _ store: Store, _ source: SourceID) throws {
        try store.commit { writer in
            for packet in packets { try writer.logPacket(packet, direction: .rx, in: source, at: noon) }
        }
    }

    @Test func onlyWhatNobodyCouldReadIsFoundOldestFirst() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        let text = MeshPacket(
            from: alice, to: .broadcast, id: 2, payload: .decoded(MeshData(port: .textMessage, payload: [0x61])))
        try Self.log(
            [Self.encrypted(id: 1), text, Self.encrypted(id: 3) { $0.pkiEncrypted = true }, Self.encrypted(id: 4)],
            store, source)
        try store.commit { try $0.logPacket(Self.encrypted(id: 5), direction: .tx, in: source, at: noon) }
        let found = try store.commit { try $0.encryptedPackets(after: 0, limit: 10) }
        #expect(found.map(\.packet.packet) == [Self.encrypted(id: 1), Self.encrypted(id: 4)])
        #expect(found.map(\.source) == [source, source])
        let first = try #require(found.first?.packet.id)
        #expect(try store.commit { try $0.encryptedPackets(after: first, limit: 10).map(\.packet.packet.id) } == [4])
        #expect(try store.commit { try $0.encryptedPackets(after: 0, limit: 1).map(\.packet.packet.id) } == [1])
        #expect(try store.commit { try $0.encryptedPacketCount() } == 2)
    }

    @Test func theRowKeepsItsNumberAndTime() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        try Self.log([Self.encrypted(id: 1), Self.encrypted(id: 2)], store, source)
        let row = try #require(try store.commit { try $0.encryptedPackets(after: 0, limit: 1) }.first?.packet.id)
        let decrypted = Self.encrypted(id: 1) { packet in
            packet.channel = 107
            packet.payload = .decoded(MeshData(port: .textMessage, payload: [0x61], replyID: 9, bitfield: 1))
        }
        try store.commit { try $0.replaceLogged(row, with: decrypted, decryptedWith: 7) }
        let logged = try store.read { try $0.packets(PacketQuery(in: source)) }
        #expect(logged.map(\.packet) == [Self.encrypted(id: 2), decrypted])
        #expect(logged.map(\.decryptedWith) == [nil, 7])
        #expect(logged.last?.id == row && logged.last?.at == noon)
        #expect(try store.commit { try $0.encryptedPacketCount() } == 1)
    }
}
