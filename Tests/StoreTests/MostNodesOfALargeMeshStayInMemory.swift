import MeshModel
import Testing

@testable import Store

/// A mesh of a few nodes more than there is room for finds most of them in memory, and what is written is what they say.
@Test func mostNodesOfALargeMeshStayInMemory() throws {
    let folder = Folder.inMemory()
    let (store, source) = try Store.withSource(folder)
    defer { store.close() }
    let nodes = (1...UInt32(NodeCache.capacity + 40)).map { NodeNumber(0x100 + $0) }
    for round in 1...3 as ClosedRange<Int64> {
        try store.commit { writer in
            for node in nodes { try writer.updateNode(node, in: source, at: noon) { $0.lastHeard = round } }
        }
        try store.commit { writer in
            let known = nodes.count { writer.nodes[source.key($0)] != nil }
            #expect((NodeCache.capacity / 2...NodeCache.capacity).contains(known), "round \(round)")
        }
        let heard = try store.read { reader in try nodes.map { try reader.node($0, in: source)?.lastHeard } }
        #expect(heard.allSatisfy { $0 == round })
    }
}
