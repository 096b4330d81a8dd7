import CRecordingDisk
import CSQLite
import Foundation
import MeshModel
import Testing

@testable import Store

/// Serialized: one file can be held at a time.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct Checkpointing {
    let folder = Folder()
    let store: Store
    let source: SourceID

    init() throws {
        try #require(recordingdisk_install() == SQLITE_OK)
        recordingdisk_hold(folder.database, 0)
        store = try Store(path: folder.database, groupInterval: 20_000_000, logPages: 200)
        source = try store.commit { try $0.insert(.example) }
    }

    private func insert(_ id: PacketID) throws {
        try store.commit { [source] in _ = try $0.insertMessage(.received("text", id: id), in: source) }
    }

    @Test func theWriterGoesOnWhileTheLogIsMoved() throws {
        recordingdisk_hold(folder.database, 1)
        var id: PacketID = 1
        while store.health.pagesWritten < 200 {
            try insert(id)
            id += 1
        }
        recordingdisk_await_held()
        for late in 1...5 as ClosedRange<PacketID> { try insert(id + late) }
        #expect(store.health.checkpoints == 0)
        #expect(try store.read { try $0.messages(.init(source: source, limit: 1)) }.map(\.packetID) == [id + 5])
        recordingdisk_hold(folder.database, 0)
        store.close()
        #expect(store.health.checkpoints > 0 && store.health.lastError == nil)
    }

    /// What is written without a pause would leave the move behind, and the log would grow for as long.
    @Test func whoWritesWithoutAPauseWaitsForIt() throws {
        recordingdisk_hold(folder.database, 1)
        for id in 1...8_000 as ClosedRange<PacketID> {
            store.enqueue(.received) { [source] in _ = try $0.insertMessage(.received("text", id: id), in: source) }
        }
        recordingdisk_await_held()
        recordingdisk_hold(folder.database, 0)
        try store.commit { _ in }
        #expect(store.health.pagesWritten > 2_000, "too little was written to prove anything")
        let log = try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")[.size] as? Int
        // Twice the 200, and what one transaction writes.
        #expect(try #require(log) < 700 * 1_048)
    }
}
