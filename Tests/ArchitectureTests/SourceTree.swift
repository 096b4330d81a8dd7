import Foundation

@testable import Pages

/// What the rules look at: the repository's files by their paths, and the text of those that hold rules or code.
struct SourceTree {
    /// Every file under version control, and what is about to be.
    var paths: [String]
    /// Text by path: the pages, Package.swift, what lies under Sources, and code below the folders that were asked for.
    var texts: [String: String]

    /// The repository that this test was compiled from.
    ///
    /// - Parameter folders: where code is read besides, such as `Tests/`.
    static func ofThisRepository(withCodeIn folders: [String] = []) throws -> SourceTree {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let fresh = ["--others", "--exclude-standard", "--", "*.md", "Package.swift", "Sources"]
        let paths = try listing(root, ["--cached"]) + listing(root, fresh)
        guard !paths.isEmpty else { throw Unreadable() }

        var texts: [String: String] = [:]
        let isText = { (path: String) in path.hasSuffix(".md") || path == "Package.swift" || path.hasPrefix("Sources/")
        }
        for path in paths where isText(path) && ![".png", ".gz", ".packed"].contains(where: path.hasSuffix) {
            texts[path] = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        for path in paths where texts[path] == nil && folders.contains(where: path.hasPrefix) {
            // What has no ending is a program when it says so; inputs of tests have none, either.
            let isProgram = path.split(separator: "/").last?.contains(".") == false
            guard isProgram || CommentMarks(of: path) != nil,
                let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8),
                !isProgram || text.hasPrefix("#!")
            else { continue }
            texts[path] = text
        }
        return SourceTree(paths: paths, texts: texts)
    }

    /// What `git ls-files` prints for the options, as far as it is really there.
    private static func listing(_ root: URL, _ options: [String]) throws -> [String] {
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        // The tree may belong to somebody else than the user who runs the tests, a container's root for one.
        git.arguments = ["git", "-c", "safe.directory=*", "-C", root.path, "ls-files", "-z"] + options
        let output = Pipe()
        git.standardOutput = output
        try git.run()
        let listing = try output.fileHandleForReading.readToEnd() ?? Data()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { throw Unreadable() }
        return listing.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }
    }

    struct Unreadable: Error, CustomStringConvertible {
        var description: String { "git ls-files does not list the repository that these tests were compiled from" }
    }

    /// The rooms that have a folder, in order.
    var rooms: [String] {
        let inSources = paths.map { $0.split(separator: "/") }.filter { $0.first == "Sources" && $0.count > 2 }
        return Set(inSources.map { String($0[1]) }).sorted()
    }

    var pages: [Page] {
        texts.filter { $0.key.hasSuffix(".md") }.map { Page(path: $0.key, text: $0.value) }.sorted { $0.path < $1.path }
    }

    /// Whether a file or a folder of it is there.
    func has(_ path: String) -> Bool { paths.contains { $0 == path || $0.hasPrefix(path + "/") } }

    /// Path and text of a room's files with one of the endings.
    func files(of room: String, endings: [String]) -> [(path: String, text: String)] {
        texts.filter { path, _ in path.hasPrefix("Sources/\(room)/") && endings.contains { path.hasSuffix($0) } }
            .map { ($0.key, $0.value) }
            .sorted { $0.0 < $1.0 }
    }
}

extension String {
    /// Lines with their numbers, from 1, without what follows `//`. Good enough where block comments are not allowed:
    /// a `//` inside a string hides the rest of its line, which no rule here is about.
    var codeLines: [(number: Int, text: String)] {
        split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            (index + 1, line.firstRange(of: "//").map { String(line[..<$0.lowerBound]) } ?? String(line))
        }
    }
}
