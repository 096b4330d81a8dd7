import MeshModel
import Testing

@testable import Store

@Suite struct NodesAreFoundByTheirKey {
    private let one = PublicKey(1...32 as ClosedRange<UInt8>)!
    private let two = PublicKey(2...33 as ClosedRange<UInt8>)!
    private let bob = NodeNumber(0xFFFF_FFF0)

    @Test func whateverTheirKeyWasBefore() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        let (one, two, bob) = (one, two, bob)
        let found = try store.commit { writer -> [[NodeNumber]] in
            var second = Source.example
            second.uuid = "other"
            let other = try writer.insert(second)
            for number in [bob, alice] { try writer.updateNode(number, in: source, at: noon) { $0.pin(one) } }
            try writer.updateNode(alice, in: other, at: noon) { $0.pin(two) }
            let both = try writer.nodes(with: one, in: source)
            try writer.updateNode(alice, in: source, at: noon) { $0.pin(two) }
            return [both, try writer.nodes(with: one, in: source), try writer.nodes(with: two, in: source)]
        }
        #expect(found == [[alice, bob].sorted(), [bob], [alice]])
        // What is undone is not found, and what was there is.
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try store.commit { writer in
                try writer.updateNode(bob, in: source, at: noon) { $0.pin(two) }
                throw Undone()
            }
        }
        #expect(try store.commit { try $0.nodes(with: one, in: source) } == [bob])
        #expect(try store.commit { try $0.nodes(with: two, in: source) } == [alice])
    }
}
