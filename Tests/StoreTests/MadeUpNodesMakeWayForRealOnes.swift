import MeshModel
import Testing

@testable import Store

/// Twenty thousand nodes, most of them heard once: somebody sends under numbers that he makes up.
@Suite struct MadeUpNodesMakeWayForRealOnes {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws {
        (store, source) = try Store.withSource(folder)
        let source = source
        try store.commit { writer in
            // As many rows one by one would take seconds.
            try writer.connection.prepare(
                """
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3)
                INSERT INTO nodes (node, updated_at, last_heard, created_at, hops_away, key_mismatch, is_licensed,
                    is_unmessagable, is_favorite, is_ignored, is_muted, is_key_manually_verified, has_xeddsa_signed)
                SELECT ?1 + i, ?2 + i, ?2 / 1000, ?2, 3, 0, 0, 0, 0, 0, 0, 0, 0 FROM n
                """
            )
            .bind(source.key(NodeNumber(1_000_000))).bind(noon).bind(Writer.nodeLimit - 100).run()
            try writer.connection.prepare("INSERT INTO node_counts VALUES (?, ?)")
                .bind(source.rawValue).bind(Writer.nodeLimit - 100).run()
        }
    }

    private func hear(_ numbers: some Sequence<UInt32> & Sendable, at now: Int64) throws {
        let source = source
        for number in numbers {
            try store.commit { writer in
                try writer.updateNode(NodeNumber(number), in: source, at: now) {
                    $0.lastHeard = now / 1000
                    $0.hopsAway = 3
                }
            }
        }
    }

    private func isThere(_ number: UInt32) throws -> Bool {
        try store.read { try $0.node(NodeNumber(number), in: source) } != nil
    }

    @Test func whatAForgerCannotHaveStays() throws {
        let source = source
        // Older than everything that is made up.
        let earlier = noon - 10 * day
        let worth: [@Sendable (inout Node) -> Void] = [
            { $0.isFavorite = true }, { $0.isIgnored = true }, { $0.isKeyManuallyVerified = true },
            { $0.lastHeard = earlier / 1000 + 7200 }, { $0.publicKey = PublicKey([UInt8](repeating: 7, count: 32)) },
            { $0.hopsAway = 0 }, { _ in }, { _ in },
        ]
        let real = worth.indices.map { UInt32(100 + $0) }
        try store.commit { writer in
            for (number, change) in zip(real, worth) {
                try writer.updateNode(NodeNumber(number), in: source, at: earlier) {
                    $0.lastHeard = earlier / 1000
                    $0.hopsAway = 3
                    change(&$0)
                }
            }
            // Somebody has written to one of them, and another one has written.
            try writer.insertMessage(.own("hello", to: NodeNumber(real[6]), id: 1), in: source)
            var message = Message.received("hello", id: 2, at: noon)
            message.from = NodeNumber(real[7])
            try writer.insertMessage(message, in: source)
        }
        try hear(500_000..<500_200, at: noon + hour)
        for (place, number) in real.enumerated() { #expect(try isThere(number), "\(place)") }
        #expect(try isThere(500_199))
        #expect(try !isThere(1_000_000), "the oldest one that was heard once")
        #expect(try store.read { try $0.counts(in: source).nodes } <= Writer.nodeLimit)
    }

    @Test func theyMakeWayForEachOther() throws {
        try hear(1..<101, at: noon - day)
        try hear(1..<101, at: noon + hour)
        try hear(500_000..<500_150, at: noon + hour)
        for number in UInt32(1)..<101 { #expect(try isThere(number), "heard again after a day: \(number)") }
        let counted = try secondConnection(store).integer("SELECT count(*) FROM nodes")
        #expect(try store.read { try $0.counts(in: source).nodes } == counted.map { Int($0) })
    }

    /// The key of a row that is gone belongs to nobody.
    @Test func theirKeysGoWithThem() throws {
        let (source, key) = (source, PublicKey([UInt8](repeating: 9, count: 32)))
        try store.commit { writer in
            try writer.updateNode(alice, in: source, at: noon - day) { $0.publicKey = key }
        }
        try hear(500_000..<500_100, at: noon)
        #expect(try store.read { try $0.node(alice, in: source) } == nil)
        #expect(try secondConnection(store).integer("SELECT count(*) FROM node_keys") == 0)
    }
}
