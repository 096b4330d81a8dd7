import Glibc
import MeshModel
import MeshProtocol
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
