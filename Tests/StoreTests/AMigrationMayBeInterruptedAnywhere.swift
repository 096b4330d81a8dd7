import CRecordingDisk
import CSQLite
import Foundation
import Testing

@testable import Store

/// Somebody who wants a migration to end when he has been asked so often.
private final class Impatient: UpgradeObserver {
    private var left: Int
    private(set) var upgrades: [Upgrade] = []
    private(set) var fractions: [Double] = []

    init(after questions: Int) { left = questions }

    func begin(_ upgrade: Upgrade) { upgrades.append(upgrade) }
    func progress(_ fraction: Double) { fractions.append(fraction) }
    func removed(readings: Int) {}
    var isInterrupted: Bool {
        left -= 1
        return left < 0
    }
}

/// A signal comes at every moment: the file is as it was, and the next start brings it up to date.
@Test(arguments: ReleasedDatabases.olderFormats) func aSignalLeavesTheFormatOfBefore(format: Int) throws {
    var questions = 0
    while try isInterrupted(format: format, after: questions) { questions += questions / 8 + 1 }
    #expect(questions > 50, "it was asked too seldom to prove anything")
}

/// - Returns: false: it came to its end before it was asked so often.
private func isInterrupted(format: Int, after questions: Int) throws -> Bool {
    let folder = Folder.inMemory()
    try ReleasedDatabases.copy(ofFormat: format, to: folder)
    let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
    let schema = try ReleasedDatabases.schema(of: connection)
    let rows = try ReleasedDatabases.rows(in: connection)
    let observer = Impatient(after: questions)
    if let refusal = refusal(of: connection, folder.database, observer) {
        #expect(refusal == .interrupted(path: folder.database))
        // Each step is a transaction of its own: those before the one that was interrupted are done.
        let left = Int(try connection.integer("PRAGMA user_version") ?? 0)
        #expect((format..<Migration.supported).contains(left))
        let expected = try left == format ? schema : ReleasedDatabases.schema(ofFormat: left)
        #expect(try ReleasedDatabases.schema(of: connection) == expected)
        if left == format { #expect(try ReleasedDatabases.rows(in: connection) == rows) }
        if questions % 20 == 0 { try Migration.run(connection, path: folder.database) }
        return true
    }
    #expect(observer.upgrades.map(\.from) == [format] && observer.upgrades.map(\.to) == [Migration.supported])
    #expect(observer.fractions.first == 0 && observer.fractions == observer.fractions.sorted())
    #expect(observer.fractions.last ?? 1 < 1)
    return false
}

private func refusal(of connection: DatabaseConnection, _ path: String, _ observer: Impatient) -> StoreError? {
    do throws(StoreError) {
        try Migration.run(connection, path: path, observer: observer, every: 5)
        return nil
    } catch {
        return error
    }
}

/// The disk is recorded, as in the rest of the suite.
extension APowerCutLosesNothingAcknowledged {
    @Test(.timeLimit(.minutes(20)), arguments: ReleasedDatabases.olderFormats)
    func amidAMigration(format: Int) throws {
        try #require(recordingdisk_install() == SQLITE_OK)
        let folder = Folder.inMemory()
        try ReleasedDatabases.copy(ofFormat: format, to: folder)
        let start = try folder.files()
        recordingdisk_start(folder.database)
        defer { recordingdisk_stop() }
        try Store(path: folder.database).close()
        recordingdisk_stop()

        let schemas = try (format...Migration.supported).map { try ReleasedDatabases.schema(ofFormat: $0) }
        var random = Seeded(UInt64(format))
        var disk = RecordedDisk(startingWith: start)
        var formats: Set<Int64> = []
        for instant in 0...recordingdisk_count() {
            disk.advance(to: instant)
            for _ in 0..<2 {
                let image = Folder.inMemory()
                try DatabaseFiles(disk.image(&random), [:]).write(to: image)
                // As it was left, before anything is done about it.
                let left = try DatabaseConnection(path: image.database, access: .readWrite)
                let version = try left.integer("PRAGMA user_version")
                formats.insert(version ?? -1)
                let place = Int(version ?? -1) - format
                try #require(schemas.indices.contains(place), "\(instant)")
                #expect(try schemas[place] == ReleasedDatabases.schema(of: left), "\(instant)")
                #expect(try left.once("PRAGMA quick_check").rows { $0.text() } == ["ok"], "\(instant)")
                left.close()
                if instant % 16 == 0 {
                    try Store(path: image.database).close()
                    let new = try DatabaseConnection(path: image.database, access: .readOnly)
                    #expect(try schemas.last == ReleasedDatabases.schema(of: new), "\(instant)")
                }
            }
        }
        // Each step is a transaction of its own.
        #expect(formats == Set(Int64(format)...Int64(Migration.supported)))
    }
}
