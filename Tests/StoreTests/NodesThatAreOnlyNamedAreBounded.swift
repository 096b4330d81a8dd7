import MeshModel
import Testing

@testable import Store

@Suite struct NodesThatAreOnlyNamedAreBounded {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws { (store, source) = try Store.withSource(folder) }

    @Test func theyGoWhenNobodyHasSpokenOfThemForLong() throws {
        let source = source
        let changes: [@Sendable (inout Node) -> Void] = [
            { _ in }, { $0.lastHeard = noon / 1000 }, { $0.longName = "Ridge" }, { $0.isFavorite = true },
            { $0.isIgnored = true }, { $0.publicKey = PublicKey([UInt8](repeating: 9, count: 32)) },
            { $0.latitude = 46 }, { _ in }, { _ in },
        ]
        let numbers = changes.indices.map { NodeNumber(UInt32(100 + $0)) }
        try store.commit { writer in
            for (number, place) in zip(numbers, changes.indices) {
                // The last one is new.
                let at = place == changes.count - 1 ? noon + 20 * day : noon
                try writer.insertMentionedNode(number, in: source, at: at)
                try writer.updateNode(number, in: source, at: at) { changes[place](&$0) }
            }
            // A person has written to the last but one.
            try writer.insertMessage(.own("hello", to: numbers[changes.count - 2], id: 1), in: source)
        }
        #expect(try store.commit { try $0.pruneOld(now: noon + 31 * day) } == 1)
        let left = try store.read { try $0.nodes(numbers, in: source) }.map(\.number)
        #expect(left == Array(numbers.dropFirst()))
        #expect(try store.read { try $0.counts(in: source).nodes } == left.count)
        // It can come back.
        try store.commit { try $0.insertMentionedNode(numbers[0], in: source, at: noon) }
        #expect(try store.read { try $0.counts(in: source).nodes } == numbers.count)
    }

    @Test func noListNamesMoreThanThereIsRoomFor() throws {
        let source = source
        try store.commit { writer in
            for number in 0..<UInt32(Writer.unheardNodeLimit + 50) {
                try writer.insertMentionedNode(NodeNumber(1000 + number), in: source, at: noon)
            }
        }
        #expect(try store.read { try $0.counts(in: source).nodes } == Writer.unheardNodeLimit)
        try store.commit { writer in
            try writer.update(source) { $0.nodeNumber = alice }
            for number in 0..<UInt32(Writer.nodeLimit - Writer.unheardNodeLimit) {
                try writer.updateNode(NodeNumber(1_000_000 + number), in: source, at: noon) { $0.lastHeard = 1 }
            }
        }
        #expect(try store.read { try $0.counts(in: source).nodes } == Writer.nodeLimit)
        // Who has a row is changed as before, and who is heard gets one.
        try store.commit { writer in
            try writer.updateNode(NodeNumber(1000), in: source, at: noon) { $0.longName = "Ridge" }
            for number in [alice, bob] { try writer.updateNode(number, in: source, at: noon) { $0.lastHeard = 1 } }
        }
        #expect(try store.read { try $0.node(NodeNumber(1000), in: source) }?.longName == "Ridge")
        #expect(try store.read { try $0.node(alice, in: source) } != nil)
        #expect(try store.read { try $0.node(bob, in: source) } != nil)
        #expect(try store.read { try $0.counts(in: source).nodes } <= Writer.nodeLimit)
    }
}
