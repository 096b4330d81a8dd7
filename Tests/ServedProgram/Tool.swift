import Foundation
import Platform

/// Programs and libraries of Debian that tests use. One that is missing is said before anything odd follows from it.
enum Tool {
    struct Missing: Error, CustomStringConvertible {
        let name: String

        var description: String {
            "\(name) is not installed; deploy/prerequisites has the row, and deploy/test installs it"
        }
    }

    /// - Parameter executable: a path, or a name that is looked for on the PATH.
    static func find(_ executable: String) throws {
        let folders =
            executable.contains("/")
            ? [""]
            : (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/" }
        guard folders.contains(where: { access($0 + executable, X_OK) == 0 }) else {
            throw Missing(name: executable)
        }
    }

    /// - Parameter objects: as LD_PRELOAD has them. Those with a path are the tests' own.
    static func findLibraries(_ objects: String) throws {
        for name in objects.split(separator: ":").map(String.init) where !name.contains("/") {
            // The linker goes on without it, and says so.
            guard try said(by: ["LD_PRELOAD=\(name)", "/bin/true"]).isEmpty else { throw Missing(name: name) }
        }
    }

    private static func said(by words: [String]) throws -> Data {
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = words
        let errors = Pipe()
        program.standardError = errors
        try program.run()
        defer { program.waitUntilExit() }
        return try errors.fileHandleForReading.readToEnd() ?? Data()
    }
}
