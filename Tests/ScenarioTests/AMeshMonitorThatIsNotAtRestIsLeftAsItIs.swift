import Foundation
import Testing

@testable import ServedProgram

/// A database that is in use, half-written or none at all: nothing is written beside it, and nothing half-done here.
@Suite struct AMeshMonitorThatIsNotAtRestIsLeftAsItIs {
    @Test func oneThatRunsIsToBeStoppedFirst() throws {
        let folders = try Folders()
        let theirs = try MeshMonitorDatabase(version: 4, packets: 5, in: folders)
        let writer = try theirs.openElsewhere()
        let before = try theirs.fingerprint()
        let refused = try theirs.takeOver()
        #expect(refused.code == 69, "\(refused.errors)")
        #expect(refused.errors.contains("process \(writer.process)"), "\(refused.errors)")
        #expect(refused.errors.contains("docker stop meshmonitor"), "\(refused.errors)")
        #expect(try theirs.fingerprint() == before)
        #expect(try Self.files(folders).isEmpty)
        writer.signal(SIGKILL)
        #expect(try writer.exitCode() == -SIGKILL)
    }

    /// What is in the log beside the file counts, also when a link to the file is named.
    @Test(arguments: [false, true]) func whatAKilledOneHasLoggedIsTaken(isLinked: Bool) throws {
        let folders = try Folders()
        let theirs = try MeshMonitorDatabase(version: 4, packets: 5, in: folders)
        try theirs.leaveBehind("log")
        let before = try theirs.fingerprint()
        #expect(before.contains { $0.hasPrefix("meshmonitor.db-wal ") })
        var named = theirs
        if isLinked {
            named.path = "\(folders.root)/link.db"
            try FileManager.default.createSymbolicLink(atPath: named.path, withDestinationPath: theirs.path)
        }
        #expect(try named.report().kind("messages")["taken"] == 240)
        #expect(try theirs.fingerprint() == before)
        #expect(try Self.files(folders) == ["mesh.db", "mesh.db.lock"])
        let nodes = try Program.run("nodes", "--json", in: folders)
        #expect(nodes.output.contains("Renamed in the log"), "\(nodes.errors)")
    }

    /// What a change that was never finished has overwritten is in the journal, and counts.
    @Test func whatAKilledOneHasHalfChangedIsUndone() throws {
        let folders = try Folders()
        let theirs = try MeshMonitorDatabase(version: 3, packets: 5, in: folders)
        try theirs.leaveBehind("journal")
        let before = try theirs.fingerprint()
        #expect(before.contains { $0.hasPrefix("meshmonitor.db-journal ") })
        #expect(try theirs.report().kind("messages")["taken"] == 120)
        #expect(try theirs.fingerprint() == before)
        let messages = try Program.run("messages", "--json", "--limit", "300", in: folders)
        #expect(messages.output.contains("Grüße 2"), "\(messages.errors)")
        #expect(!messages.output.contains("half a change"))
    }

    /// The end of a file is missing, or its middle was written over.
    @Test func aDamagedOneIsNamed() throws {
        let folders = try Folders()
        let theirs = try MeshMonitorDatabase(version: 4, packets: 100, in: folders)
        let whole = try Data(contentsOf: URL(fileURLWithPath: theirs.path))
        var broken = whole
        for place in stride(from: 3 * 4096, to: whole.count - 4096, by: 4096) {
            broken.replaceSubrange(place..<place + 200, with: Data(repeating: 0xA5, count: 200))
        }
        for (content, cause) in [
            (whole.prefix(whole.count / 2), "is cut off"), (whole.prefix(50), "is cut off"), (broken, "is damaged"),
            (Data(), "is empty"), (Data("-- PostgreSQL database dump\n".utf8), "comes out of PostgreSQL"),
            (Data(repeating: 7, count: 5000), "is not an SQLite database"),
        ] {
            try content.write(to: URL(fileURLWithPath: theirs.path))
            let before = try theirs.fingerprint()
            let refused = try theirs.takeOver()
            #expect(refused.code == 65, "\(cause): \(refused.errors)")
            #expect(refused.errors.contains(cause), "\(refused.errors)")
            #expect(refused.output.isEmpty)
            #expect(try theirs.fingerprint() == before)
            #expect(try Self.files(folders).isEmpty)
        }
    }

    @Test func anothersDatabaseIsNotTouched() throws {
        let folders = try Folders()
        #expect(try Program.run("token", "create", "phone", in: folders).code == 0)
        let own = try #require(try Self.files(folders).first.map { "\(folders.state)/mesh-gateway/\($0)" })
        let itself = try Program.run("take-over", own, in: folders)
        #expect(itself.code == 65 && itself.errors.contains("the gateway's own database"), "\(itself.errors)")
        let elsewhere = try Program.run("take-over", own, "--database", "\(folders.root)/new.db", in: folders)
        #expect(
            elsewhere.code == 65 && elsewhere.errors.contains("no database of MeshMonitor's"), "\(elsewhere.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folders.root)/new.db"))
        let server = try Program.run("take-over", "postgres://meshmonitor@db/meshmonitor", in: folders)
        #expect(server.code == 65 && server.errors.contains("only MeshMonitor's SQLite file"), "\(server.errors)")
    }

    private static func files(_ folders: Folders) throws -> [String] {
        let folder = "\(folders.state)/mesh-gateway"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }
}
