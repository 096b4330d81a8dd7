import Foundation
import MeshModel
import Testing

@testable import Store

@Test func readingWritesNothing() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        for id in 1...100 as ClosedRange<PacketID> {
            try writer.updateNode(NodeNumber(id), in: source, at: noon) { _ in }
            _ = try writer.insertMessage(.received("text \(id)", id: id), in: source)
        }
        try writer.indexMessages()
    }
    func files() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for suffix in ["", "-wal"] {
            contents[suffix] = try Data(contentsOf: URL(fileURLWithPath: folder.database + suffix))
        }
        return contents
    }
    let before = try files(), health = store.health
    for _ in 1...20 {
        try store.read { reader throws in
            _ = try reader.messages(.init(source: source, since: 0))
            _ = try reader.searchMessages(.init(source: source, text: "text"))
            _ = try reader.nodes(reader.nodeNumbers(in: source), in: source)
            _ = try reader.counts(in: source)
            _ = try reader.tokens()
            #expect(reader.connection.totalChanges == 0)
        }
        _ = store.revision(.nodes)
    }
    #expect(try files() == before)
    #expect(store.health == health)
}

@Test func aReaderCannotWrite() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    #expect(throws: StoreError.self) { try store.read { try $0.connection.execute("DELETE FROM sources") } }
    #expect(try store.read { try $0.sources().count } == 1)
}

@Test func aReaderSeesOneStateAllTheTime() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.read { reader throws in
        #expect(try reader.messages(.init(source: source)).isEmpty)
        try store.commit { _ = try $0.insertMessage(.received("meanwhile", id: 1), in: source) }
        #expect(try reader.messages(.init(source: source)).isEmpty)
    }
    #expect(try store.read { try $0.messages(.init(source: source)).count } == 1)
}

/// A count is kept from one reader to the next, and that of a newer snapshot is not this one's.
@Test func aReaderCountsWhatItSees() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { _ = try $0.insertMessage(.received("before", id: 1), in: source) }
    try store.read { reader throws in
        #expect(try reader.messages(.init(source: source)).count == 1)
        try store.commit { _ = try $0.insertMessage(.received("meanwhile", id: 2), in: source) }
        #expect(try store.read { try $0.counts(in: source).messages } == 2)
        #expect(try reader.counts(in: source).messages == 1)
    }
    #expect(try store.read { try $0.counts(in: source).messages } == 2)
}

@Test func manyReadersAndTheWriterGoSideBySide() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 1...8 {
            group.addTask {
                for _ in 1...50 {
                    let (counted, listed) = try store.read { reader throws in
                        try (
                            reader.counts(in: source).messages, reader.messages(.init(source: source, limit: 999)).count
                        )
                    }
                    #expect(counted == listed)
                }
            }
        }
        for id in 1...100 as ClosedRange<PacketID> {
            try store.commit { _ = try $0.insertMessage(.received("text", id: id), in: source) }
        }
        try await group.waitForAll()
    }
    #expect(try store.read { try $0.counts(in: source).messages } == 100)
}
