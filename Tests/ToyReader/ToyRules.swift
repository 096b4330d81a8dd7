import Gateway
import Glibc
import Log
import MeshModel
import Platform
import RadioLink
import Rules
import Store

/// A gateway without a radio, and rules on what it hears: COUNT direct messages, one every so many milliseconds, as far as they
/// are not there yet. Ends when the rules have seen them all.
final class ToyRules {
    private struct NoRadio: Error {}

    private let count: PacketID
    private let pause: UInt32
    private let store: Store
    private let gateway: Gateway
    private let rules: RunningRules
    private let source: SourceID

    /// - Parameters:
    ///   - pause: milliseconds.
    ///   - folder: of the rules, which hear a message each.
    init(database: String, count: PacketID, pause: UInt32, folder: String) throws {
        (self.count, self.pause) = (count, pause)
        let store = try Store(path: database)
        self.store = store
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
        source = try store.read { try $0.sources()[0].id }
        rules = RunningRules(gateway, folder: RulesFolder(path: folder), logger: .silent)
    }

    func run() throws {
        rules.reload()
        let (source, count) = (source, count)
        // A rule that is read later than a message does not hear it.
        while try store.readCommitted({ try $0.rules() }).isEmpty { usleep(1_000) }
        let known = try store.read { reader in
            try reader.messages(MessageQuery(source: source, limit: Int(count))).map(\.packetID)
        }
        for id in Set(1...count).subtracting(known).sorted() {
            let now = WallClock.milliseconds()
            store.enqueue(.received) { writer in
                _ = try writer.insertMessage(
                    Message(
                        id: "", from: NodeNumber(0xA11C_E001), to: NodeNumber(0xABCD), text: "word\(id % 100)",
                        channel: -1,
                        packetID: id, timestamp: now, createdAt: now, updatedAt: now), in: source)
            }
            usleep(pause * 1_000)
        }
        while try !hasSeenAll() { usleep(10_000) }
    }

    private func hasSeenAll() throws -> Bool {
        try store.readCommitted { reader in
            var seen = 0
            for rule in try reader.rules() {
                seen += try reader.firings(of: rule.name, limit: 1_000).count { $0.row.messageID != nil }
            }
            return seen == Int(count)
        }
    }

    func stop() {
        rules.stop()
        gateway.stop()
        store.close()
    }
}
