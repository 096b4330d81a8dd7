import Foundation
import MeshModel
import RadioSimulator
import Synchronization
import Testing

@testable import ServedProgram

/// Texts come as fast as the radio can hand them on, while the daemon is killed, the reader's connection cut and the radio
/// unplugged, again and again. The reader comes back with the last id that it has: in the end it knows each message of the
/// database, and was told of none twice.
///
/// 18 interruptions and some 1,000 messages; 200 and 10,000 when MESH_GATEWAY_TEST_FULL is set. A failure names the seed of
/// the moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(60))) func noKillHidesAMessageFromAReader() throws {
    let environment = ProcessInfo.processInfo.environment
    let interruptions = isFullRun ? 200 : 18
    let texts = isFullRun ? 10_000 : 1_000
    let seed = environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let folders = try Folders()
    let here = try RadioHere { $0.nodes = 3 }
    // No port, which somebody else may have when the radio comes back.
    let device = folders.root + "/radio"
    try here.radio.openPty(link: device)
    var gateway = try ServedGateway(device: device, in: folders)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()

    let reader = Following(gateway.client)
    // Whoever has no id yet is told of what comes from then on.
    try gateway.eventually("the reader listens") { reader.lastID != nil }
    let mesh = Talking(here.radio, texts: texts / interruptions)
    var interruption = 0
    let end = Date(timeIntervalSinceNow: 600)
    // On a slow machine the gateway may hear little between two of them.
    while interruption < interruptions || reader.known.count <= interruptions && Date() < end {
        defer { interruption += 1 }
        mesh.talk()
        usleep(.random(in: 0..<120_000, using: &random))
        switch interruption % 3 {
        case 0:
            gateway.program.signal(SIGKILL)
            #expect(try gateway.program.exitCode() == -SIGKILL)
            let token = gateway.client.token
            gateway = try ServedGateway(device: device, in: folders)
            gateway.client.token = token
            reader.follow(gateway.client)
        case 1: reader.cut()
        default:
            here.radio.unplug()
            usleep(.random(in: 0..<50_000, using: &random))
            try here.radio.replug()
        }
        mesh.wait()
    }
    try gateway.eventually("the radio is back") { try gateway.isConnected() }
    try here.say("the last one", to: gateway)

    // A list ends at 10,000 rows: those of each sender by themselves.
    var stored: Set<String> = []
    for node in here.radio.nodes {
        let rows = try gateway.client.get("/api/v1/messages?limit=10000&fromNodeId=\(node.number.id)").data.rows
        #expect(rows.count < 10_000)
        stored.formUnion(rows.compactMap { $0["id"].string })
    }
    for _ in 0..<600 where !reader.known.isSuperset(of: stored) { usleep(200_000) }
    let hidden = stored.subtracting(reader.known).sorted()
    #expect(
        hidden.isEmpty, "seed \(seed), at \(reader.lastID ?? "nothing"): \(hidden.count) of \(stored.count): \(hidden)")
    reader.end()
    print("noKillHidesAMessageFromAReader: \(interruption) interruptions, \(stored.count) messages")
    #expect(stored.count > interruptions)
    #expect(reader.known.subtracting(stored).isEmpty, "seed \(seed)")
    if !reader.hasMissed { #expect(reader.twice.isEmpty, "seed \(seed): \(reader.twice)") }
    #expect(!reader.hasMissed, "seed \(seed)")
    try gateway.program.stop()
}

/// Somebody on the mesh who talks without a pause, on a thread of its own.
private final class Talking: Sendable {
    private let radio: SimulatedRadio
    private let texts: Int
    private let running = DispatchGroup()
    private let count = Atomic<Int>(0)

    init(_ radio: SimulatedRadio, texts: Int) {
        self.radio = radio
        self.texts = texts
    }

    func talk() {
        running.enter()
        Thread.detachNewThread { [self] in
            defer { running.leave() }
            let nodes = radio.nodes
            for place in 0..<texts {
                radio.sendText(
                    from: nodes[place % nodes.count].number, "text \(count.add(1, ordering: .relaxed).newValue)")
                // The radio keeps a few packets for its host, and drops what comes too soon.
                usleep(1_500)
            }
        }
    }

    func wait() { running.wait() }
}

/// A reader that comes back for as long as it is wanted.
private final class Following: Sendable {
    private struct State {
        var client: Client
        var stream: EventStreamClient?
        var lastID: String?
        var known: Set<String> = []
        var twice: [String] = []
        var hasMissed = false
        var isOver = false
    }

    private let state: Mutex<State>
    private let running = DispatchGroup()

    init(_ client: Client) {
        state = Mutex(State(client: client))
        running.enter()
        Thread.detachNewThread { [self] in
            defer { running.leave() }
            while !state.withLock({ $0.isOver }) {
                try? follow()
                usleep(5_000)
            }
        }
    }

    var known: Set<String> { state.withLock { $0.known } }
    var lastID: String? { state.withLock { $0.lastID } }
    var twice: [String] { state.withLock { $0.twice } }
    var hasMissed: Bool { state.withLock { $0.hasMissed } }

    /// The daemon is at another address.
    func follow(_ client: Client) { state.withLock { $0.client = client } }

    func cut() { state.withLock { $0.stream?.cut() } }

    func end() {
        state.withLock { state in
            state.isOver = true
            state.stream?.cut()
        }
        running.wait()
    }

    private func follow() throws {
        let (client, lastID) = state.withLock { ($0.client, $0.lastID) }
        let stream = try EventStreamClient(client, "/api/v1/events", after: lastID)
        state.withLock { $0.stream = stream }
        while let told = try stream.next() {
            state.withLock { state in
                for event in told {
                    state.lastID = event.id ?? state.lastID
                    if event.kind == "missed" { state.hasMissed = true }
                    guard event.kind == "message", let id = event.data["id"].string else { continue }
                    if !state.known.insert(id).inserted { state.twice.append(id) }
                }
            }
        }
    }
}
