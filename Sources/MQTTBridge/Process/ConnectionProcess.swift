import CMosquitto
import Glibc
import Platform

// The process of one connection to a broker: this executable, started again. It takes calls from its daemon over a socket pair, and gives
// events back:
//
//     daemon --calls--> pair --> BrokerLibrary --> broker
//       ^------events-- batch <------'
//
// 1. It ends with its pair, with the daemon's thread that has started it, and with its connection, and makes no second one. Whatever else
//    ends it (a signal, the kernel, an abort of the library) is a connection that ended, for the daemon.
// 2. What can be read from the broker now, up to a bound, is a batch. Until it is answered, nothing is read from the broker and nothing
//    written to it, so that no acknowledgement leaves before the daemon has what it acknowledges.
// 3. While something of ours waits for the broker, nothing is read from it, and after 30 s without a byte taken the connection ends.
// 4. The library may keep what a broker sends (QoS 2, a packet's announced length): the process has a limit of memory.
// 5. libmosquitto returns some errors as success (#2594, #2794): a readable socket without a byte is a connection that ended.

public struct ConnectionProcess {
    /// The first argument of such a process; the second is the broker's name, for ps.
    public static let word = "_broker"
    /// The pair's descriptor.
    static let pair: Int32 = 3
    /// Of a batch.
    static let mostEvents = 64
    static let mostBytes = 64 << 10
    /// Milliseconds for which a socket may take nothing.
    static let patience: Int64 = 30_000
    /// Milliseconds for what is said last.
    private static let lastWords: Int64 = 1_000

    private let library: BrokerLibrary
    private var calls: FrameStream
    private var outgoing: [UInt8] = []
    private var awaitsAnswer = false
    private var isLeaving = false
    /// Since when the broker has taken nothing of what waits, in steady milliseconds.
    private var stalledSince: Int64?
    /// Seconds between two looks at the keep-alive are a third of it; nil: there is none.
    private var keepAlive: Int
    private let mostMemory: Int

    /// Serves a connection if these arguments ask for one, and does not return then.
    ///
    /// - Parameter arguments: of the process, its own name first.
    public static func runIfAsked(_ arguments: [String]) {
        guard arguments.count == 3, arguments[1] == word else { return }
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        // EX_USAGE: somebody has typed it.
        guard getsockopt(pair, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 else { exit(64) }
        mg_process_begin("mqtt \(arguments[2])", pair)
        setNonBlocking(pair)
        serve()
    }

    private static func serve() -> Never {
        var (calls, outgoing) = (FrameStream(), [UInt8]())
        let first = firstCall(&calls)
        do throws(BrokerLibrary.Failure) {
            let version = try BrokerLibrary.load()
            outgoing += FrameWriter.frame(ConnectionEvent.loaded(version))
        } catch {
            end(saying: FrameWriter.frame(ConnectionEvent.missing(error.text)))
        }
        guard case .connect(let settings) = first else { end(saying: outgoing) }
        do throws(BrokerLibrary.Failure) {
            let library = try BrokerLibrary(settings)
            mg_process_limit(Int(settings.memory))
            write(&outgoing)
            try library.connect()
            // What the kernel keeps for a broker that takes nothing counts as the service's memory, too.
            var room = Int32(mostBytes)
            if let socket = library.descriptor {
                setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
            }
            outgoing += FrameWriter.frame(ConnectionEvent.opened)
            var process = ConnectionProcess(library, settings, calls: calls, outgoing: outgoing)
            process.run()
        } catch {
            outgoing += FrameWriter.frame(
                ConnectionEvent.failed(code: error.code, text: error.text, isUnanswered: false))
        }
        end(saying: outgoing)
    }

    private init(_ library: BrokerLibrary, _ settings: ConnectionSettings, calls: FrameStream, outgoing: [UInt8]) {
        (self.library, self.calls, self.outgoing) = (library, calls, outgoing)
        keepAlive = Int(settings.keepAlive)
        // An eighth is for what is under way.
        let room = mg_process_is_sanitized() || settings.memory == 0 ? Int(Int32.max) : Int(settings.memory) / 8 * 7
        mostMemory = mg_process_allocated() + room
    }

    // MARK: the loop

    private mutating func run() -> Never {
        while true {
            do throws(BrokerLibrary.Failure) {
                try work()
            } catch {
                tell(library.takeEvents())
                tell([.failed(code: error.code, text: error.text, isUnanswered: awaitsAnswer)])
                Self.end(saying: outgoing)
            }
        }
    }

    /// Waits, and does what can be done then.
    private mutating func work() throws(BrokerLibrary.Failure) {
        guard let socket = library.descriptor else {
            throw BrokerLibrary.Failure(code: 0, text: library.endReason)
        }
        let wantsWrite = !awaitsAnswer && library.wantsWrite
        let reads = !awaitsAnswer && !wantsWrite && outgoing.isEmpty
        // A call that cannot be carried out yet waits in the pair.
        let takesCalls = awaitsAnswer || !wantsWrite
        var waiting = [
            pollfd(
                fd: Self.pair, events: Int16((takesCalls ? POLLIN : 0) | (outgoing.isEmpty ? 0 : POLLOUT)), revents: 0),
            // poll(2) always reports a hang-up, which nobody would act on now.
            pollfd(fd: reads || wantsWrite ? socket : -1, events: Int16(wantsWrite ? POLLOUT : POLLIN), revents: 0),
        ]
        _ = retrying { poll(&waiting, 2, timeout(wantsWrite: wantsWrite)) }
        if !outgoing.isEmpty { Self.write(&outgoing) }
        if waiting[0].revents & Int16(POLLIN) != 0 {
            try takeCalls()
        } else if waiting[0].revents != 0, waiting[0].revents & Int16(POLLOUT) == 0 {
            _exit(0)
        }
        guard !awaitsAnswer else { return }
        if waiting[1].revents != 0, !wantsWrite { return try readBatch(socket) }
        try writeToBroker(hasTaken: waiting[1].revents != 0)
        if library.descriptor != nil, !isLeaving { try library.keepAlive() }
        try send(isBatch: false)
    }

    /// Milliseconds; -1 for ever.
    private func timeout(wantsWrite: Bool) -> Int32 {
        if awaitsAnswer { return -1 }
        var times: [Int64] = []
        // A PINGREQ goes out when it is looked at after a keep-alive of silence; brokers allow one and a half.
        if keepAlive > 0 { times.append(Int64(max(1, keepAlive / 3)) * 1000) }
        if let stalledSince {
            times.append(max(0, stalledSince + Self.patience - MonotonicClock.milliseconds()))
        }
        return times.min().map { Int32(clamping: $0) } ?? -1
    }

    private mutating func readBatch(_ socket: Int32) throws(BrokerLibrary.Failure) {
        for round in 0..<Self.mostEvents {
            let unread = mg_process_unread(socket)
            do throws(BrokerLibrary.Failure) { try library.read() } catch {
                // What came before counts: a refusal above 5 is an event, and the call says "protocol error".
                try send(isBatch: true)
                throw error
            }
            if round == 0, unread == 0, library.eventCount == 0 {
                throw BrokerLibrary.Failure(code: 0, text: library.endReason)
            }
            guard library.eventCount < Self.mostEvents, library.eventBytes < Self.mostBytes,
                library.descriptor == socket, isReadable(socket)
            else { break }
        }
        try send(isBatch: true)
        if mg_process_allocated() > mostMemory {
            throw BrokerLibrary.Failure(code: 1, text: "it has libmosquitto keep more and more")
        }
    }

    private func isReadable(_ socket: Int32) -> Bool {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return retrying { poll(&waiting, 1, 0) } > 0
    }

    /// - Parameter hasTaken: poll(2) says that there is room.
    private mutating func writeToBroker(hasTaken: Bool) throws(BrokerLibrary.Failure) {
        guard library.wantsWrite else {
            stalledSince = nil
            return
        }
        let now = MonotonicClock.milliseconds()
        if hasTaken { stalledSince = nil }
        if let stalledSince, now >= stalledSince + Self.patience {
            throw BrokerLibrary.Failure(code: 0, text: "it has taken nothing for \(Self.patience / 1000) s")
        }
        let goodbye = isLeaving ? library.descriptor.map { dup($0) } : nil
        try library.write()
        if library.descriptor == nil, let goodbye, goodbye >= 0 { Self.leave(goodbye, saying: outgoing) }
        if let goodbye, goodbye >= 0 { close(goodbye) }
        if !library.wantsWrite { stalledSince = nil } else if stalledSince == nil { stalledSince = now }
    }

    /// The DISCONNECT is written. What the broker has sent meanwhile is read and dropped: an unread byte would make the kernel reset the
    /// connection, and the broker lose what it has not read.
    private static func leave(_ socket: Int32, saying outgoing: [UInt8]) -> Never {
        shutdown(socket, Int32(SHUT_WR))
        let end = MonotonicClock.milliseconds() + lastWords
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while MonotonicClock.milliseconds() < end {
            var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let left = Int32(clamping: end - MonotonicClock.milliseconds())
            guard retrying({ poll(&waiting, 1, max(0, left)) }) > 0, recv(socket, &bytes, bytes.count, 0) > 0 else {
                break
            }
        }
        Self.end(saying: outgoing)
    }

    // MARK: the pair

    private static func firstCall(_ calls: inout FrameStream) -> ConnectionCall {
        while true {
            guard let call = try? calls.next(ConnectionCall.self) else {
                var waiting = pollfd(fd: pair, events: Int16(POLLIN), revents: 0)
                _ = retrying { poll(&waiting, 1, -1) }
                guard read(into: &calls) else { _exit(0) }
                continue
            }
            return call
        }
    }

    /// - Returns: false: the daemon has closed it.
    private static func read(into calls: inout FrameStream) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = retrying { Glibc.read(pair, &bytes, bytes.count) }
        if count > 0 { calls.take(bytes[..<count]) }
        return count > 0 || (count < 0 && errno == EAGAIN)
    }

    private mutating func takeCalls() throws(BrokerLibrary.Failure) {
        guard Self.read(into: &calls) else { _exit(0) }
        do {
            while let call = try calls.next(ConnectionCall.self) { try carryOut(call) }
        } catch let failure as BrokerLibrary.Failure {
            throw failure
        } catch {
            _exit(65)
        }
    }

    private mutating func carryOut(_ call: ConnectionCall) throws(BrokerLibrary.Failure) {
        // The library would keep a message for ever, and report a failure.
        guard library.descriptor != nil else { throw BrokerLibrary.Failure(code: 0, text: library.endReason) }
        switch call {
        case .publish(let number, let message): try library.publish(number, message)
        case .subscribe(let number, let subscription): try library.subscribe(number, subscription)
        case .unsubscribe(let number, let filter): try library.unsubscribe(number, filter)
        case .answer: awaitsAnswer = false
        case .disconnect:
            isLeaving = true
            library.disconnect()
        case .probe, .connect: _exit(65)
        }
    }

    /// Tells what the library has reported. A batch is to be answered.
    private mutating func send(isBatch: Bool) throws(BrokerLibrary.Failure) {
        let events = library.takeEvents()
        guard !events.isEmpty else { return }
        for case .answered(_, _, let limits, _) in events { keepAlive = limits.keepAlive ?? keepAlive }
        tell(events)
        if isBatch {
            tell([.endOfBatch])
            awaitsAnswer = true
        }
        Self.write(&outgoing)
    }

    private mutating func tell(_ events: [ConnectionEvent]) {
        for event in events { outgoing += FrameWriter.frame(event) }
    }

    /// Writes what the pair takes now.
    private static func write(_ outgoing: inout [UInt8]) {
        var sent = 0
        while sent < outgoing.count {
            let count = outgoing[sent...].withUnsafeBytes { bytes in
                retrying { Glibc.send(pair, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
            guard count > 0 else {
                if errno != EAGAIN { _exit(0) }
                break
            }
            sent += count
        }
        outgoing.removeFirst(sent)
    }

    /// Ends the process, once the daemon has what is said last.
    private static func end(saying outgoing: [UInt8]) -> Never {
        var outgoing = outgoing
        let end = MonotonicClock.milliseconds() + lastWords
        write(&outgoing)
        while !outgoing.isEmpty {
            var waiting = pollfd(fd: pair, events: Int16(POLLOUT), revents: 0)
            let left = Int32(clamping: end - MonotonicClock.milliseconds())
            guard left > 0, retrying({ poll(&waiting, 1, left) }) > 0 else { break }
            write(&outgoing)
        }
        // Not exit(3): OpenSSL has functions there, and nobody waits for what they do.
        _exit(0)
    }
}
