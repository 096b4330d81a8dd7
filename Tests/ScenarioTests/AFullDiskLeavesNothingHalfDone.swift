import Foundation
import Testing

@testable import ServedProgram

/// A backup onto a full disk, and a disk that fails while a backup or a database is written: one sentence, nothing half
/// done, and the database is what it was.
@Suite struct AFullDiskLeavesNothingHalfDone {
    /// A file system of a megabyte, which only this command sees.
    @Test func aDiskThatIsTooSmallIsRefusedBefore() throws {
        let databases = Databases(folders: try Folders())
        try databases.make("mesh.db", rows: 20_000)
        let script = """
            mkdir small && mount -t tmpfs -o size=1m tmpfs small || exit 99
            "$0" backup small/backup --database mesh.db; echo $?; ls small
            """
        let shell = try Program(
            [
                SmallDisk.namespace(in: databases.folders), "bash", "-c", "cd '\(databases.folders.root)' && \(script)",
                Program.path,
            ], in: databases.folders,
            executable: "unshare")
        #expect(try shell.exitCode() == 0)
        #expect(shell.output.text == "73\n", "\(shell.output.text)")
        let said = shell.errors.text
        #expect(said.contains("small/backup needs ") && said.contains(" MB and its disk has 1 MB free"), "\(said)")
        #expect(said.contains("name a file on another disk"), "\(said)")
    }

    @Test(arguments: [
        // call | error | the n-th one fails
        (FaultyDisk.Call.write, ENOSPC, UInt(40)), (.write, EIO, 60), (.sync, EIO, 1), (.sync, ENOSPC, 1),
    ])
    func aDiskThatFailsMeanwhileIsNamed(call: FaultyDisk.Call, error: Int32, n: UInt) throws {
        let databases = Databases(folders: try Folders())
        try databases.make("mesh.db", rows: 5_000)
        let disk = FaultyDisk(in: databases.folders)
        var environment = try disk.environment
        environment["MESH_GATEWAY_DATABASE"] = nil
        func run(_ words: String..., on file: String) throws -> (code: Int32, errors: String) {
            environment["FAULTYDISK_DATABASE"] = databases.path(file)
            let program = try Program(
                words + ["--database", databases.path("mesh.db")], in: databases.folders, environment: environment)
            return (try program.exitCode(), program.errors.text)
        }
        let backup = databases.path("backup")
        try disk.fail([call], with: error, every: Int(n))
        let refused = try run("backup", backup, on: "backup.unfinished")
        #expect([73, 74].contains(refused.code), "\(refused)")
        #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
        let word = error == ENOSPC && call == .write ? "needs " : String(cString: strerror(error))
        #expect(refused.errors.contains(word), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: backup))
        #expect(try databases.leftovers(of: "backup") == [])
        try disk.recover()
        #expect(try run("backup", backup, on: "backup.unfinished").code == 0)

        let before = try databases.bytes("mesh.db")
        try disk.fail([call], with: error, every: Int(n))
        let kept = try run("restore", backup, "--replace", on: "mesh.db.unfinished")
        #expect([73, 74].contains(kept.code), "\(kept)")
        #expect(try databases.bytes("mesh.db") == before)
        #expect(try databases.leftovers(of: "mesh.db") == [])
        #expect(try databases.ask("state", databases.path("mesh.db")) == 500)
    }
}
