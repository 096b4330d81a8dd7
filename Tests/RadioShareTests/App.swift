import Foundation
import Glibc
import MeshModel
import MeshProtocol
import Testing

/// A program on a shared port.
final class App: @unchecked Sendable {
    struct Frame {
        let raw: [UInt8]
        let message: FromRadio

        var packet: MeshPacket? { if case .packet(let packet) = message { packet } else { nil } }
        var status: QueueStatus? { if case .queueStatus(let status) = message { status } else { nil } }
        var node: NodeInfo? { if case .nodeInfo(let node) = message { node } else { nil } }

        /// The ROUTING error that answers this packet.
        func routing(_ id: PacketID) -> RoutingError? {
            guard let data = packet?.decoded, data.requestID == id, data.port == .routing,
                case .routing(.error(let error)) = PacketContent(data)
            else { return nil }
            return error
        }

        /// The payload of the ADMIN packet that answers this one.
        func admin(_ id: PacketID) -> [UInt8]? {
            guard let data = packet?.decoded, data.requestID == id, data.port == .admin else { return nil }
            return data.payload
        }
    }

    enum Ending { case fin, reset }
    /// connect(2) failed.
    struct CannotConnect: Error { var number: Int32 }

    private let descriptor: Int32
    private let changed = NSCondition()
    private var heard: [Frame] = []
    private var all: [UInt8] = []
    private var ending: Ending?
    private var isClosed = false
    private var isRead = false

    /// - Parameters:
    ///   - last: its own address is 127.0.0.`last`.
    ///   - reads: false: nothing is read before ``startReading()``.
    init(port: UInt16, from last: UInt8 = 1, receiveBuffer: Int32? = nil, reads: Bool = true) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Each frame goes out at once: what still waits for an acknowledgement is lost with a reset.
        var noDelay: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        if last != 1 {
            try #require(Self.with(0x7f00_0000 | UInt32(last), 0) { bind(descriptor, $0, $1) } == 0, "bind: \(errno)")
        }
        let result = Self.with(0x7f00_0001, port) { Glibc.connect(descriptor, $0, $1) }
        guard result == 0 else {
            Glibc.close(descriptor)
            throw CannotConnect(number: errno)
        }
        if reads { startReading() }
    }

    private static func with(
        _ host: UInt32, _ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    func startReading() {
        isRead = true
        Thread { [weak self, descriptor] in
            Self.read(descriptor) { self?.take($0) }
            self?.changed.withLock { self?.isClosed = true }
            Glibc.close(descriptor)
        }.start()
    }

    deinit { close() }

    // MARK: What it says

    func send(_ message: ToRadio) { send(payload: message.encoded()) }

    func send(payload: [UInt8]) { send(bytes: StreamFrame.encode(payload)) }

    /// A MeshPacket.
    func send(packet: [UInt8]) {
        var payload: [UInt8] = [0x0a]
        if packet.count > 127 { payload += [UInt8(packet.count & 127) | 128, UInt8(packet.count >> 7)] }
        if packet.count <= 127 { payload.append(UInt8(packet.count)) }
        send(payload: payload + packet)
    }

    func send(bytes: [UInt8]) {
        guard !changed.withLock({ isClosed }) else { return }
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Order to a node, as the CLI writes it: from nobody, with everything wanted.
    func administer(_ id: PacketID, _ order: [UInt8], at node: NodeNumber) {
        send(packet: packet(id, port: 6, order, to: node, wantsResponse: true, wantsAck: true))
    }

    func text(_ id: PacketID, _ text: String, to node: NodeNumber = .broadcast) {
        send(packet: packet(id, port: 1, Array(text.utf8), to: node))
    }

    func packet(
        _ id: PacketID, port: UInt8, _ payload: [UInt8], to node: NodeNumber = .broadcast, wantsResponse: Bool = false,
        wantsAck: Bool = false
    ) -> [UInt8] {
        precondition(payload.count < 120)
        let data = [0x08, port, 0x12, UInt8(payload.count)] + payload + (wantsResponse ? [0x18, 1] : [])
        return [0x15] + Self.bytes(node.rawValue) + [0x22, UInt8(data.count)] + data + [0x35] + Self.bytes(id)
            + (wantsAck ? [0x50, 1] : [])
    }

    static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    /// It says no more.
    func finish() { changed.withLock { if !isClosed { shutdown(descriptor, Int32(SHUT_WR)) } } }

    /// Ends without a word: what is on its way is thrown away.
    func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        // Shut down in the other direction it would say FIN before.
        end(Int32(SHUT_RD))
    }

    func close() { end(Int32(SHUT_RDWR)) }

    /// Whoever reads closes the descriptor: its number may belong to another one at once.
    private func end(_ direction: Int32) {
        changed.withLock {
            guard !isClosed else { return }
            isClosed = true
            shutdown(descriptor, direction)
            if !isRead { Glibc.close(descriptor) }
        }
    }

    // MARK: What it hears

    private static func read(_ descriptor: Int32, _ take: (ArraySlice<UInt8>?) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { take(buffer[..<count]) } else { return take(count == 0 ? [] : nil) }
        }
    }

    private var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })

    private func take(_ bytes: ArraySlice<UInt8>?) {
        changed.withLock {
            defer { changed.broadcast() }
            guard let bytes, !bytes.isEmpty else {
                ending = bytes == nil ? .reset : .fin
                return
            }
            all += bytes
            bytes.withUnsafeBytes { bytes in
                decoder.feed(bytes, now: 0) { output in
                    switch output {
                    case .frame(let message, let raw): heard.append(Frame(raw: raw, message: message))
                    case .text, .garbage: Issue.record("a byte outside of frames")
                    }
                }
            }
        }
    }

    var bytes: [UInt8] { changed.withLock { all } }
    var frames: [Frame] { changed.withLock { heard } }

    /// All frames so far, when they are as wanted; nil: they are not even after a long time.
    @discardableResult
    func wait(seconds: Double = 120, _ isDone: ([Frame]) -> Bool) -> [Frame]? {
        let limit = Date(timeIntervalSinceNow: seconds)
        return changed.withLock {
            while !isDone(heard) { if !changed.wait(until: limit) { return isDone(heard) ? heard : nil } }
            return heard
        }
    }

    func waitForEnd(seconds: Double = 120) -> Ending? {
        let limit = Date(timeIntervalSinceNow: seconds)
        return changed.withLock {
            while ending == nil { if !changed.wait(until: limit) { break } }
            return ending
        }
    }

    /// Everything that was said to it before is taken: the answer to a heartbeat is here.
    func settle() throws {
        let count = frames.count { $0.status?.packetID == 0 }
        send(.heartbeat(nonce: 0))
        try #require(wait { $0.count { $0.status?.packetID == 0 } > count } != nil, "no answer to a heartbeat")
    }
}
