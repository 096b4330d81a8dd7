import Foundation
import MeshModel
import Testing

@testable import Store

@Test func aSecondDaemonIsRefused() throws {
    let folder = Folder()
    let first = try Store(path: folder.database)
    #expect(throws: StoreError.inUse(path: folder.database, process: getpid())) { try Store(path: folder.database) }
    // By another name too.
    try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/link.db", withDestinationPath: folder.database)
    #expect(throws: StoreError.inUse(path: folder.database, process: getpid())) {
        try Store(path: folder.path + "/link.db")
    }
    first.close()
    _ = try Store(path: folder.database)
}

/// A program that another thread starts has all that is open here until it runs.
@Test func aChildThatDoesNotRunYetHoldsNothing() throws {
    let folder = Folder()
    let store = try Store(path: folder.database)
    // As a child has it: the same open file.
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let end = "/" + folder.path.split(separator: "/").last! + "/mesh.db.lock"
    let held = names.first { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))?.hasSuffix(end) == true
    }
    let copy = fcntl(try #require(held.flatMap { Int32($0) }), F_DUPFD_CLOEXEC, 0)
    defer { close(copy) }
    store.close()
    try Store(path: folder.database).close()
}

/// The lock is the kernel's: another process that holds it keeps us out, whatever became of its text.
@Test(.timeLimit(.minutes(10))) func aDaemonInAnotherProcessKeepsUsOut() throws {
    let folder = Folder()
    try Store(path: folder.database).close()
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
    holder.arguments = [folder.database + ".lock", "sh", "-c", "echo held; read end"]
    let input = Pipe(), output = Pipe()
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    #expect(String(decoding: output.fileHandleForReading.readData(ofLength: 4), as: UTF8.self) == "held")
    do throws(StoreError) {
        _ = try Store(path: folder.database)
        Issue.record("two daemons on one database")
    } catch {
        guard case .inUse = error else { throw error }
        #expect(error.description.contains("in use by another mesh-gateway"))
    }
    input.fileHandleForWriting.write(Data("\n".utf8))
    _ = output.fileHandleForReading.readDataToEndOfFile()
}
