import Store
import Synchronization
import Testing

@testable import Gateway

/// A room that follows what changes: it notes what is news, and counts how often it was woken.
final class ToyReader: Sendable {
    let reader: ChangeReader
    private let counted: WakeCount

    private final class WakeCount: Sendable { let count = Atomic(0) }

    init(
        _ gateway: Gateway, named name: String = "toy",
        kinds: Set<StoredChange.Kind> = Set(StoredChange.Kind.allCases).subtracting([.happened])
    ) throws {
        let counted = WakeCount()
        self.counted = counted
        reader = try gateway.reader(named: name, kinds: kinds) { counted.count.add(1, ordering: .relaxed) }
    }

    var wakes: Int { counted.count.load(ordering: .relaxed) }

    /// What comes next, without passing it.
    func step() throws -> (changes: [StoredChange], upTo: Int64) {
        guard case .changes(let changes, let last) = try reader.next() else { throw Missed() }
        return (changes, last)
    }

    private struct Missed: Error {}

    /// Everything up to the present, and whether some of it is no longer kept.
    func read() throws -> (changes: [StoredChange], missed: Bool) {
        var (all, missed) = ([StoredChange](), false)
        while true {
            switch try reader.next(limit: 100) {
            case .changes(let changes, let last):
                if changes.isEmpty { return (all, missed) }
                all += changes
                reader.pass(last)
            case .missed(_, _, let last):
                missed = true
                reader.pass(last)
            }
        }
    }

    /// What is live, and texts that came late.
    func news() throws -> [StoredChange] {
        try read().changes.filter { $0.origin == .live || ($0.origin == .late && $0.kind == .message) }
    }
}
