import MeshModel
import MeshProtocol
import Store
import Synchronization
import Testing

@testable import Gateway

/// Who listens to some kinds is woken by these alone, and does not lose his place because of others.
@Suite struct NobodyIsWokenForNothing {
    @Test func aListenerForMessagesIsNotWokenByPackets() throws {
        let test = try TestGateway()
        let listener = test.gateway.events.listen(to: [.message])
        let wakes = Mutex(0)
        #expect(listener.nextEvents { wakes.withLock { $0 += 1 } }.events.isEmpty)
        // More packets than the ring has places.
        for id in 1...600 as ClosedRange<PacketID> {
            test.tell(.received(.packet(.heard(.position, [], id: id)), raw: []))
        }
        try test.settle()
        #expect(wakes.withLock { $0 } == 0)
        try test.hear(.text("hello", id: 7_000))
        #expect(wakes.withLock { $0 } == 1)
        let told = listener.nextEvents {}
        #expect(told.missed == 0 && told.events.map(\.kind) == [.message])
    }

    /// A thousand nodes that the radio lists are no thousand events.
    @Test func aLongListOfNodesPushesNothingOut() throws {
        let radio = PeerRadio { $0.nodes = (1...1000).map { NodeInfo(number: NodeNumber(0x1000 + $0)) } }
        let test = try TestGateway(radio: radio, startsLive: false)
        let listener = test.gateway.events.listen()
        let rows = Mutex(0)
        let changes = test.gateway.changes(of: [.node]) { rows.withLock { $0 += 1 } }
        try test.waitUntilLive()
        let told = listener.nextEvents(upTo: 512) {}
        #expect(told.missed == 0)
        #expect(told.events.contains { $0.kind == .link })
        #expect(told.events.filter { $0.kind == .node }.count < 5)
        #expect(try test.node(NodeNumber(0x1000 + 1000)) != nil)
        // Who wants to know of nodes hears of them and finds them.
        #expect(rows.withLock { $0 } > 0)
        let found = try test.store.read { try $0.changes(after: 0, kinds: [.node], limit: 2_000) }.changes
        #expect(found.count >= 1000)
        withExtendedLifetime(changes) {}
    }

    @Test func aListenerThatNeverReadsLosesWithACount() throws {
        let test = try TestGateway()
        let source = try test.source
        let wakes = Mutex(0)
        let listener = test.gateway.frames(of: source, kinds: [.packet], capacity: 8) { wakes.withLock { $0 += 1 } }
        let packets = (1...20).map { FromRadio.packet(.text("\($0)", id: PacketID($0))) }
        try test.hear(packets)
        #expect(wakes.withLock { $0 } == 1, "it was woken again though it had not taken anything")
        let first = listener.take(upTo: 3)
        #expect(first.frames.count == 3 && first.missed == 0)
        let rest = listener.take()
        #expect(rest.frames.count == 5 && rest.missed == 12)
        // Its raw bytes are the frame's.
        guard case .packet(let packet) = first.frames[0].value else { return #expect(Bool(false)) }
        #expect(packet.id == 1 && first.frames[0].raw == packets[0].encoded())
        try test.hear(.text("again", id: 99))
        #expect(wakes.withLock { $0 } == 2 && listener.take().frames.count == 1)
    }

    /// The frame comes while the disk does nothing.
    @Test func aFrameWaitsForNoCommit() throws {
        let test = try TestGateway()
        let listener = test.gateway.frames(of: try test.source) {}
        let goOn = test.stopWriter()
        try test.hearUnstored(.packet(.text("early", id: 5)))
        let frames = listener.take().frames
        goOn()
        #expect(frames.contains { if case .packet(let packet) = $0.value { packet.id == 5 } else { false } })
    }
}
