import Gateway
import Glibc
import Log
import MeshModel
import Notifications
import Platform
import RadioLink
import Rules
import Store

/// A gateway without a radio, and rules on what it hears: COUNT direct messages, one every so many milliseconds, as far as they
/// are not there yet. Ends when the rules have seen them all, and nothing waits for a target any more.
final class ToyRules {
    private struct NoRadio: Error {}

    private let count: PacketID
    private let pause: UInt32
    private let store: Store
    private let gateway: Gateway
    private let rules: RunningRules
    private let targets: RunningTargets
    private let source: SourceID

    /// - Parameters:
    ///   - pause: milliseconds.
    ///   - folder: of the rules, which hear a message each. Those of the targets lie in targets.d beside it.
    init(database: String, count: PacketID, pause: UInt32, folder: String) throws {
        (self.count, self.pause) = (count, pause)
        let store = try Store(path: database)
        self.store = store
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
        source = try store.read { try $0.sources()[0].id }
        let targets = RunningTargets(
            gateway, folder: TargetsFolder(besideFile: folder), logger: .silent, push: PushSettings(),
            seen: { _, told, _ in told.row }, publicURL: { nil })
        self.targets = targets
        rules = RunningRules(
            gateway, folder: RulesFolder(path: folder), logger: .silent,
            targets: RuleTargets(names: { targets.names }, wake: { targets.wake() }))
    }

    func run() throws {
        targets.reload()
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
        while try !hasSeenAll() || hasWaiting() { usleep(10_000) }
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

    private func hasWaiting() throws -> Bool { try store.readCommitted { try !$0.dispatchCounts().isEmpty } }

    func stop() {
        rules.stop()
        targets.stop()
        gateway.stop()
        store.close()
    }
}
