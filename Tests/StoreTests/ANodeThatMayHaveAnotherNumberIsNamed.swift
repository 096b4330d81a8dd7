import MeshModel
import Testing

@testable import Store

/// Firmware 2.8 makes a node's number from its key: who has a key that makes the number of another row may be that one.
@Suite struct ANodeThatMayHaveAnotherNumberIsNamed {
    private func key(_ byte: UInt8) -> PublicKey { PublicKey([UInt8](repeating: byte, count: 31) + [1])! }

    private func found(_ nodes: [(NodeNumber, PublicKey?)]) throws -> [[NodeNumber]] {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        try store.commit { writer in
            for (number, key) in nodes { try writer.updateNode(number, in: source, at: 1) { $0.publicKey = key } }
        }
        return try store.read { try $0.renumberedNodes(in: source) }.map { [$0.old, $0.new] }
    }

    private let old = NodeNumber(0x0A0A_0A0A)

    @Test func whetherTheNewOneHasToldItsKeyOrNot() throws {
        let new = key(7).nodeNumber
        #expect(try found([(old, key(7)), (new, nil)]) == [[old, new]])
        #expect(try found([(old, key(7)), (new, key(7))]) == [[old, new]])
    }

    @Test func notWithoutARowNorWithTwoOwners() throws {
        #expect(try found([(old, key(7)), (NodeNumber(0x0B0B_0B0B), nil)]) == [])
        #expect(try found([(key(7).nodeNumber, key(7))]) == [])
        #expect(try found([(old, key(7)), (NodeNumber(0x0B0B_0B0B), key(7)), (key(7).nodeNumber, nil)]) == [])
    }
}
