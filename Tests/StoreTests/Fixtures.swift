import Foundation
import MeshModel
import Testing

@testable import Store

/// A folder of its own for each test, gone afterwards.
final class Folder {
    let path: String

    private let isKept: Bool

    init(in parent: URL = FileManager.default.temporaryDirectory, isKept: Bool = false) {
        self.isKept = isKept
        path = parent.appendingPathComponent("store-\(UUID().uuidString)").path
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { if !isKept { try? FileManager.default.removeItem(atPath: path) } }

    var database: String { path + "/mesh.db" }

    /// Copies the database with its log as they are at this moment: what a power cut would leave.
    func copy(as name: String) throws -> String {
        let copy = path + "/" + name
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: database + suffix) {
            try FileManager.default.copyItem(atPath: database + suffix, toPath: copy + suffix)
        }
        return copy
    }
}

extension Store {
    /// A store with one source. Time alone ends no group, however slow the test is.
    static func withSource(_ folder: Folder, retention: Retention = Retention()) throws -> (Store, SourceID) {
        let store = try Store(path: folder.database, retention: retention, groupInterval: 3_600_000_000_000)
        let source = try store.commit { try $0.insert(.example) }
        return (store, source)
    }

    /// Hands over a grouped change and waits until the writer has run it: it is then in the open group, or committed.
    func runGrouped(_ change: @escaping @Sendable (Writer) throws -> Void) async {
        await withCheckedContinuation { ran in
            let once = Once(ran)
            enqueue(
                .grouped,
                { writer in
                    defer { once.resume() }
                    try change(writer)
                })
        }
    }

    /// Hands over a change and waits until it is committed or has failed.
    func settle(
        _ urgency: Urgency, _ change: @escaping @Sendable (Writer) throws -> Void
    ) async -> Result<Void, any Error> {
        await withCheckedContinuation { ended in
            enqueue(urgency, change, done: { ended.resume(returning: $0) })
        }
    }
}

let month = 30 * day

extension Retention {
    static let month = Retention(
        telemetry: 30 * day, positions: 30 * day, packets: 30 * day, messages: nil, size: nil)
}

extension Writer {
    /// Lets all that has become too old go from now on, with a clock that has gone steadily.
    func expireAll(at now: Int64) throws {
        try connection.prepare("INSERT OR REPLACE INTO host_clock VALUES (1, ?1, ?1 - 86400000)").bind(now).run()
        try expire(at: now)
    }

    /// Deletes all that has become too old, with a clock that has gone steadily.
    ///
    /// - Returns: how many rows.
    @discardableResult
    func pruneOld(now: Int64) throws -> Int {
        try expireAll(at: now)
        return try pruneAll()
    }

    /// All that is due, in one transaction.
    @discardableResult
    func pruneAll() throws -> Int {
        var deleted = 0
        while pruning != nil { deleted += try prune() }
        return deleted
    }
}

/// A change can be run again; the test goes on once.
final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

    func resume() {
        lock.withLock {
            continuation?.resume()
            continuation = nil
        }
    }
}

/// Another program's connection to a store's file.
func secondConnection(_ store: Store) throws -> DatabaseConnection {
    try DatabaseConnection(path: store.path, access: .readOnly)
}

extension Source {
    static let example = Source(
        uuid: "7f3c1f0e-6b1d-4d0c-9a57-0d9d3c1b2a44", name: "Default", isEnabled: true, createdAt: 1)
}

let hour: Int64 = 3_600_000
let day: Int64 = 24 * hour
let noon: Int64 = 1_787_300_000_000

let alice = NodeNumber(0x1234_5678)
let bob = NodeNumber(0xABCD_EF12)

extension Message {
    static func received(
        _ text: String, from: NodeNumber = alice, to: NodeNumber = .broadcast, channel: Int? = nil, id: PacketID,
        at time: Int64 = noon
    ) -> Message {
        Message(
            id: "", from: from, to: to, text: text, channel: channel ?? (to.isBroadcast ? 0 : -1), packetID: id,
            timestamp: time, createdAt: time, updatedAt: time)
    }

    static func own(_ text: String, to: NodeNumber = .broadcast, id: PacketID, at time: Int64 = noon) -> Message {
        var message = received(text, from: alice, to: to, id: id, at: time)
        message.isOwn = true
        message.delivery = Delivery()
        return message
    }
}
