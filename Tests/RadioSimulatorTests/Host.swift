import Glibc
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// A host on one end of a cable: writes ToRadio, reads what comes back, every wait bounded.
final class Host {
    enum Item {
        case frame(FromRadio, raw: [UInt8])
        /// Bytes outside frames.
        case noise(UInt8)
    }

    /// Far beyond anything that a passing test needs.
    static let patience = 30.0

    private(set) var fd: Int32
    private var buffer: [UInt8] = []
    private(set) var noise: [UInt8] = []
    private(set) var frames: [FromRadio] = []
    private(set) var rawFrames: [[UInt8]] = []
    private(set) var ended = false

    init(_ fd: Int32) { self.fd = fd }

    convenience init(tcp port: UInt16) throws {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        self.init(fd)
        guard code == 0 else { throw SimulatorError.system("connect", errno) }
    }

    convenience init(pty path: String) throws {
        let fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        self.init(fd)
        try #require(fd >= 0)
    }

    deinit { hangUp() }

    func hangUp() {
        if fd >= 0 { close(fd) }
        fd = -1
    }

    func write(_ bytes: [UInt8]) {
        #expect(Glibc.write(fd, bytes, bytes.count) == bytes.count)
    }

    func send(_ message: ToRadio) { write(StreamFrame.encode(message.encoded())) }

    /// Reads on until something that came since `mark` satisfies the condition; nil at the end of the line, or after
    /// so many seconds.
    func wait<T>(_ timeout: Double = patience, since mark: Int = 0, for find: (FromRadio) -> T?) -> T? {
        let end = now() + timeout
        var looked = mark
        while true {
            while looked < frames.count {
                if let found = find(frames[looked]) { return found }
                looked += 1
            }
            guard !ended, read(until: end) else { return nil }
        }
    }

    /// Reads all that the radio had to say before this call: it answers a packet to itself after everything else.
    func settle(_ radio: SimulatedRadio) {
        let id = PacketID.random(in: 0x8000_0000...PacketID.max)
        let data = MeshData(port: .privateApp, payload: [1])
        send(
            .packet(
                MeshPacket(from: radio.number, to: radio.number, id: id, payload: .decoded(data), wantAck: true)))
        #expect(waitForRouting(id, from: radio.number) == 0)
    }

    /// The frames of one handshake, after those that were there before.
    @discardableResult
    func handshake(_ nonce: UInt32 = 7) -> [FromRadio] {
        let mark = frames.count
        send(.wantConfig(nonce))
        #expect(wait(since: mark) { $0 == .configComplete(nonce) ? true : nil } == true)
        let end = frames[mark...].firstIndex(of: .configComplete(nonce)).map { $0 + 1 }
        return Array(frames[mark..<(end ?? frames.endIndex)])
    }

    /// Asks until the radio, which may be booting, has answered with a whole handshake. Each request starts the handshake over,
    /// so each wait is longer than the last: a slow machine gets its time.
    func handshakeOnceBooted() -> [FromRadio] {
        var (nonce, wait) = (UInt32(1000), 0.1)
        while wait < Self.patience {
            let mark = frames.count
            send(.wantConfig(nonce))
            if self.wait(wait, since: mark, for: { $0 == .configComplete(nonce) ? true : nil }) != nil {
                return Array(frames[mark...])
            }
            (nonce, wait) = (nonce + 1, wait * 1.2)
        }
        return []
    }

    func waitForEnd() -> Bool {
        let end = now() + Self.patience
        while !ended, read(until: end) {}
        return ended
    }

    /// Packets of other nodes, and of the radio's own node what is no word about one of ours.
    var meshPackets: [MeshPacket] { frames.compactMap(Self.meshPacket) }

    private static func meshPacket(_ frame: FromRadio) -> MeshPacket? {
        if case .packet(let packet) = frame, packet.to != packet.from { packet } else { nil }
    }

    /// The first of ``meshPackets`` that satisfies the condition.
    func waitForMeshPacket(where isSought: (MeshPacket) -> Bool) -> MeshPacket? {
        wait { frame in Self.meshPacket(frame).flatMap { isSought($0) ? $0 : nil } }
    }

    /// ROUTING packets about a packet: their senders and errors.
    func routing(_ id: PacketID) -> [(from: NodeNumber, error: UInt32)] { frames.compactMap { Self.routing($0, id) } }

    static func routing(_ frame: FromRadio, _ id: PacketID) -> (from: NodeNumber, error: UInt32)? {
        guard case .packet(let packet) = frame, let data = packet.decoded, data.port == .routing,
            data.requestID == id, case .routing(.error(let error)) = PacketContent(data)
        else { return nil }
        return (packet.from, error.rawValue)
    }

    func waitForRouting(_ id: PacketID, from: NodeNumber) -> UInt32? {
        wait { frame in Self.routing(frame, id).flatMap { $0.from == from ? $0.error : nil } }
    }

    func waitForStatus(_ id: PacketID) -> QueueStatus? {
        wait { frame in
            if case .queueStatus(let status) = frame, status.packetID == id { status } else { nil }
        }
    }

    private func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func read(until end: Double) -> Bool {
        let left = end - now()
        guard left > 0 else { return false }
        var polled = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Int32(left * 1000) + 1) > 0 else { return false }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(fd, &chunk, chunk.count)
        guard count > 0 else {
            ended = true
            return true
        }
        buffer += chunk[..<count]
        parse()
        return true
    }

    /// A body that does not decode is no frame: its first byte is noise, and the rest is looked at again.
    private func parse() {
        var start = 0
        defer { buffer.removeFirst(start) }
        while start < buffer.count {
            if buffer[start] == 0x94 {
                guard start + 1 < buffer.count else { return }
                if buffer[start + 1] == 0xC3 {
                    guard start + 4 <= buffer.count else { return }
                    let length = Int(buffer[start + 2]) << 8 | Int(buffer[start + 3])
                    if length <= StreamFrame.maximumLength {
                        guard start + 4 + length <= buffer.count else { return }
                        let raw = Array(buffer[(start + 4)..<(start + 4 + length)])
                        if let frame = raw.withUnsafeBytes({ FromRadio(decoding: $0) }) {
                            frames.append(frame)
                            rawFrames.append(raw)
                            start += 4 + length
                            continue
                        }
                    }
                }
            }
            noise.append(buffer[start])
            start += 1
        }
    }
}

/// A started radio with a quiet mesh that runs fifty times as fast as a real one, and a host on a cable to it.
func withRadio(
    _ change: (inout SimulatorOptions) -> Void = { _ in }, _ body: (SimulatedRadio, Host) throws -> Void
) throws {
    var options = SimulatorOptions()
    options.chatter = 0
    options.timeScale = 50
    change(&options)
    let radio = try SimulatedRadio(options)
    radio.start()
    defer { radio.stop() }
    try body(radio, Host(try radio.connect()))
}

func text(_ text: String, to: NodeNumber, id: PacketID, from radio: SimulatedRadio, channel: UInt32 = 0) -> ToRadio {
    .packet(
        MeshPacket(
            from: radio.number, to: to, channel: channel, id: id,
            payload: .decoded(MeshData(port: .textMessage, payload: Array(text.utf8))), hopLimit: 3, wantAck: true))
}
