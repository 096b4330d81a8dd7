import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// Clients send as fast as they can, and the daemon is killed at any moment, again and again. What it answered with 201 or
/// 202 is there after each restart, and the radio never gets two contents under one packet id.
///
/// 16 kills, 500 when MESH_GATEWAY_TEST_FULL is set, or as many as MESH_GATEWAY_TEST_KILLS says, of two daemons beside each
/// other: most of the time each waits for its start. A failure names the seed of the moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(60)), arguments: 1...2) func noKillLosesWhatWasAccepted(daemon: UInt64) throws {
    let environment = ProcessInfo.processInfo.environment
    let kills = (environment["MESH_GATEWAY_TEST_KILLS"].flatMap { Int($0) } ?? (isFullRun ? 500 : 16)) / 2
    let seed = environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed &+ daemon)
    let folders = try Folders()
    let here = try RadioHere { $0.nodes = 3 }
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"
    func start(_ token: String?) throws -> ServedGateway {
        var gateway = try ServedGateway(
            device: device, in: folders, environment: ["MESH_GATEWAY_RATE_LIMIT_MESSAGES": "unlimited"])
        if let token { gateway.client.token = token } else { try gateway.authorize() }
        return gateway
    }

    let ledger = SentTexts()
    var gateway = try start(nil)
    for kill in 0..<kills {
        // Some while it starts and configures the radio, most under load.
        let isUnderLoad = kill % 4 != 0
        if isUnderLoad { try gateway.waitUntilLive() }
        let clients = Clients(3, of: gateway, life: kill, ledger)
        if isUnderLoad { try gateway.eventually("a text is accepted") { !ledger.accepted(in: kill).isEmpty } }
        usleep(.random(in: 0..<250_000, using: &random))
        gateway.program.signal(SIGKILL)
        #expect(try gateway.program.exitCode() == -SIGKILL)
        clients.waitForEnd()

        gateway = try start(gateway.client.token)
        for (id, text) in ledger.accepted(in: kill) {
            let message = try gateway.message(.string(id))
            #expect(message["id"] == .string(id) && message["text"] == .string(text), "seed \(seed), kill \(kill)")
        }
    }

    try gateway.waitUntilLive()
    // On a slow machine it may have sent none before it was killed.
    try gateway.eventually("the radio sends") { here.radio.received.count { $0.decoded?.port == .textMessage } > 1 }
    let rows = try gateway.client.get("/api/v1/messages?limit=10000").data.rows
    let known = Dictionary(grouping: rows) { $0["id"].string ?? "" }
    for (id, text) in ledger.accepted() {
        // The list is cut off at its limit; the oldest are asked for one by one.
        let row = try known[id]?.first ?? gateway.message(.string(id))
        #expect(row["id"] == .string(id) && row["text"] == .string(text), "seed \(seed): \(id) is lost")
        #expect(row["deliveryState"].string != nil, "seed \(seed): \(row)")
    }
    #expect(known.values.allSatisfy { $0.count == 1 })
    // Nobody invented any.
    #expect(rows.allSatisfy { ledger.wasSent($0["text"].string ?? "") }, "seed \(seed)")

    let texts = here.radio.received.filter { $0.decoded?.port == .textMessage }
    for (id, packets) in Dictionary(grouping: texts, by: \.id) {
        #expect(Set(packets.map(\.decoded)).count == 1, "seed \(seed): packet \(id) with several contents")
    }
    #expect(here.texts.allSatisfy { ledger.wasSent($0) }, "seed \(seed)")
    let accepted = ledger.accepted().count
    print("noKillLosesWhatWasAccepted: \(kills) kills, \(accepted) texts accepted, \(texts.count) sent")
    #expect(accepted >= kills / 4 * 3)
    try gateway.program.stop()
}

/// What clients have sent, and what of it was accepted.
private final class SentTexts: @unchecked Sendable {  // everything is guarded by `lock`
    private let lock = NSLock()
    private var sent: Set<String> = []
    private var ids: [(life: Int, id: String, text: String)] = []

    func send(_ texts: [String]) { lock.withLock { sent.formUnion(texts) } }

    func accept(_ id: String, _ text: String, in life: Int) { lock.withLock { ids.append((life, id, text)) } }

    func wasSent(_ text: String) -> Bool { lock.withLock { sent.contains(text) } }

    /// - Parameter life: nil for all.
    func accepted(in life: Int? = nil) -> [(id: String, text: String)] {
        lock.withLock { ids.filter { life == nil || $0.life == life }.map { ($0.id, $0.text) } }
    }
}

/// Clients that send until their server is gone.
private final class Clients: Sendable {
    private let running = DispatchGroup()

    init(_ count: Int, of gateway: ServedGateway, life: Int, _ ledger: SentTexts) {
        let client = gateway.client
        for number in 0..<count {
            running.enter()
            Thread.detachNewThread { [running] in
                defer { running.leave() }
                for place in 0... {
                    let parts = Self.parts("life \(life), client \(number), text \(place)", isLong: place % 8 == 7)
                    ledger.send(parts)
                    guard
                        let answer = try? client.post(
                            "/api/v1/messages", ["text": .string(parts.joined(separator: "\n")), "channel": 0]),
                        answer.status != 201 && answer.status != 202 || Self.note(answer, parts, life, ledger)
                    else { return }
                }
            }
        }
    }

    /// A text, or one that has to go out in parts: it is cut at its lines.
    private static func parts(_ text: String, isLong: Bool) -> [String] {
        guard isLong else { return [text] }
        return (1...3).map { "\(text), part \($0) ".padding(toLength: 190, withPad: "-", startingAt: 0) }
    }

    private static func note(_ answer: Answer, _ parts: [String], _ life: Int, _ ledger: SentTexts) -> Bool {
        guard let data = try? answer.data else { return false }
        let ids = parts.count == 1 ? [data["messageId"]] : data["messageIds"].rows
        guard ids.count == parts.count else {
            Issue.record("\(parts.count) parts, but \(answer.text)")
            return false
        }
        for (id, part) in zip(ids, parts) { ledger.accept(id.string ?? "?", part, in: life) }
        return true
    }

    func waitForEnd() { running.wait() }
}

/// A seeded generator (SplitMix64), so that a failure can be repeated.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
