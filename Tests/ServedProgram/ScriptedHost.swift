import Foundation
import MeshModel
import MeshProtocol
import Testing

/// A program that takes a TCP port for a radio: writes bytes, reads frames, every wait bounded.
final class ScriptedHost {
    enum Ending { case closed, reset }

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private(set) var frames: [FromRadio] = []
    private(set) var rawFrames: [[UInt8]] = []
    /// Everything that has come.
    private(set) var received = Data()
    /// Bytes outside frames; there must be none.
    private(set) var strays = 0
    private(set) var ending: Ending?

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw POSIXError(.init(rawValue: errno)!) }
    }

    deinit { close(descriptor) }

    /// A peer that has gone makes no difference here: what it said before is still read.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ message: ToRadio) { write(StreamFrame.encode(message.encoded())) }

    /// It says nothing more, and reads on.
    func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads on until something that came since `mark` satisfies the condition; nil at the end of the connection, or when it
    /// has taken too long.
    func wait<Found>(
        since mark: Int = 0, within seconds: Double = Program.patience, for find: (FromRadio) -> Found?
    ) -> Found? {
        let end = Date(timeIntervalSinceNow: seconds)
        var looked = mark
        while true {
            while looked < frames.count {
                if let found = find(frames[looked]) { return found }
                looked += 1
            }
            guard ending == nil, read(until: end) else { return nil }
        }
    }

    /// Reads what is there already.
    func readWhatIsThere() { while ending == nil, read(until: Date(timeIntervalSinceNow: 0)) {} }

    func waitForEnd() -> Ending? {
        let end = Date(timeIntervalSinceNow: Program.patience)
        while ending == nil, read(until: end) {}
        return ending
    }

    private func read(until end: Date) -> Bool {
        let left = max(0, end.timeIntervalSinceNow)
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Int32(left * 1000)) > 0 else { return false }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else {
            ending = count == 0 ? .closed : .reset
            return true
        }
        buffer += chunk[..<count]
        received += chunk[..<count]
        parse()
        return true
    }

    private func parse() {
        var start = 0
        defer { buffer.removeFirst(start) }
        while buffer.count >= start + 4 {
            let length = Int(buffer[start + 2]) << 8 | Int(buffer[start + 3])
            guard buffer[start] == 0x94, buffer[start + 1] == 0xC3, length <= StreamFrame.maximumLength else {
                strays += 1
                start += 1
                continue
            }
            guard buffer.count >= start + 4 + length else { return }
            let raw = Array(buffer[(start + 4)..<(start + 4 + length)])
            rawFrames.append(raw)
            frames.append(raw.withUnsafeBytes { FromRadio(decoding: $0) } ?? .empty)
            start += 4 + length
        }
    }
}

/// What clients write, byte for byte.
enum StreamBytes {
    static func wantConfig(_ nonce: UInt32) -> [UInt8] { StreamFrame.encode(ToRadio.wantConfig(nonce).encoded()) }
}
