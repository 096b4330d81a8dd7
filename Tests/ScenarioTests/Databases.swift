import Foundation
import Testing

@testable import ServedProgram

/// Databases as another program sees them (databases.py).
struct Databases {
    let folders: Folders

    /// A file in the test's own folder.
    func path(_ name: String) -> String { "\(folders.root)/\(name)" }

    /// An empty database, and so many rows in it.
    func make(_ name: String, rows: Int) throws {
        let made = try Program.run("token", "create", "phone", "--database", path(name), in: folders)
        try #require(made.code == 0, "\(made.errors)")
        try ask("fill", path(name), "\(rows)")
    }

    /// What databases.py says of it; a wrong answer is an issue.
    @discardableResult
    func ask(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
        try run(["databases.py"] + words, sourceLocation)
    }

    /// The same with another script.
    @discardableResult
    func script(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
        try run(words, sourceLocation)
    }

    private func run(_ words: [String], _ sourceLocation: SourceLocation) throws -> Int {
        let script = (#filePath as NSString).deletingLastPathComponent + "/" + words[0]
        let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
        let program = try Program([script] + words.dropFirst(), in: folders, executable: python)
        let code = try program.exitCode()
        #expect(code == 0, "\(words): \(program.errors.text)", sourceLocation: sourceLocation)
        return Int(program.output.text.trimmingCharacters(in: .newlines)) ?? 0
    }

    /// Everything beside a file that is named after it.
    func leftovers(of name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folders.root)
            .filter { found in
                // The lock's file, and what whoever only reads leaves beside a database.
                found.hasPrefix(name) && found != name
                    && ![".lock", "-wal", "-shm"].contains { found == name + $0 }
            }
            .sorted()
    }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }
}

/// Whether the long form of a test is wanted.
let isFullRun = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_FULL"] != nil
