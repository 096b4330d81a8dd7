import Platform
import Synchronization

// Documents that are the same for everybody, and take longer to make than to send.
//
// Strangers may ask for them, as often as they like. So each is made once, and kept while somebody asks. Later only its
// tag and its length are known: for HEAD, and for those who have it already, nothing is made again.

/// What was made of each document, by what it is a document of.
public final class KeptDocuments: Sendable {
    /// Nanoseconds after the last request for its bytes for which a document is kept.
    static let time: UInt64 = 60_000_000_000

    public struct Document: Sendable {
        public let tag: EntityTag
        public let count: Int
        /// Nil: it was made before and is needed no more.
        public fileprivate(set) var bytes: [UInt8]?
        fileprivate var askedAt: UInt64
    }

    private let known = Mutex<[String: Document]>([:])

    public init() {}

    /// A document with its bytes, made when they are not kept.
    ///
    /// - Parameter now: nanoseconds of ``MonotonicClock``.
    public func whole(
        _ name: String, now: UInt64 = MonotonicClock.nanoseconds(), make: () -> [UInt8]
    ) -> (document: Document, bytes: [UInt8]) {
        // Under the lock: of two who ask at once, one makes it.
        known.withLock { known in
            let bytes = known[name]?.bytes ?? make()
            let tag = known[name]?.tag ?? EntityTag(of: bytes)
            let document = Document(tag: tag, count: bytes.count, bytes: bytes, askedAt: now)
            known[name] = document
            return (document, bytes)
        }
    }

    /// What is known of a document, its bytes too while they are kept. Only the first time it is made for that.
    public func known(
        _ name: String, now: UInt64 = MonotonicClock.nanoseconds(), make: () -> [UInt8]
    ) -> Document {
        known.withLock { $0[name] } ?? whole(name, now: now, make: make).document
    }

    /// Gives up the bytes of documents for which nobody has asked in the last minute.
    public func release(now: UInt64 = MonotonicClock.nanoseconds()) {
        known.withLock { known in
            for (name, document) in known where document.askedAt + Self.time <= now { known[name]?.bytes = nil }
        }
    }
}
