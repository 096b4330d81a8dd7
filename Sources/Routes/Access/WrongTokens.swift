import Synchronization

// Slowing down who tries tokens.
//
// 1. Guessing 128 bits is hopeless; what this saves is our own work, and it makes a forgotten client with an old token
//    ask less often: clients obey Retry-After.
// 2. Only wrong tokens are refused. People share addresses, so a right token passes whatever else came from there.
// 3. Nobody waits in a handler, where one who waits holds up others: the client is told when to come again.

/// Counts wrong tokens per client, and remembers a bounded number of clients.
public final class WrongTokens: Sendable {
    /// So many are free.
    public static let free = 10
    /// Milliseconds: the first pause, doubled with each further wrong token, and the longest one.
    private static let firstPause: Int64 = 1000
    private static let longestPause: Int64 = 60_000
    /// Milliseconds after which a client that tries no more is forgotten.
    private static let memory: Int64 = 900_000

    private struct Record {
        var count = 0
        /// Monotonic milliseconds.
        var pauseEnd: Int64 = 0
    }

    private let records = Mutex(ClientTable<Record>())

    /// How many clients are remembered.
    public var clients: Int { records.withLock { $0.count } }

    /// Counts a wrong token.
    /// - Parameter now: Monotonic milliseconds.
    /// - Returns: The seconds of its pause that are left to a client that came too early, which does not count; nil when
    ///   it may be told that its token is wrong.
    public func count(_ client: Client, now: Int64) -> Int? {
        records.withLock { records in
            var record = records.entry(of: client, now: now) ?? Record()
            if record.pauseEnd > now { return Int((record.pauseEnd - now + 999) / 1000) }
            record.count = min(record.count + 1, Self.free + 16)
            if record.count >= Self.free {
                record.pauseEnd = now + min(Self.firstPause << (record.count - Self.free), Self.longestPause)
            }
            records.set(record, of: client, until: now + Self.memory, now: now)
            return nil
        }
    }
}
