import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct EachMisbehaviourShowsOnTheWire {
    /// Without any, every byte belongs to a frame.
    @Test func aGoodRadioIsClean() throws {
        try withRadio { radio, host in
            for nonce in 1...5 as ClosedRange<UInt32> { host.handshake(nonce) }
            host.settle(radio)
            #expect(host.noise.isEmpty)
        }
    }

    @Test func debugTextBetweenFramesHarmsNone() throws {
        try withRadio({ $0.misbehaviour = .debugTextBetweenFrames }) { _, host in
            let frames = host.handshake()
            let lines = String(decoding: host.noise, as: UTF8.self).split(separator: "\r\n")
            #expect(frames.count == 5 + 8 + 10 + 17 + 24 + 5 + 1)
            #expect(lines.count >= frames.count)
            #expect(lines[0].contains("| ??:??:??"))
        }
    }

    @Test func aTCPClientSeesNoDebugText() throws {
        try withRadio({ $0.misbehaviour = [.debugTextBetweenFrames, .debugTextInsideFrames] }) { radio, _ in
            let client = try Host(tcp: try radio.listen())
            for nonce in 1...3 as ClosedRange<UInt32> { client.handshake(nonce) }
            #expect(client.noise.isEmpty)
        }
    }

    /// A stage with the settings alone has 46 frames here; the 20th and the 40th are hit.
    @Test(arguments: [Misbehaviour.debugTextInsideFrames, .truncatedFrames])
    func framesAreLost(_ misbehaviour: Misbehaviour) throws {
        try withRadio {
            $0.misbehaviour = misbehaviour
            $0.faultInterval = 20
        } _: { _, host in
            let frames = host.handshake(69420)
            #expect(frames.count == 44)
            #expect(!host.noise.isEmpty)
            if misbehaviour == .debugTextInsideFrames {
                #expect(String(decoding: host.noise, as: UTF8.self).contains("[Router]"))
            }
        }
    }

    /// With a fault every 60 frames, the same stage is whole at least every second time.
    @Test func alternateHandshakesAreWhole() throws {
        try withRadio({ $0.misbehaviour = .truncatedFrames }) { _, host in
            var whole = 0
            for nonce in 100..<110 as Range<UInt32> {
                let mark = host.frames.count
                host.send(.wantConfig(69420))
                // The completion may be the victim: then the queue status after it ends the wait.
                host.send(.heartbeat(nonce: nonce))
                _ = host.wait(0.5, since: mark) { $0 == .configComplete(69420) ? true : nil }
                if host.frames[mark...].filter({ if case .config = $0 { true } else { false } }).count == 10,
                    host.frames[mark...].contains(.configComplete(69420))
                {
                    whole += 1
                }
            }
            #expect(whole >= 2)
        }
    }

    /// A stall lasts 20 simulated seconds; here they pass in five real ones, and nothing is lost.
    @Test func aStallLosesNothing() throws {
        try withRadio {
            $0.misbehaviour = .stalls
            $0.faultInterval = 30
            $0.timeScale = 4
        } _: { _, host in
            host.send(.wantConfig(69420))
            #expect(host.wait(0.5) { $0 == .configComplete(69420) ? true : nil } == nil, "it stalls after 30 frames")
            #expect(host.frames.count == 30)
            #expect(host.wait { $0 == .configComplete(69420) ? true : nil } == true)
            #expect(host.frames.count == 46)
        }
    }

    /// A slow line is no misbehaviour, but what it does to the other kinds is the same: nothing.
    @Test func aSlowLineLosesNothing() throws {
        try withRadio {
            $0.baud = 115_200
            $0.nodes = 60
        } _: { radio, host in
            #expect(host.handshake().count == 5 + 8 + 10 + 17 + 60 + 5 + 1)
            host.settle(radio)
            #expect(host.noise.isEmpty)
        }
    }

    @Test func everySecondHandshakeEndsWithAForeignNonce() throws {
        try withRadio({ $0.misbehaviour = .wrongNonce }) { _, host in
            host.send(.wantConfig(77))
            let wrong = host.wait { if case .configComplete(let nonce) = $0 { nonce } else { nil } }
            #expect(wrong != nil && wrong != 77)
            host.handshake(78)
        }
    }

    @Test func everySecondPacketFindsTheQueueFull() throws {
        try withRadio {
            $0.misbehaviour = .fullQueue
            $0.limitsRates = false
        } _: { radio, host in
            host.handshake()
            host.send(text("one", to: .broadcast, id: 1, from: radio))
            let refusal = host.waitForStatus(1)
            #expect(refusal?.result == 32)
            #expect(refusal?.free == 0)
            #expect(refusal?.capacity == 16)
            #expect((host.waitForStatus(0)?.free ?? 0) > 0, "it tells when there is room")
            host.send(text("two", to: .broadcast, id: 2, from: radio))
            #expect(host.waitForStatus(2)?.result == 0)
            host.send(text("three", to: .broadcast, id: 3, from: radio))
            #expect(host.waitForStatus(3)?.result == 32)
        }
    }
}
