import Foundation
import Testing

@testable import ServedProgram

/// Killed or interrupted in the middle, it has not begun; the next time it takes everything.
@Test(arguments: [SIGKILL, SIGINT]) func anInterruptedTakeOverChangesNothing(signal: Int32) throws {
    let folders = try Folders()
    #expect(try Program.run("token", "create", "phone", in: folders).code == 0)
    let theirs = try MeshMonitorDatabase(version: 4, packets: isFullRun ? 10_000 : 1_500, in: folders)
    let before = try theirs.fingerprint()
    for delay in isFullRun ? Array(stride(from: UInt32(0), to: 1_000_000, by: 250_000)) : [20_000] {
        let program = try Program(["take-over", theirs.path], in: folders)
        // The change has begun when the log is there.
        let log = "\(folders.state)/mesh-gateway/mesh.db-wal"
        let deadline = Date(timeIntervalSinceNow: Program.patience)
        while !FileManager.default.fileExists(atPath: log), Date() < deadline { usleep(500) }
        usleep(delay)
        program.signal(signal)
        #expect(try program.exitCode() == (signal == SIGKILL ? -SIGKILL : 130), "\(program.errors.text)")
        if signal == SIGINT { #expect(program.errors.text.contains("nothing was changed")) }
        #expect(program.output.text.isEmpty)
        let messages = try Program.run("messages", in: folders)
        #expect(messages.errors.contains("No radio was connected yet"), "\(messages.output.prefix(200))")
        #expect(try Program.run("token", "list", in: folders).output.contains("phone"))
    }
    #expect(try theirs.fingerprint() == before)
    let report = try theirs.report()
    for (kind, counts) in theirs.expected["kinds"].members {
        #expect(report.kind(kind)["taken"] == counts["taken"], "\(kind)")
    }
}
