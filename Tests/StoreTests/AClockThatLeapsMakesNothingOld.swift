import MeshModel
import Testing

@testable import Store

@Suite struct AClockThatLeapsMakesNothingOld {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws { (store, source) = try Store.withSource(folder, retention: .month) }

    /// A packet comes, and the writer is told the time.
    private func hear(at times: Int64...) throws {
        let source = source
        for time in times {
            try store.commit { writer in
                let packet = MeshPacket(from: alice, to: bob, id: 1, payload: .none)
                try writer.logPacket(packet, direction: .rx, in: source, at: time)
                try writer.expire(at: time)
                try writer.pruneAll()
            }
        }
    }

    private var times: [Int64] {
        get throws { try store.read { try $0.packets(PacketQuery(in: source, limit: 1000)) }.map(\.at).reversed() }
    }

    @Test func yearsAhead() throws {
        try hear(at: noon, noon + hour)
        let ahead = noon + 2000 * day
        try hear(at: ahead, ahead + 12 * hour, ahead + 23 * hour, noon + 2 * hour, noon + 3 * hour)
        #expect(try times.count == 7)
    }

    @Test func toTheBeginningOfTime() throws {
        try hear(at: noon, 0, 12 * hour, 30 * hour, 60 * hour, noon + 3 * day, noon + 3 * day + hour)
        #expect(try times.count == 7)
        // Also when the clock has then been right for long, as long as what is before them is young.
        try hear(at: noon + 4 * day, noon + 5 * day)
        #expect(try times.count == 9)
    }

    @Test func afterADayWithoutALeapWhatIsOldGoes() throws {
        try hear(at: noon)
        let later = noon + 40 * day
        try hear(at: later, later + 23 * hour)
        #expect(try times.first == noon)
        try hear(at: later + 24 * hour)
        #expect(try times.first == later)
        // Small corrections are no leap.
        try hear(at: later + 24 * hour - 60_000)
        let state = try secondConnection(store).integer("SELECT steady_since FROM host_clock")
        #expect(state == later)
    }
}
