import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

/// A source whose radio is gone for good, or that never had one: what is stored of it is shown, marked and deleted like
/// everything else. What feeds a source need not be a serial port or an address in the network.
@Suite struct ASourceNeedsNoRadio {
    /// A source in the database that no link feeds, with a node, its text to us, an own text that failed and one that waits.
    private func addSource(to test: TestGateway) throws -> SourceID {
        try test.store.commit { writer in
            let source = try writer.insert(
                Source(uuid: "11111111-2222-4333-8444-555555555555", name: "Broker", isEnabled: true, createdAt: noon))
            try writer.update(source) { row in
                row.deviceID = "feed:mqtt.example/msh"
                row.nodeNumber = carol
            }
            try writer.updateNode(bob, in: source, at: noon) { $0.publicKey = key(1) }
            var heard = Message(ownText: "hello", packet: .text("hello", from: bob, id: 1), partsToCome: 0, at: noon)
            (heard.isOwn, heard.delivery) = (false, nil)
            try writer.insertMessage(heard, in: source)
            for id in [2, 3] as [PacketID] {
                let packet = MeshPacket.text("own \(id)", from: carol, to: bob, id: id)
                var own = Message(ownText: "own \(id)", packet: packet, partsToCome: 0, at: noon)
                if id == 2 { own.delivery?.giveUp(.noAnswer) }
                try writer.insertMessage(own, in: source)
                if id == 3 { try writer.insertOutbox(OutboxItem(packet: packet, createdAt: noon), in: source) }
            }
            return source
        }
    }

    private func node(_ test: TestGateway, _ source: SourceID) throws -> Node? {
        try test.store.read { try $0.node(bob, in: source) }
    }

    private func texts(_ test: TestGateway, _ source: SourceID) throws -> [Message] {
        try test.store.read { try $0.messages(MessageQuery(source: source, order: .oldestFirst)) }
    }

    @Test func whatIsStoredOfItIsChanged() throws {
        let test = try TestGateway()
        let source = try addSource(to: test)
        // An answer of the radio that is there says nothing about it, nor is anything of it sent there.
        #expect(try test.gateway.mark(.favorite, true, of: bob, in: source) == false)
        #expect(try node(test, source)?.isFavorite == true)
        #expect(throws: RadioRefusal.notConnected) { try test.gateway.removeFromRadio(bob, of: source) }
        #expect(throws: SendRefusal.notConnected) {
            try test.gateway.send(
                OutgoingText(parts: ["x"], destination: .node(bob), waits: true), by: .cli, to: source)
        }
        let messages = try texts(test, source)
        #expect(messages.count == 3)
        for waits in [false, true] {
            #expect(throws: ResendRefusal.refused(.notConnected)) {
                try test.gateway.resend(messageID: messages[1].id, waits: waits, in: source)
            }
        }
        let cancelled = try test.gateway.cancel(messageID: messages[2].id, in: source)
        #expect(cancelled.delivery?.cause == .cancelled)
        #expect(try test.gateway.decide(.verify, of: bob, by: .cli, in: source).node.isKeyManuallyVerified)
        #expect(try test.gateway.deleteMessage(id: messages[0].id, in: source))
        #expect(try texts(test, source).count == 2)
        #expect(try test.gateway.deleteNode(bob, in: source).messages == 2)
        #expect(try node(test, source) == nil && texts(test, source).isEmpty)
        #expect(test.radio.received.isEmpty)
        #expect(test.gateway.status(of: source).isConnected == false && test.gateway.handshake(of: source) == nil)
    }

    /// No radio that is plugged in takes it over, whatever has changed in the settings.
    @Test func noLinkTakesIt() throws {
        let test = try TestGateway()
        let (first, source) = (try test.source, try addSource(to: test))
        test.stop()
        let folder = try Store(path: test.folder + "/mesh.db")
        defer { folder.close() }
        let assigned = try folder.commit { writer in
            try writer.update(first) { row in (row.device, row.isEnabled) = (nil, false) }
            return try assignSources(to: ["/dev/other", "/dev/another"], firstName: "Default", at: noon, writer)
        }
        #expect(!assigned.contains(source) && Set(assigned).count == 2)
        #expect(try folder.read { try $0.sources() }.first { $0.0 == source }?.1.isEnabled == true)
    }

    /// Something that has packets of a mesh, and is no radio.
    private final class Feed: RadioConnection {
        let delegate = Mutex<(any RadioLinkDelegate)?>(nil)
        let snapshot: RadioSnapshot? = RadioSnapshot(
            myInfo: MyNodeInfo(
                number: carol, rebootCount: 0, deviceID: [UInt8](repeating: 9, count: 16), nodeDBCount: 1))

        init(_ delegate: any RadioLinkDelegate) { self.delegate.withLock { $0 = delegate } }

        func tell(_ event: RadioEvent) { delegate.withLock { $0 }?.radioLink(event) }

        func start() {
            tell(.state(.configuring))
            tell(.configured(snapshot!))
            tell(.state(.live))
        }
        func stop() { delegate.withLock { $0 = nil } }
        func wake() {
            let now = MonotonicClock.nanoseconds()
            guard let delegate = delegate.withLock({ $0 }),
                case .send(let packet) = delegate.nextPacket(at: now, queueFree: 16)
            else { return }
            sent.withLock { $0.append(packet) }
            tell(.written(packet.id))
        }
        let sent = Mutex<[MeshPacket]>([])
    }

    @Test func whatFeedsItMayBeAnything() throws {
        let house = try TestGateway()
        house.stop()
        let store = try Store(path: house.folder + "/mesh.db")
        defer { store.close() }
        let feed = Mutex<Feed?>(nil)
        let gateway = try Gateway(
            store: store, pace: SendingPace(text: 0, traceroute: 0, request: 0), clock: { noon }, logger: .silent,
            devices: [
                Gateway.Device(name: "broker") { delegate in
                    let made = Feed(delegate)
                    feed.withLock { $0 = made }
                    return made
                }
            ])
        gateway.start()
        defer { gateway.stop() }
        let fed = try #require(feed.withLock { $0 })
        try store.commit { _ in }
        let found = try store.read { try $0.sources() }.first { $0.1.nodeNumber == carol }
        let source = try #require(found).0
        let text = MeshPacket.text("hello", to: carol)
        fed.tell(.received(.packet(text), raw: FromRadio.packet(text).encoded()))
        try store.commit { _ in }
        let messages = try store.read { try $0.messages(MessageQuery(source: source)) }
        #expect(messages.map(\.text) == ["hello"] && messages.first?.from == alice)
        #expect(gateway.status(of: source).isConnected)
        _ = try gateway.send(OutgoingText(parts: ["and back"], destination: .node(alice)), by: .cli, to: source)
        #expect(fed.sent.withLock { $0 }.map { $0.decoded?.payload } == [Array("and back".utf8)])
        #expect(throws: RadioRefusal.notConnected) { try gateway.settings(.lora, of: source) }
        #expect(try gateway.set(.favorite, true, of: alice, in: source, onRadio: false))
        #expect(try gateway.deleteNode(alice, in: source).messages == 2)
    }
}
