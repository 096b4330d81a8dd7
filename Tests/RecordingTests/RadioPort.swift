import FakeSerial
import Glibc
import MeshProtocol
import Platform
import Recordings

/// The radio's side of the cable: bytes to the gateway, messages from it. For one thread.
final class RadioPort: RadioSide {
    enum Failure: Error, CustomStringConvertible {
        case silent(String, seconds: Int)
        case hungUp

        var description: String {
            switch self {
            case .silent(let what, let seconds): "the gateway has not sent \(what) within \(seconds) s"
            case .hungUp: "the gateway does not take the radio's bytes"
            }
        }
    }

    let device = FakeRadioDevice()
    /// Bytes that were given to the gateway.
    private(set) var written: UInt64 = 0
    private var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
    private var heard: [ToRadio] = []

    var isPlugged: Bool { device.controller >= 0 }

    func plug() throws {
        try device.plug()
        decoder = StreamDecoder(decode: { ToRadio(decoding: $0) })
    }

    func unplug() {
        device.unplug()
        heard = []
    }

    /// Writes all of it, listening meanwhile.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let events = wait(for: POLLIN | POLLOUT, milliseconds: 10_000) else { throw Failure.hungUp }
            if events & POLLIN != 0 { read() }
            guard events & POLLOUT != 0 else { continue }
            let count = rest.withUnsafeBytes { Glibc.write(device.controller, $0.baseAddress, min($0.count, 1024)) }
            if count < 0, errno != EAGAIN, errno != EINTR { throw Failure.hungUp }
            rest = rest.dropFirst(max(count, 0))
            written += UInt64(max(count, 0))
        }
    }

    /// Takes the next message that the gateway has sent.
    ///
    /// - Parameter what: for the failure.
    func next(_ what: String) throws -> ToRadio {
        let seconds = 20
        let end = MonotonicClock.milliseconds() + Int64(seconds) * 1000
        while heard.isEmpty {
            let left = Int(end - MonotonicClock.milliseconds())
            guard left > 0 else { throw Failure.silent(what, seconds: seconds) }
            if wait(for: POLLIN, milliseconds: left) != nil { read() }
        }
        return heard.removeFirst()
    }

    /// What has arrived so far; does not wait.
    func pending() -> [ToRadio] {
        if isPlugged, wait(for: POLLIN, milliseconds: 0) != nil { read() }
        defer { heard = [] }
        return heard
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(device.controller, &buffer, buffer.count)
        guard count > 0 else { return }
        buffer.withUnsafeBytes {
            decoder.feed(UnsafeRawBufferPointer(rebasing: $0[..<count]), now: 0) {
                if case .frame(let message, _) = $0 { heard.append(message) }
            }
        }
    }

    private func wait(for events: Int32, milliseconds: Int) -> Int32? {
        var descriptor = pollfd(fd: device.controller, events: Int16(events), revents: 0)
        guard poll(&descriptor, 1, Int32(milliseconds)) > 0 else { return nil }
        // Nobody has the other side open: not ours to wait for here.
        if Int32(descriptor.revents) & (POLLIN | POLLOUT) == 0 { usleep(1000) }
        return Int32(descriptor.revents)
    }
}
