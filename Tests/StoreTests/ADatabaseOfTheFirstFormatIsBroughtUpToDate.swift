import Foundation
import MeshModel
import Testing

@testable import Store

/// A database as the first version wrote it, with rows in the tables that the second step changes.
@Test func aDatabaseOfTheFirstFormatIsBroughtUpToDate() throws {
    let folder = Folder()
    _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
    let old = try DatabaseConnection(path: folder.database, access: .readWrite)
    try old.execute("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL")
    try Migration.run(old, path: folder.database, steps: [Schema.migrations[0]])
    try old.execute(
        """
        INSERT INTO sources (id, uuid, name, is_enabled, created_at) VALUES (1, 'one', 'Default', 1, 5);
        INSERT INTO messages (source, from_node, packet_id, occurrence, to_node, channel, text, port, is_own,
            timestamp, is_tapback, via_store_forward, pki_encrypted, spoof_suspected, created_at, updated_at)
        VALUES (1, 7, 8, 0, 4294967295, 0, 'from long ago', 1, 0, 10, 0, 0, 0, 0, 10, 10);
        INSERT INTO packets (source, at, direction, from_node, to_node, packet_id, channel, encrypted, rx_snr,
            hop_limit, hop_start, want_ack, priority, via_mqtt, pki_encrypted, next_hop, relay_node, transport,
            xeddsa_signed, delayed)
        VALUES (1, 11, 0, 7, 4294967295, 9, 92, x'010203', 0, 3, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0);
        INSERT INTO nodes (node, updated_at, created_at, key_mismatch, is_licensed, is_unmessagable, is_favorite,
            is_ignored, is_muted, is_key_manually_verified, has_xeddsa_signed, public_key)
        VALUES ((1 << 32) + 7, 10, 10, 0, 0, 0, 1, 0, 0, 0, 0,
            x'0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20');
        """)
    #expect(try old.integer("PRAGMA user_version") == 1)
    old.close()

    let store = try Store(path: folder.database)
    let source = try #require(try store.read { try $0.source(uuid: "one") }).0
    let message = try #require(try store.read { try $0.messages(MessageQuery(source: source)) }.first)
    #expect(message.text == "from long ago" && message.id == "one_7_8" && message.decryptedWith == nil)
    let logged = try #require(try store.read { try $0.packets(PacketQuery(in: source)) }.first)
    #expect(logged.packet.payload == .encrypted([1, 2, 3]) && logged.decryptedWith == nil)
    #expect(try store.commit { try $0.encryptedPackets(after: 0, limit: 1).count } == 1)
    #expect(try store.read { try $0.channelEntries() } == [])
    // Then the radio's word about favourites was the database's.
    let node = try #require(try store.read { try $0.node(NodeNumber(7), in: source) })
    #expect(node.isFavorite && node.isFavoriteOnRadio && !node.isIgnored && !node.isIgnoredOnRadio)
    // And its key was not looked for.
    let key = try #require(PublicKey(1...32 as ClosedRange<UInt8>))
    #expect(node.publicKey == key && node.announcedKey == nil && !node.isKeyDuplicate)
    #expect(try store.commit { try $0.nodes(with: key, in: source) } == [NodeNumber(7)])
    let counts = try store.read { try $0.counts(in: source) }
    #expect(counts.messages == 1 && counts.nodes == 1)
    // What the first version could do still can be done.
    #expect(try store.commit { try $0.insertMessage(.received("new", id: 1), in: source) })
    #expect(try secondConnection(store).integer("PRAGMA user_version") == Int64(Schema.migrations.count))
}
