import Foundation
import Testing

@Suite struct TheGeneratedCodeIsUpToDate {
    static let root = Schema.folder.deletingLastPathComponent().deletingLastPathComponent()

    @Test func regeneratingGivesNoDifference() throws {
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("generated-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: target) }
        let (status, output) = try run(
            Self.root.appendingPathComponent("Proto/generate").path, [target.path], environment: [:])
        try #require(status == 0, "\(output)")
        let committed = Self.root.appendingPathComponent("Sources/CMeshtastic")
        let files = try contents(of: committed)
        #expect(files.count > 30)
        let generated = try contents(of: target)
        #expect(generated.keys.sorted() == files.keys.sorted())
        for (name, data) in generated { #expect(files[name] == data, "\(name) is not what Proto/generate makes") }
    }

    private func contents(of folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let file = folder.appendingPathComponent(name)
            if file.hasDirectoryPath || name == "include" { continue }
            files[name] = try Data(contentsOf: file)
        }
        return files
    }
}

/// Runs a program to its end; its status and everything it printed.
func run(_ program: String, _ arguments: [String], environment: [String: String]) throws -> (Int32, String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
