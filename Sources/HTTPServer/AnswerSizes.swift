import Synchronization

/// How large the answers of each route were of late: so much is kept free for the next one before it is made, because its size is
/// known only then.
final class AnswerSizes: Sendable {
    /// Routes that are remembered; those with small answers need not be.
    private static let capacity = 256

    private let sizes = Mutex<[String: Int]>([:])

    /// Bytes.
    func expected(of route: String) -> Int { sizes.withLock { $0[route] ?? 0 } }

    /// An answer was so large. After a large one, an eighth less is expected with each that is smaller: a client may ask for a row,
    /// and then for thousands of them.
    func note(_ bytes: Int, of route: String) {
        sizes.withLock { sizes in
            let size = max(bytes, (sizes[route] ?? 0) / 8 * 7)
            guard size > AnswerMemory.smallest else { return sizes[route] = nil }
            if sizes.count >= Self.capacity, sizes[route] == nil,
                let least = sizes.min(by: { $0.value < $1.value })?.key
            {
                sizes[least] = nil
            }
            sizes[route] = size
        }
    }
}
