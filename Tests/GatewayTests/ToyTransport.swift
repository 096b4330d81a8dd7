import Glibc
import MeshModel
import MeshProtocol
import Store
import Synchronization

@testable import Gateway

/// A transport of the radio's protocol for one client over a socket pair, written against the gateway's doors alone: what
/// a real one needs is there, and little more.
final class ToyTransport: Sendable {
    let client: Int32
    private let server: Int32
    private let wakes: (read: Int32, write: Int32)
    private let gateway: Gateway
    private let source: SourceID
    private let right: ClientRight
    private let sender: Sender
    private let shown = Mutex<ShownSettings?>(nil)
    private let listener = Mutex<FrameListener?>(nil)

    init(_ gateway: Gateway, _ source: SourceID, right: ClientRight, as sender: Sender) {
        var ends: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        (server, client) = (ends[0], ends[1])
        precondition(pipe(&ends) == 0)
        wakes = (ends[0], ends[1])
        (self.gateway, self.source, self.right, self.sender) = (gateway, source, right, sender)
        let write = wakes.write
        let frames = gateway.frames(of: source, kinds: [.packet, .own, .notification, .other]) {
            _ = Glibc.write(write, [1], 1)
        }
        listener.withLock { $0 = frames }
    }

    /// The one thread, until the client has gone.
    func run() {
        var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var descriptors = [server, wakes.read].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&descriptors, 2, -1)
            if descriptors[1].revents != 0 {
                _ = read(wakes.read, &buffer, buffer.count)
                for frame in listener.withLock({ $0 })?.take().frames ?? [] { say(frame.raw) }
            }
            guard descriptors[0].revents != 0 else { continue }
            let count = read(server, &buffer, buffer.count)
            if count <= 0 { break }
            buffer.withUnsafeBytes { bytes in
                decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[..<count]), now: 0) { output in
                    if case .frame(let message, let raw) = output { take(message, raw) }
                }
            }
        }
        listener.withLock { $0 = nil }
        gateway.endEdit(by: sender, of: source)
        for descriptor in [server, wakes.read, wakes.write] { close(descriptor) }
    }

    private func take(_ message: ToRadio, _ raw: [UInt8]) {
        switch message {
        case .wantConfig(let nonce): handshake(nonce)
        case .heartbeat: say(QueueStatus(result: 0, free: 16, capacity: 16, packetID: 0))
        case .packet:
            guard let packet = ClientPacket(inToRadio: raw) else { return }
            if packet.content?.port == .admin {
                let shown = shown.withLock { $0 }
                gateway.administer(packet, by: sender, right: right, shown: shown, of: source) { [self] outcome in
                    answer(packet, outcome)
                }
            } else {
                gateway.submit(packet, by: sender, right: right, to: source) { [self] in answer(packet, $0) }
            }
        case .disconnect, .other, .empty: break
        }
    }

    private func handshake(_ nonce: UInt32) {
        guard let handshake = gateway.handshake(of: source) else { return }
        shown.withLock { $0 = handshake.shown() }
        // my_info, then the own node, before all settings.
        say(handshake.settings[0])
        for (_, node) in handshake.nodes.prefix(1) { say(node) }
        for frame in handshake.settings.dropFirst() { say(frame) }
        for (_, node) in handshake.nodes.dropFirst() { say(node) }
        say(FromRadio.configComplete(nonce).encoded())
    }

    private func answer(_ packet: ClientPacket, _ outcome: Submission) {
        switch outcome {
        case .queued(let id, let free):
            say(QueueStatus(result: 0, free: UInt32(free), capacity: 16, packetID: id))
        case .repeated(let free):
            say(QueueStatus(result: 0, free: UInt32(free), capacity: 16, packetID: packet.id))
        case .refused(let error): refuse(packet, error)
        case .taken: refuse(packet, .none)
        case .answered(let port, let payload):
            say(QueueStatus(result: 0, free: 16, capacity: 16, packetID: packet.id))
            reply(to: packet, port, payload)
        }
    }

    private func answer(_ packet: ClientPacket, _ outcome: Administration) {
        switch outcome {
        case .submitted(let submission): return answer(packet, submission)
        case .refused(let error): return refuse(packet, error)
        case .declined(let error, _): return refuse(packet, error)
        case .done: reply(to: packet, .routing, Routing.error(.none).encoded())
        case .taken: reply(to: packet, .routing, Routing.error(.none).encoded())
        case .answer(let payload): reply(to: packet, .admin, payload)
        }
        say(QueueStatus(result: 0, free: 16, capacity: 16, packetID: packet.id))
    }

    private func refuse(_ packet: ClientPacket, _ error: RoutingError) {
        say(QueueStatus(result: 0, free: 16, capacity: 16, packetID: packet.id))
        reply(to: packet, .routing, Routing.error(error).encoded())
    }

    private func reply(to packet: ClientPacket, _ port: PortNumber, _ payload: [UInt8]) {
        let own = gateway.handshake(of: source)?.own ?? packet.to
        let data = MeshData(port: port, payload: payload, requestID: packet.id)
        let answer = MeshPacket(from: own, to: own, id: .random(in: 1 ... .max), payload: .decoded(data))
        say(FromRadio.packet(answer).encoded())
    }

    private func say(_ status: QueueStatus) { say(FromRadio.queueStatus(status).encoded()) }

    private func say(_ payload: [UInt8]) {
        let bytes = StreamFrame.encode(payload)
        _ = bytes.withUnsafeBytes { send(server, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
