import Foundation
import Log
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Testing

@testable import Gateway

/// A gateway with several links, "a", "b" and so on in this order, a radio at the end of each.
final class SeveralRadios {
    let folder: String
    let store: Store
    let gateway: Gateway
    private let radios: [String: PeerRadio]
    private let events: [String: EventRelay]

    /// The own number and device id of two radios.
    static let first: @Sendable (inout PeerRadio.Identity) -> Void = {
        ($0.number, $0.deviceID) = (own, [UInt8](1...16))
    }
    static let second: @Sendable (inout PeerRadio.Identity) -> Void = {
        ($0.number, $0.deviceID) = (bob, [UInt8](repeating: 9, count: 16))
    }

    /// - Parameters:
    ///   - radios: who is at which link; nil: nobody yet.
    ///   - folder: of an earlier gateway, which was stopped.
    init(
        _ radios: KeyValuePairs<String, (@Sendable (inout PeerRadio.Identity) -> Void)?>, folder: String? = nil
    ) throws {
        self.folder = folder ?? FileManager.default.temporaryDirectory.path + "/radios-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        var (peers, relays): ([String: PeerRadio], [String: EventRelay]) = ([:], [:])
        for (link, identity) in radios {
            let peer = PeerRadio()
            if let identity { peer.become(identity) } else { peer.unplug() }
            peers[link] = peer
            relays[link] = EventRelay()
        }
        (self.radios, events) = (peers, relays)
        store = try Store(path: self.folder + "/mesh.db")
        let devices = radios.map { link, _ in
            let (peer, relay) = (peers[link]!, relays[link]!)
            return Gateway.Device(name: link) { delegate in
                relay.attach(delegate)
                return RadioLink(address: .connection(name: link), connect: { try peer.connect() }, delegate: relay)
            }
        }
        gateway = try Gateway(
            store: store, pace: SendingPace(text: 0, traceroute: 0, request: 0), clock: { noon },
            logger: .silent, devices: devices)
        gateway.start()
        for (link, identity) in radios where identity != nil { try waitUntilLive(link) }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func stop() {
        gateway.stop()
        store.close()
    }

    func radio(_ link: String) -> PeerRadio { radios[link]! }

    // MARK: Events

    /// Waits for the `count`-th time that a link is live and what follows from that is stored.
    func waitUntilLive(_ link: String, count: Int = 1) throws {
        try #require(events[link]!.wait { $0.lives >= count }, "\(link) does not get live")
        try settle()
    }

    /// Takes the radio away from a link.
    func unplug(_ link: String, times count: Int = 1) throws {
        radio(link).unplug()
        try waitForLoss(link, times: count)
    }

    func waitForLoss(_ link: String, times count: Int) throws {
        try #require(events[link]!.wait { $0.losses >= count }, "\(link) does not lose its radio")
        try settle()
    }

    func plug(_ identity: @Sendable (inout PeerRadio.Identity) -> Void, at link: String, times count: Int) throws {
        radio(link).replug(identity)
        try waitUntilLive(link, count: count)
    }

    /// Puts a radio at a link that another link has already.
    func plugTwin(
        _ identity: @Sendable (inout PeerRadio.Identity) -> Void, at link: String, times count: Int
    ) throws {
        radio(link).replug(identity)
        // It can be live for a moment before it is refused, or not.
        try waitForLoss(link, times: count)
    }

    /// Waits until a link is live with a radio of its own.
    func waitUntilAdopted(_ link: String) throws { _ = try waitUntilOneIsAdopted(of: [link]) }

    func waitUntilOneIsAdopted(of links: [String] = ["a", "b"]) throws -> String {
        let limit = Date(timeIntervalSinceNow: 120)
        while Date() < limit {
            try settle()
            for link in links {
                let status = try status(link)
                if status.link == .live, status.myInfo != nil { return link }
            }
            usleep(10_000)
        }
        throw Impatience()
    }

    struct Impatience: Error {}

    private func settle() throws {
        // What is stored can be followed by another decision: twice.
        for _ in 0..<2 { try store.commit { _ in } }
    }

    /// The radio at a link tells its settings once more; the gateway has taken them in, stored or not.
    func readAgain(_ link: String) throws {
        let relay = events[link]!
        let lives = relay.seenLives
        gateway.radios.at(link)?.readAgain()
        try #require(relay.wait { $0.lives > lives }, "\(link) does not get live")
    }

    /// The writer does nothing until what is returned is called.
    func stopWriter() -> @Sendable () -> Void {
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        store.enqueue(
            .grouped,
            { _ in
                begun.signal()
                ended.wait()
            })
        begun.wait()
        return { ended.signal() }
    }

    func hear(_ text: String, id: PacketID, at link: String) throws {
        let mark = "mark \(UUID())"
        radio(link).send([
            .packet(.text(text, from: alice, id: id)),
            .logRecord(LogRecord(message: mark, time: 0, source: "", level: 0)),
        ])
        try #require(events[link]!.wait { $0.marks.contains(mark) }, "the gateway did not hear it")
        try settle()
    }

    // MARK: Sources

    var sources: [(id: SourceID, source: Source)] {
        get throws { try store.read { try $0.sources() }.map { (id: $0.0, source: $0.1) } }
    }

    /// The source that a link feeds.
    func source(_ link: String) throws -> SourceID {
        try #require(try sources.first { $0.source.device == link && $0.source.isEnabled }, "\(link) has none").id
    }

    func uuid(_ link: String) throws -> String {
        let id = try source(link)
        return try #require(try sources.first { $0.id == id }).source.uuid
    }

    func status(_ link: String) throws -> RadioStatus { gateway.status(of: try source(link)) }

    /// Oldest first.
    func texts(_ source: SourceID) throws -> [String] {
        try store.read { try $0.messages(MessageQuery(source: source, order: .oldestFirst)) }.map(\.text)
    }

    func send(_ text: String, to source: SourceID) throws -> Message {
        try #require(
            try gateway.send(OutgoingText(parts: [text], destination: .channel(0)), by: .cli, to: source).first)
    }

    /// What a radio was given, once there is so much.
    func given(_ link: String, count: Int) -> [String] {
        radio(link).wait(for: count).map { String(decoding: $0.decoded?.payload ?? [], as: UTF8.self) }
    }
}
