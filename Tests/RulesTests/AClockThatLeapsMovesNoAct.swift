import Foundation
import Gateway
import MeshModel
import RadioSimulator
import Testing

@testable import Rules
@testable import Store

/// The host's clock is set while an act waits for its delay, and set back. It leaves after its delay by the clock that
/// is never set, no earlier, and once.
@Suite struct AClockThatLeapsMovesNoAct {
    private static let leaps = [hour, -hour, 24 * hour, -24 * hour]

    private func radio() throws -> SimulatedRadio {
        var options = SimulatorOptions()
        (options.chatter, options.timeScale, options.limitsRates) = (0, 10, false)
        let radio = try SimulatedRadio(options)
        radio.start()
        return radio
    }

    @Test(arguments: leaps) func itsDelayIsThatOfAnotherClock(leap: Int64) throws {
        let radio = try radio()
        let rule = "when = message\nphrase = ping\nreply = heard\ndelay = 30s"
        let mesh = try StoredMesh(["answer": rule], radio: radio)
        defer {
            mesh.kill()
            radio.stop()
        }
        for _ in 0..<3_000 where mesh.gateway.status(of: mesh.source).link != .live { usleep(20_000) }
        try #require(mesh.gateway.status(of: mesh.source).link == .live)
        func lines() throws -> [RuleFiring] {
            try mesh.store.commit { _ in }
            return try mesh.logged("answer")
        }
        try mesh.write("ping", id: 7, channel: 0)
        try mesh.work()
        try mesh.pass(10 * second)
        try mesh.setClock(by: leap)
        #expect(mesh.deadline.map { $0 - mesh.now.at } == 20 * second)
        try mesh.pass(20 * second - 1)
        #expect(try lines().isEmpty && radio.received.allSatisfy { $0.decoded?.replyID != 7 })
        try mesh.pass(1)
        // Its port is free, or will be within seconds of the host's clock.
        for _ in 0..<3_000 where try lines().isEmpty {
            usleep(20_000)
            try mesh.work()
        }
        #expect(try lines().map(\.fate) == [.sent])
        #expect(radio.waitForPacket(timeout: 60) { $0.decoded?.replyID == 7 } != nil)

        try mesh.pass(2 * minute)
        try mesh.setClock(by: -leap)
        try mesh.pass(2 * minute)
        // Who asks next is answered as ever.
        try mesh.write("ping", id: 8, channel: 0)
        try mesh.work()
        try mesh.pass(30 * second)
        for _ in 0..<3_000 where try lines().count < 2 {
            usleep(20_000)
            try mesh.work()
        }
        #expect(try lines().map(\.fate) == [.sent, .sent])
        #expect(radio.waitForPacket(timeout: 60) { $0.decoded?.replyID == 8 } != nil)
        #expect(radio.received.count { $0.decoded?.replyID == 7 } == 1)
    }
}
