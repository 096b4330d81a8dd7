import Testing

@testable import Store

/// Somebody asks for what lies behind more rows than can be looked through in time.
@Test func aReadingThatTakesTooLongIsEnded() throws {
    let (store, _) = try Store.withSource(Folder())
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    #expect(throws: StoreError.tookTooLong) {
        try store.read(within: 50_000_000) { try $0.connection.integer(endless) }
    }
    // On the same connection, nothing of it is left.
    let counted = try store.read { reader in
        try reader.connection.integer(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT max(i) FROM n")
    }
    #expect(counted == 1_000_000)
}

/// What else goes wrong keeps its name.
@Test func anotherErrorStaysWhatItIs() throws {
    let (store, _) = try Store.withSource(Folder())
    #expect {
        try store.read(within: 0) { _ in throw StoreError.closed }
    } throws: {
        $0 as? StoreError == .closed
    }
}
