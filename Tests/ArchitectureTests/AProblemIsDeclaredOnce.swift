import Foundation
import MeshModel
import Testing

/// What is wrong is one value, in MeshModel, and its names stand in one list there: a name that is not in it does not compile.
@Suite struct AProblemIsDeclaredOnce {
    private static let home = "Sources/MeshModel/Problem.swift"

    @Test func asOneTypeWithNamesOfTheList() throws {
        let tree = try SourceTree.ofThisRepository()
        #expect(try #require(tree.texts[Self.home]).contains("public struct Problem"))
        #expect(Self.flaws(of: tree) == [])
    }

    @Test(arguments: [
        ("    public struct Problem: Hashable {", "another type Problem"),
        ("enum Problem: Error {", "another type Problem"),
        (#"let it = Problem(told: "slow-disk", "The disk is slow.")"#, "a name that is not declared"),
        (#"    Problem(told:"slow-disk", advice)"#, "a name that is not declared"),
        (#"logger.warning("rule-broken: \(mistake)")"#, "a name of the list in words"),
        (#"log(fields: ["problem": "rule-broken"])"#, "a name of the list in words"),
        (#"log("\(Problem.Kind.ruleBroken): \(mistake)")"#, nil),
        ("let problemNames: Set<String> = []\nstruct ProblemRow {}\nlet it = Problem(told: name, advice)", nil),
    ])
    func whatBreaksItIsFound(code: String, flaw: String?) {
        let tree = SourceTree(
            paths: [Self.home, "Sources/A/B.swift"],
            texts: [Self.home: "public struct Problem {}", "Sources/A/B.swift": code])
        #expect(Self.flaws(of: tree) == [flaw].compactMap { $0.map { "Sources/A/B.swift:1: \($0)" } })
    }

    /// The compiler says so.
    @Test func aNameThatIsNotDeclaredDoesNotCompile() throws {
        let declared = try #require(try SourceTree.ofThisRepository().texts[Self.home])
        #expect(try Self.compiles(declared + #"let it = Problem(.noRadio, "There is none.")"#))
        #expect(try !Self.compiles(declared + #"let it = Problem(.slowDisk, "The disk is slow.")"#))
        #expect(try !Self.compiles(declared + #"let it = Problem("slow-disk", "The disk is slow.")"#))
    }

    /// As a rule, `status` and every log say them.
    @Test func theNamesAreInKebabCase() {
        for kind in Problem.Kind.allCases {
            #expect(kind.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(kind.rawValue)")
        }
    }

    private static func flaws(of tree: SourceTree) -> [String] {
        tree.rooms.flatMap { tree.files(of: $0, endings: [".swift"]) }.filter { $0.path != home }.flatMap {
            path, text in
            text.codeLines.compactMap { line in
                if line.text.contains(/\b(?:struct|enum|class|actor|protocol|typealias) Problem\b/) {
                    return "\(path):\(line.number): another type Problem"
                }
                let isInWords = Problem.Kind.allCases.contains { kind in
                    line.text.contains(#""\#(kind): "#) || line.text.contains(#""problem": "\#(kind)""#)
                }
                if isInWords { return "\(path):\(line.number): a name of the list in words" }
                let isMadeUp = line.text.contains(/\bProblem\(\s*told:\s*"/)
                return isMadeUp ? "\(path):\(line.number): a name that is not declared" : nil
            }
        }
    }

    private static func compiles(_ code: String) throws -> Bool {
        let file = FileManager.default.temporaryDirectory.appending(path: "problem-\(UUID().uuidString).swift")
        try code.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["swiftc", "-typecheck", "-swift-version", "6", file.path]
        compiler.standardError = FileHandle.nullDevice
        try compiler.run()
        compiler.waitUntilExit()
        return compiler.terminationStatus == 0
    }
}
