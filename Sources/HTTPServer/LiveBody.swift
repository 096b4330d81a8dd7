import Synchronization

// A body that goes on for as long as there is something to tell, and holds no thread while there is nothing.
//
//     reader --next()--> produce()  bytes: sent          source of news --wake()--> resume()
//                                   nothing: the reader pauses, until it is resumed
//                                   pause: the same, and the sweeper wakes it at that time (Connections)
//
// News can come between the producer's "nothing" and the pause: then there is none.

/// A body that is produced when there is something to tell, until it is ended. It has one reader.
public final class LiveBody: Sendable {
    public enum Step: Sendable, Equatable {
        case bytes([UInt8])
        /// Nothing for now.
        case nothing
        /// Nothing for now. Ask again at this time of `MonotonicClock`, in nanoseconds, at the latest. If it is
        /// likely to pause for `period` nanoseconds after that, the sweeper sets its timer already and needs no wake-up.
        case pause(until: UInt64, period: UInt64 = 0)
        case end
    }

    public typealias Signal = @Sendable () -> Void

    private struct State {
        /// There may be more since the producer was last asked.
        var isWoken = false
        var hasEnded = false
        /// What brings the pausing reader back.
        var resume: Signal?
        /// When it is brought back in any case; .max: never.
        var deadline = UInt64.max
        /// Nanoseconds from this deadline to the next one; 0: unknown.
        var period: UInt64 = 0
        /// Called with each new deadline.
        var expect: (@Sendable (UInt64) -> Void)?
    }

    private let produce: @Sendable (_ wake: @escaping Signal) throws -> Step
    private let state = Mutex(State())

    /// - Parameter produce: gives what there is, on the reader's thread, one call at a time. It is given what it is to
    ///   call, from any thread, when it has said that there is nothing and then there is more.
    public init(_ produce: @escaping @Sendable (_ wake: @escaping Signal) throws -> Step) {
        self.produce = produce
    }

    /// What is to be sent next.
    ///
    /// - Parameters:
    ///   - pause: called when there is nothing, before anybody can call `resume`. Both are called under a lock, so they
    ///     must return at once and leave this body alone.
    ///   - resume: called once after ``Step/nothing``, from any thread, when it is worth asking again.
    public func next(pause: () -> Void = {}, resume: @escaping Signal) throws -> Step {
        while true {
            let hasEnded = state.withLock { state in
                state.isWoken = false
                return state.hasEnded
            }
            if hasEnded { return .end }
            let step = try produce { [weak self] in self?.wake() }
            let (deadline, period): (UInt64, UInt64)
            switch step {
            case .bytes, .end: return step
            case .nothing: (deadline, period) = (.max, 0)
            case .pause(let time, let next): (deadline, period) = (time, next)
            }
            let (isPausing, expect) = state.withLock { state -> (Bool, (@Sendable (UInt64) -> Void)?) in
                guard !state.isWoken, !state.hasEnded else { return (false, nil) }
                pause()
                state.resume = resume
                (state.deadline, state.period) = (deadline, period)
                return (true, deadline == .max ? nil : state.expect)
            }
            expect?(deadline)
            if isPausing { return .nothing }
        }
    }

    /// Whether it was ended, or its reader has gone.
    public var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// - Parameter expect: called on the reader's thread with each time at which ``enforce(now:)`` is to be called.
    func expectDeadlines(_ expect: @escaping @Sendable (UInt64) -> Void) { state.withLock { $0.expect = expect } }

    /// Brings a pausing reader back when its time has come; the time that is still to come, .max for none.
    func enforce(now: UInt64) -> UInt64 {
        state.withLock { state in
            guard state.deadline <= now else { return state.deadline }
            let next = state.period > 0 ? state.deadline + state.period : .max
            state.deadline = .max
            state.isWoken = true
            state.resume.take()?()
            return next
        }
    }

    /// Ends it: a reader that pauses comes back and finds the end. From any thread.
    public func end() {
        state.withLock { state in
            state.hasEnded = true
            state.deadline = .max
            state.resume.take()?()
        }
    }

    private func wake() {
        state.withLock { state in
            state.isWoken = true
            state.resume.take()?()
        }
    }

    /// The reader has gone, and cannot be resumed any more.
    func abandon() {
        state.withLock { state in
            state.hasEnded = true
            state.deadline = .max
            state.resume = nil
        }
    }
}
