import Glibc
import Log
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import RadioShare

/// One-shot programs close within a millisecond: what they have written goes out all the same. The end is a FIN on our side,
/// never a reset, on which the official library's reader ends for good.
@Suite struct WhatWasWrittenBeforeTheEndCounts {
    @Test func whoClosesAtOnceHasSent() throws {
        let house = try SharedHouse()
        for (place, end) in ["close", "reset", "disconnect", "half"].enumerated() {
            let id = PacketID(0x300 + place)
            let app = try house.connected()
            app.text(id, "one \(end)")
            switch end {
            case "reset": app.reset()
            case "disconnect":
                app.send(.disconnect)
                #expect(app.waitForEnd() == .fin)
            case "half":
                app.finish()
                #expect(app.waitForEnd() == .fin)
                // It could still hear its answer.
                #expect(app.frames.contains { $0.status?.packetID == id })
            default: break
            }
            app.close()
            #expect(eventually { house.written(id).count == 1 }, "\(end)")
        }
        #expect(eventually { house.share.status[0].clients.isEmpty })
    }

    /// Without a handshake, as an own program may.
    @Test func alsoWithoutAHandshake() throws {
        let house = try SharedHouse()
        let app = try house.connect()
        app.text(0x81, "hi")
        app.close()
        #expect(eventually { house.written(0x81).count == 1 })
    }

    /// The share finds out when it writes, before it has read what came first.
    @Test func alsoWhenTheFirstToFailIsAWrite() throws {
        let house = try SharedHouse()
        let inbox = try #require(ShareInbox())
        let board = ShareBoard([SharedPortStatus(address: "", port: 0, right: .send, source: house.source)])
        let loop = ShareLoop(house.gateway, inbox, board, [], admits: { _ in true }, .silent)
        let listener = try ShareSocket.listen("127.0.0.1", 0)
        defer { close(listener) }
        let app = try App(port: ShareSocket.port(of: listener), reads: false)
        let ids = 0x91...0x93 as ClosedRange<PacketID>
        for id in ids { app.text(id, "text \(id)") }
        app.reset()
        var accepted: Int32?
        #expect(
            eventually {
                accepted = ShareSocket.accept(listener)?.descriptor
                return accepted != nil
            })
        let client = ShareClient(
            id: 1, descriptor: try #require(accepted), address: "", port: 0, right: .send,
            sender: Sender(.share, "x"), since: 0, radio: SharedRadio(house.gateway, house.source) {}, now: loop.now)
        loop.clients = [client]
        client.tellAtOnce(FromRadio.rebooted.encoded())
        loop.move(client)
        #expect(client.end == .left)
        for id in ids { #expect(eventually { house.written(id).count == 1 }, "\(id)") }
        close(client.descriptor)
    }

    /// What was written a moment before the gateway is stopped has nobody else to take it.
    @Test func alsoWhenTheShareEnds() throws {
        let house = try SharedHouse()
        let app = try house.connected()
        app.text(0x95, "just before")
        house.share.stop()
        #expect(eventually { house.written(0x95).count == 1 })
        #expect(app.waitForEnd() == .fin)
    }

    @Test func theShareEndsWithAFIN() throws {
        let house = try SharedHouse()
        let apps = try (0..<3).map { _ in try house.connected() }
        let silent = try house.connect()
        // Nobody has read these yet.
        silent.send(bytes: [UInt8](repeating: 0xC3, count: 32))
        house.share.stop()
        for app in apps + [silent] { #expect(app.waitForEnd() == .fin) }
        #expect(house.share.listeners.isEmpty)
    }
}
