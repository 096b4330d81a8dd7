import HTTPServer
import Platform
import Store
import Synchronization

// Reads that take long.
//
// A page that lies behind millions of rows takes seconds, and the thread that serves the network has no time for others
// meanwhile. So a read has 50 ms there. What takes longer is interrupted, its connection waits, and it begins again on a
// thread of its own with all others of its kind: one after the other, in turns by client, so that a client that asks for many
// waits for its own. The thread is there only while there is something to read.
//
//     handler --read, 50 ms--> takesLong --> LaterAnswer --turn of its client--> handler, until the time is up --> give

/// What was put aside, and the thread that does it.
public final class LongReads: Sendable {
    /// Nanoseconds that a read may take on a thread that others wait for.
    static let patience: UInt64 = 50_000_000
    /// The same for a client that has something here already: one that asks, leaves and asks again would have all the
    /// time of that thread, 50 ms by 50 ms.
    static let shortPatience: UInt64 = 5_000_000

    typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Client: [Work]] = [:]
        /// Clients with something waiting, whose turn is next first.
        var turns: [Client] = []
        /// Whose turn it is.
        var current: Client?
        var isRunning = false
    }

    private let state = Mutex(State())

    public init() {}

    /// Nothing is read or waits.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Those whose turn has not come yet.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Nanoseconds that a read of a client may take on a thread that others wait for.
    func patience(of client: @autoclosure () -> Client) -> UInt64 {
        state.withLock { state in
            guard state.isRunning, case let client = client() else { return Self.patience }
            return state.current == client || state.waiting[client] != nil ? Self.shortPatience : Self.patience
        }
    }

    func add(_ client: Client, _ work: @escaping Work) {
        let isFirst = state.withLock { state in
            if state.waiting[client, default: []].isEmpty { state.turns.append(client) }
            state.waiting[client, default: []].append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a thread everybody has to wait for it.
        if isFirst, !Thread.detach(named: "long-reads", { self.run() }) { run() }
    }

    private func run() {
        while let work = next() { work() }
    }

    private func next() -> Work? {
        state.withLock { state in
            state.current = state.turns.first
            guard let client = state.current else {
                state.isRunning = false
                return nil
            }
            state.turns.removeFirst()
            let work = state.waiting[client]?.removeFirst()
            if state.waiting[client]?.isEmpty ?? true {
                state.waiting[client] = nil
            } else {
                state.turns.append(client)
            }
            return work
        }
    }
}

/// How long the reads of a request may take.
enum ReadingTime: Sendable {
    /// Each as long as ``Store/patience`` says: nobody else waits.
    case own
    /// Nanoseconds for each, after which the request is put aside.
    case shared(UInt64)
    /// Until a time of ``MonotonicClock``, in nanoseconds, and as long as somebody waits for the answer.
    case putAside(until: UInt64, LaterAnswer)
}

extension API {
    /// Reads from the store; what goes wrong there is a 500 that names what was asked for.
    ///
    /// - Parameter task: what was to be done with it.
    public func read<T>(
        _ what: String, to task: String = "retrieve", _ body: (Reader) throws -> T
    ) throws(APIError) -> T {
        do {
            switch readingTime {
            case .own: return try store.read(body)
            case .shared(let time): return try store.read(within: time, body)
            case .putAside(let end, let answer):
                let now = MonotonicClock.nanoseconds()
                return try store.read(within: end - min(now, end), while: { !answer.isUnwanted }, body)
            }
        } catch let error as APIError {
            throw error
        } catch StoreError.tookTooLong {
            if case .shared = readingTime { throw .takesLong }
            throw .failed(
                "Failed to \(task) \(what): it took more than \(Store.patience / 1_000_000_000) seconds and was ended; "
                    + "ask for an earlier page, or for newer rows")
        } catch {
            throw .failed("Failed to \(task) \(what)")
        }
    }

    /// The endpoint's answer; one that comes later when reading for it takes long. Commands of this machine have threads of
    /// their own, and what changes something is done once.
    func handle(_ call: Call, by endpoint: Endpoint) throws(APIError) -> Response {
        if endpoint.method != .get || call.request.isLocal { return try with(.own, endpoint, call) }
        do throws(APIError) {
            return try with(.shared(longReads.patience(of: proxies.client(of: call.request))), endpoint, call)
        } catch .takesLong {
            let (client, end) = (proxies.client(of: call.request), MonotonicClock.nanoseconds() + Store.patience)
            let answer = LaterAnswer { answer in
                longReads.add(client) { answer.give(handleAside(call, by: endpoint, until: end, for: answer)) }
            }
            return Response(body: .later(answer))
        }
    }

    private func handleAside(
        _ call: Call, by endpoint: Endpoint, until end: UInt64, for answer: LaterAnswer
    ) -> Response {
        do throws(APIError) {
            guard !answer.isUnwanted else { return Response(status: 503) }
            // It may have been revoked while the request waited.
            if let token = call.caller.token, try tokens.caller(id: token, now: tokenTime) == nil {
                throw .tokenInvalid
            }
            return try with(.putAside(until: end, answer), endpoint, call)
        } catch {
            return error.response
        }
    }

    private func with(_ time: ReadingTime, _ endpoint: Endpoint, _ call: Call) throws(APIError) -> Response {
        var api = self
        api.readingTime = time
        // What has the tag of its body was printed before anybody knew whether the client has it.
        return try endpoint.handler(api)(call).unlessKnown(to: call.request)
    }
}
