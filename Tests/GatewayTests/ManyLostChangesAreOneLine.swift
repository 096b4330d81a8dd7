import Log
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

/// A radio talks while the disk stands still: the log says at once that something is lost, and later how much, for how long.
@Suite struct ManyLostChangesAreOneLine {
    private final class Lines: Sendable {
        private let texts = Mutex<[String]>([])
        private let seconds = Atomic<UInt64>(1)

        var logger: Logger {
            Logger(LogThreshold(.trace)) { entry in
                if entry.text.contains("not stored") { self.texts.withLock { $0.append(entry.text) } }
            }
        }
        var now: UInt64 { seconds.load(ordering: .sequentiallyConsistent) * 1_000_000_000 }
        func wait(seconds more: UInt64) { seconds.add(more, ordering: .sequentiallyConsistent) }

        /// Since the last call.
        func take() -> [String] {
            texts.withLock { texts in
                defer { texts = [] }
                return texts
            }
        }
    }

    private func count(in line: String?) throws -> Int {
        let match = try #require(
            line?.wholeMatch(of: /not stored: (\d+) more changes? in (\d+) s, the last because .*/))
        return try #require(Int(match.1))
    }

    @Test func withTheirNumber() throws {
        let lines = Lines()
        let test = try TestGateway(logger: lines.logger, monotonic: { lines.now })
        let goOn = test.stopWriter()
        func hear(_ count: Int) {
            for id in 1...UInt32(count) {
                test.tell(.received(.packet(.heard(.telemetry, device(("batteryLevel", 50)), id: id)), raw: []))
            }
        }
        var lost = 0
        func isLosing() -> Bool { test.store.health.droppedChanges > 0 }
        while !isLosing() { hear(500) }
        let first = lines.take()
        #expect(first == ["not stored: too many changes are waiting for the disk"])
        lost += first.count
        hear(1_000)
        #expect(lines.take().isEmpty)
        // Once a minute while it goes on.
        lines.wait(seconds: 60)
        hear(1_000)
        let second = lines.take()
        #expect(second.count == 1)
        lost += try count(in: second.first)
        lines.wait(seconds: 7)
        hear(10)
        #expect(lines.take().isEmpty)
        // Then it is over, which the next change shows.
        goOn()
        try test.settle()
        #expect(lines.take().isEmpty)
        lines.wait(seconds: 6)
        try test.hear(.text("after", id: 9_999_999))
        let last = lines.take()
        #expect(last.count == 1)
        #expect(last.first?.contains(" in 7 s,") == true)
        lost += try count(in: last.first)
        #expect(lost == test.store.health.droppedChanges)
        // The next one is a new one.
        lines.wait(seconds: 100)
        try test.hear(.text("quiet", id: 9_999_998))
        #expect(lines.take().isEmpty)
    }
}
