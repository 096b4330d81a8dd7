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
