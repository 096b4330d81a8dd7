import HTTPServer
import Platform
import Store

// Reads that take long.
//
// A page that lies behind millions of rows takes seconds, and the thread that serves the network has no time for others
// meanwhile. So a read has 50 ms there. What takes longer is interrupted, its connection waits, and it begins again on a
// thread of its own with all others of its kind: one after the other, in turns by client, so that a client that asks for many
// waits for its own. The thread is there only while there is something to read.
//
//     handler --read, 50 ms--> takesLong --> LaterAnswer --turn of its client--> handler, until the time is up --> give
//
// The same is true of what waits to be committed before it is read.

enum LongReads {
    /// Nanoseconds that a read may take on a thread that others wait for.
    static let patience: UInt64 = 50_000_000
    /// The same for a client that has something aside already: one that asks, leaves and asks again would have all the
    /// time of that thread, 50 ms by 50 ms.
    static let shortPatience: UInt64 = 5_000_000
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
}
