import Testing

@testable import Gateway

/// Whoever holds the lock of one owner and asks another waits for it, and may be waited for: the order of locks that this would
/// take is nobody's, so that a debug build stops there.
@Suite struct AnOwnerIsNotAskedUnderAnothersLock {
    @Test func whoDoesIsStopped() async {
        await #expect(processExitsWith: .failure) {
            let packets = OwnerLock(0)
            let other = OwnerLock(0)
            packets.withLock { _ in other.withLock { $0 += 1 } }
        }
    }

    @Test func oneAfterTheOtherIsFine() {
        let packets = OwnerLock(0)
        let other = OwnerLock(0)
        struct Refused: Error {}
        #expect(throws: Refused.self) { try packets.withLock { _ in throw Refused() } }
        let count = packets.withLock { count in
            count += 1
            return count
        }
        other.withLock { $0 += count }
        let sum = other.withLock { $0 }
        #expect(sum == 1)
    }
}
