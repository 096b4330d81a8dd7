import Glibc
import MeshProtocol
import Platform
import RadioLink

/// The radio's side of a socket pair to a link in this process.
///
/// What the gateway writes is taken from the link itself, so that what it has read and said so far is known for certain.
final class SocketSide: RadioSide, LinkTap {
    private struct State {
        /// The gateway's end, until it takes it.
        var offered: Int32?
        var radioEnd: Int32 = -1
        var link: RadioLink?
        var written: UInt64 = 0
        /// Bytes whose outcome was handed on.
        var taken: UInt64 = 0
        var arrived: UInt64 = 0
        var isOpen = false
        var heard: [ToRadio] = []
    }

    private let state = Monitor(State())

    /// Seconds that a gateway which is alive does not need for anything.
    private static let patience = 20

    deinit {
        state.withLock { state in
            for end in [state.offered ?? -1, state.radioEnd] where end >= 0 { close(end) }
        }
    }

    // MARK: The radio

    /// - Parameter link: the one that has ``connect()`` and this tap.
    func use(_ link: RadioLink) { state.withLock { $0.link = link } }

    var isPlugged: Bool { state.withLock { $0.radioEnd >= 0 } }
    var written: UInt64 { state.withLock { $0.written } }

    func plug() throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw RecordingError.system("no socket pair", errno)
        }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let link = state.withLock { state in
            (state.radioEnd, state.offered) = (ends[0], ends[1])
            return state.link
        }
        link?.comeBack()
        guard state.wait(seconds: Self.patience, { $0.isOpen ? true : nil }) == true else {
            throw RecordingError.replay("the gateway does not open the recorded radio")
        }
    }

    /// Returns when the gateway has noticed.
    func unplug() throws {
        let end = state.withLock { state in
            defer { state.radioEnd = -1 }
            return state.radioEnd
        }
        close(end)
        guard state.wait(seconds: Self.patience, { $0.isOpen ? nil : true }) == true else {
            throw RecordingError.replay("the gateway does not notice that the recorded radio has gone")
        }
        state.withLock { $0.heard = [] }
    }

    func write(_ bytes: [UInt8]) throws {
        let end = state.withLock { $0.radioEnd }
        guard !bytes.isEmpty else { return }
        guard writeAll(bytes, to: end) == 0 else {
            throw RecordingError.replay("the gateway does not take the recorded bytes")
        }
        state.withLock { $0.written += UInt64(bytes.count) }
    }

    func next(_ what: String) throws -> ToRadio {
        let next = state.wait(seconds: Self.patience) { $0.heard.isEmpty ? nil : $0.heard.removeFirst() }
        guard let next else {
            throw RecordingError.replay("the gateway has not sent \(what) within \(Self.patience) s")
        }
        return next
    }

    func pending() -> [ToRadio] {
        state.withLock { state in
            defer { state.heard = [] }
            return state.heard
        }
    }

    func awaitTaken(_ count: UInt64) throws {
        let isTaken = state.wait(seconds: Self.patience) { $0.taken >= count || !$0.isOpen ? true : nil }
        guard isTaken == true else { throw RecordingError.replay("the gateway does not read the recorded bytes") }
    }

    // MARK: The link

    /// Gives the gateway its end.
    func connect() throws -> Int32 {
        guard let end = state.withLock({ $0.offered.take() }) else { throw RecordingError.replay("unplugged") }
        return end
    }

    func opened(_ name: String, at now: MonotonicTime) { state.notify { $0.isOpen = true } }

    func arrived(_ bytes: UnsafeRawBufferPointer) { state.withLock { $0.arrived += UInt64(bytes.count) } }

    func decoded(_ output: StreamDecoder<FromRadio>.Output, at now: MonotonicTime) {}

    func handedOn() { state.notify { $0.taken = $0.arrived } }

    func wrote(_ bytes: [UInt8], at now: MonotonicTime) {
        guard bytes.count >= 4, bytes[0] == 0x94,
            let message = bytes[4...].withUnsafeBytes({ ToRadio(decoding: $0) })
        else { return }
        state.notify { $0.heard.append(message) }
    }

    func live(_ handshake: [[UInt8]], at now: MonotonicTime) {}

    func closed(_ reason: String, at now: MonotonicTime) {
        // What was in the socket is gone with it.
        state.notify { ($0.isOpen, $0.taken, $0.arrived) = (false, $0.written, $0.written) }
    }
}
