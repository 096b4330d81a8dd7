import Glibc
import Platform

// One connection to a broker: the process that makes it (ConnectionProcess.swift), and the pair with it. Made, used and thrown away, so that
// neither a broker's limits nor what was in flight survives from an earlier one. The publisher knows what still has to arrive.

/// The program that serves connections.
public struct BrokerProgram: Hashable, Sendable {
    let path: String

    /// This executable, also where another has taken its place on disk.
    public static let own = BrokerProgram(path: "/proc/self/exe")

    init(path: String) { self.path = path }
}

/// Why the library cannot be loaded.
public struct MissingLibrary: Error, Hashable, CustomStringConvertible {
    public let reason: String

    public var description: String {
        "a broker needs libmosquitto, which cannot be loaded (\(reason)); install it: sudo apt install libmosquitto1"
    }
}

/// Belongs to the thread that has made it, whose end is the end of the process, too.
final class BrokerConnection {
    /// Why there is no connection any more, in words.
    struct Failure: Error, Hashable {
        let text: String
        /// Something that the broker has sent made the library abort.
        var isAbort = false
        /// It has sent a message that is too large for the process.
        var isTooLarge = false
        /// The last batch was not acknowledged to the broker, whatever we have answered: it comes again in the session.
        var isUnanswered = false
    }

    /// What waits for the process, in bytes: nothing more is published meanwhile.
    static let mostWaiting = 256 << 10
    /// Of a text that the process says.
    private static let longestText = 300

    /// The pair's own end.
    let descriptor: Int32
    private let process: pid_t
    private var isEnded = false
    private var incoming = FrameStream()
    private var outgoing: [UInt8] = []
    private var lastNumber: Int32 = 0
    /// "2.0.11", once it is known.
    private(set) var libraryVersion: String?
    /// Set when the process has ended; what ``read()`` has returned counts nevertheless.
    private(set) var end: Failure?
    /// A batch was read, and waits for ``answer()``.
    private(set) var owesAnswer = false
    /// The library is not there.
    private(set) var missing: MissingLibrary?
    private var said: Failure?

    /// Starts the process, which then connects.
    ///
    /// - Parameter name: the broker's, for ps.
    convenience init(_ settings: ConnectionSettings, named name: String, by program: BrokerProgram) throws(Failure) {
        try self.init(.connect(settings), named: name, by: program)
    }

    private init(_ first: ConnectionCall, named name: String, by program: BrokerProgram) throws(Failure) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw Failure(text: "there is no descriptor for it: \(errorText(errno))")
        }
        let started = Subprocess.start(
            [program.path, ConnectionProcess.word, name], descriptors: [ConnectionProcess.pair: ends[1]],
            environment: [])
        let reason = errno
        close(ends[1])
        guard let started else {
            close(ends[0])
            throw Failure(text: "there is no process for it: \(errorText(reason))")
        }
        (descriptor, process) = (ends[0], started)
        setNonBlocking(descriptor)
        call(first)
    }

    deinit {
        _ = finish()
        close(descriptor)
    }

    /// Ends the process, unless it has ended by itself, and waits for it.
    private func finish() -> Subprocess.End? {
        guard !isEnded else { return nil }
        isEnded = true
        // One that is ending already keeps the reason that it has.
        kill(process, SIGKILL)
        return Subprocess.wait(for: process)
    }

    // MARK: calls

    /// - Returns: the number that its acknowledgement carries.
    func publish(_ message: OutgoingMessage) -> Int32 {
        let number = nextNumber()
        call(.publish(number: number, message))
        return number
    }

    func subscribe(_ subscription: Subscription) -> Int32 {
        let number = nextNumber()
        call(.subscribe(number: number, subscription))
        return number
    }

    func unsubscribe(_ filter: String) -> Int32 {
        let number = nextNumber()
        call(.unsubscribe(number: number, filter: filter))
        return number
    }

    /// What was read last has been handled, and may be acknowledged to the broker.
    func answer() {
        guard owesAnswer else { return }
        owesAnswer = false
        call(.answer)
    }

    /// Says goodbye: the will is not published, and the process ends.
    func disconnect() { call(.disconnect) }

    private func nextNumber() -> Int32 {
        lastNumber = lastNumber == .max ? 1 : lastNumber + 1
        return lastNumber
    }

    private func call(_ call: ConnectionCall) { outgoing += FrameWriter.frame(call) }

    // MARK: the pair

    var wantsWrite: Bool { !outgoing.isEmpty }

    var isFull: Bool { outgoing.count >= Self.mostWaiting }

    /// Writes what the process takes now. That it is gone is found by ``read()``.
    func write() {
        guard !outgoing.isEmpty else { return }
        let count = outgoing.withUnsafeBytes { bytes in
            retrying { send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
        if count > 0 { outgoing.removeFirst(count) }
    }

    /// What the process has told since the last call.
    func read() -> [ConnectionEvent] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = retrying { Glibc.read(descriptor, &bytes, bytes.count) }
        if count < 0, errno == EAGAIN { return [] }
        if count > 0 { incoming.take(bytes[..<count]) }
        var events: [ConnectionEvent] = []
        do throws(MalformedFrame) {
            while let event = try incoming.next(ConnectionEvent.self) { note(event, in: &events) }
            if count <= 0 { noteEnd() }
        } catch {
            _ = finish()
            end = Failure(text: "its process has said what nobody understands")
        }
        return events
    }

    private func note(_ event: ConnectionEvent, in events: inout [ConnectionEvent]) {
        switch event {
        case .loaded(let version): libraryVersion = Self.shown(version)
        case .missing(let reason):
            let missing = MissingLibrary(reason: Self.shown(reason))
            (self.missing, said) = (missing, Failure(text: "\(missing)"))
        case .failed(let code, let text, let isUnanswered):
            said = Failure(
                text: Self.shown(text), isTooLarge: code == BrokerLibrary.tooLargeCode, isUnanswered: isUnanswered)
        case .endOfBatch: owesAnswer = true
        case .answered(let code, let text, let limits, let isPresent):
            events.append(.answered(code: code, text: Self.shown(text), limits, isSessionPresent: isPresent))
        case .acknowledged(let number, let code, let text):
            events.append(.acknowledged(number: number, code: code, text: Self.shown(text)))
        case .ended(let code, let text): events.append(.ended(code: code, text: Self.shown(text)))
        case .opened, .received, .subscribed, .unsubscribed: events.append(event)
        }
    }

    private func noteEnd() {
        let how = finish()
        if let said {
            end = said
        } else if case .signal(SIGABRT) = how {
            end = Failure(text: "it sends what libmosquitto \(libraryVersion ?? "") gives up at", isAbort: true)
        } else if case .signal(let number) = how {
            end = Failure(text: "the process of its connection was ended by signal \(number)")
        } else {
            end = Failure(text: "")
        }
    }

    /// A text that a broker may have had a say in.
    private static func shown(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(longestText).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}

extension BrokerConnection {
    /// Looks in a process of its own whether the library can be loaded, which takes some milliseconds.
    ///
    /// - Returns: nil if it can, or if that cannot be found out.
    static func missingLibrary(_ program: BrokerProgram) -> MissingLibrary? {
        guard let connection = try? BrokerConnection(.probe, named: "probe", by: program) else { return nil }
        let end = MonotonicClock.milliseconds() + 10_000
        while connection.end == nil, MonotonicClock.milliseconds() < end {
            connection.write()
            var waiting = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            _ = retrying { poll(&waiting, 1, Int32(clamping: end - MonotonicClock.milliseconds())) }
            _ = connection.read()
        }
        return connection.missing
    }
}
