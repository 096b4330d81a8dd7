import Foundation
import Glibc
import Testing

@testable import Store

/// `sudo mesh-gateway token create` may come before the service has made its database, and the service runs under a user
/// of its own.
@Suite(.enabled(if: geteuid() == 0, "files are given away by root")) struct WhatRootMakesBelongsToTheFolder {
    @Test func theServicesUserOwnsItsDatabase() throws {
        let folder = Folder()
        let user: uid_t = 64_123, group: gid_t = 64_124
        try #require(chown(folder.path, user, group) == 0)
        let store = try Store(path: folder.database)
        defer { store.close() }
        for name in ["", ".lock", "-wal", "-shm"] {
            var status = stat()
            try #require(stat(folder.database + name, &status) == 0, "\(name)")
            #expect(status.st_uid == user && status.st_gid == group, "\(name)")
        }
    }

    /// A link in the place of the lock would have root write into somebody else's file, and give it away.
    @Test func noLinkIsFollowed() throws {
        let folder = Folder()
        let victim = folder.path + "/victim"
        try "precious".write(toFile: victim, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: folder.database + ".lock", withDestinationPath: victim)
        try #require(chown(folder.path, 64_123, 64_124) == 0)
        #expect(throws: StoreError.self) { try Store(path: folder.database) }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        var status = stat()
        try #require(stat(victim, &status) == 0)
        #expect(status.st_uid == 0)
    }
}
