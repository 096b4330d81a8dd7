import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// Whoever is refused something is told why, once for each reason: apps show it as a window. Whoever looks after the gateway
/// finds in the log which program it was, what it wanted, and why not.
@Suite struct ARefusalHasWords {
    private func notifications(_ app: App) -> [ClientNotification] {
        app.frames.compactMap { frame in
            if case .clientNotification(let notification) = frame.message { notification } else { nil }
        }
    }

    private func refused(_ id: PacketID, _ app: App) throws {
        _ = try #require(app.wait { $0.contains { $0.routing(id) != nil } }, "\(id)")
        try app.settle()
    }

    @Test func theClientIsToldOnceForEachReason() throws {
        let house = try SharedHouse()
        let app = try house.connected()
        // REMOTE_HARDWARE twice, a MAP_REPORT, set_owner twice.
        app.send(packet: app.packet(0x11, port: 2, [1]))
        app.send(packet: app.packet(0x12, port: 2, [1]))
        app.send(packet: app.packet(0x13, port: 73, [1]))
        for id in [0x14, 0x15] as [PacketID] {
            app.administer(id, [0x82, 2, 3, 0x12, 1, 0x58], at: house.number)
        }
        for id in 0x11...0x15 as ClosedRange<PacketID> { try refused(id, app) }
        let told = notifications(app)
        #expect(told.map(\.replyID) == [0x11, 0x13, 0x14] && told.allSatisfy { $0.level == 30 })
        #expect(told[0].message.contains("REMOTE_HARDWARE_APP") && told[0].message.contains("right admin"))
        #expect(told[1].message.contains("MAP_REPORT_APP") && told[2].message.contains("settings"))
        // A phone that comes back is the same client.
        app.close()
        #expect(eventually { house.share.status[0].clients.isEmpty })
        let again = try house.connected()
        again.send(packet: again.packet(0x16, port: 2, [1]))
        try refused(0x16, again)
        #expect(notifications(again).isEmpty)
        // Somebody else has heard nothing of it.
        let other = try house.connected(from: 9)
        other.send(packet: other.packet(0x17, port: 2, [1]))
        try refused(0x17, other)
        #expect(notifications(other).map(\.replyID) == [0x17])
    }

    @Test func afterAWhileItIsToldAgain() throws {
        let house = try SharedHouse(times: ShareTimes(refusalWords: 0))
        let app = try house.connected()
        for id in [0x21, 0x22] as [PacketID] {
            app.send(packet: app.packet(id, port: 73, [1]))
            try refused(id, app)
        }
        #expect(notifications(app).count == 2)
    }

    /// A radio that has no answer to a question is no refusal of the gateway's, and no window.
    @Test func whatTheRadioCannotAnswerIsNoWindow() throws {
        let house = try SharedHouse()
        let app = try house.connected()
        // get_channel of one that no radio has.
        app.administer(0x31, [8, 99], at: house.number)
        try refused(0x31, app)
        #expect(notifications(app).isEmpty)
    }

    @Test func theLogNamesProgramPortAndReason() throws {
        let house = try SharedHouse(times: ShareTimes(refusalLog: 10_000_000_000))
        let app = try house.connected()
        for id in 0x41...0x44 as ClosedRange<PacketID> {
            app.send(packet: app.packet(id, port: 13, [1]))
            try refused(id, app)
        }
        let lines = { house.logged.filter { $0.hasPrefix("notice") && $0.contains("refused") } }
        // The tests' own process is the program at the other end.
        let program = try #require(house.share.status[0].clients.first.map { "\($0.address) (" })
        let first = try #require(lines().first)
        #expect(first.contains(program) && first.contains("REMOTE_SHELL_APP (13)") && first.contains("right admin"))
        let counted = { lines().filter { $0.contains("more packet") } }
        #expect(eventually { !counted().isEmpty })
        #expect(counted()[0].contains(program) && counted()[0].contains("in that minute"))
        #expect(lines().count { $0.contains("REMOTE_SHELL_APP") } < 4)
    }

    /// A minute in which nothing was counted has nothing to say: the next refusal has its reason.
    @Test func theNextMinuteBeginsWithAReason() {
        var refusals = ShareRefusals(ShareTimes(refusalLog: 60))
        let client = RefusedClient(sender: Sender(.share, "192.0.2.1"), name: "a program", right: .send, port: 0)
        let isLogged = [0, 61, 62, 122].map { refusals.isToBeLogged(of: client, at: $0) }
        #expect(isLogged == [true, true, false, false])
        let said = refusals.takeOverdue(at: 122)
        #expect(said == ["shared radio: a program was refused 2 more packets in that minute"])
    }
}
