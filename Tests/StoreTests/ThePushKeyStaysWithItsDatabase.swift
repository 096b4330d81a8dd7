import Testing

@testable import Store

/// Push services of browsers know the gateway by it: with another one, every registration of a browser would be void.
@Test func thePushKeyStaysWithItsDatabase() throws {
    func key(_ folder: Folder) throws -> [UInt8] {
        let store = try Store(path: folder.database)
        defer { store.close() }
        return try #require(try store.read { try $0.pushKey() })
    }
    let folder = Folder(), other = Folder()
    let first = try key(folder)
    #expect(StoredPushKey.isKey(first))
    #expect(try key(folder) == first)
    #expect(try key(other) != first)

    // A database of before has none.
    let old = Folder()
    try ReleasedDatabases.copy(ofFormat: 17, to: old)
    let made = try key(old)
    #expect(try key(old) == made)

    let store = try Store(path: folder.database)
    let new = [UInt8](repeating: 7, count: 32)
    try store.commit { try $0.replacePushKey(by: new) }
    store.close()
    #expect(try key(folder) == new)
}

/// FIPS 186-4, D.1.2.3: from 1 to the order less 1.
@Test func aPushKeyIsANumberOfItsCurve() {
    let order: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
    let none = [UInt8](repeating: 0, count: 32)
    let rows: [(key: [UInt8], isKey: Bool)] = [
        (none, false), (none.dropLast() + [1], true), (order, false), (order.dropLast() + [0x50], true),
        ([UInt8](repeating: 0xFF, count: 32), false), ([UInt8](repeating: 1, count: 31), false),
        ([UInt8](repeating: 1, count: 33), false),
    ]
    for row in rows { #expect(StoredPushKey.isKey(row.key) == row.isKey, "\(row.key)") }
}
