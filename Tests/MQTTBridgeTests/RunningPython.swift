import Foundation

let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// A program in the Python that has the packages of Tests/requirements.txt.
final class RunningPython {
    private let process = Process()
    private let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "python-\(UUID().uuidString)")

    init(_ words: [String], input: Data) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, content) in [("input", input), ("output", Data()), ("errors", Data())] {
            try content.write(to: folder.appending(path: name))
        }
        var environment = ProcessInfo.processInfo.environment
        environment["PYTHONIOENCODING"] = "utf-8"
        process.environment = environment
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"] + words
        process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "input"))
        process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "output"))
        process.standardError = try FileHandle(forWritingTo: folder.appending(path: "errors"))
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func waitForEnd() { process.waitUntilExit() }

    var said: String { text("output") }
    var complaints: String { text("errors") }

    private func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }
}
