import Foundation
import Glibc
import MeshModel
import MeshProtocol
import RadioLink
import RadioSimulator
import Store
import Synchronization
import Testing

@testable import Gateway

/// A simulated radio, its gateway, a toy transport in front of it and a client on that.
final class House: @unchecked Sendable {
    let radio: (number: NodeNumber, privateKey: [UInt8], nodes: [NodeNumber])
    let store: Store
    let gateway: Gateway
    let source: SourceID
    let sender = Sender(.share, "192.0.2.7")
    let events: LiveEvents.Listener
    private let simulated: SimulatedRadio
    private let tap = Tap()
    private let interest: HandshakeInterest
    private let toy: ToyTransport
    private let folder = FileManager.default.temporaryDirectory.path + "/doors-" + UUID().uuidString
    private let changed = NSCondition()
    private var frames: [[UInt8]] = []

    init(right: ClientRight) throws {
        var options = SimulatorOptions()
        (options.chatter, options.timeScale, options.limitsRates) = (0, 10, false)
        let simulated = try SimulatedRadio(options)
        self.simulated = simulated
        simulated.start()
        radio = (simulated.number, simulated.privateKey, simulated.nodes.map(\.number))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try Store(path: folder + "/mesh.db")
        let tap = tap
        gateway = try Gateway(store: store, pace: SendingPace(text: 0, traceroute: 0, request: 0), logger: .silent) {
            RadioLink(
                address: .connection(name: "simulated"), connect: { try simulated.connect() }, tap: tap, delegate: $0)
        }
        interest = gateway.keepHandshakes()
        source = try #require(try store.read { try $0.sources() }.first).0
        events = gateway.events.listen()
        toy = ToyTransport(gateway, source, right: right, as: sender)
        gateway.start()
        let limit = Date(timeIntervalSinceNow: 120)
        while gateway.handshake(of: source) == nil, limit.timeIntervalSinceNow > 0 { usleep(10_000) }
        let toy = toy
        Thread { toy.run() }.start()
        Thread { [weak self] in Self.read(toy.client) { self?.hear($0) } }.start()
    }

    deinit {
        leave()
        gateway.stop()
        store.close()
        simulated.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: The client

    func leave() { shutdown(toy.client, Int32(SHUT_RDWR)) }

    func send(_ message: ToRadio) { write(message.encoded()) }

    func send(bytes packet: [UInt8]) { write([0x0a, UInt8(packet.count)] + packet) }

    func administer(_ id: UInt8, _ order: [UInt8], to node: NodeNumber? = nil) {
        let number = (node ?? radio.number).rawValue
        let data = [0x08, 6, 0x12, UInt8(order.count)] + order + [0x18, 1]
        send(
            bytes: [0x15] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [0x22, UInt8(data.count)]
                + data + [0x35, id, 0, 0, 0])
    }

    private func write(_ payload: [UInt8]) {
        let bytes = StreamFrame.encode(payload)
        _ = bytes.withUnsafeBytes { Glibc.send(toy.client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private static func read(_ descriptor: Int32, _ hear: ([UInt8]) -> Void) {
        var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            buffer.withUnsafeBytes { bytes in
                decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[..<count]), now: 0) { output in
                    if case .frame(_, let raw) = output { hear(raw) }
                }
            }
        }
        close(descriptor)
    }

    private func hear(_ frame: [UInt8]) {
        changed.withLock {
            frames.append(frame)
            changed.broadcast()
        }
    }

    /// All frames so far, when they are as wanted.
    func wait(until isDone: ([[UInt8]]) -> Bool) -> [[UInt8]]? {
        let limit = Date(timeIntervalSinceNow: 120)
        return changed.withLock {
            while !isDone(frames) { if !changed.wait(until: limit) { return isDone(frames) ? frames : nil } }
            return frames
        }
    }

    func decoded(_ frame: [UInt8]) -> FromRadio? { frame.withUnsafeBytes { FromRadio(decoding: $0) } }

    func packet(_ frame: [UInt8]) -> MeshPacket? {
        if case .packet(let packet) = decoded(frame) { packet } else { nil }
    }

    func status(_ frame: [UInt8]) -> PacketID? {
        if case .queueStatus(let status) = decoded(frame), status.result == 0 { status.packetID } else { nil }
    }

    func refusal(_ frame: [UInt8], of id: PacketID) -> RoutingError? {
        guard let data = packet(frame)?.decoded, data.requestID == id,
            case .routing(.error(let error)) = PacketContent(data)
        else { return nil }
        return error
    }

    // MARK: The radio

    /// Payloads of ToRadio.
    var written: [[UInt8]] { tap.written.withLock { $0 } }
    /// The frames of the last handshake, as the radio sent them.
    var recorded: [[UInt8]] { tap.handshake.withLock { $0 } }

    func id(ofPacket payload: [UInt8]) -> PacketID? { ClientPacket(inToRadio: payload)?.id }

    func waitForWritten(_ isMeant: ([UInt8]) -> Bool) -> [UInt8]? {
        let limit = Date(timeIntervalSinceNow: 120)
        while limit.timeIntervalSinceNow > 0 {
            if let found = written.first(where: isMeant) { return found }
            usleep(10_000)
        }
        return nil
    }

    /// The bytes of the database and of its log.
    func tables() throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(atPath: folder).map {
            Array(FileManager.default.contents(atPath: folder + "/" + $0) ?? Data())
        }
    }
}

/// Sees what goes over the link.
private final class Tap: LinkTap {
    let written = Mutex<[[UInt8]]>([])
    let handshake = Mutex<[[UInt8]]>([])

    func opened(_ name: String, at now: MonotonicTime) {}
    func arrived(_ bytes: UnsafeRawBufferPointer) {}
    func decoded(_ output: StreamDecoder<FromRadio>.Output, at now: MonotonicTime) {
        guard case .frame(let message, let raw) = output else { return }
        switch message {
        case .myInfo: handshake.withLock { $0 = [raw] }
        case .nodeInfo(let node):
            // The second stage begins with the own one once more.
            handshake.withLock { frames in
                let same = frames.firstIndex { frame in
                    guard case .nodeInfo(let other) = frame.withUnsafeBytes({ FromRadio(decoding: $0) }) else {
                        return false
                    }
                    return other.number == node.number
                }
                if let same { frames[same] = raw } else { frames.append(raw) }
            }
        case .metadata, .channel, .config, .moduleConfig, .other: handshake.withLock { $0.append(raw) }
        default: break
        }
    }
    func handedOn() {}
    func wrote(_ bytes: [UInt8], at now: MonotonicTime) { written.withLock { $0.append(Array(bytes.dropFirst(4))) } }
    func live(_ handshake: [[UInt8]], at now: MonotonicTime) {}
    func closed(_ reason: String, at now: MonotonicTime) {}
}
