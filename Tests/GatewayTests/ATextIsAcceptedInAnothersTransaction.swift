import Foundation
import Glibc
import MeshModel
import Store
import Synchronization
import Testing

@testable import Gateway

/// A room that acts on a change sends a text in the transaction in which its effect and its place are stored.
@Suite(.timeLimit(.minutes(20))) struct ATextIsAcceptedInAnothersTransaction {
    private struct Refused: Error {}

    private func text(_ words: String, waits: Bool = false) -> OutgoingText {
        OutgoingText(parts: [words], destination: .channel(0), waits: waits)
    }

    @Test func itGoesOutWhenThatIsOnDisk() throws {
        let test = try TestGateway()
        let (gateway, source) = (test.gateway, try test.source)
        let reader = try gateway.reader(named: "toy", kinds: [.message]) {}
        try test.hear(.text("a", from: alice, id: 1))
        let accepted = Mutex<AcceptedText?>(nil)
        try reader.act(upTo: reader.place + 1) { writer in
            try writer.insert(Happening(.notice, at: noon, text: "acted"))
            let answer = try writer.accept(text("answer"), by: .cli, to: source, of: gateway)
            accepted.withLock { $0 = answer }
        }
        // It has rows, and nobody has said that it may go.
        #expect(try test.outbox().map(\.packet.decoded?.payload) == [Array("answer".utf8)])
        let answer = try #require(accepted.withLock { $0 })
        #expect(answer.messages.map(\.text) == ["answer"])
        gateway.queue(answer)
        #expect(test.radio.wait(for: 1).map(\.id) == [answer.messages[0].packetID])
        try test.waitUntilHanded(answer.messages[0].packetID)
        // Whoever is next is not in its way.
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == [answer.messages[0].packetID, next.packetID])
    }

    @Test func whatIsRefusedLeavesNothing() throws {
        let test = try TestGateway()
        let (gateway, source) = (test.gateway, try test.source)
        let reader = try gateway.reader(named: "toy", kinds: [.message]) {}
        let place = reader.place
        #expect(throws: Refused.self) {
            try reader.act(upTo: place + 1) { writer in
                _ = try writer.accept(text("answer"), by: .cli, to: source, of: gateway)
                throw Refused()
            }
        }
        test.radio.unplug()
        try test.waitForLoss()
        #expect(throws: SendRefusal.notConnected) {
            try reader.act(upTo: place + 1) { writer in
                try writer.insert(Happening(.notice, at: noon, text: "acted"))
                _ = try writer.accept(text("answer"), by: .cli, to: source, of: gateway)
            }
        }
        let long = OutgoingText(parts: [String](repeating: "x", count: 20), destination: .channel(0), waits: true)
        #expect(throws: SendRefusal.tooLong(parts: 20)) {
            try reader.act(upTo: place + 1) { writer in
                _ = try writer.accept(long, by: .cli, to: source, of: gateway)
            }
        }
        #expect(reader.place == place)
        #expect(try test.outbox().isEmpty && test.messages().isEmpty)
        #expect(try test.store.read { try $0.happenings(limit: .max) }.allSatisfy { $0.text != "acted" })
    }

    /// Effect, place and text: killed at any moment there are as many of each.
    @Test func noKillPartsThem() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills =
            environment["MESH_GATEWAY_TEST_KILLS"].flatMap { Int($0) }
            ?? (environment["MESH_GATEWAY_TEST_FULL"] == nil ? 8 : 100)
        let folder = FileManager.default.temporaryDirectory.path + "/killed-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // A radio has been there, for which texts can wait.
        do {
            let test = try TestGateway()
            test.stop()
            try FileManager.default.copyItem(atPath: test.folder, toPath: folder)
        }
        var count = 0
        for kill in 1...kills {
            await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String, kill = kill as Int] in
                let time = UInt32.random(in: 0...20_000) * UInt32(kill % 3 + 1)
                // On a slow machine nothing would ever be done before the kill.
                try actUntilKilled(in: folder, after: time, isFirstDone: kill % 2 == 0)
            }
            let copy = "\(folder)-\(kill)"
            try FileManager.default.copyItem(atPath: folder, toPath: copy)
            let test = try withoutRadio(in: copy)
            let (source, store) = (try test.source, test.store)
            let acted = try store.read { try $0.happenings(limit: .max) }.filter { $0.kind == .notice }
                .compactMap(\.sequence).sorted()
            let all = MessageQuery(source: source, order: .oldestFirst, limit: 1_000_000)
            let texts = try store.read { try $0.messages(all) }.compactMap { UInt64($0.text) }.sorted()
            #expect(acted == texts, "after \(kill) kills")
            let place = try store.read { try $0.cursor("toy") }
            if let last = acted.last { #expect(place == Int64(last), "after \(kill) kills") }
            #expect(try store.read { try $0.outbox(in: source) }.count == texts.count, "after \(kill) kills")
            count = texts.count
        }
        #expect(count > 0, "it was killed before it did anything")
    }
}

private func withoutRadio(in folder: String) throws -> TestGateway {
    let radio = PeerRadio()
    radio.unplug()
    // Its folder goes with it, unless it is killed.
    return try TestGateway(folder: folder, radio: radio, startsLive: false)
}

/// Acts on one made-up change after the other, and sends a text for each, until it is killed.
///
/// - Parameter isFirstDone: the time counts once it has acted.
private func actUntilKilled(in folder: String, after microseconds: UInt32, isFirstDone: Bool) throws {
    let test = try withoutRadio(in: folder)
    let (gateway, source) = (test.gateway, try test.source)
    let reader = try gateway.reader(named: "toy", kinds: []) {}
    func waitAndKill() {
        Thread.detachNewThread {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
    }
    if !isFirstDone { waitAndKill() }
    var isFirst = true
    while true {
        let next = reader.place + 1
        try reader.act(upTo: next) { writer in
            try writer.insert(Happening(.notice, at: noon + next * 3_600_000, sequence: UInt64(next)))
            let text = OutgoingText(
                parts: ["\(next)"], destination: .channel(0), waits: true, lifetime: 1 << 40)
            _ = try writer.accept(text, by: .cli, to: source, of: gateway)
        }
        if isFirst, isFirstDone { waitAndKill() }
        isFirst = false
    }
}
