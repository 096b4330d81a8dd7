import Platform
import Synchronization

// An answer that takes so long that no server thread may wait for it.
//
//     handler --> .later(answer) --> next(): begins the work, and the connection is suspended
//     worker, any thread --> give(response) --> resumed, and next() has the response
//     client left, server stops --> unwanted: resumed, and the connection is closed; give() does nothing any more
//     time is up --> late: resumed, and answered with what it has for that, or 503; the same
//
// The answer can come before the pause: then there is none.

/// An answer that a handler has begun and that somebody gives later, from any thread. It has one reader.
///
///     return Response(body: .later(LaterAnswer { answer in
///         worker.run { if !answer.isUnwanted { answer.give(made()) } }
///     }))
public final class LaterAnswer: Sendable {
    public typealias Signal = @Sendable () -> Void

    public enum Outcome: Sendable {
        case response(Response)
        /// Not yet: ask again when resumed.
        case pending
        /// Nobody waits for it any more.
        case unwanted
        /// It took longer than its time, or than `Limits.answerTime`.
        case late
    }

    private struct State {
        /// What starts the work; nil once it has been called.
        var begin: (@Sendable (LaterAnswer) -> Void)?
        var outcome = Outcome.pending
        /// What brings the waiting connection back.
        var resume: Signal?
    }

    private let state: Mutex<State>
    /// Its time; nil: `Limits.answerTime`.
    let time: Duration?
    private let late: (@Sendable () -> Response)?
    /// It is over when its client leaves.
    let isForItsClient: Bool

    /// - Parameters:
    ///   - time: after which it is late, up to an hour; nil: `Limits.answerTime`.
    ///   - isForItsClient: its client's leaving makes it unwanted. False: what is done is done for good, and also a client that
    ///     ends its sending side is answered.
    ///   - late: makes the answer when it is late, at once, on the server's thread; nil: it is `RefusalReason.answerTooLate`.
    ///   - begin: starts the work and returns at once; called on the server's thread, once. The work calls ``give(_:)`` at
    ///     most once; not at all is right when the answer ``isUnwanted``.
    public init(
        within time: Duration? = nil, isForItsClient: Bool = true, late: (@Sendable () -> Response)? = nil,
        _ begin: @escaping @Sendable (LaterAnswer) -> Void
    ) {
        self.time = time
        self.isForItsClient = isForItsClient
        self.late = late
        state = Mutex(State(begin: begin))
    }

    /// What is answered in its place when it is late; nil: the server's own refusal.
    func lateResponse() -> Response? { late?() }

    /// The answer is this one. Its headers are sent before those of the response that this answer was the body of, so that what
    /// the layers around a handler add is there, too. Only the first one counts, and none once the answer is unwanted.
    public func give(_ response: Response) { settle(.response(response)) }

    /// Whether the client has left, the server stops or the time is up: work that goes on is for nobody.
    public var isUnwanted: Bool {
        state.withLock { state in
            switch state.outcome {
            case .unwanted, .late: true
            case .pending, .response: false
            }
        }
    }

    /// What has become of it. The first call begins the work.
    ///
    /// - Parameters:
    ///   - pause: called when there is no answer yet, before anybody can call `resume`. Both are called under a lock, so
    ///     they must return at once and leave this answer alone.
    ///   - resume: called once after ``Outcome/pending``, from any thread, when it is worth asking again.
    public func next(pause: () -> Void = {}, resume: @escaping Signal) -> Outcome {
        let begin = state.withLock { $0.begin.take() }
        begin?(self)
        return state.withLock { state in
            if case .pending = state.outcome {
                pause()
                state.resume = resume
            }
            return state.outcome
        }
    }

    /// Nobody waits for it any more.
    func abandon() { settle(.unwanted) }

    func expire() { settle(.late) }

    private func settle(_ outcome: Outcome) {
        state.withLock { state in
            guard case .pending = state.outcome else {
                // A response that nobody has fetched yet goes with its client.
                if case .unwanted = outcome { state.outcome = .unwanted }
                return
            }
            state.outcome = outcome
            state.resume.take()?()
        }
    }
}

extension Response {
    /// This response or, when it comes later, the one that comes, for which the calling thread waits. For callers without a
    /// server: a command that answers itself, and tests.
    public func awaited() -> Response {
        guard case .later(let later) = body else { return self }
        let isResumed = Monitor(false)
        // Without a server only what says so has an end.
        let end = later.time.map { MonotonicClock.nanoseconds() + $0.nanoseconds }
        while true {
            var response: Response
            switch later.next(resume: { isResumed.notify { $0 = true } }) {
            case .pending:
                if isResumed.wait(until: end, { isSet, _ in isSet ? true : nil }) == nil { later.expire() }
                continue
            case .late:
                guard let late = later.lateResponse() else { fallthrough }
                response = late
            case .unwanted: preconditionFailure("nobody else waits for this answer")
            case .response(let given): response = given
            }
            response.headers += headers
            return response.awaited()
        }
    }
}
