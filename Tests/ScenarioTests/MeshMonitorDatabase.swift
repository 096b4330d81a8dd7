import Foundation
import MeshModel
import Testing

@testable import ServedProgram

/// A database as MeshMonitor has it, made by a script (Tests/MeshMonitor) in a folder of its own.
struct MeshMonitorDatabase {
    static let hill = "7f3c1f0e-6b1d-4d0c-9a57-0d9d3c1b2a44"

    /// A link to it will do as well.
    var path: String
    /// What MeshMonitor's API says of it: `sources` and `kinds`.
    let expected: JSON
    private let folders: Folders

    /// - Parameters:
    ///   - own: node number of its radio.
    ///   - packets: with values, of each radio.
    init(version: Int, own: NodeNumber = NodeNumber(0x4331_4088), packets: Int = 150, in folders: Folders) throws {
        self.folders = folders
        let folder = "\(folders.root)/meshmonitor"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = "\(folder)/meshmonitor.db"
        let expectation = "\(folders.root)/expected.json"
        let script = try Self.script(
            "make-database.py", "--version", "\(version)", "--own", "\(own.rawValue)", "--telemetry", "\(packets)",
            path,
            expectation, in: folders)
        try #require(script.exitCode() == 0, "\(script.errors.text)")
        expected = try JSONDecoder().decode(
            JSON.self, from: Data(contentsOf: URL(fileURLWithPath: expectation)))
    }

    private static func script(_ words: String..., in folders: Folders) throws -> Program {
        let here = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = here.appending(path: "MeshMonitor/\(words[0])").path
        let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
        // A script that leaves its cache beside it would change the tree.
        return try Program(
            ["-c", "exec \"$0\" -B \"$@\"", python, path] + words.dropFirst(), in: folders, executable: "/bin/sh")
    }

    /// Leaves it as a program does that was killed: `log` or `journal` (leave-behind.py).
    func leaveBehind(_ state: String) throws {
        let script = try Self.script("leave-behind.py", state, path, in: folders)
        try #require(script.exitCode() == 0, "\(script.errors.text)")
    }

    /// A program that has it open until the end of the test.
    func openElsewhere() throws -> Program {
        let script = try Self.script(
            "leave-behind.py", "open", path, in: folders)
        _ = try script.output.line(containing: "open")
        return script
    }

    func takeOver(_ words: String...) throws -> (code: Int32, output: String, errors: String) {
        let program = try Program(["take-over", path] + words, in: folders)
        return (try program.exitCode(), program.output.text, program.errors.text)
    }

    /// The report of a run that has to end well.
    func report(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> JSON {
        let program = try Program(["take-over", path, "--json"] + words, in: folders)
        #expect(try program.exitCode() == 0, "\(program.errors.text)", sourceLocation: sourceLocation)
        return try JSONDecoder().decode(JSON.self, from: program.output.data)
    }

    /// Everything in its folder: names, contents, and when they were written last.
    func fingerprint() throws -> [String] {
        let folder = (path as NSString).deletingLastPathComponent
        var lines = [try written(folder)]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let content = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            lines.append("\(name) \(content.hashValue) \(content.count) \(try written("\(folder)/\(name)"))")
        }
        return lines
    }

    private func written(_ path: String) throws -> String {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
    }
}

extension JSON {
    /// The numbers of a report's kind.
    func kind(_ name: String) -> JSON { self["kinds"].rows.first { $0["kind"] == .string(name) } ?? .null }

    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// Whether this answer has what that one has: numbers as exactly as a radio measures.
    func agrees(with expected: JSON) -> Bool {
        if let one = number, let other = expected.number { return abs(one - other) <= abs(other) * 1e-6 }
        return self == expected
    }

    var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
}
