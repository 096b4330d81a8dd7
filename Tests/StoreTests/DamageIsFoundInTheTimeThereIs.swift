import Foundation
import MeshModel
import Testing

@testable import Store

@Test func aSoundDatabaseIsSound() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { _ = try $0.insertMessage(.received("news", id: 1), in: source) }
    let beside = try Store.openReadOnly(path: folder.database)
    let report = try beside.integrity(within: 60_000_000_000)
    #expect(report.damages == [])
    #expect(report.tables > 20)
    #expect(report.checkedTables == report.tables)
    let counts = try beside.rowCounts(within: 60_000_000_000)
    #expect(counts.first { $0.table == "messages" }?.rows == 1)
    #expect(counts.count == report.tables)
}

@Test func aDamagedPageIsFound() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    for id in 1...200 {
        try store.commit {
            _ = try $0.insertMessage(.received("text number \(id)", id: PacketID(UInt32(id))), in: source)
        }
    }
    store.close()
    // The last pages are those of messages and their indexes: what they say of themselves is nonsense now.
    let file = try FileHandle(forUpdating: URL(filePath: folder.database))
    let size = try file.seekToEnd()
    for page in 1...8 {
        try file.seek(toOffset: size - UInt64(page) * 1024)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
    }
    try file.close()
    let report = try Store.openReadOnly(path: folder.database).integrity(within: 60_000_000_000)
    #expect(!report.damages.isEmpty)
}

@Test func withoutTimeLittleIsLookedAt() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    defer { store.close() }
    let report = try Store.openReadOnly(path: folder.database).integrity(within: 0)
    #expect(report.checkedTables < report.tables)
    #expect(report.damages == [])
}
