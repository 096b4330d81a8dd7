import Glibc
import Platform

/// The radio together with its lines:
///
///     host writes -> descriptor -> HostFrames (one a line) -> Radio -> LineNoise -> pending -> descriptor -> host reads
///
/// A frame is asked of the radio only when the one before it has left, so that a host that does not read, or a slow
/// line, fills the radio's own small queues, as it does in reality. A serial line has no idea whether anybody listens:
/// with the session open and the host gone, frames are lost (SerialReference 14.11).
struct RadioLines {
    private struct Port {
        let isSocket: Bool
        var fd: Int32?
        var frames = HostFrames()
        var pending: ArraySlice<UInt8> = []
        /// Monotonic nanoseconds when the line has finished with what it was given.
        var freeAt: UInt64 = 0
    }

    var radio: Radio
    private(set) var isPlugged = true
    private(set) var ptyPath: String?
    private(set) var listenerPort: UInt16?
    private var listensEverywhere = false
    private var listener: Int32?
    private var ptyLink: String?
    private var ptyWatch: Int32?
    private var ptyOpenings = 0
    private var ports = PhoneAPI.Line.allCases.map { Port(isSocket: $0 != .pty) }
    private var startedAt: UInt64?

    init(radio: Radio) { self.radio = radio }

    // MARK: Cables

    mutating func start() { startedAt = MonotonicClock.nanoseconds() }

    /// A serial cable whose host end is the descriptor that is returned; the parser keeps what an earlier host left
    /// half said, as the radio does.
    mutating func connect() throws(SimulatorError) -> Int32 {
        guard isPlugged else { throw .unplugged }
        let ends = try Descriptors.socketPair()
        hangUp(.pair)
        ports[PhoneAPI.Line.pair.rawValue].fd = ends.radio
        return ends.host
    }

    mutating func listen(port: UInt16, everywhere: Bool) throws(SimulatorError) -> UInt16 {
        guard isPlugged else { throw .unplugged }
        let (fd, bound) = try Descriptors.listener(port: port, everywhere: everywhere)
        if let old = listener { close(old) }
        (listener, listenerPort, listensEverywhere) = (fd, bound, everywhere)
        return bound
    }

    mutating func openPty(link: String?) throws(SimulatorError) -> String {
        guard isPlugged else { throw .unplugged }
        let (fd, path, watch) = try Descriptors.pty()
        do throws(SimulatorError) {
            if let link { try Descriptors.link(link, to: path) }
        } catch {
            close(fd)
            close(watch)
            throw error
        }
        closePty()
        ports[PhoneAPI.Line.pty.rawValue].fd = fd
        (ptyPath, ptyWatch, ptyLink, ptyOpenings) = (path, watch, link, 0)
        return path
    }

    mutating func unplug() {
        isPlugged = false
        hangUp(.pair)
        hangUp(.tcp)
        closePty()
        if let ptyLink { unlink(ptyLink) }
        if let listener { close(listener) }
        listener = nil
    }

    /// Power is back: the radio boots, and what was open is there again, on the same TCP port and link.
    mutating func replug() throws(SimulatorError) {
        guard !isPlugged else { return }
        isPlugged = true
        if ptyPath != nil { _ = try openPty(link: ptyLink) }
        if let port = listenerPort { _ = try listen(port: port, everywhere: listensEverywhere) }
        radio.reboot(silently: false)
        radio.dropsConnections = false
    }

    private mutating func hangUp(_ line: PhoneAPI.Line, isReplaced: Bool = false) {
        let wasOpen = ports[line.rawValue].fd != nil
        if let fd = ports[line.rawValue].fd { close(fd) }
        ports[line.rawValue].fd = nil
        ports[line.rawValue].pending = []
        // Over the network, unlike on a cable, the radio notices (SerialReference 14.18).
        if line == .tcp {
            ports[line.rawValue].frames = HostFrames()
            if wasOpen || isReplaced { radio.lostClient(isReplaced: isReplaced) }
        }
    }

    private mutating func closePty() {
        hangUp(.pty)
        if let ptyWatch { close(ptyWatch) }
        ptyWatch = nil
    }

    /// A radio that was shut down has no network; its serial lines stay, because the chip behind them has power.
    private mutating func serveNetworkWhileOn() {
        if radio.isOff, let open = listener {
            close(open)
            listener = nil
        } else if !radio.isOff, isPlugged, listener == nil, let port = listenerPort {
            _ = try? listen(port: port, everywhere: listensEverywhere)
        }
    }

    // MARK: Steps

    /// Does all that can be done without waiting. Returns what to wait for, and for how many milliseconds at most.
    mutating func step() -> (descriptors: [pollfd], timeout: Int32) {
        listenToHosts()
        // At once, as the firmware does after it has read: its queue of statuses is too small to wait.
        speak(MonotonicClock.nanoseconds())
        let now = MonotonicClock.nanoseconds()
        advance(to: moment(now))
        serveNetworkWhileOn()
        if radio.dropsConnections {
            radio.dropsConnections = false
            hangUp(.tcp, isReplaced: true)
        }
        showBootText()
        speak(now)
        // Of the same moment: what became due meanwhile must not be taken for done.
        return (interests(), timeout(now))
    }

    /// The radio speaks between two things that happen, however late this thread is: else a restart would take the answers
    /// along that came seconds before it.
    private mutating func advance(to moment: Double) {
        while let due = radio.agenda.next, due <= moment {
            radio.advance(to: due)
            speak(MonotonicClock.nanoseconds())
        }
        radio.advance(to: moment)
    }

    private func moment(_ now: UInt64) -> Double {
        guard let startedAt else { return 0 }
        return Double(now &- startedAt) / 1e9 * radio.options.timeScale
    }

    private mutating func listenToHosts() {
        while let listener, let fd = Descriptors.accept(listener) {
            // What the one before wrote is carried out all the same.
            listen(to: .tcp)
            hangUp(.tcp, isReplaced: true)
            ports[PhoneAPI.Line.tcp.rawValue].fd = fd
        }
        advance(to: moment(MonotonicClock.nanoseconds()))
        for line in PhoneAPI.Line.allCases { listen(to: line) }
        // After the reading: by now it is known that the host which wrote this has opened the port.
        if let ptyWatch { ptyOpenings += Descriptors.openings(ptyWatch) }
    }

    private mutating func listen(to line: PhoneAPI.Line) {
        while let fd = ports[line.rawValue].fd {
            switch Descriptors.read(fd) {
            case .bytes(let bytes):
                // Taken out, so that the radio can be changed meanwhile.
                var frames = ports[line.rawValue].frames
                frames.feed(bytes) { radio.receive($0, from: line) }
                ports[line.rawValue].frames = frames
            case .nothing: return
            case .ended:
                // A pty without a reader says so too, and will have another one.
                if line != .pty { hangUp(line) }
                return
            }
        }
    }

    private func isHeard(_ line: PhoneAPI.Line) -> Bool {
        ports[line.rawValue].fd != nil && (line != .pty || ptyOpenings > 0)
    }

    private mutating func showBootText() {
        let text = radio.takeBootText()
        guard !text.isEmpty else { return }
        for line in [PhoneAPI.Line.pair, .pty] where isHeard(line) {
            ports[line.rawValue].pending += text
            flush(line)
        }
    }

    private mutating func speak(_ now: UInt64) {
        for line in PhoneAPI.Line.allCases { flush(line) }
        while let line = radio.api.line, ports[line.rawValue].pending.isEmpty, ports[line.rawValue].freeAt <= now,
            let bytes = radio.nextBytes()
        {
            if let baud = radio.options.baud {
                // A little in arrears, because waiting is in whole milliseconds.
                let begin = max(ports[line.rawValue].freeAt, now &- 2_000_000)
                ports[line.rawValue].freeAt = begin + UInt64(bytes.count) * 10_000_000_000 / UInt64(baud)
            }
            guard isHeard(line) else { continue }
            ports[line.rawValue].pending = bytes[...]
            flush(line)
        }
    }

    private mutating func flush(_ line: PhoneAPI.Line) {
        guard let fd = ports[line.rawValue].fd, !ports[line.rawValue].pending.isEmpty else { return }
        guard isHeard(line) else { return ports[line.rawValue].pending = [] }
        let port = ports[line.rawValue]
        guard let count = Descriptors.write(fd, port.pending, isSocket: port.isSocket) else {
            ports[line.rawValue].pending = []
            // It is gone, but what it wrote before is there.
            listen(to: line)
            if line != .pty { hangUp(line) }
            return
        }
        ports[line.rawValue].pending.removeFirst(count)
    }

    private func interests() -> [pollfd] {
        var list: [pollfd] = []
        for line in PhoneAPI.Line.allCases where isHeard(line) {
            let port = ports[line.rawValue]
            let events = POLLIN | (port.pending.isEmpty ? 0 : POLLOUT)
            if let fd = port.fd { list.append(pollfd(fd: fd, events: Int16(events), revents: 0)) }
        }
        for fd in [listener, ptyWatch] {
            if let fd { list.append(pollfd(fd: fd, events: Int16(POLLIN), revents: 0)) }
        }
        return list
    }

    /// -1: until something comes. Rounded up, so that a wake-up is never too early.
    private func timeout(_ now: UInt64) -> Int32 {
        var wait = Double.infinity
        if let deadline = radio.deadline { wait = max(0, deadline - moment(now)) / radio.options.timeScale }
        for port in ports where port.freeAt > now { wait = min(wait, Double(port.freeAt - now) / 1e9) }
        return wait.isFinite ? Int32(min(wait * 1000 + 1, 1e9)) : -1
    }
}
