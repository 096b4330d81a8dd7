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
        case closed
    }

    init(descriptor: Int32, deadline: UInt64) {
        self.descriptor = descriptor
        peer = Peer(descriptor: descriptor)
        phase = Mutex(.idle(deadline: deadline))
    }

    func becomeIdle(until deadline: UInt64) { phase.withLock { $0 = .idle(deadline: deadline) } }
    func becomeReceiving(until deadline: UInt64) { phase.withLock { $0 = .receiving(deadline: deadline) } }
    func becomeAnswering() { phase.withLock { $0 = .answering } }

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
            case .answering, .closed:
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
