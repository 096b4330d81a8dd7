import Foundation
import Gateway
import Log
import MeshModel
import RadioLink
import Synchronization

@testable import Rules
@testable import Store

/// A database with one radio, rules at work on it, and the clock in hand.
final class StoredMesh {
    private struct NoRadio: Error {}

    private let path: String
    private var rules: [Rule]
    private(set) var store: Store!
    private(set) var gateway: Gateway!
    private(set) var source = SourceID.gateway
    private var working: WorkingRules?
    private(set) var now = Moment(at: noon, uptime: 1_000_000)
    let log = Lines()
    /// Times that targets were woken.
    let woken = Lines()
    private let targets: Set<String>

    /// - Parameters:
    ///   - rules: by name, written as their files are.
    ///   - targets: those that there are.
    init(_ rules: [String: String], targets: Set<String> = []) throws {
        self.targets = targets
        path = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        self.rules = Self.parsed(rules)
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: path)
    }

    private var database: String { path + "/mesh.db" }

    /// The service starts, the radio is there, and two minutes pass.
    func start() throws {
        let store = try Store(path: database, groupInterval: 3_600_000_000_000)
        self.store = store
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
        source = try store.read { try $0.sources()[0].id }
        let logger = Logger(LogThreshold(.info)) { [log] in log.add($0.text) }
        now.uptime = 1_000_000
        working = try WorkingRules(
            rules, of: gateway, problems: { [] }, at: now, logger: logger, wake: {},
            targets: RuleTargets(names: { [targets] in targets }, wake: { [woken] in woken.add("") }),
            unstored: { _ in })
        try work()
        try happen(Happening(.link, at: now.at, source: source, name: "live"))
        try work()
        try pass(121 * second)
    }

    /// The process is gone, with all that is in its memory.
    func kill() {
        working = nil
        gateway?.stop()
        store?.close()
        (gateway, store) = (nil, nil)
    }

    /// The rules' thread does nothing for so long, and is killed.
    func leave(_ time: Int64, _ body: () throws -> Void) throws {
        now.at += time
        try body()
        kill()
        try start()
    }

    /// Other rules are in force from now on.
    func use(_ rules: [String: String]) throws {
        self.rules = Self.parsed(rules)
        try working?.use(self.rules, at: now)
    }

    private static func parsed(_ rules: [String: String]) -> [Rule] {
        rules.sorted { $0.key < $1.key }.compactMap { RuleFile($1, name: $0, path: "").rule }
    }

    /// The files of the database, as a backup has them.
    func backup() throws -> String {
        let copy = path + "/backup.db"
        kill()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: database + suffix) {
            try FileManager.default.copyItem(atPath: database + suffix, toPath: copy + suffix)
        }
        try start()
        return copy
    }

    func restore(_ copy: String) throws {
        kill()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: database + suffix)
            guard FileManager.default.fileExists(atPath: copy + suffix) else { continue }
            try FileManager.default.copyItem(atPath: copy + suffix, toPath: database + suffix)
        }
        try start()
    }

    func work() throws { try working?.work(at: now) }

    func pass(_ time: Int64) throws {
        (now.at, now.uptime) = (now.at + time, now.uptime + time)
        try work()
    }

    /// A change that the mesh makes. The rules have not seen it yet.
    func change(_ body: @escaping @Sendable (Writer, SourceID, Int64) throws -> Void) throws {
        let (source, now) = (source, now.at)
        try store.commit(as: .live) { try body($0, source, now) }
    }

    func happen(_ happening: Happening) throws { try change { writer, _, _ in try writer.insert(happening) } }

    func hear(_ number: NodeNumber) throws {
        try change { writer, source, now in
            try writer.updateNode(number, in: source, at: now) { node in
                (node.longName, node.lastHeard) = (number == anna ? "Anna" : "Bob", now / 1000)
            }
        }
    }

    func measure(_ number: NodeNumber, battery: Double) throws {
        try hear(number)
        try change { writer, source, now in
            try writer.insertTelemetry(
                Telemetry(kind: .device, values: [.init("batteryLevel", battery)]), from: number, packet: nil,
                in: source, at: now)
        }
    }

    /// Without being heard otherwise.
    func report(_ number: NodeNumber, _ name: StaticString, _ value: Double) throws {
        try change { writer, source, now in
            try writer.insertTelemetry(
                Telemetry(kind: .device, values: [.init("\(name)", value)]), from: number, packet: nil, in: source,
                at: now)
        }
    }

    /// In degrees.
    func locate(_ number: NodeNumber, _ latitude: Double, _ longitude: Double) throws {
        try hear(number)
        try change { writer, source, now in
            let position = Position(latitudeI: Int32(latitude * 1e7), longitudeI: Int32((longitude * 1e7).rounded()))
            try writer.insertPosition(position, from: number, packet: nil, in: source, at: now)
        }
    }

    func write(_ text: String, id: PacketID) throws {
        try hear(anna)
        try change { writer, source, now in
            try writer.insertMessage(
                Message(
                    id: "", from: anna, to: ownNode, text: text, channel: -1, packetID: id, timestamp: now,
                    createdAt: now, updatedAt: now), in: source)
        }
    }

    func feed() throws -> [FeedRow] { try store.read { try $0.feed(after: 0, limit: 20_000) } }

    /// Rule, state and title.
    var told: [String] {
        let rows = (try? feed()) ?? []
        return rows.map { row in "\(row.rule ?? ""): " + (row.state.map { "\($0): " } ?? "") + row.title }
    }

    func logged(_ rule: String) throws -> [RuleFiring] { try store.read { try $0.firings(of: rule, limit: 5_000) } }
}

/// A database in which nothing has happened.
final class EmptyStore {
    let store: Store
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString).db").path
        store = try Store(path: path)
    }

    deinit {
        store.close()
        for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}
