import Foundation
import Testing

/// What tests hand to a process or to LD_PRELOAD, and what the scripts run, is installed by `deploy/test` and its kind: each has a
/// row in deploy/prerequisites, or is in every Debian. `Tests/CleanRoot/used-tools.py` finds it; the clean root looks whether the
/// rows bring it.
@Suite struct EveryToolHasItsRow {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func inThisRepository() throws {
        #expect(try withoutRow(in: Self.root) == "")
        // It reads enough to prove anything.
        let used = try lines(of: Self.root, ["--plain"])
        #expect(used.contains("preload:libnss_wrapper.so") && used.contains("command:/usr/sbin/mosquitto"), "\(used)")
    }

    @Test func inAMadeUpTree() throws {
        let rows = """
            requirements=(
                "build  command:git            git"
                "test   command:/usr/sbin/mosquitto  mosquitto"
                "full   command:zsh            zsh"
            )
            """
        // Put together here, so that it is found there only.
        let (program, preload) = ("executable", "LD_PRELOAD")
        let test = """
            run("/usr/sbin/mosquitto", []) // and "/usr/bin/nothing"
            try Program([], in: folders, environment: ["\(preload)": "libwrap.so"], \(program): "zsh")
            """
        let script = """
            #!/usr/bin/env bash
            # shfmt is only named here
            say() { echo "shellcheck; $(jq . <<<"$1")"; }
            case $1 in
            git | hg) cd . && git status | rg x ;;
            esac
            """
        let found = try withoutRow(
            in: made(["deploy/prerequisites": rows, "Tests/SomeTests/A.swift": test, "deploy/some": script]))
        let names = found.split(separator: "\n").map { $0.prefix { $0 != " " } }
        // A row of `full` is none that the plain suite has.
        #expect(names == ["command:jq", "command:rg", "command:zsh", "preload:libwrap.so"], "\(found)")
    }

    private func made(_ files: [String: String]) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "made-up-\(UUID().uuidString)")
        for (path, text) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: false, encoding: .utf8)
        }
        return folder
    }

    private func withoutRow(in tree: URL) throws -> String {
        defer { if tree != Self.root { try? FileManager.default.removeItem(at: tree) } }
        return try lines(of: tree, [])
    }

    private func lines(of tree: URL, _ options: [String]) throws -> String {
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/env")
        python.arguments =
            ["python3", Self.root.appending(path: "Tests/CleanRoot/used-tools.py").path, tree.path] + options
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        python.waitUntilExit()
        #expect(python.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self)
    }
}
