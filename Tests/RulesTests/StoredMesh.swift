import Foundation
import Gateway
import Log
import MeshModel
import RadioLink
import RadioSimulator
import Synchronization

@testable import Rules
@testable import Store

/// A database with one radio, rules at work on it, and the clock in hand.
final class StoredMesh {
    private struct NoRadio: Error {}

    private let path: String
    private var rules: [Rule]
    private var run = GatewayRun(uptime: 0, happened: 0)
    private(set) var store: Store!
    private(set) var gateway: Gateway!
    private(set) var source = SourceID.gateway
    private var working: WorkingRules?
    private(set) var now = Moment(at: noon, uptime: 1_000_000)
    let log = Lines()
    /// Times that targets were woken.
    let woken = Lines()
    private let targets: Set<String>?
    /// What acts leave over; nil: nothing is there.
    private let radio: SimulatedRadio?
    private let devices: @Sendable () -> [RuleDevice]
    /// From the next start on.
    var zone: LocalZone

    /// - Parameters:
    ///   - rules: by name, written as their files are.
    ///   - targets: those that there are; nil: nobody knows.
    ///   - devices: apps and browsers that have registered.
    ///   - beginLater: nothing is at work until ``begin()``.
    ///   - radio: what acts leave over. Its time is the host's.
    init(
        _ rules: [String: String], targets: Set<String>? = [], devices: @escaping @Sendable () -> [RuleDevice] = { [] },
        zone: LocalZone = .host, beginLater: Bool = false, radio: SimulatedRadio? = nil
    ) throws {
        (self.targets, self.devices, self.zone, self.radio) = (targets, devices, zone, radio)
        path = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        self.rules = Self.parsed(rules)
        try start(beginLater: beginLater)
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: path)
    }

    private var database: String { path + "/mesh.db" }

    /// The service starts, the radio is there, and two minutes pass.
    func start(beginLater: Bool = false) throws {
        let store = try Store(path: database, groupInterval: 3_600_000_000_000)
        self.store = store
        gateway = try Gateway(store: store, logger: .silent) { [radio] delegate in
            RadioLink(
                address: .connection(name: "none"),
                connect: {
                    guard let radio else { throw NoRadio() }
                    return try radio.connect()
                }, delegate: delegate)
        }
        if radio != nil { gateway.start() }
        source = try store.read { try $0.sources()[0].id }
        now.uptime = 1_000_000
        run = GatewayRun(uptime: now.uptime, happened: try store.read { try $0.newestHappening() })
        if !beginLater { try begin() }
        try happen(Happening(.link, at: now.at, source: source, name: "live"))
        try work()
        if !beginLater { try pass(121 * second) }
    }

    /// The rules begin.
    func begin() throws {
        let logger = Logger(LogThreshold(.info)) { [log] in log.add($0.text) }
        working = try WorkingRules(
            rules, of: gateway, at: now, run: run, logger: logger, wake: {},
            targets: RuleTargets(names: { [targets] in targets }, wake: { [woken] in woken.add("") }, devices: devices),
            zone: zone, unstored: { _ in })
        try work()
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

    /// The time goes on, and the rules are asked at each of their deadlines.
    ///
    /// - Parameter look: what is done after each time.
    func live(until end: Int64, _ look: () throws -> Void) throws {
        try work()
        try look()
        while let deadline, deadline <= end {
            let step = max(1, deadline - now.at)
            try pass(step)
            try look()
        }
        try pass(max(0, end - now.at))
        try look()
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

    /// A report of a place, in degrees.
    func locate(_ number: NodeNumber, _ latitude: Double, _ longitude: Double, bits: UInt32? = nil) throws {
        try hear(number)
        try change { writer, source, now in
            let position = Position(
                latitudeI: Int32(latitude * 1e7), longitudeI: Int32((longitude * 1e7).rounded()), precisionBits: bits)
            try writer.insertPosition(position, from: number, packet: nil, in: source, at: now)
        }
    }

    /// - Parameter channel: -1: to this radio.
    func write(_ text: String, id: PacketID, channel: Int = -1) throws {
        try hear(anna)
        try change { writer, source, now in
            try writer.insertMessage(
                Message(
                    id: "", from: anna, to: channel < 0 ? ownNode : .broadcast, text: text, channel: channel,
                    packetID: id, timestamp: now,
                    createdAt: now, updatedAt: now), in: source)
        }
    }

    /// A conversation over a broker begins, of which no radio knows.
    func converse(_ name: String, title: String? = nil) throws -> SourceID {
        let (uuid, now) = (UUID().uuidString.lowercased(), now.at)
        let conversation = BrokerConversation(name, title: title, broker: "house", filters: ["\(name)/#"])
        return try store.commit { try $0.insert(conversation, uuid: uuid, at: now) }
    }

    /// A broker brings a text.
    func say(_ text: String, by writer: String, in conversation: SourceID) throws {
        let (about, now) = (BrokerText(topic: "club/talk", writer: writer), now.at)
        _ = try store.commit { try $0.insertReceived(text, about, in: conversation, at: now) }
    }

    /// Somebody sets the host's clock.
    func setClock(by time: Int64) throws {
        now.at += time
        try work()
    }

    /// When the rules are to be asked again, in host milliseconds.
    var deadline: Int64? { working?.deadline(at: now) }

    /// So many direct messages, each of which the rules see.
    func tellAll(_ count: UInt32, from first: UInt32 = 1) throws {
        for id in first..<(first + count) { try write("\(id)", id: id) }
        try work()
    }

    /// What is to be sent, oldest first.
    func waiting() throws -> [Dispatch] {
        try store.read { reader in
            try ["mail", "phone"].flatMap { try reader.dispatches(of: $0) }.sorted { $0.id < $1.id }
        }
    }

    func held() throws -> [Dispatch] { try store.read { try $0.heldDispatches() } }

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
