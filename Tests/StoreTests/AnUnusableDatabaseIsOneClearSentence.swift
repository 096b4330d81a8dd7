import Foundation
import MeshModel
import Testing

@testable import Store

private func refusal(of path: String) -> StoreError? {
    do throws(StoreError) {
        _ = try Store(path: path)
        return nil
    } catch {
        return error
    }
}

/// The format of the next version.
private let newer = Migration.supported + 1

@Test func aNewerDatabaseIsRefusedAndLeftAlone() throws {
    let folder = Folder()
    try Store(path: folder.database).close()
    let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
    try connection.execute("PRAGMA user_version = \(newer)")
    connection.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let error = refusal(of: folder.database)
    guard case .newer(_, let version, let supported, nil) = error else {
        Issue.record("\(String(describing: error))")
        return
    }
    #expect(version == newer)
    #expect(supported == Migration.supported)
    #expect(error?.description.contains("newer version") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    #expect(throws: StoreError.self) { try Store.openReadOnly(path: folder.database) }
}

@Test func theVersionThatWroteANewerDatabaseIsNamed() throws {
    let folder = Folder()
    try Store(path: folder.database, program: "1.2.0~rc1").close()
    let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
    try FormatHistory.note("1.2.0~rc1", brought: newer, on: connection)
    try connection.execute("PRAGMA user_version = \(newer)")
    let sentence = try #require(refusal(of: folder.database)?.description)
    #expect(sentence.contains("(format \(newer) of version 1.2.0~rc1, this one knows up to \(Migration.supported))"))
    #expect(sentence.contains("sudo apt install ./mesh-gateway_1.2.0~rc1_*.deb"))
    // It is to be typed: nothing but a version gets there.
    try connection.execute("UPDATE format_history SET program = '1; rm -rf /' WHERE format = \(newer)")
    #expect(refusal(of: folder.database)?.description.contains("rm -rf") == false)
}

@Test func anOlderDatabaseIsNotReadBesideAWriter() throws {
    let folder = Folder()
    try ReleasedDatabases.copy(ofFormat: 1, to: folder)
    #expect(throws: StoreError.older(path: folder.database, version: 1)) {
        try Store.openReadOnly(path: folder.database)
    }
}

@Test func aFileThatIsNoDatabaseIsRefusedAndLeftAlone() throws {
    let folder = Folder()
    let content = Data(repeating: 0x41, count: 5_000)
    try content.write(to: URL(fileURLWithPath: folder.database))
    #expect(refusal(of: folder.database) == .notADatabase(path: folder.database))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == content)
}

@Test func anotherProgramsDatabaseIsRefusedAndLeftAlone() throws {
    let folder = Folder()
    _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
    let connection = try DatabaseConnection(path: folder.database, access: .readWrite)
    try connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    #expect(refusal(of: folder.database) == .foreign(path: folder.database))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
}

@Test func aFolderIsMadeWhenOnlyTheLastComponentIsMissing() throws {
    let folder = Folder()
    try Store(path: folder.path + "/state/mesh.db").close()
    #expect(FileManager.default.fileExists(atPath: folder.path + "/state/mesh.db"))
    #expect(refusal(of: folder.path + "/no/such/mesh.db") == .noFolder(path: folder.path + "/no/such"))
    // A file where a folder should be.
    let path = folder.path + "/state/mesh.db/mesh.db"
    #expect(refusal(of: path) == .noFolder(path: path))
}

@Test func aDirectoryIsNoDatabase() throws {
    let folder = Folder()
    #expect(refusal(of: folder.path) != nil)
}

@Test func channelKeysAreReadableByTheOwnerOnly() throws {
    let folder = Folder()
    let store = try Store(path: folder.database)
    try store.commit { _ = try $0.insert(.example) }
    for suffix in ["", "-wal", "-shm", ".lock"] {
        var status = stat()
        #expect(stat(folder.database + suffix, &status) == 0)
        #expect(status.st_mode & 0o077 == 0, "\(suffix)")
    }
}

@Test(.enabled(if: geteuid() != 0, "root may do everything")) func noPermissionIsSaid() throws {
    let folder = Folder()
    try Store(path: folder.database).close()
    chmod(folder.database, 0o400)
    #expect(refusal(of: folder.database) == .readOnly(path: folder.database))
    chmod(folder.database, 0)
    #expect(refusal(of: folder.database) == .permissionDenied(path: folder.database))
}
