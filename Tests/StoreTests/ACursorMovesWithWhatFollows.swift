import CRecordingDisk
import CSQLite
import MeshModel
import Testing

@testable import Store

/// An internal reader's place and what follows from the changes up to it are one commit.
@Suite struct ACursorMovesWithWhatFollows {
    private let folder = Folder.inMemory()

    @Test func aNewOneBeginsAtTheNewestChange() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        store.observe { _ in }
        try store.commit { try $0.insertMessage(.received("a", id: 1), in: source) }
        let place = try store.commit { try $0.openCursor("rules") }
        #expect(try place == store.read { try $0.newestChange() })
        try store.commit { try $0.insertMessage(.received("b", id: 2), in: source) }
        // Where it was, and not where the log is.
        #expect(try store.commit { try $0.openCursor("rules") } == place)
        #expect(try store.read { try $0.changes(after: place, kinds: [.message]) }.changes.count == 1)
        try store.commit { try $0.forgetCursor("rules") }
        #expect(try store.read { try $0.cursor("rules") } == nil)
        // Who was forgotten moves nothing.
        try store.commit { try $0.moveCursor("rules", to: 99) }
        #expect(try store.read { try $0.cursor("rules") } == nil)
    }

    @Test func whatThrowsMovesNothing() throws {
        struct Refused: Error {}
        let (store, _) = try Store.withSource(folder)
        defer { store.close() }
        let place = try store.commit { try $0.openCursor("rules") }
        #expect(throws: Refused.self) {
            try store.commit { writer in
                try writer.moveCursor("rules", to: place + 5)
                throw Refused()
            }
        }
        #expect(try store.read { try $0.cursor("rules") } == place)
    }
}

/// The disk is recorded, as in the rest of the suite.
extension APowerCutLosesNothingAcknowledged {
    /// At each instant the place is that of the last effect, each change before it has one effect, and none behind it has any.
    @Test(.timeLimit(.minutes(20))) func amidWhatAReaderDoes() throws {
        try #require(recordingdisk_install() == SQLITE_OK)
        let folder = Folder.inMemory()
        recordingdisk_start(folder.database)
        defer { recordingdisk_stop() }
        let (acts, messages) = try actOnMessages(in: folder)
        recordingdisk_stop()

        var random = Seeded(seed)
        var disk = RecordedDisk(startingWith: [:])
        let instants = (0..<cuts).map { $0 * recordingdisk_count() / cuts }
        var found: Set<Int64> = []
        for instant in instants {
            disk.advance(to: instant)
            let image = Folder.inMemory()
            try DatabaseFiles(disk.image(&random), [:]).write(to: image)
            let store = try Store(path: image.database)
            defer { store.close() }
            let (place, effects, left) = try store.read { reader in
                let place = try reader.cursor("toy")
                return (
                    place, try reader.happenings(limit: .max).compactMap { $0.sequence.map { Int64($0) } },
                    try reader.changes(after: place ?? 0, kinds: [.message], limit: .max).changes.map(\.number)
                )
            }
            let context = "seed \(seed), after \(instant) of \(recordingdisk_count())"
            guard let place else {
                #expect(effects.isEmpty, "\(context)")
                continue
            }
            found.insert(place)
            #expect(effects == effects.sorted() && Set(effects).count == effects.count, "\(context)")
            #expect(effects.allSatisfy { $0 <= place } && left.allSatisfy { $0 > place }, "\(context)")
            #expect(place == 0 || effects.last == place, "\(context): the place has moved without its effect")
            // What was acknowledged is there.
            #expect(effects.count >= acts.last { $0.instant <= instant }?.count ?? 0, "\(context)")
            #expect(effects.count <= messages)
        }
        #expect(found.count > 8, "too few places to prove anything")
    }

    /// Messages come in groups; a reader acts on each once.
    ///
    /// - Returns: at which instants how many acts were on disk, and the messages.
    private func actOnMessages(in folder: Folder) throws -> (acts: [(instant: Int, count: Int)], messages: Int) {
        let store = try Store(path: folder.database, groupInterval: 5_000_000, logPages: 100)
        defer { store.close() }
        store.observe { _ in }
        let source = try store.commit { try $0.insert(.example) }
        var place = try store.commit { try $0.openCursor("toy") }
        var (acts, last): ([(instant: Int, count: Int)], PacketID) = ([], 0)
        var count = 0
        for round in 0..<60 {
            for _ in 0..<(round % 5 + 1) {
                last += 1
                store.enqueue { [last] in try $0.insertMessage(.received("text \(last)", id: last), in: source) }
            }
            if round % 3 == 0 { try store.commit { _ in } }
            let (changes, upTo, _) = try store.readCommitted {
                try $0.changes(after: place, kinds: [.message], limit: 4)
            }
            guard let newest = changes.last?.number else { continue }
            try store.commit { writer in
                for change in changes {
                    // An hour apart: each is a row.
                    let time = noon + change.number * hour
                    try writer.insert(Happening(.notice, at: time, sequence: UInt64(change.number)))
                }
                try writer.moveCursor("toy", to: newest)
            }
            count += changes.count
            acts.append((recordingdisk_count(), count))
            place = max(newest, upTo)
        }
        return (acts, Int(last))
    }
}
