import Gateway
import Glibc
import Log
import MeshModel
import MeshProtocol
import Platform
import Store

/// The share's one thread: it waits for all listeners, all clients and its inbox at once, and nothing in it waits for anything
/// else.
final class ShareLoop {
    static let capacity = 8

    let gateway: Gateway
    let inbox: ShareInbox
    let board: ShareBoard
    let times: ShareTimes
    let logger: Logger
    let admits: @Sendable (String) -> Bool
    /// One that is closed has the descriptor -1, and keeps its place.
    var listeners: [(port: SharedPort, descriptor: Int32)]
    var clients: [ShareClient] = []
    var radios: [SourceID: SharedRadio] = [:]
    var refusals: RefusedConnections
    var refused: ShareRefusals
    var leaving = LeavingConnections()
    var lastID: UInt64 = 0
    var now: UInt64 = MonotonicClock.nanoseconds()
    private var buffer = [UInt8](repeating: 0, count: 4096)
    private var polled: [pollfd] = []
    /// A connection could not be accepted, such as for want of a descriptor: until then nobody is.
    var acceptsFrom: UInt64?

    init(
        _ gateway: Gateway, _ inbox: ShareInbox, _ board: ShareBoard,
        _ listeners: [(port: SharedPort, descriptor: Int32)],
        admits: @escaping @Sendable (String) -> Bool, times: ShareTimes = ShareTimes(), _ logger: Logger
    ) {
        self.times = times
        (self.gateway, self.inbox, self.board, self.listeners) = (gateway, inbox, board, listeners)
        (self.admits, self.logger) = (admits, logger)
        refusals = RefusedConnections()
        refused = ShareRefusals(times)
    }

    func run() {
        while step() {}
        sayGoodBye()
    }

    /// - Returns: false: it is to end.
    private func step() -> Bool {
        now = MonotonicClock.nanoseconds()
        let (events, isStopped) = inbox.take()
        for event in events { take(event) }
        if isStopped { return false }
        for radio in radios.values { passFrames(of: radio) }
        tick()
        for client in clients { move(client) }
        removeEnded()
        wait()
        return true
    }

    // MARK: Waiting

    private func wait() {
        polled.removeAll(keepingCapacity: true)
        polled.append(pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0))
        for listener in listeners {
            // One that is broken says so whatever it is asked.
            let descriptor = acceptsFrom == nil ? listener.descriptor : -1
            polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
        for client in clients {
            var events = client.leavesBy == nil ? Int16(POLLIN) : 0
            if !client.output.isEmpty || client.isStreaming { events |= Int16(POLLOUT) }
            polled.append(pollfd(fd: client.descriptor, events: events, revents: 0))
        }
        let others = polled.count
        for descriptor in refusals.descriptors + leaving.descriptors {
            polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
        guard poll(&polled, nfds_t(polled.count), timeout()) > 0 else { return }
        now = MonotonicClock.nanoseconds()
        // Accepting changes the list of clients: those who were waited for come first.
        let first = 1 + listeners.count
        for (client, entry) in zip(clients, polled[first..<others]) where entry.revents != 0 {
            let isBroken = entry.revents & Int16(POLLERR | POLLHUP) != 0
            if entry.revents & ~Int16(POLLOUT) != 0 { read(client, isBroken: isBroken) }
        }
        for entry in polled[others...] where entry.revents != 0 {
            refusals.read(entry.fd)
            leaving.read(entry.fd)
        }
        for (place, entry) in polled[1..<first].enumerated() where entry.revents != 0 { acceptAll(place) }
    }

    /// Milliseconds; -1: without end.
    private func timeout() -> Int32 {
        var deadline = min(refusals.deadline ?? .max, leaving.deadline ?? .max, acceptsFrom ?? .max)
        deadline = min(deadline, refused.deadline ?? .max)
        for client in clients { deadline = min(deadline, self.deadline(of: client)) }
        guard deadline != .max else { return -1 }
        return deadline <= now ? 0 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
    }

    // MARK: Clients say something

    /// - Returns: there may be more.
    @discardableResult
    func read(_ client: ShareClient, isBroken: Bool = false) -> Bool {
        let count = buffer.withUnsafeMutableBytes { bytes in
            retrying { recv(client.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT)) }
        }
        if count < 0, errno == EAGAIN { return false }
        guard count > 0 else {
            // It may have shut down one direction only, and wait for its answers.
            client.leavesBy = client.leavesBy ?? now + LeavingConnections.patience
            if count < 0 || isBroken { client.end = client.end ?? .left }
            return false
        }
        buffer.withUnsafeBytes { hear(UnsafeRawBufferPointer(rebasing: $0[..<count]), from: client) }
        return true
    }

    func hear(_ bytes: UnsafeRawBufferPointer, from client: ShareClient) {
        var messages: [(ToRadio, [UInt8])] = []
        client.decoder.feed(bytes, now: now) { output in
            if case .frame(let message, let raw) = output { messages.append((message, raw)) }
        }
        for (message, raw) in messages where client.end == nil { take(message, raw, from: client) }
    }

    /// For a client that takes nothing any more, or has to leave: what it has said before still counts.
    func readRest(of client: ShareClient, end: ShareClient.End = .left) {
        for _ in 0..<64 where client.end == nil { if !read(client) { break } }
        client.end = client.end ?? end
    }

    /// Refused and closing connections have a deadline, too.
    func endHeld() {
        for descriptor in refusals.takeOverdue(at: now) { leaving.end(descriptor, at: now) }
        leaving.expire(at: now)
        if let from = acceptsFrom, from <= now { acceptsFrom = nil }
    }

    // MARK: Clients leave

    /// Begins and goes on with handshakes, writes, and looks whether the client can go.
    func move(_ client: ShareClient) {
        if client.phase.isSilentOrLive { start(client) }
        // Other clients have their turns, too.
        for _ in 0..<8 where client.end == nil {
            client.fill()
            if client.output.count > ClientOutput.limit { client.end = .tooSlow }
            guard !client.output.isEmpty else { break }
            switch client.output.write(to: client.descriptor) {
            case .some: (client.lastSaid, client.lastTaken) = (now, now)
            case .none: break
            case .lost: readRest(of: client)
            }
            if !client.output.isEmpty { break }
        }
        if client.mustLeave, client.output.isEmpty {
            let last = client.mustLeaveBy ?? now + times.answers
            client.mustLeaveBy = last
            if client.pending == 0 || last <= now { readRest(of: client, end: .settingsChanged) }
        }
        if client.leavesBy != nil, client.output.isEmpty, client.pending == 0, !client.isStreaming,
            client.wanted.isEmpty
        {
            client.end = client.end ?? .left
        }
    }

    private func removeEnded() {
        for client in clients where client.end != nil { remove(client) }
        clients.removeAll { $0.end != nil }
        let sources = Set(clients.map(\.radio.source))
        radios = radios.filter { sources.contains($0.key) }
        if !clients.contains(where: \.isStreaming) { for radio in radios.values { radio.forgetList() } }
        board.update(clients)
    }

    private func remove(_ client: ShareClient) {
        gateway.endEdit(by: client.sender, of: client.radio.source)
        leaving.end(client.descriptor, at: now)
        board.isDirty = true
        switch client.end {
        case .left, nil: log("has left", client)
        case .displaced?, .notAdmitted?, .settingsChanged?: log(client.end?.rawValue ?? "", client)
        case .tooSlow?, .stalled?, .mute?:
            logger.warning(
                "shared radio: \(client.address) \(client.end?.rawValue ?? ""), and is disconnected with \(client.output.count) bytes unsent"
            )
        }
    }

    private func sayGoodBye() {
        now = MonotonicClock.nanoseconds()
        for client in clients {
            // What has come by now is taken: the client that wrote it has no way to know.
            readRest(of: client)
            _ = client.output.write(to: client.descriptor)
        }
        removeEnded()
        for descriptor in refusals.takeAll() { leaving.end(descriptor, at: now) }
        leaving.waitForAll(from: now)
    }
}

extension ShareClient.Phase {
    fileprivate var isSilentOrLive: Bool { if case .handshake = self { false } else { true } }
}
