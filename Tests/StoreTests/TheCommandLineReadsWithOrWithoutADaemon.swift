import Foundation
import MeshModel
import Testing

@testable import Store

@Test func theCommandLineReadsBesideADaemon() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let beside = try Store.openReadOnly(path: folder.database)
    try store.commit { _ = try $0.insertMessage(.received("news", id: 1), in: source) }
    #expect(try beside.read { try $0.messages(.init(source: source)) }.map(\.text) == ["news"])
}

@Test func theCommandLineReadsWithoutADaemon() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { _ = try $0.insertMessage(.received("old", id: 1), in: source) }
    store.close()
    let alone = try Store.openReadOnly(path: folder.database)
    #expect(try alone.read { try $0.messages(.init(source: source)) }.map(\.text) == ["old"])
}

@Test func readingWhereNothingIsMakesNothing() throws {
    let folder = Folder()
    #expect(throws: StoreError.missing(path: folder.database)) { try Store.openReadOnly(path: folder.database) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
}
