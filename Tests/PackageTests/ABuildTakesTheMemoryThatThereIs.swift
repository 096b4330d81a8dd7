import Foundation
import Testing

/// A compiler of a large room takes 700 MB, and one that gets no memory ends the build.
@Suite struct ABuildTakesTheMemoryThatThereIs {
    @Test(arguments: [
        // Kilobytes that are free | processors | rooms at once
        (22_000_000, 8, 8), (22_000_000, 1, 1), (2_100_000, 4, 3), (2_099_999, 4, 2), (700_000, 2, 1), (300_000, 2, 1),
    ])
    func aRoomForEach700MB(available: Int, processors: Int, jobs: Int) throws {
        let machine = try Machine(processors: processors)
        defer { machine.remove() }
        try machine.has(available: available)
        #expect(try machine.runs("jobs_by_memory meminfo") == "\(jobs)\n")
    }

    @Test func aMachineThatDoesNotSayHasOne() throws {
        let machine = try Machine(processors: 4)
        defer { machine.remove() }
        try machine.write("meminfo", "MemTotal: 4000000 kB\n")
        #expect(try machine.runs("jobs_by_memory meminfo") == "1\n")
    }

    /// With another number SwiftPM would compile everything again.
    @Test func theReleaseGoesOnWithItsNumber() throws {
        let machine = try Machine(processors: 4)
        defer { machine.remove() }
        try machine.has(available: 1_500_000)
        #expect(try machine.runs("release_jobs meminfo") == "2\n")
        try machine.has(available: 9_000_000)
        #expect(try machine.runs("release_jobs meminfo") == "2\n")
        let asked = try machine.runs("exec 3>&1; release_of mesh-gateway")
        #expect(asked.contains(" --jobs 2 "), "swift is asked to \(asked)")
    }

    /// Every script that builds the release.
    @Test(arguments: ["run", "package", "order", "bench"]) func nobodyElseBuildsTheRelease(script: String) throws {
        let text = try Repository.text("deploy/\(script)")
        #expect(text.contains("build_release") || text.contains("release_of"))
        let lines = text.split(separator: "\n").filter { $0.contains("swift build -c release") }
        #expect(lines.allSatisfy { $0.contains("--show-bin-path") }, "\(lines)")
    }
}

/// A folder in which `deploy/prerequisites` is read, with so many processors and a compiler that prints what it is asked.
private struct Machine {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "machine-\(UUID().uuidString)")

    init(processors: Int) throws {
        try FileManager.default.createDirectory(
            at: folder.appending(path: "bin"), withIntermediateDirectories: true)
        try program("nproc", "echo \(processors)")
        try program("swift", "echo \"$@\"")
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func has(available: Int) throws {
        try write("meminfo", "MemTotal:       24000000 kB\nMemAvailable:   \(available) kB\nSwapTotal: 0 kB\n")
    }

    func write(_ name: String, _ text: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    private func program(_ name: String, _ line: String) throws {
        try write("bin/\(name)", "#!/bin/sh\n\(line)\n")
        chmod(folder.appending(path: "bin/\(name)").path, 0o755)
    }

    /// What these words of a script print.
    func runs(_ words: String) throws -> String {
        let shell = Process()
        let pipe = Pipe()
        shell.executableURL = URL(filePath: "/bin/bash")
        shell.arguments = [
            "-euo", "pipefail", "-c", ". '\(Repository.root.path)/deploy/prerequisites'; \(words)",
        ]
        shell.currentDirectoryURL = folder
        shell.environment = ["PATH": "\(folder.path)/bin:/usr/bin:/bin"]
        shell.standardOutput = pipe
        try shell.run()
        let printed = pipe.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        try #require(shell.terminationStatus == 0)
        return String(decoding: printed, as: UTF8.self)
    }
}
