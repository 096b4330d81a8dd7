import Foundation
import Testing

@testable import ServedProgram

/// backup and restore are killed at any moment. What stands under a name is whole: the file of before or the new one.
@Suite struct NoKillLeavesHalfABackup {
    private static let kills = isFullRun ? 60 : 6

    @Test func theFileIsWholeOrTheOneOfBefore() throws {
        let databases = Databases(folders: try Folders())
        try databases.make("mesh.db", rows: 10_000)
        let words = ["backup", databases.path("backup"), "--force", "--database", databases.path("mesh.db")]
        var duration = try time(words, in: databases.folders)
        var before = try databases.bytes("backup")
        var kills = Kills(wanted: Self.kills / 2)
        while kills.goOn || kills.count < Self.kills {
            try databases.ask("fill", databases.path("mesh.db"), "10")
            let program = try Program(words, in: databases.folders)
            usleep(.random(in: 0..<duration))
            program.signal(SIGKILL)
            let isInTime = try program.exitCode() == -SIGKILL
            kills.add(amidWork: isInTime)
            duration = next(after: duration, isInTime)
            try databases.ask("sealed", databases.path("backup"))
            let now = try databases.bytes("backup")
            if now != before { try databases.ask("state", databases.path("backup")) }
            before = now
        }
        kills.report()
        #expect(kills.proveSomething, "\(kills.amidWork) of \(kills.count) were interrupted")
        #expect(try Program(words, in: databases.folders).exitCode() == 0)
        // What kills have left is gone.
        #expect(try databases.leftovers(of: "backup") == [])
    }

    @Test func theDatabaseIsTheOldOneOrTheNewOne() throws {
        let databases = Databases(folders: try Folders())
        try databases.make("old.db", rows: 10_000)
        try databases.make("mesh.db", rows: 20_000)
        for (file, database) in [("small", "old.db"), ("large", "mesh.db")] {
            let made = try Program.run(
                "backup", databases.path(file), "--database", databases.path(database), in: databases.folders)
            #expect(made.code == 0, "\(made.errors)")
        }
        func words(_ file: String) -> [String] {
            ["restore", databases.path(file), "--replace", "--database", databases.path("mesh.db")]
        }
        var duration = try time(words("small"), in: databases.folders)
        var (held, kills) = (1_000, Kills(wanted: Self.kills / 2))
        while kills.goOn || kills.count < Self.kills {
            let isSmall = kills.count % 2 == 1
            let program = try Program(words(isSmall ? "small" : "large"), in: databases.folders)
            usleep(.random(in: 0..<duration))
            program.signal(SIGKILL)
            let isInTime = try program.exitCode() == -SIGKILL
            kills.add(amidWork: isInTime)
            duration = next(after: duration, isInTime)
            let now = try databases.ask("state", databases.path("mesh.db"))
            #expect(now == held || now == (isSmall ? 1_000 : 2_000))
            for kept in try databases.leftovers(of: "mesh.db") where kept.hasPrefix("mesh.db.2") {
                #expect([1_000, 2_000].contains(try databases.ask("state", databases.path(kept))))
                try FileManager.default.removeItem(atPath: databases.path(kept))
            }
            held = now
        }
        kills.report()
        #expect(kills.proveSomething, "\(kills.amidWork) of \(kills.count) were interrupted")
        #expect(try Program(words("large"), in: databases.folders).exitCode() == 0)
        #expect(try databases.ask("state", databases.path("mesh.db")) == 2_000)
        #expect(try databases.leftovers(of: "mesh.db").count == 1)
    }

    @Test func whoInterruptsItFindsNothing() throws {
        let databases = Databases(folders: try Folders())
        try databases.make("mesh.db", rows: 30_000)
        let start = Date()
        var code: Int32 = 0
        // On a busy machine it can be done before the signal comes.
        while code == 0, Date().timeIntervalSince(start) < Program.patience {
            let program = try Program(
                ["backup", databases.path("backup"), "--force", "--database", databases.path("mesh.db")],
                in: databases.folders)
            while try databases.leftovers(of: "backup") == [], Date().timeIntervalSince(start) < Program.patience {}
            program.signal(SIGINT)
            code = try program.exitCode()
            if code == 0 { try FileManager.default.removeItem(atPath: databases.path("backup")) }
        }
        #expect(code == 130)
        #expect(!FileManager.default.fileExists(atPath: databases.path("backup")))
        #expect(try databases.leftovers(of: "backup") == [])
    }

    /// Microseconds within which the next kill comes. On a busy machine a run takes much longer than another: most kills are
    /// to come in time, some not.
    private func next(after duration: UInt32, _ wasInTime: Bool) -> UInt32 {
        wasInTime ? duration + duration / 4 : max(duration / 2, 1000)
    }

    /// Microseconds of an undisturbed run.
    private func time(_ words: [String], in folders: Folders) throws -> UInt32 {
        let start = Date()
        let program = try Program(words, in: folders)
        #expect(try program.exitCode() == 0, "\(program.errors.text)")
        return UInt32(Date().timeIntervalSince(start) * 1_000_000)
    }
}
