import Gateway
import Glibc
import Log
import MeshModel
import Platform
import RadioLink
import Store

// A gateway without a radio and a reader of its change log, to be killed at any moment (AReaderActsOnce):
//
//     toy-reader DATABASE COUNT
//
// Stores COUNT messages, as far as they are not there yet, and acts once on each: the act is a message under the same packet
// id with the highest bit set. Ends when it has acted on all.

//
//     toy-reader DATABASE COUNT MILLISECONDS FOLDER
//
// The same with the rules of a folder (NoKillTellsARulesFiringTwice), which tell the targets of targets.d beside it
// (NoKillOfAProgramLosesANotification).

if CommandLine.arguments.count == 5, let count = PacketID(CommandLine.arguments[2]),
    let pause = UInt32(CommandLine.arguments[3])
{
    let toy = try ToyRules(
        database: CommandLine.arguments[1], count: count, pause: pause, folder: CommandLine.arguments[4])
    try toy.run()
    toy.stop()
    exit(0)
}
guard CommandLine.arguments.count == 3, let count = PacketID(CommandLine.arguments[2]) else { exit(64) }  // EX_USAGE
let toy = try Toy(database: CommandLine.arguments[1], count: count)
try toy.run()
toy.stop()

final class Toy {
    /// A message with this bit in its packet id is an act.
    static let act: PacketID = 1 << 31

    private struct NoRadio: Error {}

    private let count: PacketID
    private let store: Store
    private let gateway: Gateway
    private let reader: ChangeReader
    private let source: SourceID
    private let wakes = Monitor(false)

    init(database: String, count: PacketID) throws {
        self.count = count
        let store = try Store(path: database)
        self.store = store
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
        source = try store.read { try $0.sources()[0].id }
        reader = try gateway.reader(named: "toy", kinds: [.message]) { [wakes] in wakes.notify { $0 = true } }
    }

    func stop() {
        gateway.stop()
        store.close()
    }

    func run() throws {
        try storeMessages()
        while try !isDone() {
            switch try reader.next(limit: 20) {
            case .changes(let changes, let last):
                if changes.isEmpty { wait() } else { try act(on: changes, upTo: last) }
            case .missed: exit(70)  // EX_SOFTWARE
            }
        }
    }

    private func message(_ id: PacketID) -> Message {
        Message(
            id: "", from: NodeNumber(0xA11C_E001), to: .broadcast, text: "text \(id)", channel: 0, packetID: id,
            timestamp: Int64(id), createdAt: Int64(id), updatedAt: Int64(id))
    }

    /// In groups, as what the mesh repeats; a kill takes some of them with it.
    private func storeMessages() throws {
        let (source, count) = (source, count)
        let known = try store.read { reader in
            try reader.messages(MessageQuery(source: source, limit: Int(count) * 2)).map(\.packetID)
        }
        let missing = Set(1...count).subtracting(known).sorted()
        for id in missing {
            let message = message(id)
            store.enqueue(.received) { _ = try $0.insertMessage(message, in: source) }
        }
    }

    private func act(on changes: [StoredChange], upTo last: Int64) throws {
        let (source, count) = (source, count)
        let ids = changes.compactMap { change -> PacketID? in
            guard case .message(let id, _) = change.what else { return nil }
            return id.split(separator: "_").last.flatMap { PacketID($0) }
        }.filter { $0 <= count }
        guard !ids.isEmpty else { return reader.pass(last) }
        let acts = ids.map { message($0 | Self.act) }
        try reader.act(upTo: last) { writer in
            for act in acts {
                // Twice would be found by its key: that must not happen.
                guard try writer.insertMessage(act, in: source) else { exit(65) }  // EX_DATAERR
            }
        }
    }

    private func isDone() throws -> Bool {
        let source = source
        return try store.readCommitted { try $0.counts(in: source).messages } == Int(count) * 2
    }

    /// Until it is woken, or a second has passed: then a group is open that nobody asked for.
    private func wait() {
        let limit = MonotonicClock.nanoseconds() + 1_000_000_000
        _ = wakes.wait(until: limit) { isWoken, isLate in
            defer { isWoken = false }
            return isWoken || isLate ? true : nil
        }
    }
}
