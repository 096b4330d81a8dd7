import CRecordingDisk
import CSQLite
import Testing

@testable import Store

/// What a database says at a moment.
protocol MomentState: Equatable {
    /// Before the first one.
    init()
    init(_ store: Store) throws
}

extension APowerCutLosesNothingAcknowledged {
    /// Cuts the power at many instants of some steps. The database then says what it said at one moment between two of them, and
    /// that is not before the last one that was on disk.
    ///
    /// - Parameter steps: takes them in a folder on the recorded disk; what each has left, and when it was on disk.
    func cutPower<State: MomentState>(amid steps: (Folder) throws -> [(instant: Int, state: State)]) throws {
        var found: Set<Int> = []
        try cutPower(amid: steps) { store, moments, instant, context in
            let state = try State(store)
            let promised = moments.lastIndex { $0.instant <= instant } ?? -1
            // The next one may have come to the disk before it was acknowledged.
            let place = moments.indices.first { $0 >= promised && moments[$0].state == state }
            let isNothing = promised < 0 && state == State()
            #expect(
                isNothing || place.map { $0 <= promised + 1 } == true, "\(context): \(State.self) of no moment")
            if let place { found.insert(place) }
        }
        #expect(found.count > 20, "too few moments to prove anything")
    }

    /// - Parameters:
    ///   - steps: takes them in a folder on the recorded disk; what is to be known of them.
    ///   - look: looks at the database that a cut at an instant has left.
    func cutPower<Known>(
        amid steps: (Folder) throws -> Known,
        look: (_ store: Store, Known, _ instant: Int, _ context: String) throws -> Void
    ) throws {
        try #require(recordingdisk_install() == SQLITE_OK)
        let folder = Folder.inMemory()
        recordingdisk_start(folder.database)
        defer { recordingdisk_stop() }
        let known = try steps(folder)
        recordingdisk_stop()

        var random = Seeded(seed)
        var disk = RecordedDisk(startingWith: [:])
        for instant in (0..<cuts).map({ $0 * recordingdisk_count() / cuts }) {
            disk.advance(to: instant)
            let image = Folder.inMemory()
            try DatabaseFiles(disk.image(&random), [:]).write(to: image)
            let store = try Store(path: image.database)
            defer { store.close() }
            try look(store, known, instant, "seed \(seed), after \(instant) of \(recordingdisk_count())")
        }
    }
}
