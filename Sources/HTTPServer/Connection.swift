import Glibc
import Synchronization

/// One open connection, from accept to close.
final class Connection: Sendable {
    let peer: Peer
    private let descriptor: Int32
    private let phase: Mutex<Phase>

    /// What the client and we are waiting for. Deadlines are nanoseconds of `monotonicNow()`.
    private enum Phase {
        /// Between requests, or in the middle of a request line.
        case idle(deadline: UInt64)
        /// The target has come; more headers or the body have not.
        case receiving(deadline: UInt64)
        case answering
        /// The answer goes on until its body ends.
        case live(LiveBody)
        case closed
    }

    init(descriptor: Int32, deadline: UInt64) {
        self.descriptor = descriptor
        peer = Peer(descriptor: descriptor)
        phase = Mutex(.idle(deadline: deadline))
    }

    /// - Returns: whether its answer was a live one.
    func becomeIdle(until deadline: UInt64) -> Bool {
        phase.withLock { phase in
            defer { phase = .idle(deadline: deadline) }
            return if case .live = phase { true } else { false }
        }
    }

    func becomeReceiving(until deadline: UInt64) { phase.withLock { $0 = .receiving(deadline: deadline) } }
    func becomeAnswering() { phase.withLock { $0 = .answering } }

    func becomeLive(_ body: LiveBody) { phase.withLock { $0 = .live(body) } }

    /// To be watched for the client's leaving: libmicrohttpd does not, while there is nothing to send.
    var watchedDescriptor: Int32? {
        phase.withLock { if case .live = $0 { descriptor } else { nil } }
    }

    /// Ends the live body, if that is what is being sent. The descriptor is not watched any more.
    func endLive() {
        let body = phase.withLock { phase -> LiveBody? in
            guard case .live(let body) = phase else { return nil }
            phase = .answering
            return body
        }
        body?.end()
    }

    /// To be called before the descriptor is closed: from then on the number may belong to another connection.
    func becomeClosed() { phase.withLock { $0 = .closed } }

    /// Ends the connection when its deadline has passed; the deadline that is still to come, .max for none.
    /// shutdown() alone closes nothing: libmicrohttpd reads the end of the stream and cleans up by itself.
    func enforce(now: UInt64) -> UInt64 {
        phase.withLock { phase in
            switch phase {
            case .idle(let deadline), .receiving(let deadline):
                guard deadline <= now else { return deadline }
                shutdown(descriptor, Int32(SHUT_RDWR))
                return .max
            case .answering, .live, .closed:
                return .max
            }
        }
    }

    /// Lets libmicrohttpd read the end of the stream when nothing is under way. What the client has already sent is
    /// still read and answered first.
    func endIfIdle() {
        phase.withLock { phase in
            if case .idle = phase { shutdown(descriptor, Int32(SHUT_RD)) }
        }
    }
}

/// Nanoseconds of CLOCK_MONOTONIC.
func monotonicNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

extension Duration {
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: seconds) * 1_000_000_000 + UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
