import Foundation
import MeshModel
import Testing

@testable import Store

/// What is written to a file without a name is lost with the process: it is refused, said, and done when the file is back.
@Test(.timeLimit(.minutes(5)), arguments: ["", "-wal"])
func aDatabaseThatWasTakenAwayIsNotWrittenTo(suffix: String) throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let (name, aside) = (folder.database + suffix, folder.path + "/aside")
    try FileManager.default.moveItem(atPath: name, toPath: aside)
    #expect(throws: StoreError.displaced(path: folder.database)) {
        try store.commit { _ = try $0.insertMessage(.received("nowhere", id: 1), in: source) }
    }
    #expect(store.health.cause == .displaced && store.health.failingSince != nil)
    // Nobody waits for this one.
    store.enqueue(.received, { _ = try $0.insertMessage(.received("later", id: 2), in: source) })
    #expect(try store.read { try $0.messages(.init(source: source)) }.isEmpty)

    // Another one in its place is not ours.
    _ = FileManager.default.createFile(atPath: name, contents: nil)
    #expect(throws: StoreError.displaced(path: folder.database)) { try store.commit { _ in } }
    try FileManager.default.removeItem(atPath: name)
    try FileManager.default.moveItem(atPath: aside, toPath: name)
    try store.commit { _ = try $0.insertMessage(.received("here", id: 3), in: source) }
    #expect(store.health.failingSince == nil)
    #expect(try store.read { try $0.messages(.init(source: source)) }.map(\.packetID) == [3, 2])
}

/// A restored backup in its place, with a log of its own: the end of the old one does not touch it.
@Test func theEndLeavesWhatTookItsPlaceAlone() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    for suffix in ["", "-wal"] {
        try FileManager.default.removeItem(atPath: folder.database + suffix)
        try Data("another".utf8).write(to: URL(fileURLWithPath: folder.database + suffix))
    }
    store.close()
    for suffix in ["", "-wal"] {
        #expect(FileManager.default.contents(atPath: folder.database + suffix) == Data("another".utf8))
    }
}
