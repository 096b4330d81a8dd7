import Testing

@testable import Store

/// The network's thread and another one find a connection each. A room that reads again and again is a third, and opens none each
/// time either.
@Test func aRoomThatReadsKeepsAConnection() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    defer { store.close() }
    var seen: [DatabaseConnection] = []
    func new(_ reader: Reader) -> Int {
        if seen.contains(where: { $0 === reader.connection }) { return 0 }
        seen.append(reader.connection)
        return 1
    }
    /// How many connections were opened for three readers at once.
    func opened() throws -> Int {
        try store.readCommitted { first in
            try store.readCommitted { second in
                try store.readCommitted { third in new(first) + new(second) + new(third) }
            }
        }
    }
    _ = try opened()
    #expect(try opened() == 1)
    store.beginStandingReads()
    _ = try opened()
    #expect(try opened() == 0)
    // However many rooms there are.
    store.beginStandingReads()
    #expect(try opened() == 0)
    store.endStandingReads()
    store.endStandingReads()
    _ = try opened()
    #expect(try opened() == 1)
}
