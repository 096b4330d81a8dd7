import Foundation
import Testing

@testable import ServedProgram

/// What is damaged, cut off, newer, or no backup at all is refused in one sentence, and nothing is changed.
@Suite struct OnlyAWholeBackupIsRestored {
    private let databases: Databases
    private let whole: Data

    init() throws {
        databases = Databases(folders: try Folders())
        try databases.make("mesh.db", rows: 2_000)
        let made = try Program.run(
            "backup", databases.path("whole"), "--database", databases.path("mesh.db"), in: databases.folders)
        try #require(made.code == 0, "\(made.errors)")
        whole = try databases.bytes("whole")
    }

    /// Tries to restore a file that holds this.
    private func expectRefusal(
        _ content: Data, saying words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = databases.path("tried")
        try content.write(to: URL(filePath: file))
        let before = try databases.bytes("mesh.db")
        let (code, output, errors) = try Program.run(
            "restore", file, "--replace", "--database", databases.path("mesh.db"), in: databases.folders)
        #expect(code == 65, "\(errors)", sourceLocation: sourceLocation)
        #expect(output.isEmpty && errors.split(separator: "\n").count == 1, "\(errors)", sourceLocation: sourceLocation)
        for word in words { #expect(errors.contains(word), "\(errors)", sourceLocation: sourceLocation) }
        #expect(try databases.bytes("mesh.db") == before, sourceLocation: sourceLocation)
        #expect(try databases.leftovers(of: "mesh.db") == [], sourceLocation: sourceLocation)
    }

    @Test func aBitThatHasFlippedIsFound() throws {
        // In the header, in the schema, anywhere in the rows, and in the seal itself.
        let places = [20, 40, 500, whole.count / 2, whole.count - 50, whole.count - 2]
        for place in places + (0..<(isFullRun ? 40 : 2)).map({ _ in .random(in: 100..<whole.count) }) {
            var damaged = whole
            damaged[place] ^= 4
            try expectRefusal(damaged, saying: ["tried"])
        }
    }

    @Test func whatIsCutOffIsFound() throws {
        for count in [1, 100, 5_000, 102_400, whole.count / 2, whole.count - 94, whole.count - 93, whole.count - 1] {
            // Without its seal it is a plain copy of a database, as any program makes one.
            if count == whole.count - 94 { continue }
            try expectRefusal(whole.prefix(count), saying: ["tried"])
        }
        try expectRefusal(whole.prefix(102_400), saying: ["damaged, or not the whole file", "older backup"])
        try expectRefusal(Data(), saying: ["is no backup of mesh-gateway"])
    }

    @Test func whatIsNotOursIsNamed() throws {
        try expectRefusal(Data(repeating: 0x61, count: 5_000), saying: ["is no backup of mesh-gateway"])
        for (statement, words) in [
            ("PRAGMA user_version = 99", ["newer version of mesh-gateway (format 99", "install that version"]),
            ("PRAGMA application_id = 7", ["another program", "take-over"]),
        ] {
            // Whoever writes to it makes it a plain database.
            try whole.dropLast(94).write(to: URL(filePath: databases.path("changed")))
            let python = try Program(
                [
                    "-c",
                    "import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2])",
                    databases.path("changed"), statement,
                ], in: databases.folders, executable: "python3")
            #expect(try python.exitCode() == 0, "\(python.errors.text)")
            try expectRefusal(databases.bytes("changed"), saying: words)
        }
    }
}
