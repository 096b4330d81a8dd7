import Testing

@testable import Store

/// By it ids of events are read that clients were given before a restart. It belongs to no format.
@Test func theKeyOfEventsStaysWithItsDatabase() throws {
    func key(_ folder: Folder) throws -> [UInt8] {
        let store = try Store(path: folder.database)
        defer { store.close() }
        return try #require(try store.read { try $0.eventKey() })
    }
    let folder = Folder(), other = Folder()
    let first = try key(folder)
    #expect(first.count == 32 && Set(first).count > 8)
    #expect(try key(folder) == first)
    #expect(try key(other) != first)

    // A database of before has none.
    let old = Folder()
    try ReleasedDatabases.copy(ofFormat: Migration.supported, to: old)
    let made = try key(old)
    #expect(made != first)
    #expect(try key(old) == made)
}
