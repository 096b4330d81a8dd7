import MeshModel

@testable import Store

/// What a gateway does to its store on a busy day, with a ledger of what it was promised: texts that are accepted, in one
/// part or several, and their delivery, texts that are received, reports in groups, deletions, tokens, pruning.
struct PowerCutWorkload {
    let path: String
    let ledger: Ledger
    var random: Seeded
    /// Host milliseconds; four hours an operation, so that pruning has something to do.
    private var now: Int64
    private var lastID: PacketID
    private var pending: [(id: PacketID, text: String)] = []
    private var received: [PacketID] = []
    private var tokens: [String] = []

    /// - Parameter life: makes packet ids and times that no other life of the same database has.
    init(path: String, ledger: Ledger, life: Int, random: Seeded) {
        self.path = path
        self.ledger = ledger
        self.random = random
        now = noon + Int64(life) * 400 * day
        lastID = PacketID(life) << 16
    }

    /// Opens the database and works on it until everything is committed.
    mutating func run(operations: Int) throws -> Store {
        let store = try Store(path: path, retention: .month, groupInterval: 20_000_000, logPages: 300)
        let source = try self.source(in: store)
        var backup: DatabaseConnection?
        for _ in 0..<operations {
            now += 4 * hour
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<30: try accept(store, source)
            case 30..<45: try deliver(store, source)
            case 45..<60: receive(store, source)
            case 60..<90: report(store, source)
            case 90..<93: try delete(store, source)
            case 93..<95: try changeTokens(store)
            case 95..<96:
                let now = now
                store.enqueue(.grouped, { try $0.expireAll(at: now) })
            case 96..<98:
                // Another program that reads keeps the log from starting again.
                backup = backup == nil ? try secondConnection(store) : nil
                try backup?.execute("BEGIN")
                _ = try backup?.integer("SELECT count(*) FROM messages")
            default: _ = try store.read { try $0.counts(in: source) }
            }
        }
        try store.commit { _ in }
        backup = nil
        return store
    }

    private func source(in store: Store) throws -> SourceID {
        if let known = try store.read({ try $0.sources().first }) { return known.0 }
        let promise = ledger.issue(["source \(Source.example.uuid)": "Default"])
        let source = try store.commit { try $0.insert(.example) }
        ledger.acknowledge(promise)
        return source
    }

    private mutating func newID() -> PacketID {
        lastID += 1
        return lastID
    }

    private mutating func text(_ id: PacketID) -> String {
        "text \(id) " + String(repeating: "lorem ", count: Int.random(in: 0...30, using: &random))
    }

    private static func value(_ text: String, _ delivery: Delivery.State?, _ outbox: OutboxItem.State?) -> String {
        "\(text)|\(delivery.map { "\($0.rawValue)" } ?? "-")|\(outbox.map { "\($0.rawValue)" } ?? "-")"
    }

    /// A client's text: who sent it is told that it will not be lost.
    private mutating func accept(_ store: Store, _ source: SourceID) throws {
        let isLong = Int.random(in: 0..<10, using: &random) == 0
        var parts: [(id: PacketID, text: String)] = []
        for _ in 0..<(isLong ? Int.random(in: 2...4, using: &random) : 1) {
            let id = newID()
            parts.append((id, text(id)))
        }
        let (all, time) = (parts, now)
        let promise = ledger.issue(
            parts.reduce(into: [:]) { $0["message \($1.id)"] = Self.value($1.text, .queued, .waiting) })
        try store.commit { writer in
            for part in all {
                try writer.insertMessage(.own(part.text, id: part.id, at: time), in: source)
                let packet = MeshPacket(from: alice, to: .broadcast, id: part.id, payload: .none)
                try writer.insertOutbox(OutboxItem(packet: packet, createdAt: time), in: source)
            }
        }
        ledger.acknowledge(promise)
        pending += parts
    }

    /// A text is given to the radio, which is noted before: it must not go out twice. The radio took it, or somebody
    /// repeated it: it leaves the outbox.
    private mutating func deliver(_ store: Store, _ source: SourceID) throws {
        guard !pending.isEmpty else { return }
        let (id, text) = pending.remove(at: Int.random(in: 0..<pending.count, using: &random))
        let state = Bool.random(using: &random) ? Delivery.State.accepted : .relayed
        let now = now
        let handed = ledger.issue(["message \(id)": Self.value(text, .queued, .handed)])
        try store.commit { writer in
            try writer.updateOutbox(packetID: id, in: source) { item in
                item.state = .handed
                item.attempts += 1
            }
        }
        ledger.acknowledge(handed)
        let taken = ledger.issue(["message \(id)": Self.value(text, state, nil)])
        try store.commit { writer in
            try writer.updateMessage(packetID: id, in: source, at: now) { $0.delivery = Delivery(state: state) }
            try writer.removeOutbox(packetID: id, in: source)
        }
        ledger.acknowledge(taken)
    }

    /// A text from the mesh, which nobody waits for: the link goes on, and the promise holds from the store's word.
    private mutating func receive(_ store: Store, _ source: SourceID) {
        let id = newID()
        let (text, time) = (text(id), now)
        let promise = ledger.issue(["message \(id)": Self.value(text, nil, nil)])
        let ledger = ledger
        store.enqueue(
            .immediate,
            { writer in
                let packet = MeshPacket(from: bob, to: .broadcast, id: id, payload: .none)
                try writer.logPacket(packet, direction: .rx, in: source, at: time)
                try writer.insertMessage(.received(text, from: bob, id: id, at: time), in: source)
                try writer.updateNode(bob, in: source, at: time) { $0.snr = Double(id % 16) }
            },
            done: { if case .success = $0 { ledger.acknowledge(promise) } })
        received.append(id)
    }

    /// What the mesh repeats. A power cut may cost it, but not a half of it: both nodes are heard in one change.
    private mutating func report(_ store: Store, _ source: SourceID) {
        let (id, time) = (newID(), now)
        let stranger = NodeNumber(UInt32.random(in: 1...60, using: &random))
        store.enqueue(
            .grouped,
            { writer in
                let packet = MeshPacket(from: alice, to: .broadcast, id: id, payload: .none)
                try writer.updateNode(alice, in: source, at: time) { $0.lastHeard = Int64(id) }
                try writer.logPacket(packet, direction: .rx, in: source, at: time)
                let telemetry = Telemetry(kind: .device, values: [.init("voltage", Double(id)), .init("uptime", 1)])
                try writer.insertTelemetry(telemetry, from: alice, packet: packet, in: source, at: time)
                try writer.insertPosition(Position(), from: alice, packet: packet, in: source, at: time)
                try writer.updateNode(stranger, in: source, at: time) { $0.lastHeard = time / 1000 }
                try writer.updateNode(bob, in: source, at: time) { $0.lastHeard = Int64(id) }
            })
    }

    private mutating func delete(_ store: Store, _ source: SourceID) throws {
        guard let id = received.popLast() else { return }
        let promise = ledger.issue(["message \(id)": nil])
        _ = try store.commit { try $0.deleteMessage(id: "\(bob.rawValue)_\(id)", in: source) }
        ledger.acknowledge(promise)
    }

    private mutating func changeTokens(_ store: Store) throws {
        let now = now
        if let name = tokens.first, Bool.random(using: &random) {
            let promise = ledger.issue(["token \(name)": nil])
            try store.commit { try $0.revokeToken(name: name, at: now) }
            ledger.acknowledge(promise)
            tokens.removeFirst()
        } else {
            let name = "phone \(newID())"
            let hash = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            let promise = ledger.issue(["token \(name)": "read"])
            try store.commit { try $0.insertToken(name: name, hash: hash, prefix: "mm", scopes: "read", at: now) }
            ledger.acknowledge(promise)
            tokens.append(name)
        }
    }

    /// What a ledger's keys have for values in a database.
    static func found(in database: DatabaseConnection) throws -> [String: String] {
        let rows = try database.once(
            """
            SELECT 'message ' || m.packet_id, m.text || '|' || ifnull(m.delivery, '-') || '|' || ifnull(o.state, '-')
            FROM messages m LEFT JOIN outbox o ON o.packet_id = m.packet_id AND o.source = m.source WHERE m.source > 0
            UNION ALL SELECT 'token ' || name, scopes FROM tokens WHERE revoked_at IS NULL
            UNION ALL SELECT 'source ' || uuid, name FROM sources
            """
        ).rows { ($0.text(), $0.text()) }
        return Dictionary(rows, uniquingKeysWith: { "twice: \($0) and \($1)" })
    }
}
