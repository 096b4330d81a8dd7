import Glibc
import Log
import MeshModel
import MeshProtocol
import Platform
import Rules
import Store

// Packets for a tool that counts instructions. However threads take turns, the same is done in each run:
//
//     a group goes in -> it is committed -> the rules look at it, once -> the next group
//
// The writer waits until it has all of a group; of texts, which it commits one by one, each waits for the one before. The rules
// wait until all of the group is committed, by their clock. That they have seen the last packet of a group is known by what they
// note of it: why they told nothing.

/// Plays packets. Before and behind those that count it says a word on standard output and waits for a line.
///
/// - Parameter rules: a folder of the five rules of costs.py.
func playCountedPackets(
    recordings: String, database: String, kind: FrameKind, nodes: Int, count: Int, rules: String?
) throws {
    let store = try Store(path: database)
    defer { store.close() }
    let bench = try FrameBench(store: store, frames: Frames(of: kind, in: recordings, nodes: nodes))
    defer { bench.gateway.stop() }
    let clock = RulesClock()
    let running = rules.map { folder in
        RunningRules(bench.gateway, folder: RulesFolder(path: folder), logger: .silent) { clock.time }
    }
    clock.beginSettled()
    running?.reload()
    defer { running?.stop() }
    try bench.shakeHands()
    let player = GroupPlayer(bench, running, clock)
    try player.fireAll()
    // Every node twice: none is new any more.
    try player.play(2 * nodes)
    try sayAndWait("ready")
    try player.play(count)
    try sayAndWait("done")
    for rule in try running.map({ try player.firings(of: $0) }) ?? [] { print(rule.name, rule.count) }
}

private func sayAndWait(_ word: String) throws {
    print(word)
    fflush(nil)
    guard readLine() != nil else { throw FrameBench.Failure.late("the line behind \(word)") }
}

/// The rules' clock. They ask it before each look, and wait here while a group goes in.
private final class RulesClock: Sendable {
    private struct State {
        var isHeld = false
        var age: Int64 = 0
    }

    private let state = Monitor(State(age: 180_000))

    var time: Moment {
        let age = state.wait(until: nil) { state, _ in state.isHeld ? nil : state.age } ?? 0
        return Moment(at: WallClock.milliseconds() - age, uptime: MonotonicClock.milliseconds() - age)
    }

    /// When the gateway began, it was three minutes earlier: states may begin at once.
    func beginSettled() { state.withLock { $0.age = 0 } }

    func hold() { state.notify { $0.isHeld = true } }
    func release() { state.notify { $0.isHeld = false } }
}

private final class GroupPlayer {
    /// With the job that holds the writer, as many as the store has in a group.
    private static let group = 63
    /// Its battery is always low. It ends each group, and is what rules note last.
    private static let low = NodeNumber(0x4351_0000)

    private let bench: FrameBench
    private let rules: RunningRules?
    private let clock: RulesClock
    private var packets: UInt32 = 0

    private var store: Store { bench.store }

    init(_ bench: FrameBench, _ rules: RunningRules?, _ clock: RulesClock) {
        (self.bench, self.rules, self.clock) = (bench, rules, clock)
    }

    /// What makes each rule fire that can in a minute: of new nodes, the first packets do.
    func fireAll() throws {
        guard let own = try store.read({ try $0.sources() }).first?.source.nodeNumber else {
            throw FrameBench.Failure.noHandshake
        }
        let text = MeshData(port: .textMessage, payload: Array("a word: xyzzy".utf8))
        for packet in [
            heard(report("batteryLevel", 10)), said(report("channelUtilization", 40), by: own),
            said(report("channelUtilization", 5), by: own), heard(text),
        ] {
            try playAlone(Frames.bytes(of: packet))
        }
        guard let rules else { return }
        try wait(for: "what four rules tell") { try firings(of: rules).count { $0.count > 0 } == 4 }
    }

    /// By the rules' names.
    func firings(of rules: RunningRules) throws -> [(name: String, count: Int)] {
        try store.read { reader in
            try rules.state.inForce.map { ($0.name, try reader.firings(of: $0.name, limit: 1_000).count) }
        }
    }

    func play(_ count: Int) throws {
        let dropped = store.health.droppedChanges
        for start in stride(from: 0, to: count, by: Self.group) {
            try playGroup(min(Self.group, count - start))
        }
        guard store.health.droppedChanges == dropped else { throw FrameBench.Failure.dropped }
    }

    private func playGroup(_ count: Int) throws {
        let isTexts = bench.frames.kind == .text
        let played = isTexts ? count : count - 1
        var frames = (bench.next..<bench.next + played).map { bench.frames[$0] }
        bench.next += played
        if !isTexts { frames.append(Frames.bytes(of: heard(report("batteryLevel", 10)))) }
        let before = rules.map(lastMiss)
        try whileRulesWait { try playGroup(frames, isTexts) }
        guard let rules else { return }
        try wait(for: "the rules") { lastMiss(of: rules) != before }
    }

    private func whileRulesWait(_ body: () throws -> Void) rethrows {
        clock.hold()
        defer { clock.release() }
        try body()
    }

    private func playGroup(_ frames: [[UInt8]], _ isTexts: Bool) throws {
        if isTexts {
            for frame in frames { try playAlone(frame) }
            // A group takes them into the search index.
            store.enqueue(.grouped, { _ in })
        } else {
            try playTogether(frames)
        }
        // Under a tool that counts, a commit may take longer than a reader waits for it.
        try wait(for: "a commit") {
            store.settle(within: Store.patience, always: true)
            return store.health.queueLength == 0
        }
    }

    /// One packet, which is committed when this returns.
    private func playAlone(_ frame: [UInt8]) throws {
        let commits = store.health.commits
        bench.hear(frame)
        try wait(for: "a commit") { store.health.commits > commits }
    }

    private func playTogether(_ frames: [[UInt8]]) throws {
        let isHere = Monitor(false)
        store.enqueue(.grouped, { _ in _ = isHere.wait(until: nil) { isHere, _ in isHere ? true : nil } })
        defer { isHere.notify { $0 = true } }
        bench.hear(frames.flatMap(\.self))
        try wait(for: "a group") { store.health.queueLength > frames.count }
    }

    /// What the rules have noted last.
    private func lastMiss(of rules: RunningRules) -> String {
        rules.nearMisses().first.map { "\($0.at) \($0.messageID ?? "")" } ?? ""
    }

    private func wait(for what: String, _ isThere: () throws -> Bool) throws {
        let limit = MonotonicClock.nanoseconds() + 60_000_000_000
        while try !isThere() {
            guard MonotonicClock.nanoseconds() < limit else { throw FrameBench.Failure.late(what) }
            bench.carry(milliseconds: 2)
        }
    }

    private func report(_ name: String, _ value: Double) -> MeshData {
        // Of which no two are the same.
        let voltage = Telemetry.Value("voltage", 3 + Double(packets % 1_000) / 1_000)
        let report = Telemetry(kind: .device, values: [.init(name, value), voltage])
        return MeshData(port: .telemetry, payload: report.encoded())
    }

    /// From ``low``, over the air.
    private func heard(_ data: MeshData) -> MeshPacket {
        var packet = said(data, by: Self.low)
        (packet.rxSNR, packet.rxRSSI, packet.hopStart, packet.hopLimit, packet.transport) = (6, -60, 3, 3, .lora)
        return packet
    }

    private func said(_ data: MeshData, by node: NodeNumber) -> MeshPacket {
        packets += 1
        return MeshPacket(from: node, to: .broadcast, id: 0x8000_0000 + packets, payload: .decoded(data))
    }
}
